/*
 * Shared parts of all librdkafka clients of this program: the defaults, the pairs that
 * the configuration passes through, and where its log and its errors go.
 * Values and their reasons: docs/reliability.md#kafka.
 */
#ifndef TH_KAFKA_CONF_H
#define TH_KAFKA_CONF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/warning.h"
#include "thresher/status.h"

/** Whether the program was built with librdkafka (THRESHER_KAFKA). Otherwise source and
 * sink refuse to open. */
extern const bool th_kafka_is_built;

/** Version of librdkafka, "2.0.2"; NULL if the program was built without it. Static. */
const char *th_kafka_library_version(void);

struct rd_kafka_s;
struct rd_kafka_conf_s;

/** A line `librdkafka.KEY = VALUE` of the configuration, KEY without its prefix. A key
 * that starts with "consumer." or "producer." is for clients of that kind only. */
typedef struct th_kafka_pair {
    const char *key, *value;
} th_kafka_pair;

#define TH_KAFKA_CLIENT_ID "thresher" /* default of client_id */

/* Longest name of a client in bytes: librdkafka 2.0.2 crashes with longer ones. */
enum { TH_KAFKA_CLIENT_ID_MAX = 64 };

/** How to reach the brokers; strings and pairs are borrowed while a client lives. */
typedef struct th_kafka_client {
    const char *brokers;   /* "host:port,host:port" */
    const char *client_id; /* of at most TH_KAFKA_CLIENT_ID_MAX bytes */
    /* file with the password (sasl.password) in its first line, read whenever a client
     * is made, NULL or "" for no password */
    const char *password_file;
    const th_kafka_pair *pairs;
    uint32_t pair_count;
    /* Called with each line for the log, without a line end, on the thread that polls.
     * May be NULL. */
    th_warning_fn warn;
    void *warn_context;
} th_kafka_client;

typedef enum th_kafka_role { TH_KAFKA_CONSUMER, TH_KAFKA_PRODUCER } th_kafka_role;

/** Notes of a client's callbacks. First member of the struct that owns the client,
 * because it is librdkafka's opaque pointer. */
typedef struct th_kafka_watch {
    const th_kafka_client *client;
    uint32_t disconnects; /* connections lost or refused */
    bool is_cut_off;      /* no broker can be reached; the owner clears it */
    bool is_fatal;        /* the client must not be used again */
    char fatal_words[256];
    /* Why brokers reject us, with the settings to check. "" if they do not, or if the
     * reason is unknown. The owner clears it. */
    char refusal[256];
    _Atomic int certificate_fault; /* of OpenSSL; set on librdkafka's threads */
} th_kafka_watch;

/** Appends the watch's refusal to a reason, or copies it if the reason is "". */
void th_kafka_say_refusal(const th_kafka_watch *watch, char *reason, size_t max);

/**
 * Sets the defaults of the role, then the client's pairs, then callbacks that fill
 * `watch`.
 * @param watch  borrowed while the client lives; its `client` is set here
 * @param out    for th_kafka_conf_set and th_kafka_open; owned by the caller
 * @return TH_OK. TH_USAGE if a pair is unknown, has a bad value, or sets a reserved
 * property, with its key in err. TH_NOMEM.
 */
th_status th_kafka_conf_new(const th_kafka_client *client, th_kafka_role role,
                            th_kafka_watch *watch, struct rd_kafka_conf_s **out,
                            th_error *err);

/** Returns whether one of our properties is omitted. With `group.protocol=consumer`
 * among the pairs the brokers decide over sessions and assignments. librdkafka then
 * rejects a client that also sets `session.timeout.ms` or
 * `partition.assignment.strategy`. */
bool th_kafka_conf_omits(const th_kafka_client *client, const char *key);

/** Sets one property. TH_OK; TH_USAGE with the key in err. */
th_status th_kafka_conf_set(struct rd_kafka_conf_s *conf, const char *key,
                            const char *value, th_error *err);

/** The same with a number. */
th_status th_kafka_conf_set_number(struct rd_kafka_conf_s *conf, const char *key,
                                   uint64_t value, th_error *err);

/**
 * Checks a pair of the configuration: librdkafka must know the property and accept the
 * value, and thresher must not set the property itself. Conflicts between properties show
 * only when a client is made.
 * @return TH_OK. TH_USAGE with the key, and the nearest property if there is one, in err;
 * always TH_USAGE without librdkafka. TH_NOMEM.
 */
th_status th_kafka_pair_check(th_kafka_pair pair, th_error *err);

/**
 * Makes a client. Its log and error callbacks run when it is polled.
 * @param conf  taken, also on failure
 * @return TH_OK; TH_USAGE (properties that conflict)
 */
th_status th_kafka_open(struct rd_kafka_conf_s *conf, th_kafka_role role,
                        struct rd_kafka_s **out, th_error *err);

/** Reports a line to the client's owner. Format as printf; cut to 511 bytes, on one
 * line. */
void th_kafka_warn(const th_kafka_client *client, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
