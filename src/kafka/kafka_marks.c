/* Marks in the metadata of offsets. See the header. */
#include "kafka/kafka_marks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "kafka/kafka_partitions.h"

enum {
    MARK_LEN = 48,        /* bytes of a mark as metadata, with its NUL */
    COMMITTED_MS = 15000, /* for one question for the committed offsets */
    LOOK_MS = 100
};

/* Prefix of a mark in the metadata of an offset. */
#define MARK_START "thresher.mark="

bool th_kafka_mark_add(rd_kafka_topic_partition_t *row, uint64_t mark)
{
    char *text = malloc(MARK_LEN);
    if (!text)
        return false;
    row->metadata = text;
    row->metadata_size =
        (size_t)snprintf(text, MARK_LEN, MARK_START "%llu", (unsigned long long)mark);
    return true;
}

/* Appends the marks in the metadata of offsets. */
static void take_marks(const rd_kafka_topic_partition_list_t *list, th_buffer *out)
{
    const size_t start = strlen(MARK_START);
    for (int i = 0; i < list->cnt; i++) {
        const rd_kafka_topic_partition_t *row = &list->elems[i];
        char text[MARK_LEN];
        if (!row->metadata || row->metadata_size <= start ||
            row->metadata_size >= sizeof text ||
            memcmp(row->metadata, MARK_START, start) != 0)
            continue; /* another program's */
        memcpy(text, row->metadata, row->metadata_size);
        text[row->metadata_size] = '\0';
        const uint64_t mark = strtoull(text + start, NULL, 10);
        th_buffer_append(out, (const char *)&mark, sizeof mark);
    }
}

static th_status take_offsets(rd_kafka_event_t *event, th_buffer *out, th_error *err)
{
    const char *words = !event                        ? "no answer"
                        : rd_kafka_event_error(event) ? rd_kafka_event_error_string(event)
                                                      : NULL;
    const rd_kafka_group_result_t **groups = NULL;
    size_t count = 0;
    if (!words)
        groups = rd_kafka_ListConsumerGroupOffsets_result_groups(
            rd_kafka_event_ListConsumerGroupOffsets_result(event), &count);
    for (size_t i = 0; i < count && !words; i++) {
        const rd_kafka_error_t *error = rd_kafka_group_result_error(groups[i]);
        const rd_kafka_topic_partition_list_t *list =
            rd_kafka_group_result_partitions(groups[i]);
        words = error  ? rd_kafka_error_string(error)
                : list ? th_kafka_first_error(list)
                       : NULL;
        if (!words && list)
            take_marks(list, out);
    }
    if (words)
        return th_fail(err, TH_NO_BROKER, "cannot query the offsets of the group: %s",
                       words);
    return out->has_failed ? th_fail(err, TH_NOMEM, "cannot keep marks: out of memory")
                           : TH_OK;
}

/* NULL: no answer in time. */
static rd_kafka_event_t *wait_for_answer(rd_kafka_queue_t *queue,
                                         const th_deadline *deadline)
{
    const int64_t end_ms = th_now_ms() + (int64_t)2 * COMMITTED_MS;
    rd_kafka_event_t *event = NULL;
    for (int ms; !event && th_now_ms() < end_ms &&
                 (ms = th_deadline_wait_ms(deadline, LOOK_MS)) > 0;)
        event = rd_kafka_queue_poll(queue, ms);
    return event;
}

th_status th_kafka_marks_query(rd_kafka_t *rk, const char *group,
                               const th_deadline *deadline, th_buffer *out, th_error *err)
{
    rd_kafka_queue_t *queue = rd_kafka_queue_new(rk);
    rd_kafka_AdminOptions_t *options =
        rd_kafka_AdminOptions_new(rk, RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPOFFSETS);
    rd_kafka_ListConsumerGroupOffsets_t *request =
        rd_kafka_ListConsumerGroupOffsets_new(group, NULL);
    char words[256];
    th_status status = TH_NOMEM;
    if (queue && options && request) {
        (void)rd_kafka_AdminOptions_set_request_timeout(options, COMMITTED_MS, words,
                                                        sizeof words);
        /* Excludes marks from before a transaction that has not ended. */
        rd_kafka_error_t *error =
            rd_kafka_AdminOptions_set_require_stable_offsets(options, 1);
        if (error)
            rd_kafka_error_destroy(error);
        rd_kafka_ListConsumerGroupOffsets(rk, &request, 1, options, queue);
        rd_kafka_event_t *event = wait_for_answer(queue, deadline);
        status = take_offsets(event, out, err);
        if (event)
            rd_kafka_event_destroy(event);
    }
    if (request)
        rd_kafka_ListConsumerGroupOffsets_destroy(request);
    if (options)
        rd_kafka_AdminOptions_destroy(options);
    if (queue)
        rd_kafka_queue_destroy(queue);
    return status;
}
