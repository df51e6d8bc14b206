/*
 * librdkafka's properties: defaults, then the user's, then properties that only thresher
 * sets.
 *
 * Properties that prevent loss and duplicates are refused in the configuration rather
 * than overridden: a user who sets one of them expects an effect that will not happen.
 * [docs/reliability.md#kafka]
 */
#include "kafka/kafka_conf.h"

#include <errno.h>
#include <librdkafka/rdkafka.h>
#include <openssl/x509_vfy.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/edit_distance.h"

const bool th_kafka_is_built = true;

enum { FOR_CONSUMER = 1u << TH_KAFKA_CONSUMER, FOR_PRODUCER = 1u << TH_KAFKA_PRODUCER };
enum { FOR_BOTH = FOR_CONSUMER | FOR_PRODUCER };
enum { PASSWORD_MAX = 1024 };

/* clang-format off */
static const struct {
    unsigned roles;
    const char *key, *value;
} defaults[] = {
    { FOR_BOTH,     "socket.timeout.ms",             "10000" },
    { FOR_BOTH,     "socket.nagle.disable",          "true" },
    { FOR_BOTH,     "socket.keepalive.enable",       "true" },
    { FOR_BOTH,     "reconnect.backoff.max.ms",      "2000" },   /* continue soon after an outage */
    { FOR_BOTH,     "log.connection.close",          "false" },  /* idle ones are closed by design */
    { FOR_CONSUMER, "enable.auto.commit",            "false" },
    { FOR_CONSUMER, "enable.auto.offset.store",      "false" },
    { FOR_CONSUMER, "isolation.level",               "read_committed" },
    { FOR_CONSUMER, "partition.assignment.strategy", "range,roundrobin" },
    { FOR_CONSUMER, "auto.offset.reset",             "earliest" },
    { FOR_CONSUMER, "max.poll.interval.ms",          "300000" },
    { FOR_CONSUMER, "queued.max.messages.kbytes",    "16384" },
    { FOR_CONSUMER, "queued.min.messages",           "1000" },
    { FOR_CONSUMER, "fetch.max.bytes",               "16777216" },
    { FOR_CONSUMER, "check.crcs",                    "true" },
    { FOR_PRODUCER, "enable.idempotence",            "true" },
    { FOR_PRODUCER, "queue.buffering.max.kbytes",    "65536" },
    { FOR_PRODUCER, "linger.ms",                     "5" },
    { FOR_PRODUCER, "compression.type",              "zstd" },
    { FOR_PRODUCER, "partitioner",                   "murmur2_random" }, /* as Java's clients do */
};

/* Not allowed in the configuration. `option` is thresher's option for the same
 * purpose. */
static const struct {
    const char *key, *option;
} ours[] = {
    { "bootstrap.servers",        "kafka.brokers" },
    { "metadata.broker.list",     "kafka.brokers" },
    { "client.id",                "kafka.client-id" },
    { "group.id",                 "kafka.group" },
    { "group.instance.id",        "kafka.instance" },
    { "session.timeout.ms",       "kafka.session-ms" },
    { "transactional.id",         "kafka.transactional-id" },
    { "transaction.timeout.ms",   "kafka.transaction-ms" },
    { "message.max.bytes",        "kafka.max-message" },
    { "message.timeout.ms",       "daemon.delivery" },
    { "delivery.timeout.ms",      "daemon.delivery" },
    { "enable.idempotence",       "daemon.delivery" },
    { "acks",                     "daemon.delivery" },
    { "request.required.acks",    "daemon.delivery" },
    { "enable.auto.commit",       "daemon.delivery" },
    { "auto.commit.enable",       "daemon.delivery" },
    { "enable.auto.offset.store", "daemon.delivery" },
    { "isolation.level",          "daemon.delivery" },
    { "enable.partition.eof",     NULL },
    { "log.queue",                NULL },
};
/* clang-format on */

void th_kafka_warn(const th_kafka_client *client, const char *format, ...)
{
    if (!client->warn)
        return;
    char line[512];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(line, sizeof line, format, args);
    va_end(args);
    for (char *c = line; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
    client->warn(client->warn_context, line);
}

static void on_log(const rd_kafka_t *rk, int level, const char *facility,
                   const char *text)
{
    const th_kafka_watch *watch = rd_kafka_opaque(rk);
    (void)level;
    if (watch)
        th_kafka_warn(watch->client, "kafka %s: %s", facility, text);
}

/* ---- brokers that reject us ---- */

/* Problems with a broker's certificate, by the OpenSSL codes that users meet.
 * librdkafka itself says only that it could not be verified. */
static const struct {
    int code;
    const char *words;
} certificate_faults[] = {
    { X509_V_ERR_CERT_HAS_EXPIRED, "certificate has expired" },
    { X509_V_ERR_CERT_NOT_YET_VALID, "certificate is not valid yet" },
    { X509_V_ERR_HOSTNAME_MISMATCH, "certificate belongs to another host" },
    { X509_V_ERR_IP_ADDRESS_MISMATCH, "certificate belongs to another host" },
    { X509_V_ERR_CERT_REVOKED, "certificate was revoked" },
    { X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
      "certificate is signed by an unknown authority" },
    { X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
      "certificate is signed by an unknown authority" },
    { X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT,
      "certificate is signed by an unknown authority" },
    { X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
      "certificate is signed by an unknown authority" },
};

static const char *certificate_words(int code)
{
    for (size_t i = 0; i < sizeof certificate_faults / sizeof *certificate_faults; i++)
        if (certificate_faults[i].code == code)
            return certificate_faults[i].words;
    return "certificate cannot be verified";
}

/* Returns OpenSSL's result in each case, and keeps an error. Runs on librdkafka's
 * threads. */
static int on_certificate(rd_kafka_t *rk, const char *broker, int32_t id, int *x509_error,
                          int depth, const char *der, size_t size, char *words,
                          size_t words_size, void *opaque)
{
    th_kafka_watch *watch = opaque;
    (void)rk, (void)broker, (void)id, (void)depth, (void)der, (void)size;
    if (*x509_error == X509_V_OK)
        return 1;
    atomic_store(&watch->certificate_fault, *x509_error);
    (void)snprintf(words, words_size, "%s", certificate_words(*x509_error));
    return 0;
}

/* Keeps the reason why brokers reject us, and the setting that fixes it. */
static void note_refusal(th_kafka_watch *watch, int code, const char *reason)
{
    const int fault = atomic_load(&watch->certificate_fault);
    const bool is_host =
        fault == X509_V_ERR_HOSTNAME_MISMATCH || fault == X509_V_ERR_IP_ADDRESS_MISMATCH;
    char *out = watch->refusal;
    const size_t size = sizeof watch->refusal;
    switch (code) {
    case RD_KAFKA_RESP_ERR__AUTHENTICATION:
        (void)snprintf(out, size,
                       "authentication failed: see librdkafka.sasl.mechanism, "
                       "librdkafka.sasl.username, password-file: %s",
                       reason);
        break;
    case RD_KAFKA_RESP_ERR__SSL:
        if (fault != X509_V_OK)
            (void)snprintf(out, size, "the broker's %s: see librdkafka.%s",
                           certificate_words(fault),
                           is_host ? "ssl.endpoint.identification.algorithm and brokers"
                                   : "ssl.ca.location");
        else
            (void)snprintf(out, size, "TLS failed: see librdkafka.security.protocol: %s",
                           reason);
        break;
    default:
        if (!*out)
            (void)snprintf(out, size, "%s: see brokers and librdkafka.security.protocol",
                           reason);
    }
}

void th_kafka_say_refusal(const th_kafka_watch *watch, char *reason, size_t max)
{
    const size_t len = strlen(reason);
    if (*watch->refusal && len < max)
        (void)snprintf(reason + len, max - len, "%s%s", len ? ": " : "", watch->refusal);
}

static void on_error(rd_kafka_t *rk, int code, const char *reason, void *opaque)
{
    th_kafka_watch *watch = opaque;
    switch (code) {
    case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
        watch->is_cut_off = true;
        note_refusal(watch, code, reason);
        break;
    case RD_KAFKA_RESP_ERR__AUTHENTICATION:
    case RD_KAFKA_RESP_ERR__SSL:
        note_refusal(watch, code, reason);
        reason = watch->refusal;
        break;
    case RD_KAFKA_RESP_ERR__TRANSPORT:
        watch->disconnects++;
        break;
    case RD_KAFKA_RESP_ERR__FATAL:
        watch->is_fatal = true;
        (void)rd_kafka_fatal_error(rk, watch->fatal_words, sizeof watch->fatal_words);
        reason = watch->fatal_words;
        break;
    default:
        break;
    }
    th_kafka_warn(watch->client, "kafka %s: %s", rd_kafka_err2name(code), reason);
}

/* Puts into `nearest` the property whose name is most like a mistyped one, or "" if
 * there is none. Names come from the table that librdkafka prints, one at the start of
 * each line. */
static void find_nearest(const char *key, char nearest[TH_NAME_MAX + 1])
{
    char *table = NULL, *rest = NULL;
    size_t size = 0, min = SIZE_MAX;
    *nearest = '\0';
    FILE *file = open_memstream(&table, &size);
    if (!file)
        return;
    rd_kafka_conf_properties_show(file);
    if (fclose(file) != 0)
        size = 0;
    for (char *line = size ? strtok_r(table, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest)) {
        line[strcspn(line, " |")] = '\0';
        const size_t distance = th_edit_distance(key, line);
        if (distance < min && strchr(line, '.') && th_name_is_near(key, distance)) {
            min = distance;
            (void)snprintf(nearest, TH_NAME_MAX + 1, "%s", line);
        }
    }
    free(table);
}

th_status th_kafka_conf_set(rd_kafka_conf_t *conf, const char *key, const char *value,
                            th_error *err)
{
    char words[256], nearest[TH_NAME_MAX + 1] = "";
    const rd_kafka_conf_res_t result =
        rd_kafka_conf_set(conf, key, value, words, sizeof words);
    if (result == RD_KAFKA_CONF_OK)
        return TH_OK;
    if (result == RD_KAFKA_CONF_UNKNOWN)
        find_nearest(key, nearest);
    return th_fail(err, TH_USAGE, "librdkafka.%.100s: %s%s%s%s", key, words,
                   *nearest ? "; did you mean '" : "", nearest, *nearest ? "'?" : "");
}

th_status th_kafka_conf_set_number(rd_kafka_conf_t *conf, const char *key, uint64_t value,
                                   th_error *err)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    return th_kafka_conf_set(conf, key, text, err);
}

static th_status refuse_ours(const char *key, const char *value, th_error *err)
{
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strcmp(key, ours[i].key) == 0)
            return ours[i].option
                       ? th_fail(err, TH_USAGE,
                                 "librdkafka.%s: set the option '%s' instead", key,
                                 ours[i].option)
                       : th_fail(err, TH_USAGE, "librdkafka.%s cannot be set", key);
    /* 2.0.2 hangs and loses assignments with it, and a revoke would have to be
     * partial. */
    if (strcmp(key, "partition.assignment.strategy") == 0 && strstr(value, "cooperative"))
        return th_fail(
            err, TH_USAGE,
            "librdkafka.%s: '%s' is not supported (expected range or roundrobin)", key,
            value);
    return TH_OK;
}

/* Prefixes of keys for one role only. */
static const char *const prefixes[] = {
    [TH_KAFKA_CONSUMER] = "consumer.", [TH_KAFKA_PRODUCER] = "producer."
};

static bool begins_with(const char *key, const char *prefix)
{
    return strncmp(key, prefix, strlen(prefix)) == 0;
}

static th_status set_pair(rd_kafka_conf_t *conf, th_kafka_role role, th_kafka_pair pair,
                          th_error *err)
{
    const char *key = pair.key;
    for (unsigned i = 0; i < 2; i++) {
        if (!begins_with(key, prefixes[i]))
            continue;
        if (i != (unsigned)role)
            return TH_OK;
        key += strlen(prefixes[i]);
        break;
    }
    const th_status status = refuse_ours(key, pair.value, err);
    return status == TH_OK ? th_kafka_conf_set(conf, key, pair.value, err) : status;
}

bool th_kafka_conf_omits(const th_kafka_client *client, const char *key)
{
    static const char *const of_the_client[] = { "partition.assignment.strategy",
                                                 "session.timeout.ms" };
    bool is_wanted = false, is_brokers = false;
    for (size_t i = 0; i < sizeof of_the_client / sizeof *of_the_client; i++)
        is_wanted = is_wanted || strcmp(key, of_the_client[i]) == 0;
    for (uint32_t i = 0; is_wanted && i < client->pair_count; i++)
        if (strcmp(client->pairs[i].key, "group.protocol") == 0 ||
            strcmp(client->pairs[i].key, "consumer.group.protocol") == 0)
            is_brokers = strcasecmp(client->pairs[i].value, "consumer") == 0;
    return is_brokers;
}

/* Sets the first line of a file as sasl.password. No message shows it. */
static th_status set_password(rd_kafka_conf_t *conf, const char *path, th_error *err)
{
    char line[PASSWORD_MAX + 2];
    FILE *file = fopen(path, "re");
    if (!file)
        return th_fail(err, TH_USAGE, "kafka.password-file: cannot open '%s': %s", path,
                       strerror(errno));
    setvbuf(file, NULL, _IONBF, 0); /* the password stays in no buffer */
    const bool is_read = fgets(line, sizeof line, file) != NULL;
    (void)fclose(file);
    line[is_read ? strcspn(line, "\r\n") : 0] = '\0';
    const size_t len = strlen(line);
    const th_status status =
        len == 0 ? th_fail(err, TH_USAGE,
                           "kafka.password-file: '%s' has an empty first line", path)
        : len > PASSWORD_MAX
            ? th_fail(
                  err, TH_USAGE,
                  "kafka.password-file: the first line of '%s' is longer than %d bytes",
                  path, (int)PASSWORD_MAX)
            : th_kafka_conf_set(conf, "sasl.password", line, err);
    explicit_bzero(line, sizeof line);
    return status;
}

static th_status fill(rd_kafka_conf_t *conf, const th_kafka_client *client,
                      th_kafka_role role, th_error *err)
{
    th_status status = TH_OK;
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults && status == TH_OK; i++)
        if (defaults[i].roles & 1u << role &&
            !th_kafka_conf_omits(client, defaults[i].key))
            status = th_kafka_conf_set(conf, defaults[i].key, defaults[i].value, err);
    for (uint32_t i = 0; i < client->pair_count && status == TH_OK; i++)
        status = set_pair(conf, role, client->pairs[i], err);
    if (status == TH_OK && client->password_file && *client->password_file)
        status = set_password(conf, client->password_file, err);
    if (status == TH_OK)
        status = th_kafka_conf_set(conf, "bootstrap.servers", client->brokers, err);
    if (status == TH_OK && strlen(client->client_id) > TH_KAFKA_CLIENT_ID_MAX)
        status = th_fail(err, TH_USAGE, "client id is longer than %d bytes",
                         (int)TH_KAFKA_CLIENT_ID_MAX);
    if (status == TH_OK)
        status = th_kafka_conf_set(conf, "client.id", client->client_id, err);
    if (status == TH_OK)
        status = th_kafka_conf_set(conf, "log.queue", "true", err);
    return status;
}

th_status th_kafka_conf_new(const th_kafka_client *client, th_kafka_role role,
                            th_kafka_watch *watch, rd_kafka_conf_t **out, th_error *err)
{
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    if (!conf)
        return th_fail(err, TH_NOMEM, "cannot allocate a kafka configuration");
    const th_status status = fill(conf, client, role, err);
    if (status != TH_OK) {
        rd_kafka_conf_destroy(conf);
        return status;
    }
    *watch = (th_kafka_watch){ .client = client };
    rd_kafka_conf_set_opaque(conf, watch);
    rd_kafka_conf_set_log_cb(conf, on_log);
    rd_kafka_conf_set_error_cb(conf, on_error);
    /* It fails if librdkafka was built without TLS. Then there is no certificate to
     * verify. */
    (void)rd_kafka_conf_set_ssl_cert_verify_cb(conf, on_certificate);
    *out = conf;
    return TH_OK;
}

th_status th_kafka_pair_check(th_kafka_pair pair, th_error *err)
{
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    if (!conf)
        return th_fail(err, TH_NOMEM, "cannot allocate a kafka configuration");
    const bool is_producers = begins_with(pair.key, prefixes[TH_KAFKA_PRODUCER]);
    const th_status status =
        set_pair(conf, is_producers ? TH_KAFKA_PRODUCER : TH_KAFKA_CONSUMER, pair, err);
    rd_kafka_conf_destroy(conf);
    return status;
}

th_status th_kafka_open(rd_kafka_conf_t *conf, th_kafka_role role, rd_kafka_t **out,
                        th_error *err)
{
    char words[256];
    rd_kafka_t *rk =
        rd_kafka_new(role == TH_KAFKA_CONSUMER ? RD_KAFKA_CONSUMER : RD_KAFKA_PRODUCER,
                     conf, words, sizeof words);
    if (!rk) {
        rd_kafka_conf_destroy(conf); /* it is only taken on success */
        return th_fail(err, TH_USAGE, "cannot create a kafka client: %s", words);
    }
    /* The log is delivered by polling, on our thread, not on librdkafka's. */
    (void)rd_kafka_set_log_queue(rk, NULL);
    *out = rk;
    return TH_OK;
}

const char *th_kafka_library_version(void)
{
    return rd_kafka_version_str();
}
