/*
 * One thread does everything. [docs/reliability.md#kafka]
 *
 * A transaction starts at the first message after the committed offset, and holds the
 * edges and offsets of all partitions. If it is aborted, or partitions are revoked before
 * it was committed, the tables contain more than was committed. Then each table is
 * rebuilt from the beginning of its partition.
 *
 * Offsets only rise, until a topic is deleted and created again under the same name. If a
 * message or the end of a partition has a lower offset than was read or committed, the
 * partition belongs to another topic: its table is rebuilt, and all pairs are new.
 */
#include "kafka/kafka_pairing.h"

#include <librdkafka/rdkafka.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "kafka/kafka_calls.h"
#include "kafka/kafka_member.h"
#include "kafka/kafka_partitions.h"
#include "kafka/kafka_topics.h"

enum {
    POLL_MS = 100,
    TURN_MESSAGES = 2000, /* between two looks at what else there is to do */
    INIT_MS = 300000,
    ANSWER_MS = 3000, /* for one question for committed offsets, or one seek */
    ANSWERS_MS = 60000,
    RETRY_MS = 250,
    QUEUE_FULL_MS = 10000,
    BATCH_SIZE = 65536,         /* of edges; a longer message has a separate batch */
    MESSAGE_TIMEOUT_MS = 30000, /* below transaction.timeout.ms, or librdkafka refuses */
};

struct partition {
    int32_t number;
    bool is_ours;
    bool is_void;      /* its table is of no use: the partition is read again */
    int64_t committed; /* by its group: pairs at this offset and later are new */
    int64_t position;  /* next offset to process; -1 if none */
    bool has_ended;    /* all its messages were read since its table was made */
    bool is_changed;   /* since the last commit */
    /* Offset that the group has committed in a topic that was deleted since, until an
     * offset of the new topic has replaced it for certain; -1 if none. */
    int64_t old_commit;
    th_pairing_table *table;
};

/* The producer. */
struct sender {
    th_kafka_watch watch; /* first: librdkafka's opaque pointer */
    rd_kafka_t *rk;
    bool is_open;      /* a transaction is */
    bool has_failed;   /* a delivery has */
    bool is_refused;   /* the topic refuses even a batch of BATCH_SIZE */
    size_t refused;    /* bytes of the smallest edge refused for its size; 0 if none */
    int64_t opened;    /* ms */
    uint64_t edges;    /* in it */
    uint64_t left_out; /* of it */
};

struct th_kafka_pairing {
    th_kafka_watch watch; /* first: librdkafka's opaque pointer */
    th_kafka_pairing_options options;
    const th_deadline *deadline;
    rd_kafka_t *rk;
    struct sender sender;
    th_kafka_topics topics; /* bands and edges: whether they exist */
    struct partition *partitions;
    uint32_t count;
    uint64_t waiting; /* messages since the last commit, and partitions restarted */
    bool has_void;    /* a partition is void */
    bool is_closing;
    bool has_failed;        /* no memory, or no answer, in a callback */
    th_pairing_counts gone; /* of tables that no longer exist */
    th_kafka_pairing_stats facts;
};

/* ---- partitions ---- */

static struct partition *partition_of(struct th_kafka_pairing *pairing, int32_t number)
{
    for (uint32_t i = 0; i < pairing->count; i++)
        if (pairing->partitions[i].number == number)
            return &pairing->partitions[i];
    return NULL;
}

static struct partition *have_partition(struct th_kafka_pairing *pairing, int32_t number)
{
    struct partition *found = partition_of(pairing, number);
    if (found)
        return found;
    struct partition *grown =
        realloc(pairing->partitions, (pairing->count + 1) * sizeof *pairing->partitions);
    if (!grown)
        return NULL;
    pairing->partitions = grown;
    found = &grown[pairing->count++];
    *found = (struct partition){ .number = number, .position = -1, .old_commit = -1 };
    return found;
}

static void add_counts(th_pairing_counts *sum, const th_pairing_counts *counts)
{
    sum->late += counts->late;
    sum->full += counts->full;
    sum->compared += counts->compared;
    for (int i = 0; i < TH_PAIRING_FAULT_COUNT; i++)
        sum->faults[i] += counts->faults[i];
}

static void drop_table(struct th_kafka_pairing *pairing, struct partition *partition)
{
    if (partition->table)
        add_counts(&pairing->gone, th_pairing_table_counts(partition->table));
    th_pairing_table_free(partition->table);
    partition->table = NULL;
    partition->position = -1;
    partition->has_ended = false;
    partition->is_changed = false;
}

/* An empty table, to be filled from the partition's beginning. */
static bool begin_anew(struct th_kafka_pairing *pairing, struct partition *partition)
{
    drop_table(pairing, partition);
    partition->table = th_pairing_table_new(&pairing->options.table);
    return partition->table != NULL;
}

/* ---- the producer ---- */

static void on_delivery(rd_kafka_t *rk, const rd_kafka_message_t *message, void *opaque)
{
    struct sender *sender = opaque;
    const size_t size = message->len + message->key_len;
    (void)rk;
    if (message->err == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE && size <= BATCH_SIZE)
        sender->is_refused = true;
    else if (message->err == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE &&
             (!sender->refused || size < sender->refused))
        sender->refused = size;
    sender->has_failed |= message->err != RD_KAFKA_RESP_ERR_NO_ERROR;
}

static th_status open_sender(struct th_kafka_pairing *pairing, th_error *err)
{
    const th_kafka_pairing_options *options = &pairing->options;
    const uint32_t half = options->transaction_ms / 2;
    rd_kafka_conf_t *conf = NULL;
    th_status status = th_kafka_conf_new(&options->in.client, TH_KAFKA_PRODUCER,
                                         &pairing->sender.watch, &conf, err);
    if (status != TH_OK)
        return status;
    status =
        th_kafka_conf_set_number(conf, "message.max.bytes", options->message_max, err);
    if (status == TH_OK)
        status = th_kafka_conf_set_number(
            conf, "message.timeout.ms",
            half < MESSAGE_TIMEOUT_MS ? half : MESSAGE_TIMEOUT_MS, err);
    if (status == TH_OK)
        status = th_kafka_conf_set_number(conf, "batch.size", BATCH_SIZE, err);
    if (status == TH_OK)
        status = th_kafka_conf_set(conf, "transactional.id", options->instance, err);
    if (status == TH_OK)
        status = th_kafka_conf_set_number(conf, "transaction.timeout.ms",
                                          options->transaction_ms, err);
    if (status != TH_OK) {
        rd_kafka_conf_destroy(conf);
        return status;
    }
    rd_kafka_conf_set_dr_msg_cb(conf, on_delivery);
    return th_kafka_open(conf, TH_KAFKA_PRODUCER, &pairing->sender.rk, err);
}

static th_kafka_verdict persist(struct th_kafka_pairing *pairing, th_kafka_call call,
                                const th_kafka_offsets *offsets, th_error *err)
{
    const th_kafka_waiting_for waiting = {
        .deadline = pairing->deadline,
        .limit_ms =
            call == TH_KAFKA_INIT ? INIT_MS : 2 * (int)pairing->options.transaction_ms,
        .reason = pairing->facts.unready,
        .reason_max = sizeof pairing->facts.unready,
    };
    return th_kafka_persist(pairing->sender.rk, call, offsets, &waiting, err);
}

/* Ends the process when a step cannot be repeated. After a restart the committed offsets
 * decide. */
static th_status give_up(th_kafka_verdict verdict, th_error *err)
{
    return verdict == TH_KAFKA_LATE
               ? th_fail(err, TH_IO, "deadline passed before the commit")
           : err && err->text[0]
               ? TH_IO
               : th_fail(err, TH_IO, "kafka did not answer before the deadline");
}

static th_status begin(struct th_kafka_pairing *pairing, th_error *err)
{
    struct sender *sender = &pairing->sender;
    if (sender->is_open)
        return TH_OK;
    const th_kafka_verdict verdict = persist(pairing, TH_KAFKA_BEGIN, NULL, err);
    if (verdict != TH_KAFKA_GO)
        return give_up(verdict, err);
    sender->is_open = true;
    sender->has_failed = false;
    sender->edges = sender->left_out = 0;
    return TH_OK;
}

/* Voids the pairs that were found and not committed. */
static th_status abort_all(struct th_kafka_pairing *pairing, th_error *err)
{
    struct sender *sender = &pairing->sender;
    pairing->waiting = 0;
    for (uint32_t i = 0; i < pairing->count; i++) {
        pairing->partitions[i].is_changed = false;
        pairing->partitions[i].is_void = pairing->has_void = true;
    }
    if (!sender->is_open)
        return TH_OK;
    sender->is_open = false;
    pairing->facts.aborts++;
    (void)rd_kafka_purge(sender->rk, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
    const th_kafka_verdict verdict = persist(pairing, TH_KAFKA_ABORT_CALL, NULL, err);
    return verdict == TH_KAFKA_GO ? TH_OK : give_up(verdict, err);
}

static rd_kafka_resp_err_t produce(const struct th_kafka_pairing *pairing, th_view older,
                                   th_view line)
{
    const size_t refused = pairing->sender.refused;
    if (refused && line.len - 1 + older.len >= refused)
        return RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE;
    /* The types by hand: librdkafka's macros for them are not ISO C. */
    return rd_kafka_producev(
        pairing->sender.rk, RD_KAFKA_VTYPE_TOPIC, pairing->options.edges,
        RD_KAFKA_VTYPE_MSGFLAGS, (int)RD_KAFKA_MSG_F_COPY, RD_KAFKA_VTYPE_KEY, older.data,
        older.len, RD_KAFKA_VTYPE_VALUE, line.data, line.len - 1, RD_KAFKA_VTYPE_END);
}

/* Handles a pair, as th_pairing_found. An edge that is too long for a message, or for
 * the topic as an earlier transaction has shown, is omitted: an error would stop the
 * pairing at this message for ever. */
static th_status send_edge(void *context, th_view older, th_view line)
{
    struct th_kafka_pairing *pairing = context;
    struct sender *sender = &pairing->sender;
    const int64_t end_ms = th_now_ms() + QUEUE_FULL_MS;
    rd_kafka_resp_err_t error;
    while ((error = produce(pairing, older, line)) == RD_KAFKA_RESP_ERR__QUEUE_FULL) {
        if (th_now_ms() > end_ms || th_deadline_wait_ms(pairing->deadline, 1) <= 0)
            break;
        (void)rd_kafka_poll(sender->rk, POLL_MS);
    }
    sender->edges += !error;
    if (error == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE) {
        th_kafka_warn(&pairing->options.in.client,
                      "omitted an edge of %zu bytes, which exceeds kafka.max-message or "
                      "the maximum message size of its topic",
                      line.len - 1);
        sender->left_out++;
        return TH_OK;
    }
    if (error)
        th_kafka_warn(&pairing->options.in.client, "cannot write an edge: %s",
                      rd_kafka_err2str(error));
    return error ? TH_BLOCKED : TH_OK;
}

/* ---- committing ---- */

static rd_kafka_topic_partition_list_t *changed_offsets(struct th_kafka_pairing *pairing)
{
    rd_kafka_topic_partition_list_t *list =
        rd_kafka_topic_partition_list_new((int)pairing->count + 1);
    for (uint32_t i = 0; list && i < pairing->count; i++)
        if (pairing->partitions[i].is_ours && pairing->partitions[i].is_changed)
            rd_kafka_topic_partition_list_add(list, pairing->options.in.topics[0],
                                              pairing->partitions[i].number)
                ->offset = pairing->partitions[i].position;
    return list;
}

static void note_commit(struct th_kafka_pairing *pairing)
{
    for (uint32_t i = 0; i < pairing->count; i++) {
        struct partition *partition = &pairing->partitions[i];
        if (partition->is_ours && partition->is_changed) {
            partition->committed = partition->position;
            if (partition->position > 0)
                partition->old_commit = -1;
        }
        partition->is_changed = false;
    }
    pairing->facts.edges += pairing->sender.edges;
    pairing->facts.left_out += pairing->sender.left_out;
    pairing->facts.commits++;
    pairing->sender.is_open = false;
    pairing->waiting = 0;
}

static th_kafka_verdict commit_open(struct th_kafka_pairing *pairing, th_error *err)
{
    const th_kafka_offsets offsets = {
        .list = changed_offsets(pairing),
        .group = rd_kafka_consumer_group_metadata(pairing->rk),
    };
    th_kafka_verdict verdict = TH_KAFKA_STOP;
    if (offsets.list && offsets.group)
        verdict = persist(pairing, TH_KAFKA_OFFSETS, &offsets, err);
    else
        (void)th_fail(err, TH_NOMEM, "cannot send offsets: out of memory");
    if (verdict == TH_KAFKA_LATE)
        return verdict; /* the call may still run, with the offsets */
    if (offsets.list)
        rd_kafka_topic_partition_list_destroy(offsets.list);
    if (offsets.group)
        rd_kafka_consumer_group_metadata_destroy(offsets.group);
    if (verdict == TH_KAFKA_GO)
        verdict = pairing->sender.has_failed
                      ? TH_KAFKA_ABORT
                      : persist(pairing, TH_KAFKA_COMMIT, NULL, err);
    return verdict;
}

th_status th_kafka_pairing_settle(th_kafka_pairing *pairing, th_error *err)
{
    if (!pairing->waiting)
        return TH_OK;
    th_status status = begin(pairing, err);
    if (status != TH_OK)
        return status;
    const th_kafka_verdict verdict = commit_open(pairing, err);
    if (verdict == TH_KAFKA_GO) {
        note_commit(pairing);
        return TH_OK;
    }
    if (verdict != TH_KAFKA_ABORT)
        return give_up(verdict, err);
    th_kafka_warn(&pairing->options.in.client, "transaction aborted: %s",
                  err && err->text[0] ? err->text : "an edge was not delivered");
    return abort_all(pairing, err);
}

/* ---- where reading begins ---- */

/* Requests the group's committed offsets until there is an answer. */
static bool query_committed(struct th_kafka_pairing *pairing,
                            rd_kafka_topic_partition_list_t *list)
{
    const int64_t end_ms = th_now_ms() + ANSWERS_MS;
    const char *words = "deadline passed";
    for (int ms; (ms = th_deadline_wait_ms(pairing->deadline, ANSWER_MS)) > 0;) {
        const rd_kafka_resp_err_t asked = rd_kafka_committed(pairing->rk, list, ms);
        words = asked ? rd_kafka_err2str(asked) : th_kafka_first_error(list);
        if (!words)
            return true;
        if (th_now_ms() >= end_ms)
            break;
        th_sleep_ms(RETRY_MS);
    }
    th_kafka_warn(&pairing->options.in.client,
                  "cannot read the committed offsets of the group: %s", words);
    return false;
}

/* Sets the offset of each partition in the list to where reading starts: its beginning,
 * or the position of its table. */
static bool place(struct th_kafka_pairing *pairing, rd_kafka_topic_partition_list_t *list)
{
    if (!query_committed(pairing, list))
        return false;
    for (int i = 0; i < list->cnt; i++) {
        rd_kafka_topic_partition_t *row = &list->elems[i];
        struct partition *partition = have_partition(pairing, row->partition);
        if (!partition)
            return false;
        partition->is_ours = true;
        if (partition->old_commit >= 0 && row->offset == partition->old_commit)
            row->offset = RD_KAFKA_OFFSET_INVALID;
        else
            partition->old_commit = -1;
        partition->committed = row->offset;
        if (!partition->is_void && partition->table && row->offset >= 0 &&
            partition->position == row->offset)
            continue;
        if (!begin_anew(pairing, partition))
            return false;
        partition->is_void = false;
        row->offset = RD_KAFKA_OFFSET_BEGINNING;
    }
    return true;
}

/* Reads partitions whose table is void again from their beginning. */
static th_status read_again(struct th_kafka_pairing *pairing, th_error *err)
{
    rd_kafka_topic_partition_list_t *list =
        rd_kafka_topic_partition_list_new((int)pairing->count + 1);
    if (!list)
        return th_fail(err, TH_NOMEM, "cannot read again: out of memory");
    for (uint32_t i = 0; i < pairing->count; i++)
        if (pairing->partitions[i].is_ours && pairing->partitions[i].is_void)
            rd_kafka_topic_partition_list_add(list, pairing->options.in.topics[0],
                                              pairing->partitions[i].number);
    bool is_done = !list->cnt || place(pairing, list);
    if (is_done && list->cnt) {
        rd_kafka_error_t *error =
            rd_kafka_seek_partitions(pairing->rk, list, ANSWER_MS * 2);
        is_done = !error && !th_kafka_first_error(list);
        if (error)
            rd_kafka_error_destroy(error);
    }
    rd_kafka_topic_partition_list_destroy(list);
    pairing->has_void = !is_done;
    return is_done ? TH_OK : th_fail(err, TH_IO, "cannot seek back in the bands topic");
}

/* ---- rebalances ---- */

static void take_assignment(struct th_kafka_pairing *pairing,
                            rd_kafka_topic_partition_list_t *list)
{
    if (list->cnt && !place(pairing, list))
        pairing->has_failed = true;
    for (uint32_t i = 0; i < pairing->count; i++)
        if (!pairing->partitions[i].is_ours)
            drop_table(pairing, &pairing->partitions[i]);
    if (!th_kafka_member_take(pairing->rk, list))
        pairing->has_failed = true;
    pairing->facts.is_assigned = true;
}

static void give_up_assignment(struct th_kafka_pairing *pairing,
                               rd_kafka_topic_partition_list_t *list)
{
    th_error err = { .text = "" };
    const bool is_part = th_kafka_member_is_incremental(pairing->rk);
    const th_status status = rd_kafka_assignment_lost(pairing->rk) || pairing->is_closing
                                 ? abort_all(pairing, &err)
                                 : th_kafka_pairing_settle(pairing, &err);
    if (status != TH_OK) {
        th_kafka_warn(&pairing->options.in.client, "%s", err.text);
        pairing->has_failed = true;
    }
    for (uint32_t i = 0; i < pairing->count; i++)
        pairing->partitions[i].is_ours &= is_part;
    for (int i = 0; is_part && i < list->cnt; i++) {
        struct partition *partition = partition_of(pairing, list->elems[i].partition);
        if (partition)
            partition->is_ours = false;
    }
    if (!th_kafka_member_give_up(pairing->rk, list))
        pairing->has_failed = true;
}

static void on_rebalance(rd_kafka_t *rk, rd_kafka_resp_err_t what,
                         rd_kafka_topic_partition_list_t *list, void *opaque)
{
    struct th_kafka_pairing *pairing = opaque;
    (void)rk;
    pairing->facts.rebalances++;
    if (what == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS)
        take_assignment(pairing, list);
    else
        give_up_assignment(pairing, list);
}

/* ---- topics created again ---- */

/* The partition is read at `offset`, which is below what was read or committed: its topic
 * was deleted and created again. Edges found in the old topic are committed with offset
 * 0, which replaces the old offset. Then the partition is read from its beginning. */
static th_status restart_partition(struct th_kafka_pairing *pairing,
                                   struct partition *partition, int64_t offset,
                                   th_error *err)
{
    const int64_t expected = partition->position > partition->committed
                                 ? partition->position
                                 : partition->committed;
    th_kafka_warn(&pairing->options.in.client,
                  "topic '%s' partition %d: offsets decreased from %lld to %lld because "
                  "the topic was created again; all its pairs are new",
                  pairing->options.in.topics[0], (int)partition->number,
                  (long long)expected, (long long)offset);
    pairing->facts.remade++;
    partition->old_commit = partition->committed;
    drop_table(pairing, partition);
    partition->position = 0;
    partition->is_changed = true;
    partition->is_void = pairing->has_void = true;
    pairing->waiting++;
    return th_kafka_pairing_settle(pairing, err);
}

/* ---- messages ---- */

static void report_error(const struct th_kafka_pairing *pairing,
                         const rd_kafka_message_t *message, th_pairing_fault fault)
{
    if (fault != TH_PAIRING_NONE && fault != TH_PAIRING_REPEATED)
        th_kafka_warn(&pairing->options.in.client,
                      "topic '%s' partition %d offset %lld: %s",
                      pairing->options.in.topics[0], (int)message->partition,
                      (long long)message->offset, th_pairing_fault_text(fault));
}

static th_status take(struct th_kafka_pairing *pairing, const rd_kafka_message_t *message,
                      th_error *err)
{
    struct partition *partition = partition_of(pairing, message->partition);
    if (!partition || !partition->is_ours || !partition->table || partition->is_void)
        return TH_OK;
    if (message->offset < partition->position)
        return restart_partition(pairing, partition, message->offset, err);
    const bool is_new = message->offset >= partition->committed;
    rd_kafka_timestamp_type_t kind;
    const int64_t time_ms = rd_kafka_message_timestamp(message, &kind);
    const th_pairing_message taken = {
        .key = { message->key, message->key_len },
        .value = { message->payload ? message->payload : "", message->len },
        .time_ms = kind == RD_KAFKA_TIMESTAMP_NOT_AVAILABLE ? -1 : time_ms,
    };
    th_pairing_fault fault = TH_PAIRING_NONE;
    th_status status = TH_OK;
    if (is_new) {
        if (!pairing->waiting)
            pairing->sender.opened = th_now_ms();
        status = begin(pairing, err);
    }
    if (status == TH_OK)
        status = th_pairing_take(partition->table, &taken, is_new ? send_edge : NULL,
                                 pairing, &fault, err);
    if (status == TH_BLOCKED)
        return abort_all(pairing, err);
    if (status != TH_OK)
        return status;
    report_error(pairing, message, fault);
    partition->position = message->offset + 1;
    partition->is_changed |= is_new;
    pairing->waiting += is_new;
    pairing->facts.messages++;
    pairing->facts.again += !is_new;
    return TH_OK;
}

/* Asks the leader whether the partition ends below `offset`. After an election, the end
 * that a fetch reports can be too low for a moment. Without an answer the partition is
 * read again. */
static bool ends_below(struct th_kafka_pairing *pairing, struct partition *partition,
                       int64_t offset)
{
    int64_t low = -1, high = -1;
    const int ms = th_deadline_wait_ms(pairing->deadline, ANSWER_MS);
    const bool is_known =
        ms > 0 && rd_kafka_query_watermark_offsets(
                      pairing->rk, pairing->options.in.topics[0], partition->number, &low,
                      &high, ms) == RD_KAFKA_RESP_ERR_NO_ERROR;
    const bool is_below = is_known && high < offset;
    if (!is_below)
        partition->is_void = pairing->has_void = true;
    return is_below;
}

/* The end of a partition. */
static th_status note_end(struct th_kafka_pairing *pairing,
                          const rd_kafka_message_t *message, th_error *err)
{
    struct partition *partition = partition_of(pairing, message->partition);
    if (!partition || !partition->is_ours || !partition->table || partition->is_void)
        return TH_OK;
    const int64_t known = partition->position > partition->committed
                              ? partition->position
                              : partition->committed;
    if (message->offset >= known)
        partition->has_ended = true;
    else if (ends_below(pairing, partition, known))
        return restart_partition(pairing, partition, message->offset, err);
    return TH_OK;
}

/* Handles an event that librdkafka returns instead of a message. */
static th_status handle(struct th_kafka_pairing *pairing,
                        const rd_kafka_message_t *message, th_error *err)
{
    if (message->err == RD_KAFKA_RESP_ERR__FATAL || pairing->watch.is_fatal)
        return th_fail(err, TH_IO, "kafka consumer failed: %s",
                       rd_kafka_message_errstr(message));
    if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF)
        return note_end(pairing, message, err);
    th_kafka_warn(&pairing->options.in.client, "kafka consumer: %s",
                  rd_kafka_message_errstr(message));
    return TH_OK;
}

static th_status check(const struct th_kafka_pairing *pairing, th_error *err)
{
    if (pairing->has_failed)
        return th_fail(err, TH_IO, "cannot assign or revoke partitions");
    if (pairing->watch.is_fatal)
        return th_fail(err, TH_IO, "kafka consumer failed: %s",
                       pairing->watch.fatal_words);
    if (pairing->sender.is_refused)
        return th_fail(
            err, TH_IO,
            "topic '%s' rejects batches of %d bytes; see its max.message.bytes",
            pairing->options.edges, (int)BATCH_SIZE);
    if (pairing->sender.watch.is_fatal)
        return th_fail(err, TH_IO, "kafka producer failed: %s",
                       pairing->sender.watch.fatal_words);
    return TH_OK;
}

/* Forgets the oldest epochs, starting with the largest table, until the rest fits. */
static void shed(struct th_kafka_pairing *pairing)
{
    for (;;) {
        struct partition *largest = NULL;
        uint64_t sum = 0, max = 0;
        for (uint32_t i = 0; i < pairing->count; i++) {
            const th_pairing_table *table = pairing->partitions[i].table;
            const uint64_t bytes = table ? th_pairing_table_counts(table)->bytes : 0;
            sum += bytes;
            if (bytes > max) {
                max = bytes;
                largest = &pairing->partitions[i];
            }
        }
        if (sum <= pairing->options.memory || !largest ||
            !th_pairing_drop_epoch(largest->table))
            return;
        pairing->facts.shed++;
        th_kafka_warn(
            &pairing->options.in.client,
            "pairs.memory is exhausted; the oldest epoch of partition %d was evicted",
            (int)largest->number);
    }
}

static bool is_due(const struct th_kafka_pairing *pairing)
{
    return pairing->waiting &&
           (pairing->waiting >= pairing->options.flush_messages ||
            th_now_ms() - pairing->sender.opened >= pairing->options.flush_ms);
}

th_status th_kafka_pairing_turn(th_kafka_pairing *pairing, th_error *err)
{
    th_status status = TH_OK;
    th_kafka_topics_tick(&pairing->topics, pairing->rk);
    for (int i = 0; i < TURN_MESSAGES && status == TH_OK; i++) {
        if (pairing->has_void)
            status = read_again(pairing, err);
        if (status != TH_OK)
            return status;
        rd_kafka_message_t *message = rd_kafka_consumer_poll(pairing->rk, POLL_MS);
        status = check(pairing, err);
        if (message && status == TH_OK)
            status = message->err ? handle(pairing, message, err)
                                  : take(pairing, message, err);
        const bool is_over = !message;
        if (message)
            rd_kafka_message_destroy(message);
        if (is_over || is_due(pairing))
            break;
    }
    (void)rd_kafka_poll(pairing->sender.rk, 0);
    if (status == TH_OK)
        shed(pairing);
    if (status == TH_OK && is_due(pairing))
        status = th_kafka_pairing_settle(pairing, err);
    return status;
}

/* ---- facts ---- */

void th_kafka_pairing_stats_of(const th_kafka_pairing *pairing,
                               th_kafka_pairing_stats *facts)
{
    th_pairing_counts sum = pairing->gone;
    *facts = pairing->facts;
    for (uint32_t i = 0; i < pairing->count; i++) {
        const struct partition *partition = &pairing->partitions[i];
        facts->partitions += partition->is_ours;
        facts->rebuilding += partition->is_ours && !partition->has_ended &&
                             partition->position < partition->committed;
        if (!partition->table)
            continue;
        const th_pairing_counts *counts = th_pairing_table_counts(partition->table);
        add_counts(&sum, counts);
        facts->records += counts->records;
        facts->bytes += counts->bytes;
    }
    memcpy(facts->faults, sum.faults, sizeof facts->faults);
    facts->late = sum.late;
    facts->full = sum.full;
    facts->compared = sum.compared;
    if (th_kafka_topics_reason(&pairing->topics, facts->unready, sizeof facts->unready) ||
        !facts->is_assigned)
        th_kafka_say_refusal(&pairing->watch, facts->unready, sizeof facts->unready);
}

/* ---- life ---- */

static void on_commit(rd_kafka_t *rk, rd_kafka_resp_err_t error,
                      rd_kafka_topic_partition_list_t *offsets, void *opaque)
{
    (void)rk, (void)error, (void)offsets, (void)opaque; /* the producer commits */
}

th_status th_kafka_pairing_open(const th_kafka_pairing_options *options,
                                const th_deadline *deadline, th_kafka_pairing **out,
                                th_error *err)
{
    const th_kafka_member_callbacks callbacks = { .rebalance = on_rebalance,
                                                  .committed = on_commit,
                                                  .tells_ends = true };
    struct th_kafka_pairing *pairing = calloc(1, sizeof *pairing);
    if (!pairing)
        return th_fail(err, TH_NOMEM, "out of memory");
    pairing->options = *options;
    pairing->deadline = deadline;
    const char *const topics[] = { options->in.topics[0], options->edges };
    th_status status = th_kafka_topics_init(&pairing->topics, topics, 2)
                           ? open_sender(pairing, err)
                           : th_fail(err, TH_NOMEM, "out of memory");
    if (status == TH_OK)
        status = th_kafka_member_open(&pairing->options.in, &callbacks, &pairing->watch,
                                      &pairing->rk, err);
    if (status == TH_OK) {
        const th_kafka_verdict verdict = persist(pairing, TH_KAFKA_INIT, NULL, err);
        status = verdict == TH_KAFKA_GO ? TH_OK : give_up(verdict, err);
        if (verdict == TH_KAFKA_LATE)
            status = TH_INTERRUPTED;
    }
    if (status == TH_OK)
        status = th_kafka_member_join(pairing->rk, &pairing->options.in, err);
    if (status != TH_OK) {
        th_kafka_pairing_close(pairing);
        return status;
    }
    *out = pairing;
    return TH_OK;
}

void th_kafka_pairing_close(th_kafka_pairing *pairing)
{
    if (!pairing)
        return;
    pairing->is_closing = true;
    th_kafka_topics_done(&pairing->topics);
    if (pairing->rk) {
        th_kafka_member_leave(pairing->rk, &pairing->watch, pairing->deadline);
        rd_kafka_destroy(pairing->rk);
    }
    if (pairing->sender.rk) {
        (void)rd_kafka_purge(pairing->sender.rk,
                             RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
        rd_kafka_destroy(pairing->sender.rk);
    }
    for (uint32_t i = 0; i < pairing->count; i++)
        th_pairing_table_free(pairing->partitions[i].table);
    free(pairing->partitions);
    free(pairing);
}
