/* The account of a consumer, by partition. See the header. */
#include "kafka/kafka_partitions.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "kafka/kafka_marks.h"

enum { PARTITIONS_MAX = 1 << 16 };

static bool is_partition(const th_kafka_partition *partition, th_view topic,
                         int32_t number)
{
    return partition->number == number && strlen(partition->topic) == topic.len &&
           memcmp(partition->topic, topic.data, topic.len) == 0;
}

th_kafka_partition *th_kafka_partitions_find(th_kafka_partitions *partitions,
                                             th_view topic, int32_t number)
{
    /* Messages come in runs of one partition. */
    for (uint32_t n = 0; n < partitions->count; n++) {
        const uint32_t i = (partitions->last + n) % partitions->count;
        if (is_partition(&partitions->rows[i], topic, number)) {
            partitions->last = i;
            return &partitions->rows[i];
        }
    }
    return NULL;
}

th_kafka_partition *th_kafka_partitions_of(th_kafka_partitions *partitions,
                                           const rd_kafka_message_t *message)
{
    const char *topic = rd_kafka_topic_name(message->rkt);
    return th_kafka_partitions_find(partitions, (th_view){ topic, strlen(topic) },
                                    message->partition);
}

static th_kafka_partition *add_partition(th_kafka_partitions *partitions,
                                         const char *topic, int32_t number)
{
    if (partitions->count == PARTITIONS_MAX)
        return NULL;
    if (!TH_HAS_CAPACITY(partitions->rows, partitions->count, partitions->capacity))
        return NULL;
    char *name = strdup(topic);
    if (!name)
        return NULL;
    th_kafka_partition *partition = &partitions->rows[partitions->count++];
    *partition = (th_kafka_partition){
        .topic = name, .number = number, .proven = -1, .highest = -1
    };
    return partition;
}

bool th_kafka_partitions_own(th_kafka_partitions *partitions, const char *topic,
                             int32_t number, int64_t committed)
{
    th_kafka_partition *partition =
        th_kafka_partitions_find(partitions, (th_view){ topic, strlen(topic) }, number);
    if (!partition)
        partition = add_partition(partitions, topic, number);
    if (!partition)
        return false;
    partition->is_owned = true;
    partition->is_parked = partition->is_paused = false;
    partition->done = partition->acked = partition->first = partition->anew = -1;
    partition->next = committed >= 0 ? committed : -1;
    partition->handed = partition->stale = 0;
    return true;
}

void th_kafka_partitions_disown(th_kafka_partitions *partitions,
                                const rd_kafka_topic_partition_list_t *list)
{
    for (uint32_t i = 0; i < partitions->count; i++) {
        th_kafka_partition *row = &partitions->rows[i];
        if (!list || rd_kafka_topic_partition_list_find(list, row->topic, row->number))
            row->is_owned = false;
    }
}

rd_kafka_topic_partition_list_t *
th_kafka_partitions_owned(const th_kafka_partitions *partitions)
{
    rd_kafka_topic_partition_list_t *list =
        rd_kafka_topic_partition_list_new((int)partitions->count + 1);
    for (uint32_t i = 0; list && i < partitions->count; i++)
        if (partitions->rows[i].is_owned)
            (void)rd_kafka_topic_partition_list_add(list, partitions->rows[i].topic,
                                                    partitions->rows[i].number);
    return list;
}

rd_kafka_topic_partition_list_t *
th_kafka_partitions_to_commit(const th_kafka_partitions *partitions, uint64_t mark)
{
    rd_kafka_topic_partition_list_t *list =
        rd_kafka_topic_partition_list_new((int)partitions->count + 1);
    for (uint32_t i = 0; list && i < partitions->count; i++) {
        const th_kafka_partition *partition = &partitions->rows[i];
        if (!partition->is_owned || partition->done <= partition->acked)
            continue;
        rd_kafka_topic_partition_t *row =
            rd_kafka_topic_partition_list_add(list, partition->topic, partition->number);
        row->offset = partition->done;
        if (mark && !th_kafka_mark_add(row, mark)) {
            rd_kafka_topic_partition_list_destroy(list);
            return NULL;
        }
    }
    return list;
}

/* Restarts the account at `offset` of a recreated topic. This offset is committed first,
 * to replace a committed offset of the old topic. */
static void begin_anew(th_kafka_partition *partition, int64_t offset)
{
    partition->done = partition->first = partition->anew = offset;
    partition->acked = partition->proven = partition->highest = -1;
    partition->stale = partition->handed;
}

th_kafka_step th_kafka_partition_dispatch(th_kafka_partition *partition, int64_t offset,
                                          int64_t low, uint64_t records)
{
    /* A group's offsets are deleted with their topic. Then only our own account is
     * left. */
    const int64_t expected = partition->next >= 0 ? partition->next : partition->proven;
    th_kafka_step step = { .expected = expected, .is_anew = offset < expected };
    if (step.is_anew)
        begin_anew(partition, offset);
    else if (expected >= 0 && offset > expected && low > expected)
        step.expired = low - expected; /* other gaps: compaction, ends of transactions */
    step.is_again = offset <= partition->highest;
    if (!step.is_again)
        partition->highest = offset;
    partition->next = offset + 1;
    partition->handed += records;
    return step;
}

void th_kafka_partition_done(th_kafka_partition *partition, int64_t offset)
{
    if (partition->handed > 0)
        partition->handed--;
    if (partition->stale > 0)
        partition->stale--;
    else
        partition->done = offset + 1;
}

void th_kafka_partition_go_to(th_kafka_partition *partition, int64_t offset)
{
    partition->next = offset;
}

void th_kafka_partitions_acknowledge(th_kafka_partitions *partitions)
{
    for (uint32_t i = 0; i < partitions->count; i++) {
        th_kafka_partition *partition = &partitions->rows[i];
        if (!partition->is_owned || partition->done < 0)
            continue;
        partition->acked = partition->proven = partition->done;
        partition->anew = -1;
    }
}

void th_kafka_partitions_make_void(th_kafka_partitions *partitions)
{
    for (uint32_t i = 0; i < partitions->count; i++) {
        th_kafka_partition *partition = &partitions->rows[i];
        partition->done = -1;
        partition->handed = partition->stale = 0;
        partition->is_parked = false;
    }
}

uint32_t th_kafka_partitions_parked(const th_kafka_partitions *partitions)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < partitions->count; i++)
        count += partitions->rows[i].is_parked;
    return count;
}

int64_t th_kafka_partitions_parked_since(const th_kafka_partitions *partitions)
{
    int64_t since = -1;
    for (uint32_t i = 0; i < partitions->count; i++) {
        const th_kafka_partition *partition = &partitions->rows[i];
        if (partition->is_parked && (since < 0 || partition->parked_since < since))
            since = partition->parked_since;
    }
    return since;
}

/* Lists the partitions to pause or to resume. Returns NULL if there are none, or if out
 * of memory: the next turn tries again. */
static rd_kafka_topic_partition_list_t *
list_changes(const th_kafka_partitions *partitions, bool stops_all, bool pauses)
{
    rd_kafka_topic_partition_list_t *list = NULL;
    for (uint32_t i = 0; i < partitions->count; i++) {
        const th_kafka_partition *partition = &partitions->rows[i];
        const bool stops = stops_all || partition->is_parked;
        if (!partition->is_owned || stops == partition->is_paused || stops != pauses)
            continue;
        if (!list && !(list = rd_kafka_topic_partition_list_new(1)))
            return NULL;
        (void)rd_kafka_topic_partition_list_add(list, partition->topic,
                                                partition->number);
    }
    return list;
}

static void change_flow(th_kafka_partitions *partitions, rd_kafka_t *rk, bool stops_all,
                        bool pauses)
{
    rd_kafka_topic_partition_list_t *list = list_changes(partitions, stops_all, pauses);
    if (!list)
        return;
    (void)(pauses ? rd_kafka_pause_partitions(rk, list)
                  : rd_kafka_resume_partitions(rk, list));
    for (int i = 0; i < list->cnt; i++) {
        const char *topic = list->elems[i].topic;
        th_kafka_partition *partition = th_kafka_partitions_find(
            partitions, (th_view){ topic, strlen(topic) }, list->elems[i].partition);
        if (partition)
            partition->is_paused = pauses;
    }
    rd_kafka_topic_partition_list_destroy(list);
}

void th_kafka_partitions_flow(th_kafka_partitions *partitions, rd_kafka_t *rk,
                              bool stops_all)
{
    change_flow(partitions, rk, stops_all, true);
    change_flow(partitions, rk, stops_all, false);
}

int64_t th_kafka_partitions_lag(const th_kafka_partitions *partitions, rd_kafka_t *rk)
{
    int64_t lag = 0;
    bool is_known = false;
    for (uint32_t i = 0; i < partitions->count; i++) {
        const th_kafka_partition *partition = &partitions->rows[i];
        int64_t low = -1, high = -1;
        if (!partition->is_owned)
            continue;
        if (rd_kafka_get_watermark_offsets(rk, partition->topic, partition->number, &low,
                                           &high) ||
            high < 0)
            return -1;
        const int64_t at = partition->next > low ? partition->next : low;
        lag += high > at ? high - at : 0;
        is_known = true;
    }
    return is_known ? lag : -1;
}

void th_kafka_partitions_free(th_kafka_partitions *partitions)
{
    for (uint32_t i = 0; i < partitions->count; i++)
        free(partitions->rows[i].topic);
    free(partitions->rows);
    *partitions = (th_kafka_partitions){ .rows = NULL };
}

const char *th_kafka_first_error(const rd_kafka_topic_partition_list_t *list)
{
    for (int i = 0; i < list->cnt; i++)
        if (list->elems[i].err)
            return rd_kafka_err2str(list->elems[i].err);
    return NULL;
}
