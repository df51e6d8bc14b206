/*
 * A test double of librdkafka: topics in memory, a clock that only waiting moves, and
 * failures by chance. Every call and its answer enter a digest, so that any change of a
 * client's questions, messages or waits is found. Configurations, lists and headers are
 * librdkafka's own. Real brokers: tests/kafka.
 *
 * Include it in one file of a test that is linked with --wrap of clock_gettime,
 * nanosleep, pthread_create, _join, _detach and _cond_timedwait, malloc, calloc and
 * realloc. TH_TEST_TRACE=1 prints the calls.
 */
#ifndef TH_TEST_KAFKA_DOUBLE_H
#define TH_TEST_KAFKA_DOUBLE_H

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include <librdkafka/rdkafka.h>

#include "failing_allocation.h"
#include "outcomes.h"
#include "still_clock.h"

enum {
    DOUBLE_PARTITIONS = 3, /* of each topic that is read */
    DOUBLE_PENDING = 4096, /* messages that are sent and not delivered */
    DOUBLE_EVENTS = 8
};

/* The objects of the double have memory when the client has none. */
void *__real_calloc(size_t count, size_t size);

struct rd_kafka_topic_s {
    char name[64];
};

struct rd_kafka_error_s {
    rd_kafka_resp_err_t code;
    bool is_fatal, is_retriable, needs_abort;
    char text[40];
};

/* An event, and the objects of its answer. */
struct rd_kafka_op_s {
    rd_kafka_resp_err_t error;
    rd_kafka_event_type_t type;
    rd_kafka_topic_partition_list_t *list;
    rd_kafka_error_t *group_error;
    char name[64];
    int rows, number;
    rd_kafka_resp_err_t row_errors[4];
    char row_names[4][64];
};

struct rd_kafka_queue_s {
    rd_kafka_event_t *events[DOUBLE_EVENTS];
    int count;
};

struct double_callbacks {
    void (*deliver)(rd_kafka_t *rk, const rd_kafka_message_t *message, void *opaque);
    void (*rebalance)(rd_kafka_t *rk, rd_kafka_resp_err_t error,
                      rd_kafka_topic_partition_list_t *list, void *opaque);
    void (*committed)(rd_kafka_t *rk, rd_kafka_resp_err_t error,
                      rd_kafka_topic_partition_list_t *list, void *opaque);
    void (*complain)(rd_kafka_t *rk, int error, const char *reason, void *opaque);
    void (*log)(const rd_kafka_t *rk, int level, const char *facility, const char *text);
    int (*verify)(rd_kafka_t *rk, const char *broker, int32_t id, int *error, int depth,
                  const char *der, size_t size, char *words, size_t max, void *opaque);
    void *opaque;
};

struct double_sent {
    size_t len, key_len;
    void *opaque;
    rd_kafka_topic_t *topic;
};

struct rd_kafka_s {
    rd_kafka_type_t type;
    struct double_callbacks callbacks;
    bool is_fatal, tells_ends, is_assigned, is_closed;
    struct double_sent pending[DOUBLE_PENDING];
    size_t pending_count;
    rd_kafka_topic_partition_list_t *offsets;    /* of the open transaction */
    rd_kafka_topic_partition_list_t *unanswered; /* a commit without a queue */
};

/* A partition of a topic that is read. */
struct double_partition {
    const char *topic;
    int32_t number;
    int64_t low, high, committed, position;
    uint64_t mark;
    bool is_assigned, is_paused, has_ended;
};

static struct {
    struct outcomes all;
    uint32_t failing;                 /* calls in 1,000 that fail */
    int64_t outage_ms, outage_end_ms; /* when all calls fail */
    int64_t deadline_ms;              /* when waiting must end */
    size_t size_max;                  /* of a message; topics refuse larger ones */
    const char *protocol;
    struct double_callbacks next; /* of the client that is made next */
    struct double_partition partitions[DOUBLE_PARTITIONS];
    int count; /* of partitions */
    int live;  /* objects that the client has not destroyed */
    /* Fills a message; its value and key are copied. */
    void (*fill)(rd_kafka_message_t *message, char *value, size_t *len, char *key,
                 size_t *key_len);
    int64_t (*time_of)(const rd_kafka_message_t *message);
} kafka;

/* ---- the trace ---- */

#define say(...) note_line(&kafka.all, __VA_ARGS__)

static uint32_t chance(uint32_t n)
{
    return below(&kafka.all, n);
}

static bool is_outage(void)
{
    return still_ms >= kafka.outage_ms && still_ms < kafka.outage_end_ms;
}

static bool fails(void)
{
    return chance(1000) < kafka.failing || is_outage();
}

static rd_kafka_resp_err_t failure(void)
{
    static const rd_kafka_resp_err_t errors[] = {
        RD_KAFKA_RESP_ERR__TRANSPORT,
        RD_KAFKA_RESP_ERR__TIMED_OUT,
        RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE,
        RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE,
        RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED,
        RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART,
        RD_KAFKA_RESP_ERR__NO_OFFSET,
    };
    return errors[chance(sizeof errors / sizeof *errors)];
}

static rd_kafka_resp_err_t maybe_failure(void)
{
    return fails() ? failure() : RD_KAFKA_RESP_ERR_NO_ERROR;
}

/* Lets one of the next allocations fail, in one of six steps of a round with failures. */
static inline void maybe_lack_memory(void)
{
    const uint32_t most = chance(2) ? 3 : 24;
    fail_allocation(kafka.failing && chance(6) == 0 ? 1 + chance(most) : 0);
}

static void say_list(const char *what, const rd_kafka_topic_partition_list_t *list)
{
    say("%s %d", what, list ? list->cnt : -1);
    for (int i = 0; list && i < list->cnt; i++) {
        const rd_kafka_topic_partition_t *row = &list->elems[i];
        say("  %s/%d %lld '%.*s' %d", row->topic, (int)row->partition,
            (long long)row->offset, (int)row->metadata_size,
            row->metadata ? (const char *)row->metadata : "", (int)row->err);
    }
}

/* Starts a round: another seed, and as many failures in 1,000 calls. */
static void begin_round(uint32_t seed, uint32_t failing)
{
    kafka.all.chance = seed;
    kafka.failing = failing;
    still_ms = 1000000;
    kafka.deadline_ms = INT64_MAX;
    kafka.size_max = chance(4) ? SIZE_MAX : 300 + chance(4000);
    kafka.protocol = "EAGER";
    kafka.count = 0;
    kafka.outage_ms = still_ms + chance(30000);
    kafka.outage_end_ms = kafka.outage_ms;
    if (failing && chance(6) == 0)
        kafka.outage_end_ms += chance(400000);
}

/* Adds an empty partition to the topics that are read. */
static inline void add_partition(const char *topic, int32_t number)
{
    assert_true(kafka.count < DOUBLE_PARTITIONS);
    kafka.partitions[kafka.count++] =
        (struct double_partition){ .topic = topic, .number = number, .committed = -1 };
}

static struct double_partition *partition_at(const char *topic, int32_t number)
{
    for (int i = 0; i < kafka.count; i++)
        if (kafka.partitions[i].number == number &&
            strcmp(kafka.partitions[i].topic, topic) == 0)
            return &kafka.partitions[i];
    return NULL;
}

/* ---- waiting, and threads that run at once ---- */

/* A call that has not ended when its caller stops waiting keeps its objects for ever. */
enum { ABANDONED_MAX = 4096 };
static void *abandoned[ABANDONED_MAX];
static size_t abandoned_count;

static void abandon(void *object)
{
    assert_true(abandoned_count < ABANDONED_MAX);
    abandoned[abandoned_count++] = object;
}

/* The thread that was started last. It runs at once, or while its caller waits. */
static struct {
    void *(*run)(void *context);
    void *context;
} thread_left;

static void run_thread(void)
{
    void *(*run)(void *) = thread_left.run;
    thread_left.run = NULL;
    if (run)
        (void)run(thread_left.context);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*run)(void *), void *context);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*run)(void *), void *context)
{
    (void)attributes;
    *thread = pthread_self();
    if (fails() && fails())
        return EAGAIN;
    kafka.live++;
    thread_left.run = run;
    thread_left.context = context;
    if (chance(3))
        run_thread();
    return 0;
}

int __wrap_pthread_join(pthread_t thread, void **result);
int __wrap_pthread_join(pthread_t thread, void **result)
{
    (void)thread, (void)result;
    run_thread();
    kafka.live--;
    return 0;
}

int __wrap_pthread_detach(pthread_t thread);
int __wrap_pthread_detach(pthread_t thread)
{
    (void)thread;
    say("a call is abandoned");
    abandon(thread_left.context);
    thread_left.run = NULL;
    kafka.live--;
    return 0;
}

int __wrap_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *lock,
                                  const struct timespec *until);
int __wrap_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *lock,
                                  const struct timespec *until)
{
    (void)condition;
    const int64_t end_ms = (int64_t)until->tv_sec * 1000 + until->tv_nsec / 1000000;
    say("wait for a thread, %lld ms", (long long)(end_ms - still_ms));
    still_ms = end_ms;
    if (fails() && chance(4) == 0)
        kafka.deadline_ms = still_ms; /* the process must end */
    if (chance(12))
        return ETIMEDOUT;
    pthread_mutex_unlock(lock);
    run_thread();
    pthread_mutex_lock(lock);
    return 0;
}

static inline int64_t left_until_deadline(void *context)
{
    (void)context;
    const int64_t left = kafka.deadline_ms - still_ms;
    return left <= 0 ? 0 : left < 200 ? 1 + left % 2 : left; /* the last moments */
}

static void wait_some(int ms)
{
    still_ms += ms > 0 ? chance((uint32_t)ms) + 1 : 0;
}

/* ---- errors ---- */

const char *rd_kafka_err2str(rd_kafka_resp_err_t error)
{
    static char text[8][24];
    static unsigned next;
    char *out = text[next++ % 8];
    (void)snprintf(out, sizeof text[0], "error %d", (int)error);
    return out;
}

const char *rd_kafka_err2name(rd_kafka_resp_err_t error)
{
    return rd_kafka_err2str(error);
}

rd_kafka_resp_err_t rd_kafka_last_error(void)
{
    return RD_KAFKA_RESP_ERR__INVALID_ARG;
}

static rd_kafka_error_t *new_error(void)
{
    static const rd_kafka_resp_err_t codes[] = { RD_KAFKA_RESP_ERR__STATE,
                                                 RD_KAFKA_RESP_ERR__TIMED_OUT,
                                                 RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION };
    rd_kafka_error_t *error = __real_calloc(1, sizeof *error);
    assert_non_null(error);
    const uint32_t kind = is_outage() ? 6 : chance(16);
    error->code = codes[chance(3)];
    error->is_fatal = kind == 0;
    error->needs_abort = kind >= 1 && kind < 6;
    error->is_retriable = kind >= 6 && kind < 15;
    (void)snprintf(error->text, sizeof error->text, "refused %d, %u", (int)error->code,
                   kind);
    kafka.live++;
    return error;
}

static rd_kafka_error_t *maybe_error(void)
{
    return fails() ? new_error() : NULL;
}

rd_kafka_resp_err_t rd_kafka_error_code(const rd_kafka_error_t *error)
{
    return error->code;
}

const char *rd_kafka_error_string(const rd_kafka_error_t *error)
{
    return error->text;
}

int rd_kafka_error_is_fatal(const rd_kafka_error_t *error)
{
    return error->is_fatal;
}

int rd_kafka_error_is_retriable(const rd_kafka_error_t *error)
{
    return error->is_retriable;
}

int rd_kafka_error_txn_requires_abort(const rd_kafka_error_t *error)
{
    return error->needs_abort;
}

void rd_kafka_error_destroy(rd_kafka_error_t *error)
{
    kafka.live -= error != NULL;
    free(error);
}

/* ---- a client ---- */

void rd_kafka_conf_set_dr_msg_cb(rd_kafka_conf_t *conf,
                                 void (*call)(rd_kafka_t *, const rd_kafka_message_t *,
                                              void *))
{
    (void)conf;
    kafka.next.deliver = call;
}

void rd_kafka_conf_set_rebalance_cb(rd_kafka_conf_t *conf,
                                    void (*call)(rd_kafka_t *, rd_kafka_resp_err_t,
                                                 rd_kafka_topic_partition_list_t *,
                                                 void *))
{
    (void)conf;
    kafka.next.rebalance = call;
}

void rd_kafka_conf_set_offset_commit_cb(rd_kafka_conf_t *conf,
                                        void (*call)(rd_kafka_t *, rd_kafka_resp_err_t,
                                                     rd_kafka_topic_partition_list_t *,
                                                     void *))
{
    (void)conf;
    kafka.next.committed = call;
}

void rd_kafka_conf_set_error_cb(rd_kafka_conf_t *conf,
                                void (*call)(rd_kafka_t *, int, const char *, void *))
{
    (void)conf;
    kafka.next.complain = call;
}

void rd_kafka_conf_set_log_cb(rd_kafka_conf_t *conf,
                              void (*call)(const rd_kafka_t *, int, const char *,
                                           const char *))
{
    (void)conf;
    kafka.next.log = call;
}

rd_kafka_conf_res_t rd_kafka_conf_set_ssl_cert_verify_cb(
    rd_kafka_conf_t *conf, int (*call)(rd_kafka_t *, const char *, int32_t, int *, int,
                                       const char *, size_t, char *, size_t, void *))
{
    (void)conf;
    kafka.next.verify = call;
    return RD_KAFKA_CONF_OK;
}

void rd_kafka_conf_set_opaque(rd_kafka_conf_t *conf, void *opaque)
{
    (void)conf;
    kafka.next.opaque = opaque;
}

rd_kafka_t *rd_kafka_new(rd_kafka_type_t type, rd_kafka_conf_t *conf, char *words,
                         size_t max)
{
    static const char *const keys[] = {
        "bootstrap.servers",
        "client.id",
        "message.max.bytes",
        "batch.size",
        "message.timeout.ms",
        "transactional.id",
        "transaction.timeout.ms",
        "group.id",
        "group.instance.id",
        "session.timeout.ms",
        "enable.partition.eof",
        "enable.idempotence",
        "enable.auto.commit",
        "isolation.level",
        "linger.ms",
        "compression.codec",
        "auto.offset.reset",
        "log.queue",
    };
    say("new %d", (int)type);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char value[128] = "";
        size_t size = sizeof value;
        if (rd_kafka_conf_get(conf, keys[i], value, &size) == RD_KAFKA_CONF_OK)
            say("  %s=%s", keys[i], value);
    }
    if (fails() && fails()) {
        (void)snprintf(words, max, "no client");
        return NULL;
    }
    rd_kafka_t *rk = __real_calloc(1, sizeof *rk);
    assert_non_null(rk);
    char ends[8] = "";
    size_t size = sizeof ends;
    (void)rd_kafka_conf_get(conf, "enable.partition.eof", ends, &size);
    rk->tells_ends = strcmp(ends, "true") == 0;
    rk->type = type;
    rk->callbacks = kafka.next;
    memset(&kafka.next, 0, sizeof kafka.next);
    rd_kafka_conf_destroy(conf);
    kafka.live++;
    return rk;
}

static void end_client(rd_kafka_t *rk)
{
    for (int i = 0; i < kafka.count && rk->type == RD_KAFKA_CONSUMER; i++)
        kafka.partitions[i].is_assigned = kafka.partitions[i].is_paused = false;
    if (rk->offsets)
        rd_kafka_topic_partition_list_destroy(rk->offsets);
    if (rk->unanswered)
        rd_kafka_topic_partition_list_destroy(rk->unanswered);
    kafka.live--;
    free(rk);
}

void rd_kafka_destroy(rd_kafka_t *rk)
{
    say("destroy %d", (int)rk->type);
    end_client(rk);
}

void rd_kafka_destroy_flags(rd_kafka_t *rk, int flags)
{
    say("destroy %d, flags %d", (int)rk->type, flags);
    end_client(rk);
}

void *rd_kafka_opaque(const rd_kafka_t *rk)
{
    return rk->callbacks.opaque;
}

rd_kafka_resp_err_t rd_kafka_set_log_queue(rd_kafka_t *rk, rd_kafka_queue_t *queue)
{
    (void)rk;
    say("log queue %d", queue != NULL);
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

rd_kafka_resp_err_t rd_kafka_poll_set_consumer(rd_kafka_t *rk)
{
    (void)rk;
    say("poll set consumer");
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

rd_kafka_resp_err_t rd_kafka_fatal_error(rd_kafka_t *rk, char *words, size_t max)
{
    if (!rk->is_fatal)
        return RD_KAFKA_RESP_ERR_NO_ERROR;
    if (words)
        (void)snprintf(words, max, "fenced");
    return RD_KAFKA_RESP_ERR__FENCED;
}

static rd_kafka_topic_t *topic_named(const char *name)
{
    static rd_kafka_topic_t topics[16];
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++) {
        if (!topics[i].name[0])
            (void)snprintf(topics[i].name, sizeof topics[i].name, "%s", name);
        if (strcmp(topics[i].name, name) == 0)
            return &topics[i];
    }
    fail_msg("too many topics");
    return NULL;
}

rd_kafka_topic_t *rd_kafka_topic_new(rd_kafka_t *rk, const char *name,
                                     rd_kafka_topic_conf_t *conf)
{
    (void)rk, (void)conf;
    if (fails() && fails())
        return NULL;
    kafka.live++;
    return topic_named(name);
}

void rd_kafka_topic_destroy(rd_kafka_topic_t *topic)
{
    kafka.live -= topic != NULL;
}

const char *rd_kafka_topic_name(const rd_kafka_topic_t *topic)
{
    return topic->name;
}

rd_kafka_resp_err_t rd_kafka_metadata(rd_kafka_t *rk, int all, rd_kafka_topic_t *only,
                                      const struct rd_kafka_metadata **out, int ms)
{
    static struct rd_kafka_metadata_topic topic;
    static struct rd_kafka_metadata metadata;
    (void)rk;
    say("metadata %d %s %d", all, only ? only->name : "-", ms);
    if (fails()) {
        wait_some(ms);
        return failure();
    }
    topic = (struct rd_kafka_metadata_topic){
        .err = fails() ? RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART : 0,
        .partition_cnt = fails()                                       ? 0
                         : only && strcmp(only->name, "progress") == 0 ? 2
                                                                       : 1
    };
    metadata = (struct rd_kafka_metadata){ .topic_cnt = only ? 1 : 0, .topics = &topic };
    *out = &metadata;
    kafka.live++;
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

void rd_kafka_metadata_destroy(const struct rd_kafka_metadata *metadata)
{
    kafka.live -= metadata != NULL;
}

/* ---- what polling serves ---- */

static void answer_one(rd_kafka_t *rk)
{
    static const rd_kafka_resp_err_t errors[] = {
        RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE,
        RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE,
        RD_KAFKA_RESP_ERR__MSG_TIMED_OUT,
        RD_KAFKA_RESP_ERR__PURGE_QUEUE,
        RD_KAFKA_RESP_ERR__PURGE_INFLIGHT,
        RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED,
    };
    const struct double_sent sent = rk->pending[0];
    const rd_kafka_message_t message = {
        .err = sent.len + sent.key_len > kafka.size_max ? errors[0]
               : chance(4000) < kafka.failing           ? errors[chance(6)]
                                                        : 0,
        .rkt = sent.topic,
        .len = sent.len,
        .key_len = sent.key_len,
        ._private = sent.opaque,
    };
    memmove(rk->pending, rk->pending + 1, --rk->pending_count * sizeof *rk->pending);
    if (rk->callbacks.deliver)
        rk->callbacks.deliver(rk, &message, rk->callbacks.opaque);
}

static void serve_errors(rd_kafka_t *rk)
{
    static const rd_kafka_resp_err_t errors[] = {
        RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN,
        RD_KAFKA_RESP_ERR__AUTHENTICATION,
        RD_KAFKA_RESP_ERR__SSL,
        RD_KAFKA_RESP_ERR__TRANSPORT,
        RD_KAFKA_RESP_ERR__RESOLVE,
    };
    if (!fails())
        return;
    rd_kafka_resp_err_t error = errors[chance(5)];
    if (chance(40) == 0) {
        error = RD_KAFKA_RESP_ERR__FATAL;
        rk->is_fatal = true;
    }
    if (error == RD_KAFKA_RESP_ERR__SSL && rk->callbacks.verify) {
        static const int codes[] = { 0, 2, 9, 10, 18, 19, 20, 23, 62, 64, 77 };
        int code = codes[chance(11)];
        char words[64] = "";
        const int is_good = rk->callbacks.verify(rk, "broker", 1, &code, 0, "", 0, words,
                                                 sizeof words, rk->callbacks.opaque);
        say("certificate %d %d %s", is_good, code, words);
    }
    if (rk->callbacks.complain)
        rk->callbacks.complain(rk, error, "the reason", rk->callbacks.opaque);
    if (chance(4) == 0 && rk->callbacks.log)
        rk->callbacks.log(rk, 4, "FACILITY", "a line\nof the log");
}

static void deliver_some(rd_kafka_t *rk)
{
    const uint32_t most = (uint32_t)rk->pending_count + 1;
    for (uint32_t n = chance(3) ? most : chance(most); n && rk->pending_count; n--)
        answer_one(rk);
}

int rd_kafka_poll(rd_kafka_t *rk, int ms)
{
    say("poll %d", ms);
    serve_errors(rk);
    deliver_some(rk);
    wait_some(ms);
    return 0;
}

rd_kafka_resp_err_t rd_kafka_flush(rd_kafka_t *rk, int ms)
{
    say("flush %d, %zu", ms, rk->pending_count);
    serve_errors(rk);
    deliver_some(rk);
    wait_some(ms);
    return rk->pending_count ? RD_KAFKA_RESP_ERR__TIMED_OUT : 0;
}

rd_kafka_resp_err_t rd_kafka_purge(rd_kafka_t *rk, int flags)
{
    say("purge %d, %zu", flags, rk->pending_count);
    rk->pending_count = 0;
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

/* ---- sending ---- */

static void say_headers(const rd_kafka_headers_t *headers)
{
    const char *name;
    const void *value;
    size_t len;
    for (size_t i = 0; rd_kafka_header_get_all(headers, i, &name, &value, &len) == 0;
         i++) {
        say("  %s", name);
        note_view(&kafka.all, (th_view){ value, len });
    }
}

rd_kafka_resp_err_t rd_kafka_producev(rd_kafka_t *rk, ...)
{
    struct double_sent sent = { 0 };
    rd_kafka_headers_t *headers = NULL;
    th_view key = { NULL, 0 }, value = { NULL, 0 };
    int flags = 0;
    rd_kafka_vtype_t type;
    va_list args;
    va_start(args, rk);
    while ((type = (rd_kafka_vtype_t)va_arg(args, int)) != RD_KAFKA_VTYPE_END)
        switch (type) {
        case RD_KAFKA_VTYPE_TOPIC:
            sent.topic = topic_named(va_arg(args, const char *));
            break;
        case RD_KAFKA_VTYPE_MSGFLAGS:
            flags = va_arg(args, int);
            break;
        case RD_KAFKA_VTYPE_KEY:
            key.data = va_arg(args, void *);
            key.len = va_arg(args, size_t);
            break;
        case RD_KAFKA_VTYPE_VALUE:
            value.data = va_arg(args, void *);
            value.len = va_arg(args, size_t);
            break;
        case RD_KAFKA_VTYPE_HEADERS:
            headers = va_arg(args, rd_kafka_headers_t *);
            break;
        case RD_KAFKA_VTYPE_OPAQUE:
            sent.opaque = va_arg(args, void *);
            break;
        default:
            fail_msg("an argument of type %d", (int)type);
        }
    va_end(args);
    sent.len = value.len;
    sent.key_len = key.len;
    rd_kafka_resp_err_t error = RD_KAFKA_RESP_ERR_NO_ERROR;
    if (rk->pending_count == DOUBLE_PENDING || fails())
        error = RD_KAFKA_RESP_ERR__QUEUE_FULL;
    else if (chance(4000) < kafka.failing)
        error = chance(2) ? RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE
                          : RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC;
    say("produce %s %d %zu %zu: %d", sent.topic->name, flags, key.len, value.len,
        (int)error);
    note_view(&kafka.all, key);
    note_view(&kafka.all, value);
    if (error)
        return error;
    if (headers) {
        say_headers(headers);
        rd_kafka_headers_destroy(headers);
    }
    rk->pending[rk->pending_count++] = sent;
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

/* ---- offsets of a group ---- */

static void store_offsets(const rd_kafka_topic_partition_list_t *list)
{
    for (int i = 0; list && i < list->cnt; i++) {
        const rd_kafka_topic_partition_t *row = &list->elems[i];
        struct double_partition *partition = partition_at(row->topic, row->partition);
        if (!partition)
            continue;
        partition->committed = row->offset;
        partition->mark = 0;
        char text[64] = ""; /* "thresher.mark=" and a number, without an end */
        if (row->metadata_size > 14 && row->metadata_size < sizeof text) {
            memcpy(text, row->metadata, row->metadata_size);
            partition->mark = strtoull(text + 14, NULL, 10);
        }
    }
}

static rd_kafka_error_t *say_call(rd_kafka_t *rk, const char *name, int ms)
{
    say("%s %d", name, ms);
    rd_kafka_error_t *error = maybe_error();
    if (error)
        wait_some(ms);
    if (error && error->is_fatal)
        rk->is_fatal = true;
    return error;
}

rd_kafka_error_t *rd_kafka_init_transactions(rd_kafka_t *rk, int ms)
{
    return say_call(rk, "init", ms);
}

rd_kafka_error_t *rd_kafka_begin_transaction(rd_kafka_t *rk)
{
    return say_call(rk, "begin", 0);
}

static void end_transaction(rd_kafka_t *rk)
{
    if (rk->offsets)
        rd_kafka_topic_partition_list_destroy(rk->offsets);
    rk->offsets = NULL;
}

rd_kafka_error_t *rd_kafka_commit_transaction(rd_kafka_t *rk, int ms)
{
    rd_kafka_error_t *error = say_call(rk, "commit", ms);
    deliver_some(rk);
    if (!error) {
        store_offsets(rk->offsets);
        end_transaction(rk);
    }
    if (chance(50) == 0)
        still_ms += 12000; /* a slow one */
    return error;
}

rd_kafka_error_t *rd_kafka_abort_transaction(rd_kafka_t *rk, int ms)
{
    rd_kafka_error_t *error = say_call(rk, "abort", ms);
    if (!error)
        end_transaction(rk);
    return error;
}

rd_kafka_error_t *rd_kafka_send_offsets_to_transaction(
    rd_kafka_t *rk, const rd_kafka_topic_partition_list_t *list,
    const rd_kafka_consumer_group_metadata_t *group, int ms)
{
    say_list("offsets of the transaction", list);
    assert_non_null(group);
    rd_kafka_error_t *error = say_call(rk, "send offsets", ms);
    end_transaction(rk);
    if (!error)
        rk->offsets = rd_kafka_topic_partition_list_copy(list);
    return error;
}

rd_kafka_consumer_group_metadata_t *rd_kafka_consumer_group_metadata(rd_kafka_t *rk)
{
    (void)rk;
    return rd_kafka_consumer_group_metadata_new("group");
}

rd_kafka_resp_err_t rd_kafka_committed(rd_kafka_t *rk,
                                       rd_kafka_topic_partition_list_t *list, int ms)
{
    (void)rk;
    const rd_kafka_resp_err_t error = maybe_failure();
    for (int i = 0; i < list->cnt && !error; i++) {
        rd_kafka_topic_partition_t *row = &list->elems[i];
        const struct double_partition *partition =
            partition_at(row->topic, row->partition);
        row->offset = partition && partition->committed >= 0 ? partition->committed
                                                             : RD_KAFKA_OFFSET_INVALID;
        row->err = maybe_failure();
    }
    if (error)
        wait_some(ms);
    say("committed %d: %d", ms, (int)error);
    say_list("  of", list);
    return error;
}

static rd_kafka_event_t *new_event(rd_kafka_queue_t *queue, rd_kafka_resp_err_t error)
{
    rd_kafka_event_t *event = __real_calloc(1, sizeof *event);
    assert_non_null(event);
    event->error = error;
    kafka.live++;
    if (queue->count == DOUBLE_EVENTS)
        fail_msg("too many events");
    queue->events[queue->count++] = event;
    return event;
}

rd_kafka_resp_err_t
rd_kafka_commit_queue(rd_kafka_t *rk, const rd_kafka_topic_partition_list_t *list,
                      rd_kafka_queue_t *queue,
                      void (*call)(rd_kafka_t *, rd_kafka_resp_err_t,
                                   rd_kafka_topic_partition_list_t *, void *),
                      void *opaque)
{
    (void)rk;
    say_list(call || opaque ? "commit with a call" : "commit to a queue", list);
    const rd_kafka_resp_err_t error = maybe_failure();
    if (error)
        return error;
    const rd_kafka_resp_err_t answer = maybe_failure();
    if (!answer)
        store_offsets(list);
    if (!fails()) /* else there is no answer */
        (void)new_event(queue, answer);
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

rd_kafka_resp_err_t
rd_kafka_commit(rd_kafka_t *rk, const rd_kafka_topic_partition_list_t *list, int is_async)
{
    say_list(is_async ? "commit" : "commit and wait", list);
    const rd_kafka_resp_err_t error = maybe_failure();
    if (error)
        return error;
    if (rk->unanswered)
        rd_kafka_topic_partition_list_destroy(rk->unanswered);
    rk->unanswered = rd_kafka_topic_partition_list_copy(list);
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

/* ---- queues and their events ---- */

rd_kafka_queue_t *rd_kafka_queue_new(rd_kafka_t *rk)
{
    (void)rk;
    if (fails() && fails())
        return NULL;
    kafka.live++;
    return __real_calloc(1, sizeof(rd_kafka_queue_t));
}

void rd_kafka_event_destroy(rd_kafka_event_t *event)
{
    if (!event)
        return;
    if (event->list)
        rd_kafka_topic_partition_list_destroy(event->list);
    free(event->group_error);
    free(event);
    kafka.live--;
}

void rd_kafka_queue_destroy(rd_kafka_queue_t *queue)
{
    for (int i = 0; i < queue->count; i++)
        rd_kafka_event_destroy(queue->events[i]);
    free(queue);
    kafka.live--;
}

rd_kafka_event_t *rd_kafka_queue_poll(rd_kafka_queue_t *queue, int ms)
{
    if (!queue->count || chance(4) == 0) {
        still_ms += ms;
        say("nothing in the queue for %d", ms);
        return NULL;
    }
    rd_kafka_event_t *event = queue->events[0];
    memmove((void *)queue->events, (void *)(queue->events + 1),
            (size_t)--queue->count * sizeof *queue->events);
    wait_some(ms);
    say("event %d, error %d", event->type, (int)event->error);
    return event;
}

rd_kafka_resp_err_t rd_kafka_event_error(rd_kafka_event_t *event)
{
    return event->error;
}

const char *rd_kafka_event_error_string(rd_kafka_event_t *event)
{
    return rd_kafka_err2str(event->error);
}

rd_kafka_event_type_t rd_kafka_event_type(const rd_kafka_event_t *event)
{
    return event ? event->type : RD_KAFKA_EVENT_NONE;
}

rd_kafka_topic_partition_list_t *
rd_kafka_event_topic_partition_list(rd_kafka_event_t *event)
{
    return event->list;
}

/* ---- questions to brokers ---- */

struct rd_kafka_AdminOptions_s {
    int ms, is_stable;
};

rd_kafka_AdminOptions_t *rd_kafka_AdminOptions_new(rd_kafka_t *rk,
                                                   rd_kafka_admin_op_t what)
{
    (void)rk, (void)what;
    if (fails() && fails())
        return NULL;
    kafka.live++;
    return __real_calloc(1, sizeof(rd_kafka_AdminOptions_t));
}

void rd_kafka_AdminOptions_destroy(rd_kafka_AdminOptions_t *options)
{
    kafka.live -= options != NULL;
    free(options);
}

rd_kafka_resp_err_t
rd_kafka_AdminOptions_set_request_timeout(rd_kafka_AdminOptions_t *options, int ms,
                                          char *words, size_t max)
{
    (void)words, (void)max;
    options->ms = ms;
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

rd_kafka_error_t *
rd_kafka_AdminOptions_set_require_stable_offsets(rd_kafka_AdminOptions_t *options,
                                                 int is_stable)
{
    options->is_stable = is_stable;
    return maybe_error();
}

struct rd_kafka_ConfigEntry_s {
    const char *name, *value;
};

struct rd_kafka_ConfigResource_s {
    char name[64];
    rd_kafka_resp_err_t error;
};

rd_kafka_ConfigResource_t *rd_kafka_ConfigResource_new(rd_kafka_ResourceType_t type,
                                                       const char *name)
{
    if (fails() && fails())
        return NULL;
    rd_kafka_ConfigResource_t *resource = __real_calloc(1, sizeof *resource);
    assert_non_null(resource);
    assert_int_equal(type, RD_KAFKA_RESOURCE_TOPIC);
    (void)snprintf(resource->name, sizeof resource->name, "%s", name);
    kafka.live++;
    return resource;
}

void rd_kafka_ConfigResource_destroy(rd_kafka_ConfigResource_t *resource)
{
    kafka.live -= resource != NULL;
    free(resource);
}

void rd_kafka_DescribeConfigs(rd_kafka_t *rk, rd_kafka_ConfigResource_t **resources,
                              size_t count, const rd_kafka_AdminOptions_t *options,
                              rd_kafka_queue_t *queue)
{
    (void)rk;
    say("describe %zu for %d", count, options->ms);
    if (fails() || queue->count == DOUBLE_EVENTS)
        return; /* no answer */
    rd_kafka_event_t *event = new_event(queue, maybe_failure());
    for (size_t i = 0; i < count && i < 4; i++) {
        (void)snprintf(event->row_names[i], sizeof event->row_names[i], "%s",
                       resources[i]->name);
        event->row_errors[i] = maybe_failure();
    }
    event->rows = (int)(count < 4 ? count : 4);
}

const rd_kafka_DescribeConfigs_result_t *
rd_kafka_event_DescribeConfigs_result(rd_kafka_event_t *event)
{
    return event;
}

const rd_kafka_ConfigResource_t **
rd_kafka_DescribeConfigs_result_resources(const rd_kafka_DescribeConfigs_result_t *result,
                                          size_t *count)
{
    static rd_kafka_ConfigResource_t rows[4];
    static const rd_kafka_ConfigResource_t *list[4];
    for (int i = 0; i < result->rows; i++) {
        memcpy(rows[i].name, result->row_names[i], sizeof rows[i].name);
        rows[i].error = result->row_errors[i];
        list[i] = &rows[i];
    }
    *count = (size_t)result->rows;
    return list;
}

const char *rd_kafka_ConfigResource_name(const rd_kafka_ConfigResource_t *resource)
{
    return resource->name;
}

rd_kafka_resp_err_t
rd_kafka_ConfigResource_error(const rd_kafka_ConfigResource_t *resource)
{
    return resource->error;
}

const rd_kafka_ConfigEntry_t **
rd_kafka_ConfigResource_configs(const rd_kafka_ConfigResource_t *resource, size_t *count)
{
    static const rd_kafka_ConfigEntry_t entries[] = {
        { "max.message", "1" },          { "max.message.bytes", NULL },
        { "max.message.bytes", "4000" }, { "max.message.bytes", "900" },
        { "min.insync.replicas", "2" },
    };
    static const rd_kafka_ConfigEntry_t *list[] = { &entries[0], &entries[1], NULL,
                                                    &entries[4] };
    (void)resource;
    list[2] = &entries[2 + chance(2)];
    *count = chance(8) ? 4 : 2;
    return list;
}

const char *rd_kafka_ConfigEntry_name(const rd_kafka_ConfigEntry_t *entry)
{
    return entry->name;
}

const char *rd_kafka_ConfigEntry_value(const rd_kafka_ConfigEntry_t *entry)
{
    return entry->value;
}

struct rd_kafka_NewTopic_s {
    char name[64];
};

rd_kafka_NewTopic_t *rd_kafka_NewTopic_new(const char *name, int partitions, int replicas,
                                           char *words, size_t max)
{
    say("new topic %s %d %d", name, partitions, replicas);
    if (fails() && fails()) {
        (void)snprintf(words, max, "a bad name");
        return NULL;
    }
    rd_kafka_NewTopic_t *topic = __real_calloc(1, sizeof *topic);
    assert_non_null(topic);
    (void)snprintf(topic->name, sizeof topic->name, "%s", name);
    kafka.live++;
    return topic;
}

rd_kafka_resp_err_t rd_kafka_NewTopic_set_config(rd_kafka_NewTopic_t *topic,
                                                 const char *name, const char *value)
{
    (void)topic;
    say("  with %s=%s", name, value);
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

void rd_kafka_NewTopic_destroy(rd_kafka_NewTopic_t *topic)
{
    kafka.live -= topic != NULL;
    free(topic);
}

void rd_kafka_CreateTopics(rd_kafka_t *rk, rd_kafka_NewTopic_t **topics, size_t count,
                           const rd_kafka_AdminOptions_t *options,
                           rd_kafka_queue_t *queue)
{
    static const rd_kafka_resp_err_t errors[] = {
        RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS,
        RD_KAFKA_RESP_ERR_INVALID_REPLICATION_FACTOR
    };
    (void)rk, (void)options;
    say("create %zu %s", count, topics[0]->name);
    if (fails())
        return;
    rd_kafka_event_t *event = new_event(queue, maybe_failure());
    event->rows = fails() ? 0 : 1;
    event->number = fails() ? errors[chance(2)] : 0;
}

const rd_kafka_CreateTopics_result_t *
rd_kafka_event_CreateTopics_result(rd_kafka_event_t *event)
{
    return event;
}

struct rd_kafka_topic_result_s {
    rd_kafka_resp_err_t error;
};

const rd_kafka_topic_result_t **
rd_kafka_CreateTopics_result_topics(const rd_kafka_CreateTopics_result_t *result,
                                    size_t *count)
{
    static rd_kafka_topic_result_t row;
    static const rd_kafka_topic_result_t *list[] = { &row };
    row.error = (rd_kafka_resp_err_t)result->number;
    *count = (size_t)result->rows;
    return list;
}

rd_kafka_resp_err_t rd_kafka_topic_result_error(const rd_kafka_topic_result_t *row)
{
    return row->error;
}

struct rd_kafka_ListConsumerGroupOffsets_s {
    char group[64];
};

rd_kafka_ListConsumerGroupOffsets_t *
rd_kafka_ListConsumerGroupOffsets_new(const char *group,
                                      const rd_kafka_topic_partition_list_t *list)
{
    (void)list;
    if (fails() && fails())
        return NULL;
    rd_kafka_ListConsumerGroupOffsets_t *request = __real_calloc(1, sizeof *request);
    assert_non_null(request);
    (void)snprintf(request->group, sizeof request->group, "%s", group);
    kafka.live++;
    return request;
}

void rd_kafka_ListConsumerGroupOffsets_destroy(
    rd_kafka_ListConsumerGroupOffsets_t *request)
{
    kafka.live -= request != NULL;
    free(request);
}

void rd_kafka_ListConsumerGroupOffsets(rd_kafka_t *rk,
                                       rd_kafka_ListConsumerGroupOffsets_t **requests,
                                       size_t count,
                                       const rd_kafka_AdminOptions_t *options,
                                       rd_kafka_queue_t *queue)
{
    static const char *const others[] = {
        "", "thresher.mark=", "thresher.mark=12x", "another.mark=5",
        "thresher.mark=000000000000000000000000000000007"
    };
    (void)rk;
    say("list offsets %zu of %s for %d, stable %d", count, requests[0]->group,
        options->ms, options->is_stable);
    if (fails())
        return;
    rd_kafka_event_t *event = new_event(queue, maybe_failure());
    event->group_error = fails() ? new_error() : NULL;
    kafka.live -= event->group_error != NULL; /* belongs to the event */
    event->rows = (int)chance(8) ? 1 : 0;
    event->list = rd_kafka_topic_partition_list_new(1);
    for (int i = 0; i < kafka.count; i++) {
        const struct double_partition *partition = &kafka.partitions[i];
        rd_kafka_topic_partition_t *row = rd_kafka_topic_partition_list_add(
            event->list, partition->topic, partition->number);
        char text[64];
        (void)snprintf(text, sizeof text, "thresher.mark=%llu",
                       (unsigned long long)partition->mark);
        if (!partition->mark)
            (void)snprintf(text, sizeof text, "%s", others[chance(5)]);
        row->offset = partition->committed;
        row->metadata = *text ? strdup(text) : NULL;
        row->metadata_size = strlen(text);
        row->err = maybe_failure();
    }
}

const rd_kafka_ListConsumerGroupOffsets_result_t *
rd_kafka_event_ListConsumerGroupOffsets_result(rd_kafka_event_t *event)
{
    return event;
}

struct rd_kafka_group_result_s {
    const rd_kafka_event_t *event;
};

const rd_kafka_group_result_t **rd_kafka_ListConsumerGroupOffsets_result_groups(
    const rd_kafka_ListConsumerGroupOffsets_result_t *result, size_t *count)
{
    static rd_kafka_group_result_t row;
    static const rd_kafka_group_result_t *list[] = { &row };
    row.event = result;
    *count = (size_t)result->rows;
    return list;
}

const rd_kafka_error_t *rd_kafka_group_result_error(const rd_kafka_group_result_t *row)
{
    return row->event->group_error;
}

const rd_kafka_topic_partition_list_t *
rd_kafka_group_result_partitions(const rd_kafka_group_result_t *row)
{
    return row->event->list;
}

/* ---- reading ---- */

/* Does the work of producers, retention and administrators. */
static void change_topics(void)
{
    for (int i = 0; i < kafka.count; i++) {
        struct double_partition *partition = &kafka.partitions[i];
        partition->high += chance(4) ? 0 : (int64_t)chance(6);
        if (chance(300) == 0)
            partition->low +=
                (int64_t)chance((uint32_t)(partition->high - partition->low) + 1);
        if (chance(700) == 0) { /* created again */
            partition->low = 0;
            partition->high = (int64_t)chance(4);
            partition->position = 0;
            if (chance(2))
                partition->committed = -1;
        }
        if (partition->position < partition->low)
            partition->position = partition->low;
    }
}

static void assign(const rd_kafka_topic_partition_list_t *list, bool is_assigned)
{
    for (int i = 0; list && i < list->cnt; i++) {
        const rd_kafka_topic_partition_t *row = &list->elems[i];
        struct double_partition *partition = partition_at(row->topic, row->partition);
        if (!partition)
            continue;
        partition->is_assigned = is_assigned;
        partition->is_paused = partition->has_ended = false;
        partition->position =
            row->offset >= 0 ? row->offset
            : row->offset == RD_KAFKA_OFFSET_BEGINNING || partition->committed < 0
                ? partition->low
                : partition->committed;
        if (partition->position < partition->low || partition->position > partition->high)
            partition->position = partition->low;
    }
}

rd_kafka_resp_err_t rd_kafka_subscribe(rd_kafka_t *rk,
                                       const rd_kafka_topic_partition_list_t *list)
{
    (void)rk;
    say_list("subscribe", list);
    return maybe_failure();
}

rd_kafka_resp_err_t rd_kafka_assign(rd_kafka_t *rk,
                                    const rd_kafka_topic_partition_list_t *list)
{
    (void)rk;
    say_list("assign", list);
    const rd_kafka_resp_err_t error = fails() && fails() ? failure() : 0;
    if (error)
        return error;
    for (int i = 0; i < kafka.count; i++)
        kafka.partitions[i].is_assigned = false;
    assign(list, true);
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

rd_kafka_error_t *rd_kafka_incremental_assign(rd_kafka_t *rk,
                                              const rd_kafka_topic_partition_list_t *list)
{
    (void)rk;
    say_list("assign more", list);
    assign(list, true);
    return fails() && fails() ? new_error() : NULL;
}

rd_kafka_error_t *
rd_kafka_incremental_unassign(rd_kafka_t *rk, const rd_kafka_topic_partition_list_t *list)
{
    (void)rk;
    say_list("assign less", list);
    assign(list, false);
    return fails() && fails() ? new_error() : NULL;
}

int rd_kafka_assignment_lost(rd_kafka_t *rk)
{
    (void)rk;
    return fails();
}

const char *rd_kafka_rebalance_protocol(rd_kafka_t *rk)
{
    (void)rk;
    return kafka.protocol;
}

rd_kafka_error_t *rd_kafka_seek_partitions(rd_kafka_t *rk,
                                           rd_kafka_topic_partition_list_t *list, int ms)
{
    (void)rk;
    say_list("seek", list);
    rd_kafka_error_t *error = maybe_error();
    if (error) {
        wait_some(ms);
        return error;
    }
    for (int i = 0; i < list->cnt; i++) {
        rd_kafka_topic_partition_t *row = &list->elems[i];
        struct double_partition *partition = partition_at(row->topic, row->partition);
        row->err = maybe_failure();
        if (!partition || row->err)
            continue;
        partition->position = row->offset >= 0 && row->offset <= partition->high
                                  ? row->offset
                                  : partition->low;
        partition->has_ended = false;
    }
    return NULL;
}

static rd_kafka_resp_err_t change_flow(rd_kafka_topic_partition_list_t *list,
                                       const char *what, bool is_paused)
{
    say_list(what, list);
    for (int i = 0; i < list->cnt; i++) {
        struct double_partition *partition =
            partition_at(list->elems[i].topic, list->elems[i].partition);
        if (partition)
            partition->is_paused = is_paused;
    }
    return maybe_failure();
}

rd_kafka_resp_err_t rd_kafka_pause_partitions(rd_kafka_t *rk,
                                              rd_kafka_topic_partition_list_t *list)
{
    (void)rk;
    return change_flow(list, "pause", true);
}

rd_kafka_resp_err_t rd_kafka_resume_partitions(rd_kafka_t *rk,
                                               rd_kafka_topic_partition_list_t *list)
{
    (void)rk;
    return change_flow(list, "resume", false);
}

rd_kafka_resp_err_t rd_kafka_get_watermark_offsets(rd_kafka_t *rk, const char *topic,
                                                   int32_t number, int64_t *low,
                                                   int64_t *high)
{
    (void)rk;
    const struct double_partition *partition = partition_at(topic, number);
    const rd_kafka_resp_err_t error = partition ? maybe_failure() : failure();
    say("offsets of %s/%d: %d", topic, (int)number, (int)error);
    if (error)
        return error;
    *low = partition->low;
    *high = fails() ? RD_KAFKA_OFFSET_INVALID : partition->high;
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

rd_kafka_resp_err_t rd_kafka_query_watermark_offsets(rd_kafka_t *rk, const char *topic,
                                                     int32_t number, int64_t *low,
                                                     int64_t *high, int ms)
{
    say("query for %d", ms);
    const rd_kafka_resp_err_t error =
        rd_kafka_get_watermark_offsets(rk, topic, number, low, high);
    if (error)
        wait_some(ms);
    return error;
}

/* ---- messages ---- */

struct double_message {
    rd_kafka_message_t message;
    rd_kafka_headers_t *headers;
    char value[4096], key[64];
};

static rd_kafka_message_t *new_message(const char *topic, int32_t number, int64_t offset,
                                       rd_kafka_resp_err_t error)
{
    struct double_message *made = __real_calloc(1, sizeof *made);
    assert_non_null(made);
    made->message = (rd_kafka_message_t){
        .err = error, .rkt = topic_named(topic), .partition = number, .offset = offset
    };
    kafka.live++;
    say("message of %s/%d at %lld: %d", topic, (int)number, (long long)offset,
        (int)error);
    return &made->message;
}

static void fill_message(rd_kafka_message_t *message)
{
    struct double_message *made = (struct double_message *)(void *)message;
    size_t len = SIZE_MAX, key_len = SIZE_MAX;
    kafka.fill(message, made->value, &len, made->key, &key_len);
    if (len != SIZE_MAX) {
        message->payload = made->value;
        message->len = len;
    }
    if (key_len != SIZE_MAX) {
        message->key = made->key;
        message->key_len = key_len;
    }
    for (uint32_t i = chance(3) ? 0 : chance(60); i; i--) {
        if (!made->headers)
            made->headers = rd_kafka_headers_new(1);
        char name[16];
        (void)snprintf(name, sizeof name, "h%u", chance(20));
        (void)rd_kafka_header_add(made->headers, name, -1, "value", (ssize_t)chance(6));
    }
}

void rd_kafka_message_destroy(rd_kafka_message_t *message)
{
    struct double_message *made = (struct double_message *)(void *)message;
    if (made->headers)
        rd_kafka_headers_destroy(made->headers);
    free(made);
    kafka.live--;
}

const char *rd_kafka_message_errstr(const rd_kafka_message_t *message)
{
    return rd_kafka_err2str(message->err);
}

rd_kafka_resp_err_t rd_kafka_message_headers(const rd_kafka_message_t *message,
                                             rd_kafka_headers_t **headers)
{
    *headers = ((const struct double_message *)(const void *)message)->headers;
    return *headers ? RD_KAFKA_RESP_ERR_NO_ERROR : RD_KAFKA_RESP_ERR__NOENT;
}

int64_t rd_kafka_message_timestamp(const rd_kafka_message_t *message,
                                   rd_kafka_timestamp_type_t *type)
{
    const int64_t time = kafka.time_of ? kafka.time_of(message) : -1;
    *type = time < 0 ? RD_KAFKA_TIMESTAMP_NOT_AVAILABLE : RD_KAFKA_TIMESTAMP_CREATE_TIME;
    return time < 0 ? 5 : time;
}

/* A part of the partitions, by whether they are assigned. At least one, if there is one. */
static rd_kafka_topic_partition_list_t *some_partitions(bool is_assigned)
{
    const bool is_all = strcmp(kafka.protocol, "COOPERATIVE") != 0;
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    for (int i = 0; i < kafka.count; i++)
        if (kafka.partitions[i].is_assigned == is_assigned &&
            (is_all || chance(2) || !list->cnt))
            (void)rd_kafka_topic_partition_list_add(list, kafka.partitions[i].topic,
                                                    kafka.partitions[i].number);
    return list;
}

static void serve_rebalance(rd_kafka_t *rk)
{
    if (!rk->callbacks.rebalance)
        return;
    const bool takes = !rk->is_assigned || (chance(4) == 0 && chance(20) == 0);
    const bool gives = rk->is_assigned && chance(150) == 0;
    if (!takes && !gives)
        return;
    const bool is_eager = strcmp(kafka.protocol, "COOPERATIVE") != 0;
    if (takes && rk->is_assigned && is_eager)
        return; /* revokes all first */
    rd_kafka_topic_partition_list_t *list = some_partitions(!takes);
    rk->is_assigned = takes || !is_eager;
    say_list(takes ? "rebalance: new" : "rebalance: gone", list);
    rk->callbacks.rebalance(rk,
                            takes ? RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS
                                  : RD_KAFKA_RESP_ERR__REVOKE_PARTITIONS,
                            list, rk->callbacks.opaque);
    rd_kafka_topic_partition_list_destroy(list);
}

static void serve_commit(rd_kafka_t *rk)
{
    rd_kafka_topic_partition_list_t *list = rk->unanswered;
    if (!list)
        return;
    const rd_kafka_resp_err_t error = maybe_failure();
    if (!error)
        store_offsets(list);
    rk->unanswered = NULL;
    if (rk->callbacks.committed)
        rk->callbacks.committed(rk, error, list, rk->callbacks.opaque);
    rd_kafka_topic_partition_list_destroy(list);
}

static rd_kafka_message_t *next_of(const rd_kafka_t *rk,
                                   struct double_partition *partition)
{
    if (!partition->is_assigned || (partition->is_paused && chance(20)))
        return NULL;
    if (partition->position < partition->high) {
        rd_kafka_message_t *message =
            new_message(partition->topic, partition->number, partition->position, 0);
        fill_message(message);
        partition->position += chance(30) ? 1 : 2; /* a gap of compaction */
        partition->has_ended = false;
        return message;
    }
    if (!rk->tells_ends || partition->has_ended)
        return NULL;
    partition->has_ended = true;
    return new_message(partition->topic, partition->number, partition->high,
                       RD_KAFKA_RESP_ERR__PARTITION_EOF);
}

rd_kafka_message_t *rd_kafka_consumer_poll(rd_kafka_t *rk, int ms)
{
    say("consume %d", ms);
    serve_errors(rk);
    serve_commit(rk);
    change_topics();
    serve_rebalance(rk);
    if (kafka.count && fails() && fails()) {
        static const rd_kafka_resp_err_t errors[] = {
            RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED,
            RD_KAFKA_RESP_ERR__MAX_POLL_EXCEEDED,
            RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET,
            RD_KAFKA_RESP_ERR__PARTITION_EOF,
            RD_KAFKA_RESP_ERR__FATAL,
        };
        return new_message(kafka.partitions[0].topic, 0, 0,
                           errors[chance(20) ? chance(2) : chance(5)]);
    }
    const int first = kafka.count ? (int)chance((uint32_t)kafka.count) : 0;
    for (int i = 0; i < kafka.count; i++) {
        rd_kafka_message_t *message =
            next_of(rk, &kafka.partitions[(first + i) % kafka.count]);
        if (message) {
            still_ms += chance(2);
            return message;
        }
    }
    still_ms += ms;
    return NULL;
}

/* ---- leaving ---- */

rd_kafka_error_t *rd_kafka_consumer_close_queue(rd_kafka_t *rk, rd_kafka_queue_t *queue)
{
    rd_kafka_error_t *error = maybe_error();
    say("close: %d", error != NULL);
    for (int i = 0; i < 2 && !error; i++) {
        rd_kafka_event_t *event =
            new_event(queue, i || chance(3) ? RD_KAFKA_RESP_ERR__REVOKE_PARTITIONS
                                            : RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS);
        event->type = chance(4) ? RD_KAFKA_EVENT_REBALANCE : RD_KAFKA_EVENT_LOG;
        event->list = some_partitions(true);
    }
    rk->is_closed = !error;
    return error;
}

int rd_kafka_consumer_closed(rd_kafka_t *rk)
{
    return !rk->is_closed || chance(6) == 0;
}

#endif
