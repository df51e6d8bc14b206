/* The one option table. A new option is one row here and one field in a struct. */
#include <stddef.h>
#include <string.h>

#include "app/settings.h"

#define AT(field) offsetof(th_settings, field)

static const char *const emit_names[] = { "full_text", "segments", "blocks",
                                          "links",     "html",     NULL };
static const char *const sign_names[] = { "main", "content", "page", NULL };
static const char *const format_names[] = { "jsonl", "warc", "minhash-sig", NULL };
static const char *const log_formats[] = { "logfmt", "json", NULL };
static const char *const log_levels[] = { "error", "warning", "notice",
                                          "info",  "debug",   NULL };
static const char *const delivery_names[] = { "at-least-once", "exactly-once", NULL };
static const char *const finish_names[] = { "move", "delete", "keep", NULL };
static const char *const claim_names[] = { "rename", "ledger", NULL };
static const char *const message_names[] = { "auto", "warc",    "http",
                                             "html", "pointer", NULL };
static const char *const key_names[] = { "url", "id", "input", "none", NULL };
static const char *const main_segment_names[] = { "weighed", "largest", NULL };
static const char *const dedup_output_names[] = { "clusters", "pairs", "drop", NULL };
static const char *const dedup_sign_names[] = { "main", "content", "page",
                                                "both", "either",  NULL };
static const char *const compress_names[] = { "auto", "none", "gzip", "zstd", NULL };

/* clang-format off */
const th_option th_option_table[] = {
    { "run", "output", 'O', TH_OPTION_TEXT, AT(output), NULL, TH_FOR_RUN, "PATH",
      "where records go: a file, DIR/ for one file per input, - for stdout" },
    { "run", "format", 'f', TH_OPTION_TEXT, AT(format), format_names, TH_FOR_OUTPUT, "NAME",
      "how records are written; `thresher run --help` lists the formats" },
    { "run", "rank", 0, TH_OPTION_NUMBER, AT(rank), NULL, TH_FOR_RUN, "N",
      "minhash-sig: number of the first input's shard" },
    { "run", "compress", 0, TH_OPTION_TEXT, AT(compress), compress_names, TH_FOR_OUTPUT | TH_FOR_DEDUP, "NAME",
      "auto (by the output's suffix .gz or .zst), none, gzip, zstd" },
    { "run", "rejects", 0, TH_OPTION_TEXT, AT(rejects), NULL, TH_FOR_RUN, "FILE",
      "one JSON line for each record that gave no page, with the reason" },
    { "run", "emit", 'e', TH_OPTION_SET, AT(page.emit), emit_names, TH_FOR_OUTPUT, "PARTS",
      "further parts of a record: full_text,segments,blocks,links,html" },
    { "run", "jobs", 'j', TH_OPTION_NUMBER, AT(jobs), NULL, TH_FOR_OUTPUT | TH_FOR_EVAL, "N",
      "worker threads; 0 is one for each core. The output does not depend on it" },
    { "run", "resume", 'r', TH_OPTION_SWITCH, AT(resume), NULL, TH_FOR_RUN, NULL,
      "go on where an interrupted run into a file or folder stopped" },
    { "run", "checkpoint-ms", 0, TH_OPTION_NUMBER, AT(checkpoint_ms), NULL, TH_FOR_RUN, "MS",
      "milliseconds between two saved states of such a run" },
    { "run", "verify-digests", 0, TH_OPTION_SWITCH, AT(verify_digests), NULL, TH_FOR_ALL, NULL,
      "check block digests; a mismatch is a flag, never a loss" },
    { "run", "quiet", 'q', TH_OPTION_SWITCH, AT(quiet), NULL, TH_FOR_ALL | TH_FOR_EVAL | TH_FOR_DEDUP, NULL,
      "no progress, no summary; what is damaged is still told" },

    { "inspect", "inspect.html", 0, TH_OPTION_TEXT, AT(inspect.html), NULL, TH_FOR_INSPECT, "FILE",
      "a report with the densitogram: one file that opens in any browser; - for stdout" },
    { "inspect", "inspect.json", 0, TH_OPTION_SWITCH, AT(inspect.json), NULL, TH_FOR_INSPECT, NULL,
      "the page as one JSON object, thresher-inspect/1, instead of text" },
    { "inspect", "inspect.compare", 0, TH_OPTION_LIST, AT(inspect.compare), NULL, TH_FOR_INSPECT, "NAMES",
      "read the page with other segmenters and classifiers too: =all, =NAME,NAME" },
    { "inspect", "inspect.url", 0, TH_OPTION_TEXT, AT(inspect.url), NULL, TH_FOR_INSPECT, "URL",
      "where a file or stdin came from: base of its links" },

    { "text", "parser", 0, TH_OPTION_TEXT, AT(page.parser), NULL, TH_FOR_ROAD, "NAME",
      "HTML parser: whatwg (the standard's), or libxml2 as a second opinion" },
    { "text", "w-max", 0, TH_OPTION_NUMBER, AT(page.w_max), NULL, TH_FOR_ROAD, "COLUMNS",
      "width at which blocks are wrapped to measure text density" },
    { "text", "segmenter", 's', TH_OPTION_TEXT, AT(page.segmenter), NULL, TH_FOR_ROAD, "NAME",
      "how blocks are fused to segments" },
    { "text", "profile", 'p', TH_OPTION_TEXT, AT(page.profile), NULL, TH_FOR_ROAD, "NAME",
      "which tags enforce or avoid a gap" },
    { "text", "theta-max", 0, TH_OPTION_REAL, AT(page.theta_max), NULL, TH_FOR_ROAD, "DELTA",
      "join blocks up to this relative difference of density; negative: the segmenter's own; inf is allowed" },
    { "text", "classifier", 'k', TH_OPTION_TEXT, AT(page.classifier), NULL, TH_FOR_ROAD, "NAME",
      "how content is told from boilerplate" },
    { "text", "main-segment", 0, TH_OPTION_TEXT, AT(page.main_segment), main_segment_names, TH_FOR_PAGES, "NAME",
      "which segment is signed as main: weighed, or the largest as in the papers" },

    { "sketch", "minhash", 'm', TH_OPTION_TEXT, AT(page.minhash), NULL, TH_FOR_PAGES, "PRESET",
      "how content is signed: a preset, none, or one with numbers: datasketch2:k=256,w=7,seed=42" },
    { "sketch", "sign", 0, TH_OPTION_SET, AT(page.sign), sign_names, TH_FOR_PAGES, "TEXTS",
      "texts that are signed: main,content,page" },
    { "sketch", "bands", 'b', TH_OPTION_SWITCH, AT(page.bands), NULL, TH_FOR_PAGES, NULL,
      "emit band keys too, for a join of near-duplicates" },

    { "index", "index.path", 0, TH_OPTION_TEXT, AT(index.path), NULL, TH_FOR_OUTPUT, "DIR",
      "online index of near-duplicates, made where it is missing; empty: none" },
    { "index", "index.threshold", 0, TH_OPTION_REAL, AT(index.threshold), NULL, TH_FOR_OUTPUT, "SHARE",
      "pages are alike from this share of equal slots on; negative: the preset's own, .8 or for paper .5" },
    { "index", "index.bits", 0, TH_OPTION_NUMBER, AT(index.bits), NULL, TH_FOR_OUTPUT, "BITS",
      "bits of each slot that are kept to compare: 8, 16, 32, 64; 0 is all" },
    { "index", "index.epoch", 0, TH_OPTION_NUMBER, AT(index.epoch), NULL, TH_FOR_OUTPUT, "SECONDS",
      "length of an epoch, in seconds of the records' dates; 0: an epoch is a full segment" },
    { "index", "index.keep", 0, TH_OPTION_NUMBER, AT(index.keep), NULL, TH_FOR_OUTPUT, "EPOCHS",
      "so many epochs a page is remembered after it was seen last" },
    { "index", "index.segment-pages", 0, TH_OPTION_NUMBER, AT(index.segment_pages), NULL, TH_FOR_OUTPUT, "N",
      "most pages in the growing segment: they are in memory, some 200 to 400 bytes each" },
    { "index", "index.catalogue", 0, TH_OPTION_SWITCH, AT(index.catalogue), NULL, TH_FOR_OUTPUT, NULL,
      "keep every page's URL, digest and cluster by its id, in DIR/catalogue.mdb (LMDB)" },
    { "index", "index.edges", 0, TH_OPTION_TEXT, AT(index.edges), NULL, TH_FOR_RUN, "FILE",
      "one JSON line for each near-duplicate: which pages, how alike" },

    { "eval", "classifiers", 0, TH_OPTION_TEXT, AT(eval.classifiers), NULL, TH_FOR_EVAL, "NAMES",
      "extraction: classifiers that are measured, comma between, or all" },
    { "eval", "segmenters", 0, TH_OPTION_TEXT, AT(eval.segmenters), NULL, TH_FOR_EVAL, "NAMES",
      "segmentation: segmenters that are measured, comma between, or all" },
    { "eval", "profiles", 0, TH_OPTION_TEXT, AT(eval.profiles), NULL, TH_FOR_EVAL, "NAMES",
      "profiles that are measured, comma between, or all; empty: --profile alone" },
    { "eval", "fields", 0, TH_OPTION_TEXT, AT(eval.fields), NULL, TH_FOR_EVAL, "NAMES",
      "segmentation: label vectors of the gold, a table each" },
    { "eval", "resamples", 0, TH_OPTION_NUMBER, AT(eval.resamples), NULL, TH_FOR_EVAL, "N",
      "bootstrap resamples for 95% intervals of means over pages; 0 for none" },
    { "eval", "plot", 0, TH_OPTION_TEXT, AT(eval.plot), NULL, TH_FOR_EVAL, "FILE.svg",
      "segmentation, density: the curves as a picture" },
    { "eval", "markdown", 0, TH_OPTION_SWITCH, AT(eval.markdown), NULL, TH_FOR_EVAL, NULL,
      "tables as Markdown" },
    { "eval", "json", 0, TH_OPTION_SWITCH, AT(eval.json), NULL, TH_FOR_EVAL, NULL,
      "the report as one JSON object" },

    { "limits", "max-record", 0, TH_OPTION_SIZE, AT(page.max_record), NULL, TH_FOR_ROAD, "BYTES",
      "largest record block; what is longer is cut and flagged" },
    { "limits", "max-body", 0, TH_OPTION_SIZE, AT(page.max_body), NULL, TH_FOR_ROAD, "BYTES",
      "largest decoded HTTP body; what is longer is cut and flagged" },
    { "limits", "max-head", 0, TH_OPTION_NUMBER, AT(page.max_head), NULL, TH_FOR_ALL | TH_FOR_EVAL, "BYTES",
      "largest HTTP head; a longer one is refused" },
    { "limits", "max-codings", 0, TH_OPTION_NUMBER, AT(page.max_codings), NULL, TH_FOR_ALL | TH_FOR_EVAL, "N",
      "most content codings on a body; more are refused" },
    { "limits", "max-depth", 0, TH_OPTION_NUMBER, AT(page.max_depth), NULL, TH_FOR_ROAD, "N",
      "deepest nesting of elements; deeper text still comes, flat" },
    { "limits", "max-nodes", 0, TH_OPTION_NUMBER, AT(page.max_nodes), NULL, TH_FOR_ROAD, "N",
      "most elements of a page; text beyond still comes, flat" },
    { "limits", "max-blocks", 0, TH_OPTION_NUMBER, AT(page.max_blocks), NULL, TH_FOR_ROAD, "N",
      "most blocks of a page; text beyond joins the last" },
    { "limits", "max-links", 0, TH_OPTION_NUMBER, AT(page.max_links), NULL, TH_FOR_ROAD, "N",
      "most links of a page; more are left out" },
    { "limits", "max-attributes", 0, TH_OPTION_NUMBER, AT(page.max_attributes), NULL, TH_FOR_ROAD,
      "N", "most attributes of a tag; more are dropped" },
    { "limits", "max-tag", 0, TH_OPTION_NUMBER, AT(page.max_tag), NULL, TH_FOR_ROAD, "BYTES",
      "longest tag; attributes beyond are dropped" },
    { "limits", "page-ms", 0, TH_OPTION_NUMBER, AT(page.page_ms), NULL, TH_FOR_ROAD, "MS",
      "CPU milliseconds a page may take, a slower one is refused; 0: no limit" },
    { "daemon", "daemon.listen", 0, TH_OPTION_TEXT, AT(daemon.listen), NULL, TH_FOR_SERVE, "ADDRESS",
      "where /metrics, /livez and /readyz answer: HOST:PORT, unix:PATH or none" },
    { "daemon", "daemon.log-format", 0, TH_OPTION_TEXT, AT(daemon.log_format), log_formats, TH_FOR_SERVE, "NAME",
      "logfmt or json, one line an event on stderr" },
    { "daemon", "daemon.log-level", 0, TH_OPTION_TEXT, AT(daemon.log_level), log_levels, TH_FOR_SERVE, "NAME",
      "least urgent events that are logged: error .. debug" },
    { "daemon", "daemon.flush-ms", 0, TH_OPTION_NUMBER, AT(daemon.flush_ms), NULL, TH_FOR_SERVE, "MS",
      "results are made durable at least so often" },
    { "daemon", "daemon.flush-results", 0, TH_OPTION_NUMBER, AT(daemon.flush_results), NULL, TH_FOR_SERVE, "N",
      "results are made durable when so many records wait" },
    { "daemon", "daemon.flush-bytes", 0, TH_OPTION_SIZE, AT(daemon.flush_bytes), NULL, TH_FOR_SERVE, "BYTES",
      "results are made durable when so many bytes wait" },
    { "daemon", "daemon.drain-ms", 0, TH_OPTION_NUMBER, AT(daemon.drain_ms), NULL, TH_FOR_SERVE, "MS",
      "longest orderly end after SIGTERM" },
    { "daemon", "daemon.delivery", 0, TH_OPTION_TEXT, AT(daemon.delivery), delivery_names, TH_FOR_SERVE, "NAME",
      "at-least-once or exactly-once" },

    { "spool", "spool.path", 0, TH_OPTION_TEXT, AT(daemon.spool_path), NULL, TH_FOR_SERVE, "DIR",
      "folder that a crawler fills; empty: no spool" },
    { "spool", "spool.patterns", 0, TH_OPTION_TEXT, AT(daemon.spool_patterns), NULL, TH_FOR_SERVE, "GLOBS",
      "names of complete archives, blank between" },
    { "spool", "spool.ledger", 0, TH_OPTION_TEXT, AT(daemon.spool_ledger), NULL, TH_FOR_SERVE, "FILE",
      "what is done, across restarts; empty: PATH/.thresher.ledger" },
    { "spool", "spool.done", 0, TH_OPTION_TEXT, AT(daemon.spool_done), NULL, TH_FOR_SERVE, "DIR",
      "where finished files go; empty: PATH/done" },
    { "spool", "spool.failed", 0, TH_OPTION_TEXT, AT(daemon.spool_failed), NULL, TH_FOR_SERVE, "DIR",
      "where unreadable files go; empty: PATH/failed" },
    { "spool", "spool.finish", 0, TH_OPTION_TEXT, AT(daemon.spool_finish), finish_names, TH_FOR_SERVE, "NAME",
      "what becomes of a finished file: move, delete or keep" },
    { "spool", "spool.claim", 0, TH_OPTION_TEXT, AT(daemon.spool_claim), claim_names, TH_FOR_SERVE, "NAME",
      "rename (several processes may share the spool) or ledger" },
    { "spool", "spool.settle-ms", 0, TH_OPTION_NUMBER, AT(daemon.spool_settle_ms), NULL, TH_FOR_SERVE, "MS",
      "wait between a file being complete and its being read" },
    { "spool", "spool.quiet-ms", 0, TH_OPTION_NUMBER, AT(daemon.spool_quiet_ms), NULL, TH_FOR_SERVE, "MS",
      "a file that a writer closed is complete after so long" },
    { "spool", "spool.min-age-ms", 0, TH_OPTION_NUMBER, AT(daemon.spool_min_age_ms), NULL, TH_FOR_SERVE, "MS",
      "a file of which nobody said so is complete at this age" },
    { "spool", "spool.rescan-ms", 0, TH_OPTION_NUMBER, AT(daemon.spool_rescan_ms), NULL, TH_FOR_SERVE, "MS",
      "time between two looks at the whole folder" },
    { "spool", "spool.ledger-keep", 0, TH_OPTION_NUMBER, AT(daemon.spool_ledger_keep), NULL, TH_FOR_SERVE, "N",
      "finished files that are remembered" },

    { "files", "files.path", 0, TH_OPTION_TEXT, AT(daemon.files_path), NULL, TH_FOR_SERVE, "DIR",
      "folder for rolling output files; empty: none" },
    { "files", "files.prefix", 0, TH_OPTION_TEXT, AT(daemon.files_prefix), NULL, TH_FOR_SERVE, "NAME",
      "the output files' names begin so" },
    { "files", "files.roll-bytes", 0, TH_OPTION_SIZE, AT(daemon.files_roll_bytes), NULL, TH_FOR_SERVE, "BYTES",
      "a file ends when it is so long" },
    { "files", "files.roll-ms", 0, TH_OPTION_NUMBER, AT(daemon.files_roll_ms), NULL, TH_FOR_SERVE, "MS",
      "a file ends when it is so old" },
    { "files", "files.edges", 0, TH_OPTION_SWITCH, AT(daemon.files_edges), NULL, TH_FOR_SERVE, NULL,
      "with an index: who is like whom, in files edges-*.jsonl beside the records" },

    { "kafka", "kafka.brokers", 0, TH_OPTION_TEXT, AT(daemon.kafka_brokers), NULL, TH_FOR_SERVE, "LIST",
      "host:port,host:port; empty: no Kafka" },
    { "kafka", "kafka.client-id", 0, TH_OPTION_TEXT, AT(daemon.kafka_client_id), NULL, TH_FOR_SERVE, "NAME",
      "how brokers see us" },
    { "kafka", "kafka.topics", 0, TH_OPTION_TEXT, AT(daemon.kafka_topics), NULL, TH_FOR_SERVE, "LIST",
      "topics to read, comma between; empty: no Kafka input" },
    { "kafka", "kafka.group", 0, TH_OPTION_TEXT, AT(daemon.kafka_group), NULL, TH_FOR_SERVE, "NAME",
      "consumer group" },
    { "kafka", "kafka.instance", 0, TH_OPTION_TEXT, AT(daemon.kafka_instance), NULL, TH_FOR_SERVE, "NAME",
      "group.instance.id: a restart takes its partitions up at once" },
    { "kafka", "kafka.session-ms", 0, TH_OPTION_NUMBER, AT(daemon.kafka_session_ms), NULL, TH_FOR_SERVE, "MS",
      "the group waits so long for a silent member" },
    { "kafka", "kafka.message", 0, TH_OPTION_TEXT, AT(daemon.kafka_message), message_names, TH_FOR_SERVE, "NAME",
      "what a message holds: auto, warc, http, html, pointer" },
    { "kafka", "kafka.url-header", 0, TH_OPTION_TEXT, AT(daemon.kafka_url_header), NULL, TH_FOR_SERVE, "NAME",
      "header with the URL of a response or page; empty: the key" },
    { "kafka", "kafka.archives", 0, TH_OPTION_TEXT, AT(daemon.kafka_archives), NULL, TH_FOR_SERVE, "DIR",
      "folder that pointers point into" },
    { "kafka", "kafka.archive-wait-ms", 0, TH_OPTION_NUMBER, AT(daemon.kafka_archive_wait_ms), NULL, TH_FOR_SERVE, "MS",
      "longest wait for the archive of a pointer" },
    { "kafka", "kafka.records-topic", 0, TH_OPTION_TEXT, AT(daemon.kafka_records), NULL, TH_FOR_SERVE, "TOPIC",
      "topic for records; empty: no Kafka output" },
    { "kafka", "kafka.bands-topic", 0, TH_OPTION_TEXT, AT(daemon.kafka_bands), NULL, TH_FOR_SERVE, "TOPIC",
      "topic for band keys, a message for each; empty: none" },
    { "kafka", "kafka.bands-bits", 0, TH_OPTION_NUMBER, AT(daemon.kafka_bands_bits), NULL, TH_FOR_SERVE, "N",
      "bits of each slot that go with a band key, to compare by: 0, 4 or 8" },
    { "kafka", "kafka.edges-topic", 0, TH_OPTION_TEXT, AT(daemon.kafka_edges), NULL, TH_FOR_SERVE, "TOPIC",
      "topic for who is like whom, with an index; empty: none" },
    { "kafka", "kafka.dead-letters-topic", 0, TH_OPTION_TEXT, AT(daemon.kafka_dead_letters), NULL, TH_FOR_SERVE, "TOPIC",
      "topic for what gave no page; empty: counted only" },
    { "kafka", "kafka.progress-topic", 0, TH_OPTION_TEXT, AT(daemon.kafka_progress), NULL, TH_FOR_SERVE, "TOPIC",
      "compacted topic, exactly-once: the spool position and the mark of an index" },
    { "kafka", "kafka.key", 0, TH_OPTION_TEXT, AT(daemon.kafka_key), key_names, TH_FOR_SERVE, "NAME",
      "key of records: url, id, input (that of the message) or none" },
    { "kafka", "kafka.transactional-id", 0, TH_OPTION_TEXT, AT(daemon.kafka_transactional_id), NULL, TH_FOR_SERVE, "NAME",
      "stable over restarts, unique per process; exactly-once" },
    { "kafka", "kafka.transaction-ms", 0, TH_OPTION_NUMBER, AT(daemon.kafka_transaction_ms), NULL, TH_FOR_SERVE, "MS",
      "brokers abort a transaction that is open for so long" },
    { "kafka", "kafka.max-message", 0, TH_OPTION_SIZE, AT(daemon.kafka_max_message), NULL, TH_FOR_SERVE, "BYTES",
      "largest record that the topic takes; longer ones become stubs" },

    { "dedup", "dedup.output", 0, TH_OPTION_TEXT, AT(dedup.output), dedup_output_names, TH_FOR_DEDUP, "NAME",
      "clusters, pairs, or drop: the ids of all but each cluster's oldest" },
    { "dedup", "dedup.file", 'O', TH_OPTION_TEXT, AT(dedup.file), NULL, TH_FOR_DEDUP, "FILE",
      "where clusters, pairs or ids go, - for stdout" },
    { "dedup", "dedup.sign", 0, TH_OPTION_TEXT, AT(dedup.sign), dedup_sign_names, TH_FOR_DEDUP, "TEXT",
      "signature that is compared: main, content, page; both or either of main and page" },
    { "dedup", "dedup.threshold", 0, TH_OPTION_REAL, AT(dedup.threshold), NULL, TH_FOR_DEDUP, "SHARE",
      "share of slots that duplicates have in common; 0: .8, for paper 4 of 8" },
    { "dedup", "dedup.fan-out", 0, TH_OPTION_NUMBER, AT(dedup.fan_out), NULL, TH_FOR_DEDUP, "N",
      "where many records share a band key, each is compared with the first so many" },
    { "dedup", "dedup.memory", 0, TH_OPTION_SIZE, AT(dedup.memory), NULL, TH_FOR_DEDUP, "BYTES",
      "most memory; what does not fit is sorted on the disk" },
    { "dedup", "dedup.temp", 0, TH_OPTION_TEXT, AT(dedup.temp), NULL, TH_FOR_DEDUP, "DIR",
      "folder for temporary files; empty: $TMPDIR or /tmp" },
    { "dedup", "dedup.report", 0, TH_OPTION_TEXT, AT(dedup.report), NULL, TH_FOR_DEDUP, "FILE",
      "the summary as JSON; empty: none" },
    { "dedup", "dedup.max-line", 0, TH_OPTION_SIZE, AT(dedup.max_line), NULL, TH_FOR_DEDUP, "BYTES",
      "largest record; a longer one is refused" },

    { NULL, NULL, 0, TH_OPTION_TEXT, 0, NULL, 0, NULL, NULL },
};
/* clang-format on */

const char *th_option_name(const th_option *option, unsigned command)
{
    static const struct {
        unsigned command;
        const char *prefix;
    } own[] = { { TH_FOR_DEDUP, "dedup." }, { TH_FOR_INSPECT, "inspect." } };
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        const size_t len = strlen(own[i].prefix);
        if (command == own[i].command && strncmp(option->key, own[i].prefix, len) == 0)
            return option->key + len;
    }
    return option->key;
}

const th_option *th_option_find(const char *key)
{
    for (const th_option *option = th_option_table; option->key; option++)
        if (strcmp(option->key, key) == 0)
            return option;
    return NULL;
}
