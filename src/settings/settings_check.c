/*
 * Checks whether settings go together. Limits of one option are in its row of the option
 * table, and are checked when it is set. This file has the rules about several options.
 * `run`, `serve`, its reload and `config check` use the same functions.
 */
#include <string.h>

#include "isolate/sandbox.h"
#include "kafka/kafka_staging.h"
#include "language/language.h"
#include "remote/remote.h"
#include "remote/remote_prefix.h"
#include "select/strictness.h"
#include "settings/output_name.h"
#include "settings/settings.h"
#include "thresher/classifier.h"
#include "thresher/minhash.h"
#include "write/format.h"

static th_status check_index(const th_settings *settings, th_error *err)
{
    const th_index_settings *index = &settings->index;
    const th_format *format = th_format_find(settings->format);
    const uint32_t bits = index->bits;
    if (*index->edges && !*index->path)
        return th_settings_fail(settings, "index.edges", err,
                                "index.edges needs index.path");
    if (*index->path && format->not_for_index)
        return th_settings_fail(settings, "format", err,
                                "index.path cannot be combined with format %s: %s",
                                format->name, format->not_for_index);
    if (bits != 0 && bits != 8 && bits != 16 && bits != 32 && bits != 64)
        return th_settings_fail(settings, "index.bits", err,
                                "index.bits is %u (expected 8, 16, 32, 64 or 0)", bits);
    return TH_OK;
}

static th_status check_minhash(const th_settings *settings, th_error *err)
{
    th_error why = { .text = "" };
    th_minhash_preset preset;
    const th_status status = th_minhash_parse(settings->page.minhash, &preset, &why);
    return status == TH_USAGE ? th_settings_fail(settings, "minhash", err, "%s", why.text)
                              : TH_OK;
}

static th_status check_strictness(const th_settings *settings, th_error *err)
{
    const char *name = settings->page.strictness;
    return th_strictness_read(name, NULL) == TH_OK
               ? TH_OK
               : th_settings_fail(settings, "strictness", err,
                                  "strictness is '%.100s' (expected balanced, strict, "
                                  "wide, several of them such as strict,balanced,wide, "
                                  "or a score such as .5)",
                                  name);
}

static th_status check_language(const th_settings *settings, th_error *err)
{
    const char *const asks = *settings->filter.detected       ? "filter.detected"
                             : settings->filter.min_share > 0 ? "filter.min-share"
                                                              : NULL;
    const bool is_model =
        strcmp(settings->page.language_detector, "fasttext") == 0; /* gives no shares */
    if (is_model && !*settings->language_fasttext)
        return th_settings_fail(settings, "language-detector", err,
                                "language-detector fasttext needs a model: "
                                "language-fasttext = FILE");
    if (is_model && settings->filter.min_share > 0)
        return th_settings_fail(settings, "filter.min-share", err,
                                "filter.min-share needs language-detector cld2, because "
                                "a fastText model gives no shares");
    const th_status status = th_language_check(&settings->page, err);
    if (status != TH_OK || !asks || th_language_is_wanted(&settings->page))
        return status;
    return th_settings_fail(
        settings, "language-detector", err,
        "%s needs a language detector: language-detector must not be none", asks);
}

static th_status check_learned(const th_settings *settings, th_error *err)
{
    const th_classifier *classifier = th_classifier_find(settings->page.classifier);
    const char *const asks = *settings->filter.page_type        ? "filter.page-type"
                             : settings->filter.min_quality > 0 ? "filter.min-quality"
                                                                : NULL;
    if (!asks || !classifier || classifier->judge)
        return TH_OK;
    return th_settings_fail(settings, asks, err,
                            "%s needs classifier learned, because %s does not compute it",
                            asks, settings->page.classifier);
}

bool th_settings_isolate(const th_settings *settings)
{
    return strcmp(settings->isolation, "process") == 0;
}

/* Data of pages is kept, or counted first, in this process. */
static th_status check_isolation(const th_settings *settings, th_error *err)
{
    const char *const other = *settings->sites.path      ? "sites.path"
                              : settings->sites.two_pass ? "two-pass"
                                                         : NULL;
    if (!th_settings_isolate(settings))
        return TH_OK;
    if (!th_sandbox_is_built())
        return th_settings_fail(settings, "isolation", err,
                                "isolation = process is not possible, because this "
                                "program was built without libseccomp");
    return other ? th_settings_fail(settings, "isolation", err,
                                    "isolation = process cannot be combined with %s; use "
                                    "a sites file instead",
                                    other)
                 : TH_OK;
}

static th_status check_robots(const th_settings *settings, th_error *err)
{
    const bool is_used =
        (settings->page.emit & TH_EMIT_RIGHTS) || *settings->filter.rights;
    return !*settings->robots_file || is_used
               ? TH_OK
               : th_settings_fail(settings, "robots", err,
                                  "robots needs emit = rights or filter.rights");
}

static th_status check_redact(const th_settings *settings, th_error *err)
{
    const uint32_t unredacted = TH_EMIT_HTML | TH_EMIT_STRUCTURED;
    return !settings->page.redact || !(settings->page.emit & unredacted)
               ? TH_OK
               : th_settings_fail(settings, "redact", err,
                                  "redact cannot be combined with emit = html or "
                                  "structured, because these parts are not redacted");
}

th_status th_settings_check(const th_settings *settings, th_error *err)
{
    if (settings->resume && strcmp(settings->output, "-") == 0)
        return th_settings_fail(
            settings, "resume", err,
            "resume needs --output, because output to stdout cannot be continued");
    th_status status = check_index(settings, err);
    if (status == TH_OK)
        status = check_minhash(settings, err);
    if (status == TH_OK)
        status = check_strictness(settings, err);
    if (status == TH_OK)
        status = check_language(settings, err);
    if (status == TH_OK)
        status = check_learned(settings, err);
    if (status == TH_OK)
        status = check_isolation(settings, err);
    if (status == TH_OK)
        status = check_robots(settings, err);
    if (status == TH_OK)
        status = check_redact(settings, err);
    return status == TH_OK ? th_options_check(&settings->page, err) : status;
}

/* A stream of rolling files has no index of ids. */
static th_status check_compress(const th_settings *settings, th_error *err)
{
    return strcmp(settings->compress, TH_COMPRESS_SEEKABLE) == 0
               ? th_fail(err, TH_USAGE,
                         "compress: serve does not write " TH_COMPRESS_SEEKABLE)
               : TH_OK;
}

static th_status check_extract(const th_settings *settings, th_error *err)
{
    static const char key[] = "endpoint.extract";
    if (!settings->endpoint.extract)
        return TH_OK;
    if (strcmp(settings->daemon.listen, "none") == 0)
        return th_settings_fail(settings, key, err,
                                "extract needs an address: set listen in [daemon]");
    if (th_settings_is_of_pairs(settings))
        return th_settings_fail(settings, key, err,
                                "extract cannot be combined with role pairs");
    return TH_OK;
}

/* Requires one input and one output. Without is_whole, or to answer requests, both may
 * also be absent. */
static th_status check_ends(const th_settings *settings, bool is_whole, th_error *err)
{
    const th_daemon_settings *daemon = &settings->daemon;
    const bool has_spool = *daemon->spool_path;
    const bool has_topics = *daemon->kafka_topics;
    const bool has_files = *daemon->files_path;
    const bool has_records = *daemon->kafka_records;
    if (settings->endpoint.extract && !has_spool && !has_topics && !has_files &&
        !has_records)
        return TH_OK;
    if ((has_spool && has_topics) || (is_whole && !has_spool && !has_topics))
        return th_settings_fail(
            settings, "kafka.topics", err,
            "%s input: set either path in [spool] or topics in [kafka]",
            has_spool ? "more than one" : "no");
    if ((has_files && has_records) || (is_whole && !has_files && !has_records))
        return th_settings_fail(
            settings, "kafka.records-topic", err,
            "%s output: set either path in [files] or records-topic in [kafka]",
            has_files ? "more than one" : "no");
    if ((has_topics || has_records) && !*daemon->kafka_brokers)
        return th_settings_fail(settings,
                                has_topics ? "kafka.topics" : "kafka.records-topic", err,
                                "no brokers: set brokers in [kafka]");
    return TH_OK;
}

static th_status check_format(const th_settings *settings, bool is_whole, th_error *err)
{
    const th_format *format = th_format_find(settings->format);
    if (!format->not_for_serve || (!is_whole && !*settings->daemon.files_path))
        return TH_OK;
    return th_settings_fail(settings, "format", err,
                            "format %s is available only in run: %s", format->name,
                            format->not_for_serve);
}

static th_status check_bands(const th_settings *settings, th_error *err)
{
    const th_daemon_settings *daemon = &settings->daemon;
    const uint32_t bits = daemon->kafka_bands_bits;
    th_minhash_preset preset;
    if (!*daemon->kafka_bands)
        return TH_OK;
    if (!*daemon->kafka_records)
        return th_settings_fail(settings, "kafka.bands-topic", err,
                                "bands-topic needs records-topic");
    if (th_minhash_parse(settings->page.minhash, &preset, NULL) != TH_OK ||
        !settings->page.sign)
        return th_settings_fail(settings, "kafka.bands-topic", err,
                                "bands-topic needs minhash and sign");
    if (bits != 0 && bits != 4 && bits != 8)
        return th_settings_fail(settings, "kafka.bands-bits", err,
                                "kafka.bands-bits is %u (expected 0, 4 or 8)", bits);
    if (bits && daemon->kafka_bands_signed)
        return th_settings_fail(settings, "kafka.bands-signed", err,
                                "bands-signed cannot be combined with bands-bits, "
                                "because it sends complete signatures");
    if (bits && preset.is_bottom_k)
        return th_settings_fail(
            settings, "kafka.bands-bits", err,
            "kafka.bands-bits: preset '%s' does not have aligned slots; use paper-slots",
            preset.name);
    return TH_OK;
}

static th_status check_edges(const th_settings *settings, th_error *err)
{
    const th_daemon_settings *daemon = &settings->daemon;
    if (daemon->files_edges && !*daemon->files_path)
        return th_settings_fail(settings, "files.edges", err,
                                "files.edges needs path in [files]");
    if (daemon->files_edges && strcmp(daemon->files_prefix, "edges") == 0)
        return th_settings_fail(settings, "files.prefix", err,
                                "files.edges needs another prefix in [files]");
    if (*daemon->kafka_edges && !*daemon->kafka_records)
        return th_settings_fail(settings, "kafka.edges-topic", err,
                                "edges-topic needs records-topic");
    if ((daemon->files_edges || *daemon->kafka_edges) && !*settings->index.path)
        return th_settings_fail(settings,
                                daemon->files_edges ? "files.edges" : "kafka.edges-topic",
                                err, "edges need an index; set path in [index]");
    return TH_OK;
}

static th_status check_prefixes(const th_settings *settings, th_error *err)
{
    const char *list = settings->daemon.kafka_archive_prefixes;
    th_remote_prefixes prefixes = { .count = 0 };
    th_error why = { .text = "" };
    const th_status status = th_remote_prefixes_read(list, &prefixes, &why);
    const bool is_used = prefixes.count > 0;
    th_remote_prefixes_done(&prefixes);
    if (status != TH_OK)
        return th_settings_fail(settings, "kafka.archive-prefixes", err,
                                "archive-prefixes: %.400s", why.text);
    if (is_used && !th_remote_library_version())
        return th_settings_fail(settings, "kafka.archive-prefixes", err,
                                "archive-prefixes is not possible, because this program "
                                "was built without libcurl");
    return TH_OK;
}

static th_status check_tombstones(const th_settings *settings, th_error *err)
{
    const th_daemon_settings *daemon = &settings->daemon;
    th_withdrawals withdrawals;
    th_error why = { .text = "" };
    if (!*daemon->kafka_tombstones)
        return TH_OK;
    if (th_withdrawals_parse(daemon->kafka_tombstones, &withdrawals, &why) != TH_OK)
        return th_settings_fail(settings, "kafka.tombstones", err, "%.400s", why.text);
    if (!*daemon->kafka_records)
        return th_settings_fail(settings, "kafka.tombstones", err,
                                "tombstones needs records-topic");
    if (strcmp(daemon->kafka_key, "url") != 0 && strcmp(daemon->kafka_key, "input") != 0)
        return th_settings_fail(
            settings, "kafka.tombstones", err,
            "tombstones needs key url or input, because each capture has its own id");
    return TH_OK;
}

static th_status check_delivery(const th_settings *settings, th_error *err)
{
    static const char key[] = "daemon.delivery";
    const th_daemon_settings *daemon = &settings->daemon;
    if (strcmp(daemon->delivery, "exactly-once") != 0)
        return TH_OK;
    if (*daemon->kafka_topics && *daemon->files_path)
        return th_settings_fail(
            settings, key, err,
            "delivery exactly-once is not supported from Kafka to files");
    if (*daemon->kafka_records && !*daemon->kafka_transactional_id)
        return th_settings_fail(settings, key, err,
                                "delivery exactly-once: set transactional-id in [kafka]");
    if (*daemon->kafka_records && *daemon->spool_path && !*daemon->kafka_progress)
        return th_settings_fail(settings, key, err,
                                "delivery exactly-once: set progress-topic in [kafka]");
    return TH_OK;
}

bool th_settings_is_of_pairs(const th_settings *settings)
{
    return strcmp(settings->daemon.role, "pairs") == 0;
}

/* Bands in, edges out, and nothing else. */
static th_status check_pairs(const th_settings *settings, bool is_whole, th_error *err)
{
    const th_daemon_settings *daemon = &settings->daemon;
    if (*daemon->spool_path || *daemon->kafka_topics || *daemon->files_path ||
        *daemon->kafka_records)
        return th_settings_fail(
            settings, "daemon.role", err,
            "role pairs reads bands-topic and writes edges-topic. Remove path in [spool] "
            "and [files], and topics and records-topic in [kafka]");
    if (!is_whole)
        return TH_OK;
    if (!*daemon->kafka_bands || !*daemon->kafka_edges || !*daemon->kafka_brokers)
        return th_settings_fail(settings, "daemon.role", err,
                                "role pairs needs brokers, bands-topic and edges-topic "
                                "in [kafka]");
    if (!*daemon->kafka_transactional_id)
        return th_settings_fail(settings, "daemon.role", err,
                                "role pairs needs transactional-id in [kafka], because "
                                "it writes each edge exactly once");
    return TH_OK;
}

th_status th_settings_check_daemon(const th_settings *settings, bool is_whole,
                                   th_error *err)
{
    th_status status = check_extract(settings, err);
    if (status == TH_OK)
        status = check_compress(settings, err);
    if (status == TH_OK && th_settings_is_of_pairs(settings))
        return check_pairs(settings, is_whole, err);
    if (status == TH_OK)
        status = check_ends(settings, is_whole, err);
    if (status == TH_OK)
        status = check_format(settings, is_whole, err);
    if (status == TH_OK)
        status = check_delivery(settings, err);
    if (status == TH_OK)
        status = check_bands(settings, err);
    if (status == TH_OK)
        status = check_tombstones(settings, err);
    if (status == TH_OK)
        status = check_prefixes(settings, err);
    return status == TH_OK ? check_edges(settings, err) : status;
}
