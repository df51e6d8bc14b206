/*
 * A producer as a sink. [docs/reliability.md#kafka]
 *
 *     flush, exactly once:   begin, produce all, offsets (or progress rows), commit
 *     flush, at least once:  produce all, wait for every delivery
 *
 * Brokers before KIP-890, and librdkafka before any support of it, may apply a late
 * commit or abort to the next transaction of the same producer. So the producer is
 * recreated, which fences late calls, after each abort and after each commit that was
 * slow or saw a connection break.
 *
 * The mark goes where the position goes: from Kafka into the metadata of the offsets,
 * from a spool into a row of the progress topic (exactly once) or the ledger's note (at
 * least once).
 *
 * The maximum message size depends on the topic. The topic's configuration specifies it,
 * if we may read the configuration; otherwise it is learned from refusals. No batch is
 * larger than every topic accepts for certain, so a larger message is alone in its batch,
 * and a refusal of the batch concerns that message alone.
 */
#include "kafka/kafka_sink.h"

#include <inttypes.h>
#include <librdkafka/rdkafka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "kafka/kafka_calls.h"
#include "kafka/kafka_position.h"
#include "kafka/kafka_progress.h"
#include "kafka/kafka_topics.h"

/* Key of a mark as a row of progress, followed by its owner. No file's key begins this
 * way. */
#define MARK_KEY "mark."
/* A mark as a note. */
#define MARK_NOTE "mark "

enum {
    SLOW_MS = 10000,     /* as socket.timeout.ms: a request may have been sent twice */
    INIT_MS = 10000,     /* one wait for the coordinator */
    RECOVER_MS = 180000, /* longest wait for brokers at start */
    REACH_MS = 1000,     /* one question whether brokers are back */
    LEARN_MS = 2000,     /* one question for the topics' limits */
    DELIVER_MS = 2000,   /* at least once: a flush that takes longer is called blocked */
    PURGE_MS = 1000,
    QUEUE_FULL_MS = 10,
    AGAIN_MS = 100,
    MESSAGE_TIMEOUT_MS = 30000, /* below transaction.timeout.ms, or librdkafka refuses */
    FAILURES_MAX = 10,          /* in a row; the next one ends the process */
    PAUSE_MOST = 50,            /* times the first pause */
    BATCH_MAX = 1000000,        /* librdkafka's own default */
    BATCH_LEAST = 64,           /* below that each message goes alone */
};

/* Messages that a topic refused for their size, in one flush. */
struct refusal {
    uint64_t together; /* bytes of messages that may have been in a shared batch */
    size_t alone;      /* number of the lone message that packs best */
    bool has_alone;
};

struct kafka_sink {
    th_kafka_watch watch; /* first: librdkafka's opaque pointer */
    th_stream_sink base;
    th_kafka_sink_options options;
    th_staging_options staging_options;
    rd_kafka_t *rk; /* NULL: to be made */
    bool is_ready;  /* transactions are initialised */

    th_staging staging;
    bool has_put;    /* something was put since the last flush, maybe without messages */
    bool is_durable; /* all that was put is durable, and must be acknowledged */
    th_buffer note;  /* of the last flush */
    int64_t flushed_at; /* ms: when it began */
    size_t sent;        /* messages of staging that librdkafka has */
    uintptr_t first;    /* number of the first of staging, of all that ever were */
    uint64_t awaited;   /* of them, not yet delivered or failed */
    bool has_failed;    /* a delivery failed */
    /* A delivery timed out: leaders or in-sync replicas are missing. */
    bool is_outage;
    bool is_late;   /* the deadline passed within a call: the producer cannot be used */
    bool is_in_use; /* that call still runs and uses the producer */
    char failure[256];

    th_kafka_topics topics;             /* state of the topics, reported by brokers */
    uint64_t batch_max[TH_TOPIC_COUNT]; /* the brokers' limits, last seen; 0 if none */
    uint64_t batch_size;                /* of the producer */
    bool is_too_large;                  /* a topic refused something for its size */
    struct refusal refusals[TH_TOPIC_COUNT];

    unsigned failures;     /* in a row */
    int64_t not_before;    /* ms: pause after a failure */
    int64_t blocked_since; /* ms; -1 if not blocked */
    th_sink_stats facts;
};

static struct kafka_sink *self_of(th_stream_sink *base)
{
    return (struct kafka_sink *)(void *)((char *)base -
                                         offsetof(struct kafka_sink, base));
}

static bool is_wanted(const struct kafka_sink *sink, th_kafka_topic topic)
{
    const char *name = sink->options.topics[topic];
    return name && *name;
}

/* ---- limits of topics ---- */

static size_t size_of(const struct kafka_sink *sink, const th_staged *staged)
{
    size_t size = staged->key.len + staged->value.len;
    for (uint32_t i = 0; i < staged->header_count; i++) {
        const th_header header = th_staging_header(&sink->staging, staged->headers + i);
        size += header.name.len + header.value.len;
    }
    return size;
}

/* Notes that a topic refused a message, or the batch that contained it. The message may
 * have been dropped since. */
static void note_refusal(struct kafka_sink *sink, size_t index)
{
    if (index >= sink->staging.count)
        return;
    const th_staged staged = th_staging_get(&sink->staging, index);
    const size_t size = size_of(sink, &staged);
    struct refusal *refusal = &sink->refusals[staged.topic];
    sink->is_too_large = true;
    if (size <= sink->batch_size) {
        refusal->together += size;
        return;
    }
    if (!refusal->has_alone || th_staging_packed_size(&sink->staging, index) <
                                   th_staging_packed_size(&sink->staging, refusal->alone))
        refusal->alone = index;
    refusal->has_alone = true;
}

/* Takes the limits that brokers report for topics, if they have changed. */
static void take_limits(struct kafka_sink *sink)
{
    for (int i = 0; i < TH_TOPIC_COUNT; i++) {
        const th_kafka_topic_facts *facts =
            th_kafka_topics_find(&sink->topics, sink->options.topics[i]);
        if (!facts || !facts->batch_max || facts->batch_max == sink->batch_max[i])
            continue;
        sink->batch_max[i] = facts->batch_max;
        sink->staging_options.limits[i] =
            (th_kafka_limit){ facts->batch_max, facts->batch_max };
    }
}

/* Learns a limit from refusals when brokers do not report it. A message that was refused
 * alone shows how far one must pack; for batches the new limit is at most half their
 * size. Returns TH_IO for a message that cannot be made smaller. */
static th_status learn_limit(struct kafka_sink *sink, th_kafka_topic topic, th_error *err)
{
    const struct refusal *refusal = &sink->refusals[topic];
    th_kafka_limit *limit = &sink->staging_options.limits[topic];
    if (refusal->together) {
        const uint64_t max =
            refusal->together < limit->sure ? refusal->together : limit->sure;
        limit->sure = max / 2 > BATCH_LEAST ? max / 2 : 0;
    }
    if (!refusal->has_alone)
        return TH_OK;
    const th_staged staged = th_staging_get(&sink->staging, refusal->alone);
    if (staged.is_min)
        return th_fail(err, TH_IO,
                       "topic '%s' rejects a message of %zu bytes, which cannot be "
                       "truncated; see its max.message.bytes",
                       sink->options.topics[topic], size_of(sink, &staged));
    const size_t packed = th_staging_packed_size(&sink->staging, refusal->alone);
    if (packed < limit->packed)
        limit->packed = packed;
    return TH_OK;
}

/* Lowers the limits of topics after a refusal. Topics without a refusal keep their
 * limits. */
static th_status learn_limits(struct kafka_sink *sink, th_error *err)
{
    uint64_t before[TH_TOPIC_COUNT];
    th_status status = TH_OK;
    memcpy(before, sink->batch_max, sizeof before);
    if (sink->rk && sink->topics.has_answered)
        th_kafka_topics_query(&sink->topics, sink->rk, &sink->base.deadline, LEARN_MS);
    take_limits(sink);
    for (int i = 0; i < TH_TOPIC_COUNT && status == TH_OK; i++) {
        const struct refusal *refusal = &sink->refusals[i];
        if (!refusal->together && !refusal->has_alone)
            continue;
        if (sink->batch_max[i] == before[i])
            status = learn_limit(sink, (th_kafka_topic)i, err);
        th_kafka_warn(&sink->options.client,
                      "topic '%s' rejected a message because of its size; later "
                      "messages of this size are truncated",
                      sink->options.topics[i]);
    }
    return status;
}

/* Returns the size of a batch that every topic accepts. */
static uint64_t wanted_batch_size(const struct kafka_sink *sink)
{
    uint64_t size = BATCH_MAX;
    for (int i = 0; i < TH_TOPIC_COUNT; i++)
        if (is_wanted(sink, (th_kafka_topic)i) &&
            sink->staging_options.limits[i].sure < size)
            size = sink->staging_options.limits[i].sure;
    return size ? size : 1;
}

/* ---- the producer ---- */

static void on_delivery(rd_kafka_t *rk, const rd_kafka_message_t *message, void *opaque)
{
    struct kafka_sink *sink = opaque;
    (void)rk;
    if (sink->awaited)
        sink->awaited--;
    if (!message->err) {
        sink->facts.bytes += message->len + message->key_len;
        return;
    }
    if (message->err == RD_KAFKA_RESP_ERR__PURGE_QUEUE ||
        message->err == RD_KAFKA_RESP_ERR__PURGE_INFLIGHT)
        return; /* dropped by us */
    if (message->err == RD_KAFKA_RESP_ERR__MSG_TIMED_OUT)
        sink->is_outage = true;
    if (message->err == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE)
        note_refusal(sink, (uintptr_t)message->_private - sink->first);
    if (!sink->has_failed) {
        th_error words;
        (void)th_fail(&words, TH_IO, "topic '%s': %s", rd_kafka_topic_name(message->rkt),
                      rd_kafka_err2str(message->err));
        memcpy(sink->failure, words.text, sizeof sink->failure - 1);
    }
    sink->has_failed = true;
}

/* Sets the configured batch size, or a smaller one if topics need it. */
static th_status set_batch_size(struct kafka_sink *sink, rd_kafka_conf_t *conf,
                                th_error *err)
{
    char text[24] = "";
    size_t size = sizeof text;
    sink->batch_size = wanted_batch_size(sink);
    if (rd_kafka_conf_get(conf, "batch.size", text, &size) == RD_KAFKA_CONF_OK) {
        const uint64_t configured = strtoull(text, NULL, 10);
        if (configured && configured < sink->batch_size)
            sink->batch_size = configured;
    }
    return th_kafka_conf_set_number(conf, "batch.size", sink->batch_size, err);
}

static th_status configure(struct kafka_sink *sink, rd_kafka_conf_t *conf, th_error *err)
{
    const th_kafka_sink_options *options = &sink->options;
    th_status status = th_kafka_conf_set_number(conf, "message.max.bytes",
                                                sink->staging_options.message_max, err);
    if (status == TH_OK)
        status = set_batch_size(sink, conf, err);
    if (status == TH_OK)
        status =
            th_kafka_conf_set_number(conf, "message.timeout.ms",
                                     !options->is_exactly_once ? 0
                                     : options->transaction_ms > 2 * MESSAGE_TIMEOUT_MS
                                         ? MESSAGE_TIMEOUT_MS
                                         : options->transaction_ms / 2,
                                     err);
    if (status == TH_OK && options->is_exactly_once)
        status = th_kafka_conf_set(conf, "transactional.id", options->instance, err);
    if (status == TH_OK && options->is_exactly_once)
        status = th_kafka_conf_set_number(conf, "transaction.timeout.ms",
                                          options->transaction_ms, err);
    return status;
}

static th_status open_producer(struct kafka_sink *sink, th_error *err)
{
    rd_kafka_conf_t *conf = NULL;
    th_status status = th_kafka_conf_new(&sink->options.client, TH_KAFKA_PRODUCER,
                                         &sink->watch, &conf, err);
    if (status != TH_OK)
        return status;
    status = configure(sink, conf, err);
    if (status != TH_OK) {
        rd_kafka_conf_destroy(conf);
        return status;
    }
    rd_kafka_conf_set_dr_msg_cb(conf, on_delivery);
    return th_kafka_open(conf, TH_KAFKA_PRODUCER, &sink->rk, err);
}

static void close_producer(struct kafka_sink *sink)
{
    if (!sink->rk)
        return;
    th_kafka_topics_leave(&sink->topics);
    (void)rd_kafka_purge(sink->rk, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
    (void)rd_kafka_flush(sink->rk, th_deadline_wait_ms(&sink->base.deadline, PURGE_MS));
    rd_kafka_destroy(sink->rk);
    sink->rk = NULL;
    sink->is_ready = false;
    sink->awaited = 0;
}

/* ---- calls ---- */

/* Repeats a call for twice the transaction's time. After that the error is fatal,
 * because the broker has aborted the transaction long before. */
static th_kafka_verdict persist(struct kafka_sink *sink, th_kafka_call call,
                                const th_kafka_offsets *offsets, th_error *err)
{
    const th_kafka_waiting_for waiting = {
        .deadline = &sink->base.deadline,
        .limit_ms =
            call == TH_KAFKA_INIT ? INIT_MS : 2 * (int)sink->options.transaction_ms,
        .reason = sink->facts.unready,
        .reason_max = sizeof sink->facts.unready,
    };
    const th_kafka_verdict verdict =
        th_kafka_persist(sink->rk, call, offsets, &waiting, err);
    sink->is_late = sink->is_late || verdict == TH_KAFKA_LATE;
    sink->is_in_use = sink->is_late && call == TH_KAFKA_OFFSETS;
    return verdict == TH_KAFKA_AGAIN && call != TH_KAFKA_INIT ? TH_KAFKA_STOP : verdict;
}

/* ---- sending ---- */

static rd_kafka_headers_t *make_headers(const th_staging *staging,
                                        const th_staged *staged)
{
    rd_kafka_headers_t *headers = rd_kafka_headers_new(staged->header_count);
    for (uint32_t i = 0; headers && i < staged->header_count; i++) {
        const th_header header = th_staging_header(staging, staged->headers + i);
        (void)rd_kafka_header_add(headers, header.name.data, (ssize_t)header.name.len,
                                  header.value.data, (ssize_t)header.value.len);
    }
    return headers;
}

static rd_kafka_resp_err_t send_one(struct kafka_sink *sink, size_t index)
{
    const th_staged staged = th_staging_get(&sink->staging, index);
    rd_kafka_headers_t *headers =
        staged.header_count ? make_headers(&sink->staging, &staged) : NULL;
    /* The types by hand: librdkafka's macros for them are not ISO C. */
    const rd_kafka_resp_err_t error = rd_kafka_producev(
        sink->rk, RD_KAFKA_VTYPE_TOPIC, sink->options.topics[staged.topic],
        RD_KAFKA_VTYPE_MSGFLAGS, (int)RD_KAFKA_MSG_F_COPY, RD_KAFKA_VTYPE_KEY,
        staged.key.data, staged.key.len, RD_KAFKA_VTYPE_VALUE, staged.value.data,
        staged.value.len, RD_KAFKA_VTYPE_HEADERS, headers, RD_KAFKA_VTYPE_OPAQUE,
        (void *)(sink->first + index), RD_KAFKA_VTYPE_END);
    if (error && headers)
        rd_kafka_headers_destroy(headers);
    return error;
}

/* Sends the staged messages that are not sent yet. Returns GO; AGAIN if the queue stays
 * full until end_ms, or the deadline passes; ABORT if a message cannot be sent; STOP. */
static th_kafka_verdict send_all(struct kafka_sink *sink, int64_t end_ms, th_error *err)
{
    while (sink->sent < sink->staging.count) {
        const rd_kafka_resp_err_t error = send_one(sink, sink->sent);
        if (!error) {
            sink->sent++;
            sink->awaited++;
            if (sink->sent % 256 == 0)
                (void)rd_kafka_poll(sink->rk, 0);
            continue;
        }
        if (error == RD_KAFKA_RESP_ERR__QUEUE_FULL) {
            if (th_now_ms() > end_ms ||
                th_deadline_wait_ms(&sink->base.deadline, QUEUE_FULL_MS) <= 0)
                return TH_KAFKA_AGAIN;
            (void)rd_kafka_poll(sink->rk, QUEUE_FULL_MS);
            continue;
        }
        (void)th_fail(err, TH_IO, "cannot produce: %s", rd_kafka_err2str(error));
        if (error == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE)
            note_refusal(sink, sink->sent);
        return rd_kafka_fatal_error(sink->rk, NULL, 0) ? TH_KAFKA_STOP : TH_KAFKA_ABORT;
    }
    return TH_KAFKA_GO;
}

/* ---- being ready ---- */

static void set_reason(struct kafka_sink *sink, const char *words)
{
    (void)snprintf(sink->facts.unready, sizeof sink->facts.unready, "%.*s",
                   TH_REASON_MAX - 1, words);
}

/* Returns whether brokers are reachable. Cheap while they are. */
static bool can_reach(struct kafka_sink *sink)
{
    (void)rd_kafka_poll(sink->rk, 0);
    if (!sink->watch.is_cut_off)
        return true;
    const struct rd_kafka_metadata *metadata = NULL;
    const int ms = th_deadline_wait_ms(&sink->base.deadline, REACH_MS);
    if (ms <= 0 || rd_kafka_metadata(sink->rk, 0, NULL, &metadata, ms) !=
                       RD_KAFKA_RESP_ERR_NO_ERROR) {
        set_reason(sink, "no broker can be reached");
        return false;
    }
    rd_kafka_metadata_destroy(metadata);
    sink->watch.is_cut_off = false;
    return true;
}

/* Checks that the topics exist. A deleted topic may return: staged messages wait for
 * it. */
static bool are_topics_there(struct kafka_sink *sink)
{
    for (uint32_t i = 0; i < sink->topics.count; i++)
        if (sink->topics.rows[i].is_missing) {
            (void)th_kafka_topics_reason(&sink->topics, sink->facts.unready,
                                         sizeof sink->facts.unready);
            return false;
        }
    return true;
}

/* Makes a producer that can send. Returns TH_OK; TH_NO_BROKER without a broker; TH_IO;
 * TH_USAGE; TH_NOMEM. */
static th_status get_ready(struct kafka_sink *sink, th_error *err)
{
    if (sink->is_late)
        return TH_NO_BROKER;
    if (sink->rk && wanted_batch_size(sink) < sink->batch_size && !sink->awaited)
        close_producer(sink);
    if (!sink->rk) {
        const th_status status = open_producer(sink, err);
        if (status != TH_OK)
            return status;
    }
    if (!sink->is_ready && sink->options.is_exactly_once) {
        const th_kafka_verdict verdict = persist(sink, TH_KAFKA_INIT, NULL, err);
        if (verdict != TH_KAFKA_GO)
            return verdict == TH_KAFKA_AGAIN || verdict == TH_KAFKA_LATE ? TH_NO_BROKER
                                                                         : TH_IO;
    }
    sink->is_ready = true;
    th_kafka_topics_tick(&sink->topics, sink->rk);
    return can_reach(sink) ? TH_OK : TH_NO_BROKER;
}

/* ---- the end of a flush ---- */

static void forget(struct kafka_sink *sink)
{
    sink->first += sink->staging.count;
    th_staging_drop(&sink->staging);
    sink->sent = 0;
    sink->has_put = false;
    sink->is_durable = false;
    sink->has_failed = false;
    sink->is_outage = false;
    sink->is_too_large = false;
    memset(sink->refusals, 0, sizeof sink->refusals);
}

static void set_blocked(struct kafka_sink *sink, bool is_blocked)
{
    const int64_t now = th_now_ms();
    if (is_blocked && sink->blocked_since < 0) {
        sink->blocked_since = now;
        th_kafka_warn(&sink->options.client, "kafka output is blocked: %s",
                      sink->facts.unready[0] ? sink->facts.unready
                                             : "brokers do not answer");
    }
    if (!is_blocked && sink->blocked_since >= 0) {
        sink->facts.blocked_seconds += (double)(now - sink->blocked_since) / 1000;
        sink->blocked_since = -1;
        th_kafka_warn(&sink->options.client, "kafka output continues");
    }
    sink->facts.is_blocked = is_blocked;
    if (!is_blocked)
        set_reason(sink, "");
}

/* Makes the note for a source that keeps notes: the mark. Other sources keep it
 * themselves, or have it in a row of their progress. */
static th_status make_note(struct kafka_sink *sink, const th_commit_token *token,
                           th_view *note, th_error *err)
{
    th_buffer_reset(&sink->note);
    if (token->keeping == TH_KEPT_WITH_NOTE && token->mark) {
        th_buffer_printf(&sink->note, MARK_NOTE "%llu\n",
                         (unsigned long long)token->mark);
        *note = th_buffer_view(&sink->note);
    }
    return sink->note.has_failed
               ? th_fail(err, TH_NOMEM, "cannot note the mark: out of memory")
               : TH_OK;
}

/* Marks all that was put as durable. */
static th_status succeed(struct kafka_sink *sink)
{
    const th_staging_cuts *cuts = &sink->staging.cuts;
    sink->facts.commits++;
    sink->facts.cut_records += cuts->cut[TH_TOPIC_RECORDS];
    sink->facts.cut_letters += cuts->cut[TH_TOPIC_DEAD_LETTERS];
    sink->facts.left_out_letters += cuts->left_out[TH_TOPIC_DEAD_LETTERS];
    sink->facts.tombstones += sink->staging.tombstones;
    sink->facts.left_out_edges += cuts->left_out[TH_TOPIC_EDGES];
    sink->failures = 0;
    forget(sink);
    sink->is_durable = true;
    set_blocked(sink, false);
    return TH_OK;
}

/* Drops everything that was put, because not all of it is durable: the input must be
 * delivered again. Recreates the producer each time, which is rare: a topic's error stays
 * with a producer for a while, and an idempotent producer that has lost a message cannot
 * be used any more. */
static th_status give_back(struct kafka_sink *sink, th_error *err)
{
    /* A message that was too large now is not too large the second time, so this is not a
     * failure. */
    const bool is_too_large = sink->is_too_large;
    /* Waits for the end of an outage, without a limit. */
    const bool is_outage = sink->is_outage && sink->failures > 0;
    char words[sizeof err->text] = "";
    if (sink->has_failed)
        (void)memcpy(words, sink->failure, sizeof sink->failure);
    else if (err)
        (void)memcpy(words, err->text, sizeof words);
    th_kafka_warn(&sink->options.client, "kafka output restarts: %s", words);
    sink->facts.aborts++;
    th_status status = is_too_large ? learn_limits(sink, err) : TH_OK;
    if (status != TH_OK)
        return status;
    close_producer(sink);
    forget(sink);
    if (!is_too_large && !is_outage && ++sink->failures > FAILURES_MAX)
        return th_fail(err, TH_IO, "kafka output failed %u times in a row: %s",
                       sink->failures, words);
    const unsigned times =
        sink->failures ? 1u << (sink->failures - 1) : 0; /* at most 1 << FAILURES_MAX */
    sink->not_before = th_now_ms() + (int64_t)sink->options.pause_ms *
                                         (times < PAUSE_MOST ? times : PAUSE_MOST);
    if (sink->failures)
        set_reason(sink, words);
    return TH_ABORTED;
}

/* ---- exactly once ---- */

static th_kafka_verdict add_offsets(struct kafka_sink *sink, th_source_position *position,
                                    th_error *err)
{
    if (position->offsets->cnt == 0)
        return TH_KAFKA_GO;
    const th_kafka_offsets offsets = { position->offsets, position->group };
    const th_kafka_verdict verdict = persist(sink, TH_KAFKA_OFFSETS, &offsets, err);
    if (verdict == TH_KAFKA_LATE)
        *position = (th_source_position){ NULL, NULL }; /* in use: must not be freed */
    return verdict;
}

/* Stages a spool's progress as messages, after the messages of the results. */
static th_status stage_progress(struct kafka_sink *sink, const th_commit_token *token,
                                th_error *err)
{
    if (token->keeping != TH_KEPT_IN_ROWS)
        return TH_OK;
    th_buffer rows = { 0 };
    th_buffer_append_view(&rows, token->rows);
    if (token->mark)
        th_buffer_printf(&rows, MARK_KEY "%s\t%llu\n", sink->options.instance,
                         (unsigned long long)token->mark);
    th_status status = rows.has_failed
                           ? TH_NOMEM
                           : th_stage_progress(&sink->staging, th_buffer_view(&rows));
    th_buffer_done(&rows);
    if (status != TH_OK)
        (void)th_fail(err, status, "cannot stage progress: out of memory");
    return status;
}

static th_kafka_verdict run_transaction(struct kafka_sink *sink,
                                        const th_commit_token *token, th_error *err)
{
    const int64_t end_ms = th_now_ms() + sink->options.transaction_ms;
    char words[256];
    /* begin_transaction hangs on a client that has failed for good. */
    if (rd_kafka_fatal_error(sink->rk, words, sizeof words)) {
        (void)th_fail(err, TH_IO, "kafka producer failed: %s", words);
        return TH_KAFKA_STOP;
    }
    th_kafka_verdict verdict = persist(sink, TH_KAFKA_BEGIN, NULL, err);
    if (verdict == TH_KAFKA_GO)
        verdict = send_all(sink, end_ms, err);
    if (verdict == TH_KAFKA_AGAIN)
        verdict = TH_KAFKA_ABORT;
    if (verdict == TH_KAFKA_GO && token->position)
        verdict = add_offsets(sink, token->position, err);
    if (verdict == TH_KAFKA_GO)
        verdict = persist(sink, TH_KAFKA_COMMIT, NULL, err);
    if (verdict != TH_KAFKA_ABORT)
        return verdict;
    th_error words_of_abort;
    verdict = persist(sink, TH_KAFKA_ABORT_CALL, NULL, &words_of_abort);
    if (verdict == TH_KAFKA_GO)
        return TH_KAFKA_ABORT;
    if (verdict == TH_KAFKA_LATE)
        return verdict;
    if (err)
        *err = words_of_abort;
    return TH_KAFKA_STOP;
}

static th_status flush_transaction(struct kafka_sink *sink, const th_commit_token *token,
                                   th_error *err)
{
    const th_status status = stage_progress(sink, token, err);
    if (status != TH_OK)
        return status;
    const uint32_t disconnects = sink->watch.disconnects;
    const int64_t start = th_now_ms();
    const th_kafka_verdict verdict = run_transaction(sink, token, err);
    (void)rd_kafka_poll(sink->rk, 0);
    if (verdict == TH_KAFKA_STOP)
        return TH_IO;
    if (verdict == TH_KAFKA_LATE)
        return TH_BLOCKED;
    if (verdict == TH_KAFKA_ABORT)
        return give_back(sink, err);
    if (th_now_ms() - start >= SLOW_MS || sink->watch.disconnects != disconnects)
        close_producer(sink);
    return succeed(sink);
}

/* ---- at least once ---- */

static void report_undelivered(struct kafka_sink *sink)
{
    const int64_t since = sink->blocked_since < 0 ? 0 : th_now_ms() - sink->blocked_since;
    (void)snprintf(sink->facts.unready, sizeof sink->facts.unready,
                   "%" PRIu64 " messages were not delivered within %lld s", sink->awaited,
                   (long long)(since + DELIVER_MS) / 1000);
}

static th_status flush_deliveries(struct kafka_sink *sink, th_error *err)
{
    const int64_t end_ms = th_now_ms() + DELIVER_MS;
    th_kafka_verdict verdict = send_all(sink, end_ms, err);
    while (verdict == TH_KAFKA_GO && sink->awaited && !sink->has_failed) {
        (void)rd_kafka_flush(sink->rk, AGAIN_MS);
        if (sink->awaited && (th_now_ms() > end_ms ||
                              th_deadline_wait_ms(&sink->base.deadline, AGAIN_MS) <= 0))
            verdict = TH_KAFKA_AGAIN;
    }
    if (verdict == TH_KAFKA_AGAIN) {
        /* librdkafka keeps trying, and the next flush continues to wait. */
        report_undelivered(sink);
        return TH_BLOCKED;
    }
    return verdict == TH_KAFKA_GO && !sink->has_failed ? succeed(sink)
                                                       : give_back(sink, err);
}

/* ---- the verbs ---- */

static th_status put(th_stream_sink *base, const th_work_result *result, th_error *err)
{
    struct kafka_sink *sink = self_of(base);
    sink->has_put = true;
    const th_status status =
        th_stage_result(&sink->staging, &sink->staging_options, result);
    return status == TH_OK ? status
                           : th_fail(err, status, "cannot stage results: out of memory");
}

static void drop(th_stream_sink *base)
{
    forget(self_of(base));
}

/* Makes all that was put durable. */
static th_status settle(struct kafka_sink *sink, const th_commit_token *token,
                        th_error *err)
{
    if (th_now_ms() < sink->not_before)
        return TH_BLOCKED;
    th_status status = get_ready(sink, err);
    if (status == TH_NO_BROKER || (status == TH_OK && !are_topics_there(sink)))
        status = TH_BLOCKED;
    if (status == TH_OK)
        status = sink->options.is_exactly_once ? flush_transaction(sink, token, err)
                                               : flush_deliveries(sink, err);
    if (status == TH_BLOCKED)
        set_blocked(sink, true);
    return status == TH_USAGE ? TH_IO : status;
}

static void count_time(struct kafka_sink *sink)
{
    sink->facts.commit_seconds += (double)(th_now_ms() - sink->flushed_at) / 1000;
}

static th_status flush(th_stream_sink *base, const th_commit_token *token, th_view *note,
                       th_error *err)
{
    struct kafka_sink *sink = self_of(base);
    th_status status = TH_OK;
    sink->flushed_at = th_now_ms();
    /* Durable messages wait for their acknowledgement only. */
    if (!sink->is_durable && sink->has_put)
        status = settle(sink, token, err);
    if (status != TH_OK) {
        count_time(sink);
        return status;
    }
    return make_note(sink, token, note, err);
}

static th_status conclude(th_stream_sink *base, th_status acknowledged, th_error *err)
{
    struct kafka_sink *sink = self_of(base);
    if (sink->is_durable)
        count_time(sink);
    if (acknowledged == TH_NO_ROOM) {
        set_reason(sink, err->text);
        set_blocked(sink, true);
        return TH_BLOCKED;
    }
    sink->is_durable = false;
    if (acknowledged == TH_OK)
        set_blocked(sink, false);
    return acknowledged;
}

/* Returns whether there is time before the deadline, and before end_ms, for another try. */
static bool may_go_on(struct kafka_sink *sink, int64_t end_ms)
{
    return th_now_ms() < end_ms &&
           th_deadline_wait_ms(&sink->base.deadline, AGAIN_MS) > 0;
}

/* Returns the result of recovering without an answer. */
static th_status end_without_answer(struct kafka_sink *sink, th_status status,
                                    th_error *err)
{
    if (status != TH_NO_BROKER)
        return status;
    return th_deadline_wait_ms(&sink->base.deadline, 1) > 0
               ? TH_IO
               : th_fail(err, TH_INTERRUPTED, "interrupted before a broker answered");
}

/* Waits for brokers, as long as one may take to start. */
static th_status wait_ready(struct kafka_sink *sink, th_error *err)
{
    const int64_t end_ms = th_now_ms() + RECOVER_MS;
    th_status status = get_ready(sink, err);
    while (status == TH_NO_BROKER && may_go_on(sink, end_ms)) {
        set_blocked(sink, true);
        (void)rd_kafka_poll(sink->rk, AGAIN_MS);
        status = get_ready(sink, err);
    }
    if (status == TH_OK)
        set_blocked(sink, false);
    return status;
}

static th_status need_topics(struct kafka_sink *sink, bool needs_progress, th_error *err)
{
    const int64_t end_ms = th_now_ms() + RECOVER_MS;
    th_status status = TH_OK;
    th_error words = { .text = "" };
    for (int i = 0; i < TH_TOPIC_COUNT && status == TH_OK; i++) {
        const bool is_progress = i == TH_TOPIC_PROGRESS;
        if (!is_wanted(sink, (th_kafka_topic)i) || (is_progress && !needs_progress))
            continue;
        status = th_kafka_need_topic(sink->rk, sink->options.topics[i], is_progress,
                                     &sink->base.deadline, &words);
        while (status == TH_NO_BROKER && may_go_on(sink, end_ms)) {
            set_reason(sink, words.text);
            (void)rd_kafka_poll(sink->rk, AGAIN_MS);
            status = th_kafka_need_topic(sink->rk, sink->options.topics[i], is_progress,
                                         &sink->base.deadline, &words);
        }
    }
    if (status != TH_OK && err)
        *err = words;
    set_reason(sink, status == TH_OK ? "" : words.text);
    return status;
}

/* ---- marks of an earlier process ---- */

/* Finds the largest of our marks. */
static void consider_mark(struct kafka_sink *sink, uint64_t mark)
{
    const th_stream_sink *base = &sink->base;
    if (mark > base->mark && base->knows_mark &&
        base->knows_mark(base->mark_context, mark))
        sink->base.mark = mark;
}

/* Reads a mark in decimal. Ignores the text after it. */
static uint64_t read_mark(th_view text)
{
    char digits[24] = "";
    memcpy(digits, text.data, text.len < sizeof digits ? text.len : sizeof digits - 1);
    return strtoull(digits, NULL, 10);
}

static bool starts_with(th_view text, const char *start)
{
    const size_t len = strlen(start);
    return text.data && text.len >= len && memcmp(text.data, start, len) == 0;
}

static th_view behind(th_view text, const char *start)
{
    const size_t len = strlen(start);
    return (th_view){ text.data + len, text.len - len };
}

struct restoring {
    struct kafka_sink *sink;
    th_stream_source *source;
};

static void restore_row(void *context, th_view key, th_view value)
{
    const struct restoring *restoring = context;
    if (!starts_with(key, MARK_KEY))
        restoring->source->verbs->restore(restoring->source, key, value);
    else if (value.data)
        consider_mark(restoring->sink, read_mark(value));
}

/* Finds the marks in the metadata of the offsets. Marks of open transactions are unknown
 * until the transactions end. */
static th_status find_marks(struct kafka_sink *sink, th_stream_source *source,
                            th_error *err)
{
    const int64_t end_ms = th_now_ms() + RECOVER_MS;
    th_buffer found = { 0 };
    th_status status = source->verbs->marks(source, &found, err);
    while (status == TH_NO_BROKER && may_go_on(sink, end_ms)) {
        set_reason(sink, err ? err->text : "no broker answers");
        (void)rd_kafka_poll(sink->rk, AGAIN_MS);
        th_buffer_reset(&found);
        status = source->verbs->marks(source, &found, err);
    }
    for (size_t i = 0; status == TH_OK && i < found.len / sizeof(uint64_t); i++) {
        uint64_t mark;
        memcpy(&mark, found.data + i * sizeof mark, sizeof mark);
        consider_mark(sink, mark);
    }
    th_buffer_done(&found);
    if (status == TH_OK)
        set_reason(sink, "");
    return status;
}

static th_status find_mark(struct kafka_sink *sink, th_stream_source *source,
                           th_error *err)
{
    if (!sink->base.knows_mark)
        return TH_OK;
    switch (source->verbs->keeping) {
    case TH_KEPT_AS_OFFSETS:
        return find_marks(sink, source, err);
    case TH_KEPT_WITH_NOTE: {
        const th_view note = source->verbs->note(source);
        if (starts_with(note, MARK_NOTE))
            consider_mark(sink, read_mark(behind(note, MARK_NOTE)));
        return TH_OK;
    }
    case TH_KEPT_IN_ROWS: /* the mark was among the rows */
    default:
        return TH_OK;
    }
}

static th_status recover(th_stream_sink *base, th_stream_source *source, th_error *err)
{
    struct kafka_sink *sink = self_of(base);
    const bool needs_progress = source->verbs->keeping == TH_KEPT_IN_ROWS;
    if (needs_progress && !is_wanted(sink, TH_TOPIC_PROGRESS))
        return th_fail(err, TH_USAGE,
                       "exactly-once delivery from files needs a progress topic");
    /* Ends the transaction that an earlier process left open: progress may be read only
     * then. */
    th_status status = wait_ready(sink, err);
    if (status == TH_OK)
        status = need_topics(sink, needs_progress, err);
    struct restoring restoring = { sink, source };
    if (status == TH_OK && needs_progress)
        status = th_kafka_read_progress(
            &sink->options.client, sink->options.topics[TH_TOPIC_PROGRESS], restore_row,
            &restoring, &sink->base.deadline, err);
    if (status == TH_OK)
        status = find_mark(sink, source, err);
    return end_without_answer(sink, status, err);
}

static void tick(th_stream_sink *base)
{
    struct kafka_sink *sink = self_of(base);
    if (sink->rk) {
        (void)rd_kafka_poll(sink->rk, 0);
        th_kafka_topics_tick(&sink->topics, sink->rk);
        take_limits(sink);
    }
    /* Findings of a flush hold until a flush succeeds. */
    if (!sink->facts.is_blocked && !sink->failures &&
        !th_kafka_topics_reason(&sink->topics, sink->facts.unready,
                                sizeof sink->facts.unready))
        set_reason(sink, "");
    if (!sink->facts.unready[0])
        sink->watch.refusal[0] = '\0';
}

static void facts(const th_stream_sink *base, th_sink_stats *out)
{
    const struct kafka_sink *sink =
        (const struct kafka_sink *)(const void *)((const char *)base -
                                                  offsetof(struct kafka_sink, base));
    *out = sink->facts;
    if (out->unready[0])
        th_kafka_say_refusal(&sink->watch, out->unready, sizeof out->unready);
    out->queue_bytes = sink->staging.bytes.len;
    if (sink->blocked_since >= 0)
        out->blocked_seconds += (double)(th_now_ms() - sink->blocked_since) / 1000;
}

static void close_sink(th_stream_sink *base)
{
    struct kafka_sink *sink = self_of(base);
    if (sink->is_in_use)
        return; /* a call that was abandoned may still use all of it */
    close_producer(sink);
    th_staging_done(&sink->staging);
    th_kafka_topics_done(&sink->topics);
    th_buffer_done(&sink->note);
    free(sink);
}

void th_kafka_sink_options_init(th_kafka_sink_options *options)
{
    *options = (th_kafka_sink_options){
        .client = { .brokers = "", .client_id = TH_KAFKA_CLIENT_ID },
        .instance = "thresher",
        .transaction_ms = TH_KAFKA_TRANSACTION_MS,
        .message_max = TH_KAFKA_MESSAGE_MAX,
        .pause_ms = 100,
    };
}

static const th_stream_sink_verbs verbs = { .name = "kafka",
                                            .put = put,
                                            .flush = flush,
                                            .conclude = conclude,
                                            .drop = drop,
                                            .recover = recover,
                                            .tick = tick,
                                            .facts = facts,
                                            .close = close_sink };

th_status th_kafka_sink_open(const th_kafka_sink_options *options, th_stream_sink **out,
                             th_error *err)
{
    struct kafka_sink *sink = calloc(1, sizeof *sink);
    if (!sink)
        return th_fail(err, TH_NOMEM, "cannot allocate a kafka sink");
    sink->options = *options;
    sink->blocked_since = -1;
    sink->staging_options = (th_staging_options){ .key = options->key,
                                                  .instance = options->instance,
                                                  .withdrawals = options->withdrawals,
                                                  .schema_id = options->schema_id,
                                                  .message_max = options->message_max };
    for (int i = 0; i < TH_TOPIC_COUNT; i++) {
        sink->staging_options.wants[i] = is_wanted(sink, (th_kafka_topic)i);
        sink->staging_options.limits[i] = (th_kafka_limit){ UINT64_MAX, UINT64_MAX };
    }
    sink->base.verbs = &verbs;
    th_status status = open_producer(sink, err);
    if (status == TH_OK &&
        !th_kafka_topics_init(&sink->topics, options->topics, TH_TOPIC_COUNT))
        status = th_fail(err, TH_NOMEM, "cannot allocate a kafka sink");
    if (status != TH_OK) {
        close_producer(sink);
        free(sink);
        return status;
    }
    *out = &sink->base;
    return TH_OK;
}
