/* Opens the parts of the daemon, by its settings. */
#include "daemon/daemon_parts.h"

#include <stdio.h>
#include <string.h>

#include "daemon/idle_ends.h"
#include "kafka/kafka_sink.h"
#include "kafka/kafka_source.h"
#include "settings/remote_settings.h"
#include "spool/rolling_sink.h"
#include "spool/spool_source.h"

th_compression th_daemon_compression(const th_settings *settings)
{
    return strcmp(settings->compress, "gzip") == 0   ? TH_GZIP
           : strcmp(settings->compress, "zstd") == 0 ? TH_ZSTD
                                                     : TH_PLAIN;
}

/* A value, or NULL where the settings leave it empty. */
static const char *or_null(const char *value)
{
    return *value ? value : NULL;
}

/* A path below a folder, in the settings' own memory. */
static const char *path_below(const th_settings *settings, const char *folder,
                              const char *name)
{
    char path[4096];
    const int len = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (len < 0 || (size_t)len >= sizeof path)
        return NULL;
    return th_arena_copy(settings->strings, (th_view){ path, (size_t)len + 1 }).data;
}

/* Which of a list's names the settings have: the option table lets no other through. */
static int name_index(const char *const *list, const char *name)
{
    const th_names names = { th_name_in_array, list };
    return (int)th_name_number(&names, name, strlen(name));
}

static th_status open_spool(const th_settings *settings, bool is_ledger_cache,
                            th_warning_fn warn, void *warn_context,
                            th_stream_source **out, th_error *err)
{
    const th_daemon_settings *daemon = &settings->daemon;
    th_spool_options options;
    th_spool_options_init(&options);
    options.dir = daemon->spool_path;
    options.patterns = daemon->spool_patterns;
    options.ledger = *daemon->spool_ledger
                         ? daemon->spool_ledger
                         : path_below(settings, options.dir, ".thresher.ledger");
    options.done_dir = or_null(daemon->spool_done);
    options.failed_dir = or_null(daemon->spool_failed);
    options.finish =
        (th_spool_finish)name_index(th_spool_finish_names, daemon->spool_finish);
    options.claim = (th_spool_claim)name_index(th_spool_claim_names, daemon->spool_claim);
    options.settle_ms = daemon->spool_settle_ms;
    options.quiet_ms = daemon->spool_quiet_ms;
    options.min_age_ms = daemon->spool_min_age_ms;
    options.rescan_ms = daemon->spool_rescan_ms;
    options.ledger_keep = daemon->spool_ledger_keep;
    options.stuck_ms = daemon->spool_stuck_ms;
    options.give_up_ms = daemon->spool_give_up_ms;
    options.has_subfolders = daemon->spool_subfolders;
    options.knows_copies = daemon->spool_content_digest;
    options.is_ledger_cache = is_ledger_cache;
    options.max_record = settings->page.max_record;
    options.verify_digests = settings->verify_digests;
    options.warn = warn;
    options.warn_context = warn_context;
    if (!options.ledger)
        return th_fail(err, TH_USAGE, "spool path is too long");
    return th_spool_source_open(&options, out, err);
}

/* ".warc.gz": of a format's files, in the settings' own memory. NULL without memory. */
static const char *file_suffix(const th_settings *settings, const th_format *format,
                               th_compression compression)
{
    const char *packed = th_compression_suffix(compression);
    const size_t size = strlen(".") + strlen(format->suffix) + strlen(packed) + 1;
    char *suffix = th_arena_alloc(settings->strings, size);
    if (suffix)
        (void)snprintf(suffix, size, ".%s%s", format->suffix, packed);
    return suffix;
}

static th_status open_files(const th_settings *settings, const th_work_options *work,
                            const th_daemon_watch *watch, th_stream_sink **out,
                            th_error *err)
{
    const th_daemon_settings *daemon = &settings->daemon;
    const th_compression compression = work->format_options.compression;
    /* The suffix of line files next to the records, with the same compression. */
    const char *lines_suffix = file_suffix(settings, &th_jsonl_format, compression);
    th_rolling_sink_options options;
    th_rolling_sink_options_init(&options);
    options.dir = daemon->files_path;
    options.prefix = daemon->files_prefix;
    options.suffix = file_suffix(settings, work->format, compression);
    options.rejects_prefix = "rejects";
    options.rejects_suffix = lines_suffix;
    options.edges_prefix = daemon->files_edges ? "edges" : NULL;
    options.edges_suffix = lines_suffix;
    options.roll_bytes = daemon->files_roll_bytes;
    options.roll_ms = daemon->files_roll_ms;
    options.format = work->format;
    options.format_options = work->format_options;
    options.warn = watch->warn;
    options.warn_context = watch->context;
    options.published = watch->published;
    options.published_context = watch->context;
    if (!options.suffix || !lines_suffix)
        return th_fail(err, TH_NOMEM, "out of memory for file names");
    return th_rolling_sink_open(&options, out, err);
}

/* ---- Kafka ---- */

/* A list with commas between, in the settings' own memory. TH_OK, TH_NOMEM, TH_USAGE. */
static th_status split_list(const th_settings *settings, const char *list,
                            const char *const **out, uint32_t *count, th_error *err)
{
    const size_t size = strlen(list) + 1;
    char *pieces = th_arena_alloc(settings->strings, size);
    const char **items = th_arena_calloc(settings->strings, size / 2 + 1, sizeof *items);
    if (!pieces || !items)
        return th_fail(err, TH_NOMEM, "out of memory for the list '%.100s'", list);
    memcpy(pieces, list, size);
    char *rest = NULL;
    *count = 0;
    for (char *item = strtok_r(pieces, ", ", &rest); item;
         item = strtok_r(NULL, ", ", &rest))
        items[(*count)++] = item;
    *out = items;
    return *count ? TH_OK : th_fail(err, TH_USAGE, "'%.100s' names nothing", list);
}

static th_kafka_client kafka_client(const th_settings *settings, th_warning_fn warn,
                                    void *warn_context)
{
    const th_daemon_settings *daemon = &settings->daemon;
    return (th_kafka_client){
        .brokers = daemon->kafka_brokers,
        .client_id = daemon->kafka_client_id,
        .password_file = daemon->kafka_password_file,
        .pairs = daemon->pairs,
        .pair_count = daemon->pair_count,
        .warn = warn,
        .warn_context = warn_context,
    };
}

static bool is_exactly_once(const th_settings *settings)
{
    return strcmp(settings->daemon.delivery, "exactly-once") == 0;
}

/* Checks that stores can be reached with the settings. Sends no request. */
static th_status check_stores(const th_settings *settings, th_error *err)
{
    th_remote *remote = NULL;
    const th_status status = th_settings_open_remote(settings, NULL, NULL, &remote, err);
    th_remote_free(remote);
    return status;
}

static th_status open_topics(const th_settings *settings, th_warning_fn warn,
                             void *warn_context, th_stream_source **out, th_error *err)
{
    const th_daemon_settings *daemon = &settings->daemon;
    th_kafka_source_options *options =
        th_arena_calloc(settings->strings, 1, sizeof *options);
    th_remote_options *store = th_arena_alloc(settings->strings, sizeof *store);
    if (!options || !store)
        return th_fail(err, TH_NOMEM, "out of memory");
    *store = th_settings_remote_options(settings);
    *options = (th_kafka_source_options){
        .client = kafka_client(settings, warn, warn_context),
        .group = daemon->kafka_group,
        .instance = or_null(daemon->kafka_instance),
        .session_ms = daemon->kafka_session_ms,
        .is_transactional = is_exactly_once(settings),
        .message = { .format = (th_message_format)name_index(th_message_format_names,
                                                             daemon->kafka_message),
                     .url_header = daemon->kafka_url_header,
                     .archives = daemon->kafka_archives,
                     .archive_prefixes = daemon->kafka_archive_prefixes,
                     .store = store,
                     .archive_wait_ms = daemon->kafka_archive_wait_ms,
                     .max_record = settings->page.max_record,
                     .verify_digests = settings->verify_digests,
                     .keeps_original = *daemon->kafka_dead_letters != '\0' },
    };
    th_status status = check_stores(settings, err);
    if (status == TH_OK)
        status = split_list(settings, daemon->kafka_topics, &options->topics,
                            &options->topic_count, err);
    return status == TH_OK ? th_kafka_source_open(options, out, err) : status;
}

static th_status open_producer(const th_settings *settings, th_warning_fn warn,
                               void *warn_context, th_stream_sink **out, th_error *err)
{
    const th_daemon_settings *daemon = &settings->daemon;
    th_kafka_sink_options options;
    th_kafka_sink_options_init(&options);
    options.client = kafka_client(settings, warn, warn_context);
    options.topics[TH_TOPIC_RECORDS] = daemon->kafka_records;
    options.topics[TH_TOPIC_BANDS] = daemon->kafka_bands;
    options.topics[TH_TOPIC_EDGES] = daemon->kafka_edges;
    options.topics[TH_TOPIC_DEAD_LETTERS] = daemon->kafka_dead_letters;
    options.topics[TH_TOPIC_PROGRESS] =
        *daemon->spool_path && is_exactly_once(settings) ? daemon->kafka_progress : "";
    options.key = (th_kafka_key)name_index(th_kafka_key_names, daemon->kafka_key);
    options.schema_id = daemon->kafka_schema_id;
    const th_status status =
        th_withdrawals_parse(daemon->kafka_tombstones, &options.withdrawals, err);
    if (status != TH_OK)
        return status;
    options.is_exactly_once = is_exactly_once(settings);
    options.instance = daemon->kafka_transactional_id;
    options.transaction_ms = daemon->kafka_transaction_ms;
    options.message_max = (uint32_t)daemon->kafka_max_message; /* up to 1e9 */
    return th_kafka_sink_open(&options, out, err);
}

/* ---- the role of pairs ---- */

th_status th_daemon_open_pairing(const th_settings *settings, th_warning_fn warn,
                                 void *warn_context, const th_deadline *deadline,
                                 th_kafka_pairing **out, th_error *err)
{
    const th_daemon_settings *daemon = &settings->daemon;
    const th_kafka_pairing_options options = {
        .in = { .client = kafka_client(settings, warn, warn_context),
                .topics = &daemon->kafka_bands,
                .topic_count = 1,
                .group = daemon->kafka_group,
                .instance = or_null(daemon->kafka_instance),
                .session_ms = daemon->kafka_session_ms,
                .is_transactional = true },
        .edges = daemon->kafka_edges,
        .instance = daemon->kafka_transactional_id,
        .transaction_ms = daemon->kafka_transaction_ms,
        .message_max = (uint32_t)daemon->kafka_max_message, /* up to 1e9 */
        .flush_ms = daemon->flush_ms,
        .flush_messages = daemon->flush_results,
        .table = { .compared =
                       (th_compared)name_index(th_compared_names, daemon->pairs_sign),
                   .threshold = daemon->pairs_threshold,
                   .fan_out = daemon->pairs_fan_out,
                   .epoch_s = daemon->pairs_epoch,
                   .epochs = daemon->pairs_keep },
        .memory = daemon->pairs_memory,
    };
    return th_kafka_pairing_open(&options, deadline, out, err);
}

/* ---- the whole ---- */

th_status th_daemon_open(const th_settings *settings, const th_work_options *work,
                         const th_daemon_watch *watch, th_stream_source **source,
                         th_stream_sink **sink, th_error *err)
{
    const th_daemon_settings *daemon = &settings->daemon;
    const th_warning_fn warn = watch->warn;
    void *const warn_context = watch->context;
    th_status status = TH_OK;
    if (!*daemon->spool_path && !*daemon->kafka_topics)
        return th_idle_ends_open(source, sink, err);
    if (*daemon->spool_path)
        status = open_spool(settings, *daemon->kafka_records && is_exactly_once(settings),
                            warn, warn_context, source, err);
    else
        status = open_topics(settings, warn, warn_context, source, err);
    if (status == TH_OK && *daemon->files_path)
        status = open_files(settings, work, watch, sink, err);
    else if (status == TH_OK)
        status = open_producer(settings, warn, warn_context, sink, err);
    return status;
}
