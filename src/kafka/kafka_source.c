/*
 * A consumer as a source. [docs/reliability.md#kafka]
 *
 * One thread does everything: poll serves messages, rebalances, log and errors. Back
 * pressure: while no reader can take a batch, messages stay in librdkafka's bounded
 * queue. Only when that lasts, partitions are paused, because pausing discards the queue
 * and fetches it again. We keep our own list of paused partitions, because resuming a
 * partition that never was paused makes 2.0.2 deliver old messages again.
 */
#include "kafka/kafka_source.h"

#include <librdkafka/rdkafka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "kafka/kafka_marks.h"
#include "kafka/kafka_member.h"
#include "kafka/kafka_partitions.h"
#include "kafka/kafka_position.h"
#include "kafka/kafka_rewind.h"
#include "kafka/kafka_topics.h"
#include "kafka/kafka_waiting.h"

enum {
    /* of not reading: longer than workers are full, far shorter than any timeout of the
     * group */
    PAUSE_AFTER_MS = 500,
    COMMITTED_MS = 3000, /* for the offsets of newly assigned partitions */
    ANSWER_MS = 100,     /* one wait for an answer */
};

struct kafka_source {
    th_kafka_watch watch; /* first: librdkafka's opaque pointer */
    th_stream_source base;
    th_kafka_source_options options;
    rd_kafka_t *rk;
    th_message_reader *messages;
    th_kafka_partitions partitions;
    th_kafka_waiting waiting;
    th_kafka_topics topics; /* state of the topics, reported by brokers */
    uint32_t epoch;
    uint64_t mark;               /* of the last commit token that was acknowledged */
    th_source_position position; /* of the last commit token */
    bool is_closing;
    bool is_settling; /* within the callback that revokes partitions */
    bool has_failed;  /* out of memory in a callback */
    bool is_paused;
    int64_t idle_since; /* ms, -1: reading */
    th_source_stats facts;
    th_kafka_source_stats counts;
};

static struct kafka_source *self_of(th_stream_source *base)
{
    return (struct kafka_source *)(void *)((char *)base -
                                           offsetof(struct kafka_source, base));
}

/* ---- epochs ---- */

/* Voids all messages that were read and not acknowledged. Resumes every partition
 * first: a partition that is revoked or sought while paused would come back paused,
 * and our list would not know. */
static void begin_epoch(struct kafka_source *source)
{
    th_kafka_waiting_drop(&source->waiting, &source->partitions);
    source->epoch++;
    th_kafka_partitions_make_void(&source->partitions);
    source->is_paused = false;
    th_kafka_partitions_flow(&source->partitions, source->rk, false);
}

/* ---- rebalances ---- */

/* Waits for the answer to a commit, at most TH_KAFKA_SETTLE_MS, and until the
 * deadline. */
static rd_kafka_resp_err_t commit_and_wait(struct kafka_source *source,
                                           rd_kafka_topic_partition_list_t *list)
{
    const int64_t end_ms = th_now_ms() + TH_KAFKA_SETTLE_MS;
    rd_kafka_queue_t *queue = rd_kafka_queue_new(source->rk);
    rd_kafka_event_t *event = NULL;
    rd_kafka_resp_err_t error = RD_KAFKA_RESP_ERR__TIMED_OUT;
    if (!queue)
        return error;
    const rd_kafka_resp_err_t sent =
        rd_kafka_commit_queue(source->rk, list, queue, NULL, NULL);
    for (int ms; !sent && !event && th_now_ms() < end_ms &&
                 (ms = th_deadline_wait_ms(&source->base.deadline, ANSWER_MS)) > 0;)
        event = rd_kafka_queue_poll(queue, ms);
    if (event)
        error = rd_kafka_event_error(event);
    rd_kafka_event_destroy(event);
    rd_kafka_queue_destroy(queue);
    return sent ? sent : error;
}

static void commit(struct kafka_source *source, bool waits)
{
    rd_kafka_topic_partition_list_t *list =
        th_kafka_partitions_to_commit(&source->partitions, source->mark);
    if (!list)
        return; /* the next one commits at least as much */
    rd_kafka_resp_err_t error = RD_KAFKA_RESP_ERR_NO_ERROR;
    if (list->cnt > 0)
        error = waits ? commit_and_wait(source, list)
                      : rd_kafka_commit(source->rk, list, true);
    rd_kafka_topic_partition_list_destroy(list);
    if (error) {
        th_kafka_warn(&source->options.client, "cannot commit offsets: %s",
                      rd_kafka_err2str(error));
        return;
    }
    th_kafka_partitions_acknowledge(&source->partitions);
}

/* A commit that was sent without waiting failed: the next acknowledgement repeats it. */
static void on_commit(rd_kafka_t *rk, rd_kafka_resp_err_t error,
                      rd_kafka_topic_partition_list_t *offsets, void *opaque)
{
    struct kafka_source *source = opaque;
    (void)rk;
    if (!error || error == RD_KAFKA_RESP_ERR__NO_OFFSET)
        return;
    th_kafka_warn(&source->options.client, "offsets were not committed: %s",
                  rd_kafka_err2str(error));
    for (int i = 0; offsets && i < offsets->cnt; i++) {
        const rd_kafka_topic_partition_t *row = &offsets->elems[i];
        th_kafka_partition *partition = th_kafka_partitions_find(
            &source->partitions, (th_view){ row->topic, strlen(row->topic) },
            row->partition);
        if (partition)
            partition->acked = -1;
    }
}

static void settle(struct kafka_source *source)
{
    const int half = (int)(source->options.session_ms / 2);
    if (source->is_closing || !source->base.settle)
        return;
    source->is_settling = true;
    (void)source->base.settle(source->base.settle_context,
                              half < TH_KAFKA_SETTLE_MS ? half : TH_KAFKA_SETTLE_MS);
    /* The next owner asks for the offsets at once. */
    if (!source->options.is_transactional)
        commit(source, true);
    source->is_settling = false;
}

/* Requests the group's committed offsets. An offset is negative if there is none, or
 * no answer. */
static void query_committed(rd_kafka_t *rk, rd_kafka_topic_partition_list_t *list, int ms)
{
    const bool is_known =
        ms > 0 && rd_kafka_committed(rk, list, ms) == RD_KAFKA_RESP_ERR_NO_ERROR;
    for (int i = 0; i < list->cnt; i++)
        if (!is_known || list->elems[i].err)
            list->elems[i].offset = RD_KAFKA_OFFSET_INVALID;
}

static bool own_all(struct kafka_source *source, rd_kafka_t *rk,
                    const rd_kafka_topic_partition_list_t *assigned)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_copy(assigned);
    bool is_good = list != NULL;
    if (list && list->cnt > 0)
        query_committed(rk, list,
                        th_deadline_wait_ms(&source->base.deadline, COMMITTED_MS));
    for (int i = 0; is_good && i < list->cnt; i++)
        is_good =
            th_kafka_partitions_own(&source->partitions, list->elems[i].topic,
                                    list->elems[i].partition, list->elems[i].offset);
    if (list)
        rd_kafka_topic_partition_list_destroy(list);
    return is_good;
}

static void take_assignment(struct kafka_source *source, rd_kafka_t *rk,
                            rd_kafka_topic_partition_list_t *list)
{
    if (!own_all(source, rk, list))
        source->has_failed = true;
    if (!th_kafka_member_take(rk, list))
        source->has_failed = true;
    source->facts.is_assigned = true;
}

/* With a protocol that takes partitions one by one, the remaining partitions return to
 * their committed offsets. Their messages that were read and not settled are also
 * void. */
static void give_up_assignment(struct kafka_source *source, rd_kafka_t *rk,
                               rd_kafka_topic_partition_list_t *list)
{
    th_error err = { .text = "" };
    if (!rd_kafka_assignment_lost(rk))
        settle(source);
    begin_epoch(source);
    const bool is_part = th_kafka_member_is_incremental(rk);
    th_kafka_partitions_disown(&source->partitions, is_part ? list : NULL);
    if (!th_kafka_member_give_up(rk, list))
        source->has_failed = true;
    if (!is_part || source->is_closing)
        return;
    if (th_kafka_rewind(rk, &source->partitions, &source->base.deadline, &err) == TH_OK)
        return;
    th_kafka_warn(&source->options.client, "%s", err.text);
    source->has_failed = true;
}

static void on_rebalance(rd_kafka_t *rk, rd_kafka_resp_err_t what,
                         rd_kafka_topic_partition_list_t *list, void *opaque)
{
    struct kafka_source *source = opaque;
    source->counts.rebalances++;
    if (what == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS)
        take_assignment(source, rk, list);
    else
        give_up_assignment(source, rk, list);
}

/* ---- messages ---- */

/* Handles an event that librdkafka returns instead of a message. Returns TH_OK, or
 * TH_IO when it is final. */
static th_status handle(struct kafka_source *source, const rd_kafka_message_t *message,
                        th_error *err)
{
    const rd_kafka_resp_err_t code = message->err;
    const char *words = rd_kafka_message_errstr(message);
    if (source->watch.is_fatal || code == RD_KAFKA_RESP_ERR__FATAL)
        return th_fail(err, TH_IO, "kafka consumer failed: %s",
                       source->watch.is_fatal ? source->watch.fatal_words : words);
    if (code == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET)
        return th_fail(err, TH_IO,
                       "no start offset, and auto.offset.reset is 'error': %s", words);
    if (code != RD_KAFKA_RESP_ERR__PARTITION_EOF)
        th_kafka_warn(&source->options.client, "kafka consumer: %s", words);
    return TH_OK;
}

/* Notes the first offset of a partition. After a rewind, consumed messages are
 * delivered again, dispatched or not. */
static void note_first(struct kafka_source *source, const rd_kafka_message_t *message)
{
    th_kafka_partition *partition = th_kafka_partitions_of(&source->partitions, message);
    if (partition && partition->first < 0)
        partition->first = message->offset;
}

/* Polls librdkafka. *out is a message or NULL. TH_OK or TH_IO. */
static th_status consume(struct kafka_source *source, int timeout_ms,
                         rd_kafka_message_t **out, th_error *err)
{
    *out = NULL;
    rd_kafka_message_t *message = rd_kafka_consumer_poll(source->rk, timeout_ms);
    th_status status = TH_OK;
    if (message && message->err) {
        status = handle(source, message, err);
        rd_kafka_message_destroy(message);
        message = NULL;
    }
    if (status == TH_OK && source->watch.is_fatal)
        status =
            th_fail(err, TH_IO, "kafka consumer failed: %s", source->watch.fatal_words);
    if (status == TH_OK && source->has_failed)
        status = th_fail(err, TH_IO, "cannot apply an assignment");
    if (status != TH_OK && message) {
        rd_kafka_message_destroy(message);
        message = NULL;
    }
    if (message)
        note_first(source, message);
    *out = message;
    return status;
}

/* Polls for a new message; NULL if there is none. If a parked partition delivers one
 * nevertheless, the message is queued after the waiting ones. */
static th_status new_message(struct kafka_source *source, int timeout_ms,
                             rd_kafka_message_t **out, th_error *err)
{
    for (;;) {
        const th_status status = consume(source, timeout_ms, out, err);
        if (status != TH_OK || !*out)
            return status;
        const th_kafka_partition *partition =
            th_kafka_partitions_of(&source->partitions, *out);
        if (!partition || !partition->is_parked)
            return TH_OK;
        const th_status held =
            th_kafka_waiting_hold(&source->waiting, *out, &source->partitions, err);
        *out = NULL;
        if (held != TH_OK)
            return held;
    }
}

/* Returns the next message: a held one if there is one, else a new one. */
static th_status next_message(struct kafka_source *source, int timeout_ms,
                              rd_kafka_message_t **out, th_error *err)
{
    *out = th_kafka_waiting_next(&source->waiting, &source->partitions);
    return *out ? TH_OK : new_message(source, timeout_ms, out, err);
}

/* Serves rebalances and the group while no reader waits. Dispatches nothing. */
static th_status idle(struct kafka_source *source, int timeout_ms, th_error *err)
{
    const int64_t now = th_now_ms();
    if (source->idle_since < 0)
        source->idle_since = now;
    if (now - source->idle_since >= PAUSE_AFTER_MS) {
        source->is_paused = true;
        th_kafka_partitions_flow(&source->partitions, source->rk, true);
    }
    if (!source->is_paused) {
        th_sleep_ms(timeout_ms);
        return TH_NOT_YET;
    }
    rd_kafka_message_t *message = NULL;
    th_status status = consume(source, timeout_ms, &message, err);
    if (status == TH_OK && message)
        status =
            th_kafka_waiting_hold(&source->waiting, message, &source->partitions, err);
    return status == TH_OK ? TH_NOT_YET : status;
}

/* ---- records ---- */

/* Returns headers as views into the message, up to the limits. */
static void view_headers(const rd_kafka_message_t *from, th_header *headers,
                         th_message *message)
{
    rd_kafka_headers_t *list = NULL;
    if (rd_kafka_message_headers(from, &list) != RD_KAFKA_RESP_ERR_NO_ERROR)
        return;
    const size_t all = rd_kafka_header_cnt(list);
    uint32_t count = 0;
    for (; count < TH_MESSAGE_HEADERS && count < all; count++) {
        const char *name = NULL;
        const void *value = NULL;
        size_t len = 0;
        if (rd_kafka_header_get_all(list, count, &name, &value, &len) !=
            RD_KAFKA_RESP_ERR_NO_ERROR)
            break;
        headers[count] = (th_header){ { name, strlen(name) }, { value, len } };
    }
    message->headers = headers;
    message->header_count = count;
    message->headers_beyond = (uint32_t)(all - count);
}

/* Returns the first offset that a partition still has, by its last fetch; -1 if
 * unknown. */
static int64_t low_of(const struct kafka_source *source,
                      const th_kafka_partition *partition)
{
    int64_t low = -1, high = -1;
    if (rd_kafka_get_watermark_offsets(source->rk, partition->topic, partition->number,
                                       &low, &high) != RD_KAFKA_RESP_ERR_NO_ERROR)
        return -1;
    return low;
}

/* Records the dispatch of a message, and reports what its offset shows about the
 * topic. */
static void dispatch(struct kafka_source *source, th_kafka_partition *partition,
                     const th_message *message, uint64_t records)
{
    const bool is_gap = partition->next >= 0 && message->offset > partition->next;
    const th_kafka_step step = th_kafka_partition_dispatch(
        partition, message->offset, is_gap ? low_of(source, partition) : -1, records);
    partition->is_parked = false;
    if (!step.is_again) {
        source->facts.received += records;
        source->facts.bytes += message->value.len + message->key.len;
    }
    if (step.is_anew) {
        source->counts.remade++;
        th_kafka_warn(&source->options.client,
                      "offsets of %s/%d decreased from %lld to %lld because its topic "
                      "was created again; its counts restart",
                      partition->topic, (int)partition->number, (long long)step.expected,
                      (long long)message->offset);
    }
    if (step.expired > 0) {
        source->counts.expired += (uint64_t)step.expired;
        th_kafka_warn(&source->options.client,
                      "%s/%d: offsets %lld to %lld were deleted before they were read",
                      partition->topic, (int)partition->number, (long long)step.expected,
                      (long long)(step.expected + step.expired - 1));
    }
}

/* Turns a message into records of the batch and destroys it; or the message waits,
 * together with its partition. */
static th_status take(struct kafka_source *source, rd_kafka_message_t *from,
                      th_batch *batch, th_error *err)
{
    th_header headers[TH_MESSAGE_HEADERS];
    const char *topic = rd_kafka_topic_name(from->rkt);
    th_message message = {
        .topic = { topic, strlen(topic) },
        .partition = from->partition,
        .offset = from->offset,
        .key = { from->key, from->key ? from->key_len : 0 },
        .value = { from->payload, from->payload ? from->len : 0 },
    };
    view_headers(from, headers, &message);
    const uint32_t before = batch->record_count;
    const th_status status = th_message_read(source->messages, &message, batch);
    th_kafka_partition *partition =
        th_kafka_partitions_find(&source->partitions, message.topic, message.partition);
    if (status == TH_NEED_MORE && partition) {
        const th_status parked =
            th_kafka_waiting_park(&source->waiting, from, partition, err);
        th_kafka_partitions_flow(&source->partitions, source->rk, false);
        return parked;
    }
    if (status == TH_OK && partition)
        dispatch(source, partition, &message, batch->record_count - before);
    rd_kafka_message_destroy(from);
    return status == TH_OK
               ? TH_OK
               : th_fail(err, TH_NOMEM, "cannot keep a message: out of memory");
}

static bool is_full(const th_batch *batch)
{
    return batch->record_count >= TH_BATCH_RECORDS ||
           th_arena_used(batch->arena) >= TH_BATCH_BYTES;
}

static void begin_batch(const struct kafka_source *source, th_batch *batch)
{
    th_arena_reset(batch->arena);
    batch->record_count = 0;
    batch->epoch = source->epoch;
    batch->input = 0;
    batch->is_last = false;
    batch->next = (th_checkpoint){ .offset = 0 };
}

static th_status fill(struct kafka_source *source, int timeout_ms, th_batch *batch,
                      th_error *err)
{
    th_status status = TH_OK;
    begin_batch(source, batch);
    while (status == TH_OK && !is_full(batch)) {
        rd_kafka_message_t *message = NULL;
        status =
            next_message(source, batch->record_count ? 0 : timeout_ms, &message, err);
        /* A rebalance came between: the content of the batch is void. */
        if (batch->epoch != source->epoch)
            begin_batch(source, batch);
        if (status != TH_OK || !message)
            break;
        status = take(source, message, batch, err);
    }
    if (status != TH_OK)
        return status;
    batch->counts.bytes_read = source->facts.bytes;
    th_message_counts counts;
    th_message_counts_get(source->messages, &counts);
    batch->counts.damaged = counts.damaged;
    return batch->record_count ? TH_OK : TH_NOT_YET;
}

/* ---- the verbs ---- */

static th_status poll_messages(th_stream_source *base, bool may_read, int timeout_ms,
                               th_batch *batch, th_error *err)
{
    struct kafka_source *source = self_of(base);
    th_kafka_topics_tick(&source->topics, source->rk);
    if (!may_read)
        return idle(source, timeout_ms, err);
    source->idle_since = -1;
    source->is_paused = false;
    th_kafka_partitions_flow(&source->partitions, source->rk, false);
    return fill(source, timeout_ms, batch, err);
}

static void done(th_stream_source *base, const th_batch *batch)
{
    struct kafka_source *source = self_of(base);
    for (uint32_t i = 0; i < batch->record_count; i++) {
        const th_position *position = &batch->records[i].position;
        th_kafka_partition *partition = th_kafka_partitions_find(
            &source->partitions, position->topic, position->partition);
        if (partition)
            th_kafka_partition_done(partition, (int64_t)position->offset);
    }
}

static th_status acknowledge(th_stream_source *base, const th_commit_token *token,
                             th_view note, th_error *err)
{
    struct kafka_source *source = self_of(base);
    (void)note;
    (void)err;
    if (token->epoch != source->epoch)
        return TH_OK; /* it is void */
    source->mark = token->mark;
    if (!source->options.is_transactional) {
        commit(source, false);
        return TH_OK;
    }
    th_kafka_partitions_acknowledge(&source->partitions);
    return TH_OK;
}

static th_status token(th_stream_source *base, uint64_t mark, th_commit_token *out,
                       th_error *err)
{
    struct kafka_source *source = self_of(base);
    th_source_position *position = &source->position;
    *out = (th_commit_token){ .keeping = TH_KEPT_AS_OFFSETS,
                              .epoch = source->epoch,
                              .mark = mark };
    th_kafka_position_done(position);
    position->offsets = th_kafka_partitions_to_commit(&source->partitions, mark);
    position->group = rd_kafka_consumer_group_metadata(source->rk);
    out->position = position;
    return position->offsets && position->group
               ? TH_OK
               : th_fail(err, TH_NOMEM, "cannot list offsets: out of memory");
}

static th_status marks(th_stream_source *base, th_buffer *out, th_error *err)
{
    struct kafka_source *source = self_of(base);
    return th_kafka_marks_query(source->rk, source->options.group, &source->base.deadline,
                                out, err);
}

static th_status rewind_source(th_stream_source *base, th_error *err)
{
    struct kafka_source *source = self_of(base);
    begin_epoch(source);
    if (source->is_settling || source->is_closing)
        return TH_OK; /* the next owner of each partition, or we, start at the offsets */
    return th_kafka_rewind(source->rk, &source->partitions, &source->base.deadline, err);
}

/* ---- the rest ---- */

static uint32_t epoch(const th_stream_source *base)
{
    return ((const struct kafka_source *)(const void *)((const char *)base -
                                                        offsetof(struct kafka_source,
                                                                 base)))
        ->epoch;
}

/* Writes why no messages arrive, or not all of them. */
static void say_reason(const struct kafka_source *source,
                       const th_kafka_source_stats *counts, th_source_stats *facts)
{
    if (th_kafka_topics_reason(&source->topics, facts->unready, sizeof facts->unready) ||
        !source->facts.is_assigned) {
        th_kafka_say_refusal(&source->watch, facts->unready, sizeof facts->unready);
        return;
    }
    if (counts->parked)
        (void)snprintf(facts->unready, sizeof facts->unready,
                       "%llu partition(s) wait for an archive, for %.0f s",
                       (unsigned long long)counts->parked, counts->parked_seconds);
}

th_kafka_source_stats th_kafka_source_counts(th_stream_source *base)
{
    struct kafka_source *source = self_of(base);
    th_kafka_source_stats counts = source->counts;
    th_message_counts messages;
    th_message_counts_get(source->messages, &messages);
    const int64_t parked_since = th_kafka_partitions_parked_since(&source->partitions);
    const int64_t lag = th_kafka_partitions_lag(&source->partitions, source->rk);
    counts.headers_left_out = messages.headers_left_out;
    counts.archives_given_up = messages.archives_given_up;
    counts.parked = th_kafka_partitions_parked(&source->partitions);
    counts.parked_seconds =
        parked_since < 0 ? 0 : (double)(th_now_ms() - parked_since) / 1000;
    counts.lag = lag < 0 ? TH_METRIC_UNKNOWN : (uint64_t)lag;
    return counts;
}

/* clang-format off */
#define ROW(name, type, member, is_seconds, help)                                         \
    { name, type, help, NULL, NULL, offsetof(th_kafka_source_stats, member), is_seconds }
static const th_own_metric metrics[] = {
    ROW("kafka_rebalances_total", "counter", rebalances, false,
        "Rebalances of the consumer group since this member started."),
    ROW("kafka_consumer_lag", "gauge", lag, false,
        "Messages in the assigned partitions that are not consumed yet."),
    ROW("kafka_partitions_remade_total", "counter", remade, false,
        "Times that a partition's offsets decreased because its topic was deleted and created again."),
    ROW("kafka_messages_expired_total", "counter", expired, false,
        "Offsets that retention deleted before thresher read them."),
    ROW("kafka_headers_left_out_total", "counter", headers_left_out, false,
        "Message headers not copied to the output because they exceed the limits."),
    ROW("kafka_partitions_waiting", "gauge", parked, false,
        "Partitions whose next message waits for its archive."),
    ROW("kafka_oldest_wait_seconds", "gauge", parked_seconds, true,
        "Time for which the oldest waiting partition has waited."),
    ROW("kafka_archives_given_up_total", "counter", archives_given_up, false,
        "Archives that did not arrive before the deadline."),
};
/* clang-format on */

static void facts(th_stream_source *base, th_source_stats *out)
{
    const struct kafka_source *source = self_of(base);
    const th_kafka_source_stats counts = th_kafka_source_counts(base);
    th_message_counts messages;
    th_message_counts_get(source->messages, &messages);
    *out = source->facts;
    out->damaged = messages.damaged;
    say_reason(source, &counts, out);
    th_own_metrics_set(&out->own, metrics, sizeof metrics / sizeof *metrics, &counts);
}

static void free_source(struct kafka_source *source)
{
    th_kafka_partitions_free(&source->partitions);
    th_kafka_waiting_free(&source->waiting);
    th_message_reader_free(source->messages);
    th_kafka_topics_done(&source->topics);
    free(source);
}

static void close_source(th_stream_source *base)
{
    struct kafka_source *source = self_of(base);
    source->is_closing = true;
    th_kafka_waiting_drop(&source->waiting, &source->partitions);
    th_kafka_topics_leave(&source->topics);
    th_kafka_position_done(&source->position);
    th_kafka_member_leave(source->rk, &source->watch, &source->base.deadline);
    rd_kafka_destroy_flags(source->rk, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
    free_source(source);
}

static const th_stream_source_verbs verbs = { .name = "kafka",
                                              .keeping = TH_KEPT_AS_OFFSETS,
                                              .poll = poll_messages,
                                              .done = done,
                                              .token = token,
                                              .acknowledge = acknowledge,
                                              .rewind = rewind_source,
                                              .epoch = epoch,
                                              .facts = facts,
                                              .close = close_source,
                                              .marks = marks };

th_status th_kafka_source_open(const th_kafka_source_options *options,
                               th_stream_source **out, th_error *err)
{
    static const th_kafka_member_callbacks callbacks = { .rebalance = on_rebalance,
                                                         .committed = on_commit };
    struct kafka_source *source = calloc(1, sizeof *source);
    if (!source)
        return th_fail(err, TH_NOMEM, "cannot allocate a kafka source");
    source->options = *options;
    source->options.message.warn = options->client.warn;
    source->options.message.warn_context = options->client.warn_context;
    source->idle_since = -1;
    source->base.verbs = &verbs;
    source->messages = th_message_reader_new(&source->options.message);
    th_status status = TH_OK;
    if (!source->messages ||
        !th_kafka_topics_init(&source->topics, options->topics, options->topic_count))
        status = th_fail(err, TH_NOMEM, "cannot allocate a kafka source");
    if (status == TH_OK)
        status = th_kafka_member_open(&source->options, &callbacks, &source->watch,
                                      &source->rk, err);
    if (status == TH_OK)
        status = th_kafka_member_join(source->rk, &source->options, err);
    if (status == TH_OK) {
        *out = &source->base;
        return TH_OK;
    }
    if (source->rk)
        rd_kafka_destroy_flags(source->rk, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
    free_source(source);
    return status;
}
