/*
 * Replacements for the parts of the program that are OFF in this build (CMake). Each part
 * has a section with the functions of its headers. They fail with a message that names
 * the missing part, or do nothing.
 */
#include "daemon/endpoint.h"
#include "ingest/wacz.h"
#include "isolate/sandbox.h"
#include "kafka/kafka_conf.h"
#include "kafka/kafka_pairing.h"
#include "kafka/kafka_sink.h"
#include "kafka/kafka_source.h"
#include "language/cld2.h"
#include "remote/credentials.h"
#include "remote/page_fetch.h"
#include "remote/remote.h"
#include "remote/remote_upload.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" /* most parameters here */

#ifdef TH_WITHOUT_ENDPOINT

/* The HTTP endpoint of the daemon: only listen = none is valid. */

th_status th_endpoint_open(const th_endpoint_options *options,
                           const th_endpoint_callbacks *callbacks, th_endpoint **out,
                           th_error *err)
{
    return th_fail(err, TH_USAGE,
                   "cannot listen on '%.100s': this program was built without the HTTP "
                   "endpoint; set listen = none",
                   options->listen);
}

uint16_t th_endpoint_port(const th_endpoint *endpoint)
{
    return 0;
}

void th_endpoint_close(th_endpoint *endpoint)
{
}

const char *th_endpoint_library_version(void)
{
    return NULL;
}

#endif

#ifdef TH_WITHOUT_ISOLATION

/* Worker processes: isolation = process is refused. */

bool th_sandbox_is_built(void)
{
    return false;
}

th_status th_sandbox_enter(int socket, uint64_t memory, th_error *err)
{
    return th_fail(err, TH_USAGE,
                   "isolation = process is not possible, because this program was built "
                   "without libseccomp");
}

#endif

#ifdef TH_WITHOUT_KAFKA

/* Kafka: each option of a topic is refused. */

const bool th_kafka_is_built = false;

const char *th_kafka_library_version(void)
{
    return NULL;
}

th_status th_kafka_pair_check(th_kafka_pair pair, th_error *err)
{
    return th_fail(
        err, TH_USAGE,
        "librdkafka.%.100s is not possible, because this program was built without Kafka",
        pair.key);
}

th_status th_kafka_source_open(const th_kafka_source_options *options,
                               th_stream_source **out, th_error *err)
{
    return th_fail(
        err, TH_USAGE,
        "kafka.topics is not possible, because this program was built without Kafka");
}

void th_kafka_sink_options_init(th_kafka_sink_options *options)
{
    *options = (th_kafka_sink_options){ .instance = NULL };
}

th_status th_kafka_sink_open(const th_kafka_sink_options *options, th_stream_sink **out,
                             th_error *err)
{
    return th_fail(err, TH_USAGE,
                   "kafka.records-topic is not possible, because this program was built "
                   "without Kafka");
}

th_status th_kafka_pairing_open(const th_kafka_pairing_options *options,
                                const th_deadline *deadline, th_kafka_pairing **out,
                                th_error *err)
{
    return th_fail(
        err, TH_USAGE,
        "role pairs is not possible, because this program was built without Kafka");
}

th_status th_kafka_pairing_turn(th_kafka_pairing *pairing, th_error *err)
{
    return th_fail(err, TH_USAGE, "this program was built without Kafka");
}

th_status th_kafka_pairing_settle(th_kafka_pairing *pairing, th_error *err)
{
    return th_kafka_pairing_turn(pairing, err);
}

void th_kafka_pairing_stats_of(const th_kafka_pairing *pairing,
                               th_kafka_pairing_stats *facts)
{
    *facts = (th_kafka_pairing_stats){ 0 };
}

void th_kafka_pairing_close(th_kafka_pairing *pairing)
{
}

#endif

#ifdef TH_WITHOUT_REMOTE

/* Remote objects: each name is refused, so the other functions do nothing. */

const char *const th_path_style_names[] = { "auto", "on", "off", NULL };
const char *const th_credentials_names[] = { "auto",    "env",       "web-identity",
                                             "profile", "container", "instance",
                                             "none",    NULL };

th_status th_remote_new(const th_remote_options *options, th_remote **out, th_error *err)
{
    *out = NULL;
    return TH_OK;
}

void th_remote_free(th_remote *remote)
{
}

th_status th_remote_open(th_remote *remote, const char *name, warc_input *input,
                         th_remote_object **out, th_error *err)
{
    return th_fail(err, TH_USAGE,
                   "cannot read '%.200s': this program was built without libcurl", name);
}

th_status th_remote_fetch(th_remote *remote, const char *name, size_t max, th_buffer *out,
                          th_error *err)
{
    return th_fail(err, TH_USAGE,
                   "cannot read '%.200s': this program was built without libcurl", name);
}

th_status th_page_fetch(const char *url, const th_fetch_options *options, th_arena *arena,
                        th_fetched_page *out, th_error *err)
{
    return th_fail(err, TH_USAGE,
                   "cannot fetch '%.200s': this program was built without libcurl", url);
}

uint64_t th_remote_object_version(const th_remote_object *object)
{
    return 0;
}

void th_remote_object_expect(th_remote_object *object, uint64_t version)
{
}

void th_remote_object_slice(th_remote_object *object, uint64_t start, uint64_t end)
{
}

th_status th_remote_object_failure(const th_remote_object *object, th_error *err)
{
    return TH_OK;
}

void th_remote_object_parts_only(th_remote_object *object)
{
}

th_status th_remote_object_size(th_remote_object *object, uint64_t *size, th_error *err)
{
    return th_fail(err, TH_USAGE, "this program was built without libcurl");
}

uint32_t th_remote_object_retry_after(const th_remote_object *object)
{
    return 0;
}

th_status th_remote_list(th_remote *remote, const char *prefix, th_remote_found found,
                         void *context, th_error *err)
{
    return th_fail(err, TH_USAGE,
                   "cannot list '%.200s': this program was built without libcurl",
                   prefix);
}

th_status th_remote_upload(th_remote *remote, const char *path, const char *name,
                           th_error *err)
{
    return th_fail(err, TH_USAGE,
                   "cannot write '%.200s': this program was built without libcurl", name);
}

const char *th_remote_library_version(void)
{
    return NULL;
}

#endif

#ifdef TH_WITHOUT_WACZ

/* WACZ files: each is refused. */

static th_status refuse(const char *name, th_error *err)
{
    return th_fail(err, TH_IO,
                   "cannot read '%.200s': this program was built without libzip", name);
}

th_status th_wacz_list(const char *path, th_remote *remote, th_wacz_found found,
                       void *context, th_error *err)
{
    return refuse(path, err);
}

th_status th_wacz_open(const char *name, th_remote *remote, warc_input *input,
                       th_wacz_member **out, th_error *err)
{
    return refuse(name, err);
}

th_remote_object *th_wacz_object(const th_wacz_member *member)
{
    return NULL;
}

th_status th_wacz_failure(const th_wacz_member *member, th_error *err)
{
    return TH_OK;
}

const char *th_wacz_library_version(void)
{
    return NULL;
}

#endif

#ifdef TH_WITHOUT_CLD2

/* CLD2: content has no detected language. */

const bool th_cld2_is_built = false;

const char *th_cld2_version(void)
{
    return NULL;
}

th_status th_cld2_detect(th_view text, const th_cld2_hints *hints, th_languages *out)
{
    *out = (th_languages){ .count = 0 };
    return TH_NOT_WANTED;
}

#endif
