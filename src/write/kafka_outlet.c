/*
 * A producer as an outlet. [docs/reliability.md#kafka]
 *
 *     flush, exactly once:   begin, produce all, offsets (or progress rows), commit
 *     flush, at least once:  produce all, wait for every delivery, acknowledge
 *
 * An error of a transaction's call is judged in this order: fatal, ends the process (after
 * a restart the committed offsets decide, never our memory); abortable, aborts and
 * rewinds; retriable, the same call again with the same arguments; anything else is taken
 * as fatal.
 * Brokers before KIP-890, and librdkafka before any support of it, may apply a late commit
 * or abort to the next transaction of the same producer: so the producer is made anew,
 * which fences what is late, after each abort and after each commit that was slow or saw a
 * connection break.
 *
 * The mark goes where the position goes: from Kafka into the metadata of the offsets, from
 * a spool into a row of the progress topic (exactly once) or the ledger's note (at least
 * once).
 */
#include "write/kafka_outlet.h"

#include <librdkafka/rdkafka.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "write/kafka_progress.h"

/* A mark as a row of progress: key, then whose it is. No file's key begins so. */
#define MARK_KEY "mark."
/* A mark as a note. */
#define MARK_NOTE "mark "

enum {
    SLOW_MS = 10000,     /* as socket.timeout.ms: a request may have been sent twice */
    INIT_MS = 10000,     /* one wait for the coordinator */
    OFFSETS_MS = 30000,  /* one wait for offsets to be taken */
    RECOVER_MS = 180000, /* longest wait for brokers at start */
    REACH_MS = 1000,     /* one question whether brokers are back */
    DELIVER_MS = 2000,   /* at least once: a flush that takes longer is called blocked */
    PURGE_MS = 1000,
    QUEUE_FULL_MS = 10,
    AGAIN_MS = 100,
    MESSAGE_TIMEOUT_MS = 30000, /* below transaction.timeout.ms, or librdkafka refuses */
    FAILURES_MAX = 10,          /* in a row; then it is not a matter of luck */
    PAUSE_MOST = 50,            /* times the first pause */
    SHRINK_BY = 4, /* of message_max when a broker's limit turns out to be lower */
    MESSAGE_LEAST = 16 << 10,
};

struct kafka_outlet {
    th_kafka_watch watch; /* first: librdkafka's opaque pointer */
    th_outlet base;
    th_kafka_outlet_options options;
    th_staging_options staging_options;
    rd_kafka_t *rk; /* NULL: to be made */
    bool is_ready;  /* transactions are initialised */

    th_staging staging;
    bool has_put;     /* something was put since the last flush, maybe without messages */
    bool needs_ack;   /* what was put is durable, the intake could not note it yet */
    size_t sent;      /* messages of staging that librdkafka has */
    uint64_t awaited; /* of them, not yet delivered or failed */
    bool has_failed;  /* a delivery failed */
    bool is_too_large; /* because a broker takes less than we thought */
    char failure[256];

    unsigned failures;     /* in a row */
    int64_t not_before;    /* ms: pause after a failure */
    int64_t blocked_since; /* ms, -1: not blocked */
    th_outlet_facts facts;
};

static struct kafka_outlet *self_of(th_outlet *base)
{
    return (struct kafka_outlet *)(void *)((char *)base -
                                           offsetof(struct kafka_outlet, base));
}

static int64_t now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static bool is_wanted(const struct kafka_outlet *outlet, th_kafka_topic topic)
{
    const char *name = outlet->options.topics[topic];
    return name && *name;
}

/* ---- the producer ---- */

static void on_delivery(rd_kafka_t *rk, const rd_kafka_message_t *message, void *opaque)
{
    struct kafka_outlet *outlet = opaque;
    (void)rk;
    if (outlet->awaited)
        outlet->awaited--;
    if (!message->err) {
        outlet->facts.bytes += message->len + message->key_len;
        return;
    }
    if (message->err == RD_KAFKA_RESP_ERR__PURGE_QUEUE ||
        message->err == RD_KAFKA_RESP_ERR__PURGE_INFLIGHT)
        return; /* dropped by us */
    if (message->err == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE)
        outlet->is_too_large = true;
    if (!outlet->has_failed) {
        th_error words;
        (void)th_fail(&words, TH_IO, "topic '%s': %s", rd_kafka_topic_name(message->rkt),
                      rd_kafka_err2str(message->err));
        memcpy(outlet->failure, words.text, sizeof outlet->failure - 1);
    }
    outlet->has_failed = true;
}

static th_status configure(struct kafka_outlet *outlet, rd_kafka_conf_t *conf,
                           th_error *err)
{
    const th_kafka_outlet_options *options = &outlet->options;
    th_status status = th_kafka_conf_set_number(conf, "message.max.bytes",
                                                outlet->staging_options.message_max, err);
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

static th_status open_producer(struct kafka_outlet *outlet, th_error *err)
{
    rd_kafka_conf_t *conf = NULL;
    th_status status = th_kafka_conf_new(&outlet->options.client, TH_KAFKA_PRODUCER,
                                         &outlet->watch, &conf, err);
    if (status != TH_OK)
        return status;
    status = configure(outlet, conf, err);
    if (status != TH_OK) {
        rd_kafka_conf_destroy(conf);
        return status;
    }
    rd_kafka_conf_set_dr_msg_cb(conf, on_delivery);
    return th_kafka_open(conf, TH_KAFKA_PRODUCER, &outlet->rk, err);
}

static void close_producer(struct kafka_outlet *outlet)
{
    if (!outlet->rk)
        return;
    (void)rd_kafka_purge(outlet->rk, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
    (void)rd_kafka_flush(outlet->rk, PURGE_MS);
    rd_kafka_destroy(outlet->rk);
    outlet->rk = NULL;
    outlet->is_ready = false;
    outlet->awaited = 0;
}

/* ---- judging errors ---- */

enum verdict { GO, AGAIN, ABORT, STOP };

static enum verdict judge(const char *call, rd_kafka_error_t *error, th_error *err)
{
    if (!error)
        return GO;
    (void)th_fail(err, TH_IO, "kafka %s: %s", call, rd_kafka_error_string(error));
    const enum verdict verdict = rd_kafka_error_is_fatal(error)             ? STOP
                                 : rd_kafka_error_txn_requires_abort(error) ? ABORT
                                 : rd_kafka_error_is_retriable(error)       ? AGAIN
                                                                            : STOP;
    rd_kafka_error_destroy(error);
    return verdict;
}

/* What goes with the offsets; the same for every try. */
struct offsets {
    rd_kafka_topic_partition_list_t *list;
    rd_kafka_consumer_group_metadata_t *group;
};

static rd_kafka_error_t *call_begin(rd_kafka_t *rk, const struct offsets *offsets)
{
    (void)offsets;
    return rd_kafka_begin_transaction(rk);
}

static rd_kafka_error_t *call_offsets(rd_kafka_t *rk, const struct offsets *offsets)
{
    return rd_kafka_send_offsets_to_transaction(rk, offsets->list, offsets->group,
                                                OFFSETS_MS);
}

static rd_kafka_error_t *call_commit(rd_kafka_t *rk, const struct offsets *offsets)
{
    (void)offsets;
    return rd_kafka_commit_transaction(rk, -1);
}

static rd_kafka_error_t *call_abort(rd_kafka_t *rk, const struct offsets *offsets)
{
    (void)offsets;
    return rd_kafka_abort_transaction(rk, -1);
}

static const struct call {
    const char *name;
    rd_kafka_error_t *(*run)(rd_kafka_t *rk, const struct offsets *offsets);
} begin_call = { "begin_transaction", call_begin },
  offsets_call = { "send_offsets_to_transaction", call_offsets },
  commit_call = { "commit_transaction", call_commit },
  abort_call = { "abort_transaction", call_abort };

/* Calls until it is no longer "again"; for twice the transaction's time, then it is fatal:
 * the broker has given the transaction up long since. */
static enum verdict persist(struct kafka_outlet *outlet, const struct call *call,
                            const struct offsets *offsets, th_error *err)
{
    const int64_t deadline = now_ms() + 2 * (int64_t)outlet->options.transaction_ms;
    for (;;) {
        const enum verdict verdict =
            judge(call->name, call->run(outlet->rk, offsets), err);
        if (verdict != AGAIN)
            return verdict;
        if (now_ms() > deadline)
            return STOP;
        (void)rd_kafka_poll(outlet->rk, AGAIN_MS);
    }
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

static rd_kafka_resp_err_t send_one(struct kafka_outlet *outlet, size_t index)
{
    const th_staged staged = th_staging_get(&outlet->staging, index);
    rd_kafka_headers_t *headers =
        staged.header_count ? make_headers(&outlet->staging, &staged) : NULL;
    /* The types by hand: librdkafka's macros for them are not ISO C. */
    const rd_kafka_resp_err_t error = rd_kafka_producev(
        outlet->rk, RD_KAFKA_VTYPE_TOPIC, outlet->options.topics[staged.topic],
        RD_KAFKA_VTYPE_MSGFLAGS, (int)RD_KAFKA_MSG_F_COPY, RD_KAFKA_VTYPE_KEY,
        staged.key.data, staged.key.len, RD_KAFKA_VTYPE_VALUE, staged.value.data,
        staged.value.len, RD_KAFKA_VTYPE_HEADERS, headers, RD_KAFKA_VTYPE_END);
    if (error && headers)
        rd_kafka_headers_destroy(headers);
    return error;
}

/* Sends what is staged and not sent yet. GO; AGAIN: the queue stays full until
 * `deadline`; ABORT: a message cannot be sent; STOP. */
static enum verdict send_all(struct kafka_outlet *outlet, int64_t deadline, th_error *err)
{
    while (outlet->sent < outlet->staging.count) {
        const rd_kafka_resp_err_t error = send_one(outlet, outlet->sent);
        if (!error) {
            outlet->sent++;
            outlet->awaited++;
            if (outlet->sent % 256 == 0)
                (void)rd_kafka_poll(outlet->rk, 0);
            continue;
        }
        if (error == RD_KAFKA_RESP_ERR__QUEUE_FULL) {
            if (now_ms() > deadline)
                return AGAIN;
            (void)rd_kafka_poll(outlet->rk, QUEUE_FULL_MS);
            continue;
        }
        (void)th_fail(err, TH_IO, "cannot produce: %s", rd_kafka_err2str(error));
        if (error == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE)
            outlet->is_too_large = true;
        return rd_kafka_fatal_error(outlet->rk, NULL, 0) ? STOP : ABORT;
    }
    return GO;
}

/* ---- being ready ---- */

/* Are brokers there? Cheap while they are. */
static bool can_reach(struct kafka_outlet *outlet)
{
    (void)rd_kafka_poll(outlet->rk, 0);
    if (!outlet->watch.is_cut_off)
        return true;
    const struct rd_kafka_metadata *metadata = NULL;
    if (rd_kafka_metadata(outlet->rk, 0, NULL, &metadata, REACH_MS) !=
        RD_KAFKA_RESP_ERR_NO_ERROR)
        return false;
    rd_kafka_metadata_destroy(metadata);
    outlet->watch.is_cut_off = false;
    return true;
}

/* A producer that can send. TH_OK; TH_EMPTY: no broker; TH_IO; TH_USAGE; TH_NOMEM. */
static th_status get_ready(struct kafka_outlet *outlet, th_error *err)
{
    if (!outlet->rk) {
        const th_status status = open_producer(outlet, err);
        if (status != TH_OK)
            return status;
    }
    if (!outlet->is_ready && outlet->options.is_exactly_once) {
        const enum verdict verdict = judge(
            "init_transactions", rd_kafka_init_transactions(outlet->rk, INIT_MS), err);
        if (verdict != GO)
            return verdict == AGAIN ? TH_EMPTY : TH_IO;
    }
    outlet->is_ready = true;
    return can_reach(outlet) ? TH_OK : TH_EMPTY;
}

/* ---- the end of a flush ---- */

static void forget(struct kafka_outlet *outlet)
{
    th_staging_drop(&outlet->staging);
    outlet->sent = 0;
    outlet->has_put = false;
    outlet->has_failed = false;
    outlet->is_too_large = false;
}

static void set_blocked(struct kafka_outlet *outlet, bool is_blocked)
{
    const int64_t now = now_ms();
    if (is_blocked && outlet->blocked_since < 0) {
        outlet->blocked_since = now;
        th_kafka_notice(&outlet->options.client,
                        "kafka output is blocked: brokers do not answer");
    }
    if (!is_blocked && outlet->blocked_since >= 0) {
        outlet->facts.blocked_seconds += (double)(now - outlet->blocked_since) / 1000;
        outlet->blocked_since = -1;
        th_kafka_notice(&outlet->options.client, "kafka output goes on");
    }
    outlet->facts.is_blocked = is_blocked;
}

static th_status acknowledge(struct kafka_outlet *outlet, th_intake *intake,
                             th_error *err)
{
    th_buffer note = { 0 };
    intake->mark = outlet->base.mark;
    if (intake->note && !outlet->options.is_exactly_once && outlet->base.mark)
        th_buffer_printf(&note, MARK_NOTE "%llu\n",
                         (unsigned long long)outlet->base.mark);
    const th_status status =
        note.has_failed
            ? th_fail(err, TH_NOMEM, "cannot note the mark: out of memory")
            : intake->acknowledge(intake, (th_view){ note.data, note.len }, err);
    th_buffer_done(&note);
    outlet->needs_ack = status == TH_EMPTY;
    return status;
}

/* All that was put is durable. */
static th_status succeed(struct kafka_outlet *outlet, th_intake *intake, th_error *err)
{
    outlet->facts.commits++;
    outlet->failures = 0;
    forget(outlet);
    set_blocked(outlet, false);
    return acknowledge(outlet, intake, err);
}

/* Nothing that was put is durable, or not all of it: it is to come again. */
static th_status give_back(struct kafka_outlet *outlet, th_intake *intake, th_error *err)
{
    const bool is_too_large = outlet->is_too_large;
    char words[sizeof err->text] = "";
    if (outlet->has_failed)
        (void)memcpy(words, outlet->failure, sizeof outlet->failure);
    else if (err)
        (void)memcpy(words, err->text, sizeof words);
    th_kafka_notice(&outlet->options.client, "kafka output starts again: %s", words);
    outlet->facts.aborts++;
    forget(outlet);
    if (++outlet->failures > FAILURES_MAX)
        return th_fail(err, TH_IO, "kafka output failed %u times in a row: %s",
                       outlet->failures, words);
    const unsigned times = 1u << (outlet->failures - 1); /* at most 1 << FAILURES_MAX */
    outlet->not_before = now_ms() + (int64_t)outlet->options.pause_ms *
                                        (times < PAUSE_MOST ? times : PAUSE_MOST);
    if (is_too_large) {
        /* Batches are limited as messages are: the producer has to know as well. */
        outlet->staging_options.message_max /= SHRINK_BY;
        if (outlet->staging_options.message_max < MESSAGE_LEAST)
            return th_fail(err, TH_IO, "brokers refuse messages for their size: %s",
                           words);
        close_producer(outlet);
    }
    const th_status status = intake->rewind(intake, err);
    return status == TH_OK ? TH_INTERRUPTED : status;
}

/* ---- exactly once ---- */

static enum verdict add_offsets(struct kafka_outlet *outlet, th_intake *intake,
                                th_error *err)
{
    struct offsets offsets = { NULL, NULL };
    enum verdict verdict = GO;
    intake->mark = outlet->base.mark;
    if (intake->offsets(intake, &offsets.list, &offsets.group) != TH_OK) {
        (void)th_fail(err, TH_NOMEM, "cannot list offsets: out of memory");
        return STOP;
    }
    if (offsets.list->cnt > 0)
        verdict = persist(outlet, &offsets_call, &offsets, err);
    rd_kafka_topic_partition_list_destroy(offsets.list);
    rd_kafka_consumer_group_metadata_destroy(offsets.group);
    return verdict;
}

/* A spool's progress goes as messages, behind those of the results. */
static th_status stage_progress(struct kafka_outlet *outlet, th_intake *intake,
                                th_error *err)
{
    if (!intake->progress)
        return TH_OK;
    th_buffer rows = { 0 };
    intake->progress(intake, &rows);
    if (outlet->base.mark)
        th_buffer_printf(&rows, MARK_KEY "%s\t%llu\n", outlet->options.instance,
                         (unsigned long long)outlet->base.mark);
    th_status status = rows.has_failed
                           ? TH_NOMEM
                           : th_stage_progress(&outlet->staging, th_buffer_view(&rows));
    th_buffer_done(&rows);
    if (status != TH_OK)
        (void)th_fail(err, status, "cannot stage progress: out of memory");
    return status;
}

static enum verdict run_transaction(struct kafka_outlet *outlet, th_intake *intake,
                                    th_error *err)
{
    const int64_t deadline = now_ms() + outlet->options.transaction_ms;
    char words[256];
    /* begin_transaction hangs on a client that has failed for good. */
    if (rd_kafka_fatal_error(outlet->rk, words, sizeof words)) {
        (void)th_fail(err, TH_IO, "kafka producer failed: %s", words);
        return STOP;
    }
    enum verdict verdict = persist(outlet, &begin_call, NULL, err);
    if (verdict == GO)
        verdict = send_all(outlet, deadline, err);
    if (verdict == AGAIN)
        verdict = ABORT;
    if (verdict == GO && intake->offsets)
        verdict = add_offsets(outlet, intake, err);
    if (verdict == GO)
        verdict = persist(outlet, &commit_call, NULL, err);
    if (verdict != ABORT)
        return verdict;
    th_error words_of_abort;
    if (persist(outlet, &abort_call, NULL, &words_of_abort) == GO)
        return ABORT;
    if (err)
        *err = words_of_abort;
    return STOP;
}

static th_status flush_transaction(struct kafka_outlet *outlet, th_intake *intake,
                                   th_error *err)
{
    const th_status status = stage_progress(outlet, intake, err);
    if (status != TH_OK)
        return status;
    const uint32_t disconnects = outlet->watch.disconnects;
    const int64_t start = now_ms();
    const enum verdict verdict = run_transaction(outlet, intake, err);
    (void)rd_kafka_poll(outlet->rk, 0);
    if (verdict == STOP)
        return TH_IO;
    /* An abort is rare and always a time to start afresh: a topic's error stays with the
     * producer for a while. */
    if (verdict == ABORT || now_ms() - start >= SLOW_MS ||
        outlet->watch.disconnects != disconnects)
        close_producer(outlet);
    return verdict == GO ? succeed(outlet, intake, err) : give_back(outlet, intake, err);
}

/* ---- at least once ---- */

static th_status flush_deliveries(struct kafka_outlet *outlet, th_intake *intake,
                                  th_error *err)
{
    const int64_t deadline = now_ms() + DELIVER_MS;
    enum verdict verdict = send_all(outlet, deadline, err);
    while (verdict == GO && outlet->awaited && !outlet->has_failed) {
        (void)rd_kafka_flush(outlet->rk, AGAIN_MS);
        if (outlet->awaited && now_ms() > deadline)
            verdict = AGAIN;
    }
    if (verdict == AGAIN)
        return TH_EMPTY; /* librdkafka keeps trying, and the next flush goes on waiting */
    if (verdict == GO && !outlet->has_failed)
        return succeed(outlet, intake, err);
    /* An idempotent producer that lost a message for good is of no use any more. */
    close_producer(outlet);
    return give_back(outlet, intake, err);
}

/* ---- the verbs ---- */

static th_status put(th_outlet *base, const th_work_result *result, th_error *err)
{
    struct kafka_outlet *outlet = self_of(base);
    outlet->has_put = true;
    const th_status status =
        th_stage_result(&outlet->staging, &outlet->staging_options, result);
    return status == TH_OK ? status
                           : th_fail(err, status, "cannot stage results: out of memory");
}

static void drop(th_outlet *base)
{
    forget(self_of(base));
}

static th_status flush(th_outlet *base, th_intake *intake, th_error *err)
{
    struct kafka_outlet *outlet = self_of(base);
    const int64_t start = now_ms();
    th_status status = TH_OK;
    if (outlet->needs_ack)
        return acknowledge(outlet, intake, err);
    if (!outlet->has_put)
        return TH_OK;
    if (start < outlet->not_before)
        return TH_EMPTY;
    status = get_ready(outlet, err);
    if (status == TH_OK)
        status = outlet->options.is_exactly_once ? flush_transaction(outlet, intake, err)
                                                 : flush_deliveries(outlet, intake, err);
    if (status == TH_EMPTY)
        set_blocked(outlet, true);
    outlet->facts.commit_seconds += (double)(now_ms() - start) / 1000;
    return status == TH_USAGE ? TH_IO : status;
}

/* Waits for brokers, so long as one may take to start. */
static th_status wait_ready(struct kafka_outlet *outlet, th_error *err)
{
    const int64_t deadline = now_ms() + RECOVER_MS;
    th_status status = get_ready(outlet, err);
    while (status == TH_EMPTY && now_ms() < deadline) {
        set_blocked(outlet, true);
        (void)rd_kafka_poll(outlet->rk, AGAIN_MS);
        status = get_ready(outlet, err);
    }
    if (status == TH_OK)
        set_blocked(outlet, false);
    return status == TH_EMPTY ? TH_IO : status;
}

static th_status need_topics(struct kafka_outlet *outlet, bool needs_progress,
                             th_error *err)
{
    const int64_t deadline = now_ms() + RECOVER_MS;
    th_status status = TH_OK;
    for (int i = 0; i < TH_TOPIC_COUNT && status == TH_OK; i++) {
        const bool is_progress = i == TH_TOPIC_PROGRESS;
        if (!is_wanted(outlet, (th_kafka_topic)i) || (is_progress && !needs_progress))
            continue;
        do
            status = th_kafka_need_topic(outlet->rk, outlet->options.topics[i],
                                         is_progress, err);
        while (status == TH_EMPTY && now_ms() < deadline);
    }
    return status == TH_EMPTY ? TH_IO : status;
}

/* ---- what an earlier life left ---- */

/* The largest mark that is ours. */
static void consider_mark(struct kafka_outlet *outlet, uint64_t mark)
{
    const th_outlet *base = &outlet->base;
    if (mark > base->mark && base->knows_mark &&
        base->knows_mark(base->mark_context, mark))
        outlet->base.mark = mark;
}

/* A mark in decimal, whatever stands behind it. */
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
    struct kafka_outlet *outlet;
    th_intake *intake;
};

static void restore_row(void *context, th_view key, th_view value)
{
    const struct restoring *restoring = context;
    if (!starts_with(key, MARK_KEY))
        restoring->intake->restore(restoring->intake, key, value);
    else if (value.data)
        consider_mark(restoring->outlet, read_mark(value));
}

/* Marks beside the offsets. Those of open transactions are not known until they end. */
static th_status find_marks(struct kafka_outlet *outlet, th_intake *intake, th_error *err)
{
    const int64_t deadline = now_ms() + RECOVER_MS;
    th_buffer found = { 0 };
    th_status status = intake->marks(intake, &found, err);
    while (status == TH_EMPTY && now_ms() < deadline) {
        (void)rd_kafka_poll(outlet->rk, AGAIN_MS);
        th_buffer_reset(&found);
        status = intake->marks(intake, &found, err);
    }
    for (size_t i = 0; status == TH_OK && i < found.len / sizeof(uint64_t); i++) {
        uint64_t mark;
        memcpy(&mark, found.data + i * sizeof mark, sizeof mark);
        consider_mark(outlet, mark);
    }
    th_buffer_done(&found);
    return status == TH_EMPTY ? TH_IO : status;
}

static th_status find_mark(struct kafka_outlet *outlet, th_intake *intake, th_error *err)
{
    if (!outlet->base.knows_mark)
        return TH_OK;
    if (intake->marks)
        return find_marks(outlet, intake, err);
    const th_view note = intake->note && !outlet->options.is_exactly_once
                             ? intake->note(intake)
                             : (th_view){ NULL, 0 };
    if (starts_with(note, MARK_NOTE))
        consider_mark(outlet, read_mark(behind(note, MARK_NOTE)));
    return TH_OK;
}

static th_status recover(th_outlet *base, th_intake *intake, th_error *err)
{
    struct kafka_outlet *outlet = self_of(base);
    const bool needs_progress = outlet->options.is_exactly_once && intake->progress;
    if (needs_progress && !is_wanted(outlet, TH_TOPIC_PROGRESS))
        return th_fail(err, TH_USAGE,
                       "exactly-once delivery from files needs a topic for "
                       "their progress");
    /* Decides whatever an earlier life left open; only then is progress to be read. */
    th_status status = wait_ready(outlet, err);
    if (status == TH_OK)
        status = need_topics(outlet, needs_progress, err);
    struct restoring restoring = { outlet, intake };
    if (status == TH_OK && needs_progress)
        status = th_kafka_read_progress(&outlet->options.client,
                                        outlet->options.topics[TH_TOPIC_PROGRESS],
                                        restore_row, &restoring, err);
    return status == TH_OK ? find_mark(outlet, intake, err) : status;
}

static void tick(th_outlet *base)
{
    struct kafka_outlet *outlet = self_of(base);
    if (outlet->rk)
        (void)rd_kafka_poll(outlet->rk, 0);
}

static void facts(const th_outlet *base, th_outlet_facts *out)
{
    const struct kafka_outlet *outlet =
        (const struct kafka_outlet *)(const void *)((const char *)base -
                                                    offsetof(struct kafka_outlet, base));
    *out = outlet->facts;
    out->queue_bytes = outlet->staging.bytes.len;
    if (outlet->blocked_since >= 0)
        out->blocked_seconds += (double)(now_ms() - outlet->blocked_since) / 1000;
}

static void close_outlet(th_outlet *base)
{
    struct kafka_outlet *outlet = self_of(base);
    close_producer(outlet);
    th_staging_done(&outlet->staging);
    free(outlet);
}

void th_kafka_outlet_options_init(th_kafka_outlet_options *options)
{
    *options = (th_kafka_outlet_options){
        .client = { .brokers = "", .client_id = TH_KAFKA_CLIENT_ID },
        .instance = "thresher",
        .transaction_ms = TH_KAFKA_TRANSACTION_MS,
        .message_max = TH_KAFKA_MESSAGE_MAX,
        .pause_ms = 100,
    };
}

th_status th_kafka_outlet_open(const th_kafka_outlet_options *options, th_outlet **out,
                               th_error *err)
{
    struct kafka_outlet *outlet = calloc(1, sizeof *outlet);
    if (!outlet)
        return th_fail(err, TH_NOMEM, "cannot allocate a kafka outlet");
    outlet->options = *options;
    outlet->blocked_since = -1;
    outlet->staging_options = (th_staging_options){ .key = options->key,
                                                    .instance = options->instance,
                                                    .message_max = options->message_max };
    for (int i = 0; i < TH_TOPIC_COUNT; i++)
        outlet->staging_options.wants[i] = is_wanted(outlet, (th_kafka_topic)i);
    outlet->base = (th_outlet){ .name = "kafka",
                                .put = put,
                                .flush = flush,
                                .drop = drop,
                                .recover = recover,
                                .tick = tick,
                                .facts = facts,
                                .close = close_outlet };
    const th_status status = open_producer(outlet, err);
    if (status != TH_OK) {
        free(outlet);
        return status;
    }
    *out = &outlet->base;
    return TH_OK;
}
