/* Moves a consumer back to the committed offsets. See the header. */
#include "kafka/kafka_rewind.h"

#include <string.h>

#include "base/clock.h"

enum {
    ANSWER_MS = 2000, /* for one question for the committed offsets, or one seek */
    LIMIT_MS = 60000, /* for all of them */
    RETRY_MS = 250
};

/* Replaces the committed offsets with the offsets to go to. A partition without a
 * committed offset goes back to the first message that it delivered. A partition that
 * delivered none stays where it is. If a topic was recreated, the committed offset may
 * still belong to the old one. */
static void aim(th_kafka_partitions *partitions, rd_kafka_topic_partition_list_t *list)
{
    for (int i = list->cnt - 1; i >= 0; i--) {
        rd_kafka_topic_partition_t *row = &list->elems[i];
        const th_kafka_partition *partition = th_kafka_partitions_find(
            partitions, (th_view){ row->topic, strlen(row->topic) }, row->partition);
        if (partition && partition->anew >= 0)
            row->offset = partition->anew;
        else if (row->offset < 0)
            row->offset = partition ? partition->first : -1;
        if (!partition || partition->first < 0 || row->offset < 0)
            rd_kafka_topic_partition_list_del_by_idx(list, i);
    }
}

static void note_places(th_kafka_partitions *partitions,
                        const rd_kafka_topic_partition_list_t *list)
{
    for (int i = 0; i < list->cnt; i++) {
        const rd_kafka_topic_partition_t *row = &list->elems[i];
        th_kafka_partition *partition = th_kafka_partitions_find(
            partitions, (th_view){ row->topic, strlen(row->topic) }, row->partition);
        if (partition)
            th_kafka_partition_go_to(partition, row->offset);
    }
}

/* Tries once to go back. Returns NULL, or the name of the step that failed. */
static const char *go_back(rd_kafka_t *rk, th_kafka_partitions *partitions,
                           rd_kafka_topic_partition_list_t *list, int ms)
{
    const rd_kafka_resp_err_t asked = rd_kafka_committed(rk, list, ms);
    const char *words = asked ? rd_kafka_err2str(asked) : th_kafka_first_error(list);
    if (words)
        return words;
    aim(partitions, list);
    if (list->cnt == 0)
        return NULL;
    note_places(partitions, list);
    rd_kafka_error_t *error = rd_kafka_seek_partitions(rk, list, ms);
    if (error) {
        words = rd_kafka_err2str(rd_kafka_error_code(error));
        rd_kafka_error_destroy(error);
        return words;
    }
    return th_kafka_first_error(list);
}

th_status th_kafka_rewind(rd_kafka_t *rk, th_kafka_partitions *partitions,
                          const th_deadline *deadline, th_error *err)
{
    const int64_t end_ms = th_now_ms() + LIMIT_MS;
    const char *words = "deadline passed";
    for (int ms; (ms = th_deadline_wait_ms(deadline, ANSWER_MS)) > 0;) {
        rd_kafka_topic_partition_list_t *list = th_kafka_partitions_owned(partitions);
        if (!list)
            return th_fail(err, TH_NOMEM, "cannot rewind: out of memory");
        words = list->cnt ? go_back(rk, partitions, list, ms) : NULL;
        rd_kafka_topic_partition_list_destroy(list);
        if (!words)
            return TH_OK;
        if (th_now_ms() >= end_ms)
            break;
        th_sleep_ms(RETRY_MS);
    }
    return th_fail(err, TH_IO, "cannot seek to the committed offsets: %s", words);
}
