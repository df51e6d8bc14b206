/*
 * The only option table. The row of an option describes it for files, the command line,
 * --help and `config`. A new option is one row here and one field in a struct.
 *
 * Names are the owner's own list. A default that its owner also needs is a constant of
 * the owner's header. Defaults that th_options_init fills in (OF_PAGE) are not repeated.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "content/content_decision.h"
#include "dedup/cluster_writer.h"
#include "dedup/record_shard.h"
#include "dedup/signature_params.h"
#include "graph/graph_options.h"
#include "kafka/kafka_sink.h"
#include "kafka/kafka_source.h"
#include "log/log.h"
#include "methods/method_names.h"
#include "page/option_limits.h"
#include "remote/credentials.h"
#include "remote/remote.h"
#include "select/main_segment.h"
#include "settings/output_name.h"
#include "settings/settings.h"
#include "site/site.h"
#include "site/site_name.h"
#include "spool/rolling_sink.h"
#include "spool/spool_source.h"
#include "thresher/page.h"
#include "write/format.h"

static const char *format_at(const void *table, size_t i)
{
    (void)table;
    return th_formats[i] ? th_formats[i]->name : NULL;
}

static const char *sign_at(const void *table, size_t i)
{
    (void)table;
    return th_sign_name((unsigned)i);
}

static const char *const isolation_names[] = { "none", "process", NULL };
static const char *const role_names[] = { "pages", "pairs", NULL };
static const char *const paired_names[] = { "main", "content", "page", "distinct", NULL };
static const char *const delivery_names[] = { "at-least-once", "exactly-once", NULL };
static const char *const dedup_format_names[] = { "jsonl", "parquet", NULL };

enum { DAY_MS = 24 * 3600 * 1000, HOUR_MS = 3600 * 1000 };
#define MOST_BYTES 1125899906842624.0 /* 1 PiB: it and the next integer are exact */

#define AT(field) offsetof(th_settings, field)
#define NAMES(list) (&(const th_names){ th_name_in_array, list })
#define NAMES_BY(name_at) (&(const th_names){ name_at, NULL })
/* How a row ends: with the default, and for a number its range. */
#define NUMBER(lowest, value, highest) .low = lowest, .standard = value, .high = highest
#define LIMIT(field) NUMBER(TH_LOW_##field, TH_STANDARD_##field, TH_HIGH_##field)
#define TEXT(value) .text = value
#define OFF .standard = 0
#define ON .standard = 1
#define OF_PAGE .text = NULL
/* Ends the row of an option that people use: commands whose --help lists it. */
#define COMMON(for_commands) .common = for_commands

/* clang-format off */
const th_option th_option_table[] = {
    { "run", "output", 'O', TH_OPTION_TEXT, AT(output), NULL, TH_FOR_RUN, "PATH",
      "where records go: a file, DIR/ for one file per input, s3://BUCKET/KEY or .../, - for stdout", TEXT("-"), COMMON(TH_FOR_RUN) },
    { "run", "format", 'f', TH_OPTION_TEXT, AT(format), NAMES_BY(format_at), TH_FOR_OUTPUT, "NAME",
      "how records are written; `thresher run --help` lists the formats", TEXT("jsonl"), COMMON(TH_FOR_RUN | TH_FOR_SERVE) },
    { "run", "rank", 0, TH_OPTION_NUMBER, AT(rank), NULL, TH_FOR_RUN, "N",
      "minhash-sig: number of the first input's shard", NUMBER(0, 0, 99999) },
    { "run", "row-group", 0, TH_OPTION_SIZE, AT(row_group), NULL, TH_FOR_RUN | TH_FOR_RECORDS | TH_FOR_DEDUP, "BYTES",
      "parquet: values, unpacked, at which a row group is full; --resume goes on behind whole ones", NUMBER(1 << 10, 128 << 20, 2147483648.0) },
    { "run", "compress", 0, TH_OPTION_TEXT, AT(compress), NAMES(th_compress_names), TH_FOR_OUTPUT | TH_FOR_DEDUP, "NAME",
      "auto (by the output's suffix .gz or .zst), none, gzip, zstd", TEXT("auto"), COMMON(TH_FOR_RUN | TH_FOR_DEDUP) },
    { "run", "rejects", 0, TH_OPTION_TEXT, AT(rejects), NULL, TH_FOR_RUN, "FILE",
      "one JSON line for each record that gave no page, with the reason", TEXT(""), COMMON(TH_FOR_RUN) },
    { "run", "emit", 'e', TH_OPTION_SET, AT(page.emit), NAMES(th_emit_names), TH_FOR_WRITING, "PARTS",
      "further parts of a record: full_text,segments,blocks,links,html,paragraphs,languages,signals,posts", OF_PAGE, COMMON(TH_FOR_RUN | TH_FOR_SERVE) },
    { "run", "jobs", 'j', TH_OPTION_NUMBER, AT(jobs), NULL, TH_FOR_OUTPUT | TH_FOR_EVAL | TH_FOR_SITES, "N",
      "worker threads; 0 is one for each core. The output does not depend on it", NUMBER(0, 0, TH_WORKERS_MAX), COMMON(TH_FOR_RUN | TH_FOR_SERVE | TH_FOR_EVAL | TH_FOR_SITES) },
    { "run", "max-in-flight", 0, TH_OPTION_SIZE, AT(max_in_flight), NULL, TH_FOR_OUTPUT | TH_FOR_SITES, "BYTES",
      "memory for large pages and results under way, shared by the workers; 0: 16M for each, 64M at least", NUMBER(0, 0, MOST_BYTES) },
    { "run", "resume", 'r', TH_OPTION_SWITCH, AT(resume), NULL, TH_FOR_RUN, NULL,
      "go on where an interrupted run into a file or folder stopped", OFF, COMMON(TH_FOR_RUN) },
    { "run", "checkpoint-ms", 0, TH_OPTION_NUMBER, AT(checkpoint_ms), NULL, TH_FOR_RUN, "MS",
      "milliseconds between two saved states of such a run", NUMBER(0, 5000, DAY_MS) },
    { "run", "verify-digests", 0, TH_OPTION_SWITCH, AT(verify_digests), NULL, TH_FOR_ALL | TH_FOR_SITES, NULL,
      "check block digests; a mismatch sets a flag, the record is kept", OFF, COMMON(TH_FOR_RECORDS) },
    { "run", "quiet", 'q', TH_OPTION_SWITCH, AT(quiet), NULL, TH_FOR_ALL | TH_FOR_EVAL | TH_FOR_DEDUP | TH_FOR_TRAIN | TH_FOR_GRAPH | TH_FOR_SITES, NULL,
      "no progress, no summary; what is damaged is still told", OFF, COMMON(TH_FOR_RUN | TH_FOR_RECORDS | TH_FOR_EVAL | TH_FOR_DEDUP | TH_FOR_INSPECT | TH_FOR_TEXT | TH_FOR_TRAIN | TH_FOR_GRAPH | TH_FOR_SITES) },

    { "run", "shard", 0, TH_OPTION_TEXT, AT(shard), NULL, TH_FOR_RUN, "I/N",
      "this process takes the inputs I, I + N, ... and leaves a marker for each that is done; auto: as the scheduler says", TEXT(""), COMMON(TH_FOR_RUN) },
    { "run", "base", 0, TH_OPTION_TEXT, AT(base), NULL, TH_FOR_LISTS, "PREFIX",
      "put before the relative names in an @list: a folder, s3://BUCKET/, https://HOST/", TEXT(""), COMMON(TH_FOR_RECORDS) },

    { "remote", "remote.endpoint", 0, TH_OPTION_TEXT, AT(remote.endpoint), NULL, TH_FOR_REMOTE, "URL",
      "where s3:// lies; empty: $AWS_ENDPOINT_URL, or Amazon's", TEXT("") },
    { "remote", "remote.region", 0, TH_OPTION_TEXT, AT(remote.region), NULL, TH_FOR_REMOTE, "NAME",
      "its region; empty: $AWS_REGION, or us-east-1", TEXT("") },
    { "remote", "remote.path-style", 0, TH_OPTION_TEXT, AT(remote.path_style), NAMES(th_path_style_names), TH_FOR_REMOTE, "NAME",
      "the bucket stands in the path, not in the host's name: on, off, auto (with an endpoint)", TEXT("auto") },
    { "remote", "remote.credentials", 0, TH_OPTION_TEXT, AT(remote.credentials), NAMES(th_credentials_names), TH_FOR_REMOTE, "NAME",
      "who we are: auto, env, web-identity, profile, container, instance, or none (not signed)", TEXT("auto") },
    { "remote", "remote.ca-file", 0, TH_OPTION_TEXT, AT(remote.ca_file), NULL, TH_FOR_REMOTE, "FILE",
      "certificates to trust; empty: $AWS_CA_BUNDLE, or the system's", TEXT("") },
    { "remote", "remote.retries", 0, TH_OPTION_NUMBER, AT(remote.retries), NULL, TH_FOR_REMOTE, "N",
      "further tries in a row, each with fewer bytes than remote.min-rate allows", NUMBER(0, 10, 1000) },
    { "remote", "remote.backoff-ms", 0, TH_OPTION_NUMBER, AT(remote.backoff_ms), NULL, TH_FOR_REMOTE, "MS",
      "wait before the second try, doubled for each further one up to 64 times", NUMBER(0, 1000, HOUR_MS) },
    { "remote", "remote.connect-ms", 0, TH_OPTION_NUMBER, AT(remote.connect_ms), NULL, TH_FOR_REMOTE, "MS",
      "longest wait for a connection", NUMBER(1, 10000, HOUR_MS) },
    { "remote", "remote.stall-ms", 0, TH_OPTION_NUMBER, AT(remote.stall_ms), NULL, TH_FOR_REMOTE, "MS",
      "longest wait for a byte; then the connection counts as broken", NUMBER(1, 60000, HOUR_MS) },
    { "remote", "remote.min-rate", 0, TH_OPTION_SIZE, AT(remote.min_rate), NULL, TH_FOR_REMOTE, "BYTES",
      "bytes per second; a slower connection counts as broken. 0: any rate", NUMBER(0, 1024, 1 << 30) },
    { "remote", "remote.min-rate-ms", 0, TH_OPTION_NUMBER, AT(remote.min_rate_ms), NULL, TH_FOR_REMOTE, "MS",
      "time over which remote.min-rate is measured, at most four times remote.stall-ms", NUMBER(1, 60000, HOUR_MS) },
    { "remote", "remote.staging", 0, TH_OPTION_TEXT, AT(remote.staging), NULL, TH_FOR_RUN, "DIR",
      "where outputs in a store are until they are whole; empty: thresher-UID in $TMPDIR, or /tmp", TEXT("") },

    { "inspect", "inspect.html", 0, TH_OPTION_TEXT, AT(inspect.html), NULL, TH_FOR_INSPECT, "FILE",
      "a report with the densitogram: one file that opens in any browser; - for stdout", TEXT(""), COMMON(TH_FOR_INSPECT) },
    { "inspect", "inspect.json", 0, TH_OPTION_SWITCH, AT(inspect.json), NULL, TH_FOR_INSPECT, NULL,
      "the page as one JSON object, thresher-inspect/1, instead of text", OFF, COMMON(TH_FOR_INSPECT) },
    { "inspect", "inspect.compare", 0, TH_OPTION_LIST, AT(inspect.compare), NULL, TH_FOR_INSPECT, "NAMES",
      "read the page with other segmenters and classifiers too: =all, =NAME,NAME", TEXT("none"), COMMON(TH_FOR_INSPECT) },
    { "inspect", "inspect.url", 0, TH_OPTION_TEXT, AT(inspect.url), NULL, TH_FOR_INSPECT, "URL",
      "where a file or stdin came from: base of its links", TEXT(""), COMMON(TH_FOR_INSPECT) },

    { "page", "page.output", 'O', TH_OPTION_TEXT, AT(text.output), NULL, TH_FOR_TEXT, "PATH",
      "a file, DIR/ for one file for each page, - for stdout", TEXT("-"), COMMON(TH_FOR_TEXT) },
    { "page", "page.json", 0, TH_OPTION_SWITCH, AT(text.json), NULL, TH_FOR_TEXT, NULL,
      "the record of each page as a JSON line, as `thresher run` writes it", OFF, COMMON(TH_FOR_TEXT) },
    { "page", "page.url", 0, TH_OPTION_TEXT, AT(text.url), NULL, TH_FOR_TEXT, "URL",
      "URL of a file or of stdin: base of its links", TEXT(""), COMMON(TH_FOR_TEXT) },
    { "page", "page.allow-private", 0, TH_OPTION_SWITCH, AT(text.allow_private), NULL, TH_FOR_TEXT, NULL,
      "fetch pages from this machine and private networks too, and use proxies", OFF, COMMON(TH_FOR_TEXT) },

    { "records", "records.cdxj", 0, TH_OPTION_SWITCH, AT(records.cdxj), NULL, TH_FOR_RECORDS, NULL,
      "an index of captures instead, in the form CDXJ, sorted", OFF, COMMON(TH_FOR_RECORDS) },
    { "records", "records.cdxj-blocks", 0, TH_OPTION_TEXT, AT(records.cdxj_blocks), NULL, TH_FOR_RECORDS, "FILE",
      "the same in gzip blocks of 300 lines (ZipNum) into FILE; stdout gets their index", TEXT(""), COMMON(TH_FOR_RECORDS) },
    { "records", "records.parquet", 0, TH_OPTION_TEXT, AT(records.parquet), NULL, TH_FOR_RECORDS, "FILE",
      "a table of captures instead, with the columns of Common Crawl's index; - for stdout", TEXT(""), COMMON(TH_FOR_RECORDS) },

    { "text", "w-max", 0, TH_OPTION_NUMBER, AT(page.w_max), NULL, TH_FOR_READING, "COLUMNS",
      "width at which blocks are wrapped to measure text density", LIMIT(w_max) },
    { "text", "segmenter", 's', TH_OPTION_TEXT, AT(page.segmenter), NAMES_BY(th_segmenter_at), TH_FOR_READING | TH_FOR_SITES, "NAME",
      "how blocks are fused to segments", OF_PAGE, COMMON(TH_FOR_RUN | TH_FOR_EVAL | TH_FOR_INSPECT) },
    { "text", "segmenter-model", 0, TH_OPTION_TEXT, AT(segmenter_model), NULL, TH_FOR_READING, "FILE",
      "parameters of a learned segmenter, as `thresher train` writes them; empty: those that ship", TEXT("") },
    { "text", "profile", 'p', TH_OPTION_TEXT, AT(page.profile), NAMES_BY(th_profile_at), TH_FOR_READING, "NAME",
      "which tags enforce or avoid a gap", OF_PAGE },
    { "text", "theta-max", 0, TH_OPTION_REAL, AT(page.theta_max), NULL, TH_FOR_READING, "DELTA",
      "join blocks up to this relative difference of density; negative: the segmenter's own; inf is allowed", NUMBER(-INFINITY, TH_THETA_MAX_OWN, INFINITY) },
    { "text", "classifier", 'k', TH_OPTION_TEXT, AT(page.classifier), NAMES_BY(th_classifier_at), TH_FOR_READING, "NAME",
      "how content is told from boilerplate", OF_PAGE, COMMON(TH_FOR_PAGES) },
    { "text", "strictness", 0, TH_OPTION_TEXT, AT(page.strictness), NULL, TH_FOR_READING, "NAME",
      "learned: balanced, strict (less that is false), wide (less that is missed), or the least score, .5", OF_PAGE, COMMON(TH_FOR_PAGES | TH_FOR_EVAL) },
    { "text", "comments", 0, TH_OPTION_SWITCH, AT(page.comments), NULL, TH_FOR_READING, NULL,
      "learned: what readers wrote below a page is content too", OFF, COMMON(TH_FOR_RUN | TH_FOR_EVAL | TH_FOR_INSPECT | TH_FOR_TEXT) },
    { "text", "content-without", 0, TH_OPTION_SET, AT(page.content_left_out), NAMES(th_content_step_names), TH_FOR_EVAL | TH_FOR_TRAIN, "STEPS",
      "learned: steps of the decision that are left out, to measure them: footer,like,cut,long,rescue,headings,tables,groups,ingredients,comments,end,repeats", OF_PAGE },
    { "text", "main-segment", 0, TH_OPTION_TEXT, AT(page.main_segment), NAMES(th_main_segment_names), TH_FOR_PAGES, "NAME",
      "which segment is signed as main: weighed, or the largest as in the papers", OF_PAGE },
    { "text", "content-model", 0, TH_OPTION_TEXT, AT(content_model), NULL, TH_FOR_READING, "FILE",
      "the model of a learned classifier, as training/train.py writes it; empty: the one that ships", TEXT("") },

    { "text", "text-format", 0, TH_OPTION_TEXT, AT(page.text_format), NULL, TH_FOR_WRITING, "NAMES",
      "how a record's text is written: plain, markdown, html; of several the first is text, the others text_NAME", OF_PAGE, COMMON(TH_FOR_WRITING) },
    { "text", "text-links", 0, TH_OPTION_SWITCH, AT(page.text_links), NULL, TH_FOR_WRITING, NULL,
      "markdown, html: links with their absolute URLs", OFF, COMMON(TH_FOR_RUN | TH_FOR_TEXT) },
    { "text", "text-images", 0, TH_OPTION_SWITCH, AT(page.text_images), NULL, TH_FOR_WRITING, NULL,
      "markdown, html: pictures with their absolute URLs", OFF, COMMON(TH_FOR_TEXT) },
    { "text", "text-title", 0, TH_OPTION_TEXT, AT(page.text_title), NAMES(th_text_titles), TH_FOR_WRITING, "RULE",
      "the text begins with the page's headline, wherever it is: yes, no, auto: in markdown and html", OF_PAGE, COMMON(TH_FOR_TEXT) },
    { "text", "text-front-matter", 0, TH_OPTION_SWITCH, AT(page.text_front_matter), NULL, TH_FOR_WRITING, NULL,
      "plain, markdown: the text begins with url, title, author, dates, language and site as YAML", OFF, COMMON(TH_FOR_TEXT) },
    { "text", "weak-facts", 0, TH_OPTION_SWITCH, AT(page.weak_facts), NULL, TH_FOR_PAGES, NULL,
      "authors and dates also from sources that are wrong more often than one time in five", OFF },

    { "text", "language-detector", 0, TH_OPTION_TEXT, AT(page.language_detector), NAMES(th_language_detectors), TH_FOR_PAGES, "NAME",
      "what finds the language of the content: cld2, none, or auto: cld2 where it is built in", OF_PAGE },
    { "text", "language-bytes", 0, TH_OPTION_NUMBER, AT(page.language_bytes), NULL, TH_FOR_PAGES, "N",
      "bytes of the content that are sampled for its languages", LIMIT(language_bytes) },
    { "text", "language-fasttext", 0, TH_OPTION_TEXT, AT(language_fasttext), NULL, TH_FOR_PAGES, "FILE",
      "a fastText classifier for a second opinion on the content's language: lid.176.ftz; empty: none", TEXT("") },

    { "filter", "filter.urls", 0, TH_OPTION_TEXT, AT(filter.urls), NULL, TH_FOR_OUTPUT, "FILE",
      "only pages of these: hosts, or URLs with *, one in a line", TEXT(""), COMMON(TH_FOR_RUN) },
    { "filter", "filter.not-urls", 0, TH_OPTION_TEXT, AT(filter.not_urls), NULL, TH_FOR_OUTPUT, "FILE",
      "no pages of these", TEXT("") },
    { "filter", "filter.suffix", 0, TH_OPTION_TEXT, AT(filter.suffix), NULL, TH_FOR_OUTPUT, "LIST",
      "only hosts with these public suffixes: de,co.uk,github.io", TEXT("") },
    { "filter", "filter.since", 0, TH_OPTION_TEXT, AT(filter.since), NULL, TH_FOR_OUTPUT, "DATE",
      "only captures of this date (WARC-Date) and later: 2025, 2025-12-18", TEXT(""), COMMON(TH_FOR_RUN) },
    { "filter", "filter.until", 0, TH_OPTION_TEXT, AT(filter.until), NULL, TH_FOR_OUTPUT, "DATE",
      "only captures before this date", TEXT(""), COMMON(TH_FOR_RUN) },
    { "filter", "filter.status", 0, TH_OPTION_TEXT, AT(filter.status), NULL, TH_FOR_OUTPUT, "LIST",
      "only these HTTP statuses: 200,3xx; a record without one passes", TEXT("") },
    { "filter", "filter.media", 0, TH_OPTION_TEXT, AT(filter.media), NULL, TH_FOR_OUTPUT, "LIST",
      "only these media types, as the server named them; a record without one passes", TEXT("") },
    { "filter", "filter.language", 0, TH_OPTION_TEXT, AT(filter.language), NULL, TH_FOR_OUTPUT, "LIST",
      "only these languages, as the page states them: en,de; none: those that state none", TEXT(""), COMMON(TH_FOR_RUN) },
    { "filter", "filter.page-type", 0, TH_OPTION_TEXT, AT(filter.page_type), NULL, TH_FOR_OUTPUT, "LIST",
      "only these types of pages, as the learned classifier tells them: article,forum", TEXT("") },
    { "filter", "filter.min-quality", 0, TH_OPTION_REAL, AT(filter.min_quality), NULL, TH_FOR_OUTPUT, "SCORE",
      "least quality that the learned classifier expects of the text; 0: no limit", NUMBER(0, 0, 1) },
    { "filter", "filter.detected", 0, TH_OPTION_TEXT, AT(filter.detected), NULL, TH_FOR_OUTPUT, "LIST",
      "only these languages of the content, as they were detected: en,zh; none: those without a sure one", TEXT("") },
    { "filter", "filter.min-share", 0, TH_OPTION_REAL, AT(filter.min_share), NULL, TH_FOR_OUTPUT, "SHARE",
      "of the content that its language must have; 0: no limit", NUMBER(0, 0, 1) },
    { "filter", "filter.min-words", 0, TH_OPTION_NUMBER, AT(filter.min_words), NULL, TH_FOR_OUTPUT, "N",
      "only pages with so many words of content", NUMBER(0, 0, UINT32_MAX), COMMON(TH_FOR_RUN) },
    { "filter", "filter.max-words", 0, TH_OPTION_NUMBER, AT(filter.max_words), NULL, TH_FOR_OUTPUT, "N",
      "and at most so many; 0: no limit", NUMBER(0, 0, UINT32_MAX) },

    { "sketch", "minhash", 'm', TH_OPTION_TEXT, AT(page.minhash), NULL, TH_FOR_PAGES, "PRESET",
      "how content is signed: a preset, none, or one with numbers: datasketch2:k=256,w=7,seed=42", OF_PAGE, COMMON(TH_FOR_RUN | TH_FOR_SERVE | TH_FOR_INSPECT) },
    { "sketch", "sign", 0, TH_OPTION_SET, AT(page.sign), NAMES_BY(sign_at), TH_FOR_PAGES, "TEXTS",
      "texts that are signed: main,content,page,distinct", OF_PAGE },
    { "sketch", "bands", 'b', TH_OPTION_SWITCH, AT(page.bands), NULL, TH_FOR_PAGES, NULL,
      "emit band keys too, for a join of near-duplicates", OFF, COMMON(TH_FOR_RUN | TH_FOR_SERVE) },

    { "sites", "sites", 0, TH_OPTION_TEXT, AT(sites.file), NULL, TH_FOR_PAGES | TH_FOR_EVAL, "FILE",
      "what recurs on sites, as `thresher sites build` counts it; empty: none", TEXT(""), COMMON(TH_FOR_RUN | TH_FOR_EVAL | TH_FOR_INSPECT) },
    { "sites", "two-pass", 0, TH_OPTION_SWITCH, AT(sites.two_pass), NULL, TH_FOR_RUN, NULL,
      "read the inputs twice: the first time to count what recurs", OFF, COMMON(TH_FOR_RUN) },
    { "sites", "sites-rule", 0, TH_OPTION_TEXT, AT(page.sites_rule), NAMES(th_sites_rules), TH_FOR_PAGES | TH_FOR_EVAL, "NAME",
      "what recurs is left out of: signatures (sign = distinct), these and the content (labels), or neither (off)", OF_PAGE },
    { "sites", "sites.by", 0, TH_OPTION_TEXT, AT(sites.by), NAMES(th_site_groupings), TH_FOR_OUTPUT | TH_FOR_SITES, "NAME",
      "a site is a registered domain (Public Suffix List), or a host", TEXT("domain"), COMMON(TH_FOR_SITES) },
    { "sites", "sites.path", 0, TH_OPTION_TEXT, AT(sites.path), NULL, TH_FOR_OUTPUT, "DIR",
      "count while pages come in, in this folder, made where it is missing; empty: do not", TEXT("") },
    { "sites", "sites.epoch", 0, TH_OPTION_NUMBER, AT(sites.epoch), NULL, TH_FOR_OUTPUT, "N",
      "with sites.path: a page is judged by what was known when its epoch of so many records began", NUMBER(1, 1000, UINT32_MAX) },
    { "sites", "sites.journal", 0, TH_OPTION_SIZE, AT(sites.journal), NULL, TH_FOR_OUTPUT, "BYTES",
      "with sites.path: a snapshot is made when the journal has grown by so much", NUMBER(1 << 12, 64 << 20, MOST_BYTES) },
    { "sites", "sites.segments", 0, TH_OPTION_SWITCH, AT(sites.segments), NULL, TH_FOR_OUTPUT | TH_FOR_SITES, NULL,
      "count segments, too, by template fingerprint and position", OFF },
    { "sites", "sites.output", 'O', TH_OPTION_TEXT, AT(sites.output), NULL, TH_FOR_SITES, "FILE",
      "file that the counts are written to", TEXT(""), COMMON(TH_FOR_SITES) },
    { "sites", "sites.json", 0, TH_OPTION_SWITCH, AT(sites.json), NULL, TH_FOR_SITES, NULL,
      "show: JSON lines instead of text", OFF, COMMON(TH_FOR_SITES) },
    { "sites", "sites.pages", 0, TH_OPTION_NUMBER, AT(sites.pages), NULL, TH_FOR_OUTPUT | TH_FOR_SITES, "N",
      "most pages of a site that are counted", NUMBER(4, 1000, TH_SITE_PAGES_MAX) },
    { "sites", "sites.hashes", 0, TH_OPTION_NUMBER, AT(sites.hashes), NULL, TH_FOR_OUTPUT | TH_FOR_SITES, "N",
      "most paragraphs of a site that are kept, those on most pages first", NUMBER(1, 2000, 1000000) },
    { "sites", "sites.min-pages", 0, TH_OPTION_NUMBER, AT(sites.min), NULL, TH_FOR_RUN | TH_FOR_SITES, "N",
      "paragraphs and sites of fewer pages are left out; 1 for files that are to be merged", NUMBER(1, 2, 100), COMMON(TH_FOR_SITES) },
    { "sites", "sites.memory", 0, TH_OPTION_SIZE, AT(sites.memory), NULL, TH_FOR_OUTPUT | TH_FOR_SITES, "BYTES",
      "most memory for what is counted; the rest waits on the disk", NUMBER(1 << 20, 256 << 20, MOST_BYTES), COMMON(TH_FOR_SITES) },
    { "sites", "sites.temp", 0, TH_OPTION_TEXT, AT(sites.temp), NULL, TH_FOR_RUN | TH_FOR_SITES, "DIR",
      "folder for temporary files; empty: $TMPDIR or /tmp", TEXT(""), COMMON(TH_FOR_SITES) },

    { "index", "index.path", 0, TH_OPTION_TEXT, AT(index.path), NULL, TH_FOR_OUTPUT, "DIR",
      "online index of near-duplicates, made where it is missing; empty: none", TEXT(""), COMMON(TH_FOR_RUN | TH_FOR_SERVE) },
    { "index", "index.threshold", 0, TH_OPTION_REAL, AT(index.threshold), NULL, TH_FOR_OUTPUT, "SHARE",
      "pages are alike from this share of equal slots on; negative: the preset's own, .8 or for paper .5", NUMBER(-1, -1, 1) },
    { "index", "index.bits", 0, TH_OPTION_NUMBER, AT(index.bits), NULL, TH_FOR_OUTPUT, "BITS",
      "bits of each slot that are kept to compare: 8, 16, 32, 64; 0 is all", NUMBER(0, 8, 64) },
    { "index", "index.epoch", 0, TH_OPTION_NUMBER, AT(index.epoch), NULL, TH_FOR_OUTPUT, "SECONDS",
      "length of an epoch, in seconds of the records' dates; 0: an epoch is a full segment", NUMBER(0, 86400, UINT32_MAX) },
    { "index", "index.keep", 0, TH_OPTION_NUMBER, AT(index.keep), NULL, TH_FOR_OUTPUT, "EPOCHS",
      "so many epochs a page is remembered after it was seen last", NUMBER(0, 30, UINT32_MAX) },
    { "index", "index.segment-pages", 0, TH_OPTION_NUMBER, AT(index.segment_pages), NULL, TH_FOR_OUTPUT, "N",
      "most pages in the growing segment: they are in memory, some 200 to 400 bytes each", NUMBER(1, 2000000, UINT32_MAX) },
    { "index", "index.repair", 0, TH_OPTION_SWITCH, AT(index.repair), NULL, TH_FOR_OUTPUT, NULL,
      "open a damaged index with the pages that are intact; no: refuse it", OFF },
    { "index", "index.edges", 0, TH_OPTION_TEXT, AT(index.edges), NULL, TH_FOR_RUN, "FILE",
      "one JSON line for each near-duplicate: the two pages and their similarity", TEXT("") },

    { "eval", "classifiers", 0, TH_OPTION_TEXT, AT(eval.classifiers), NULL, TH_FOR_EVAL, "NAMES",
      "extraction: classifiers that are measured, comma between, or all", TEXT("all"), COMMON(TH_FOR_EVAL) },
    { "eval", "segmenters", 0, TH_OPTION_TEXT, AT(eval.segmenters), NULL, TH_FOR_LAB, "NAMES",
      "segmentation: segmenters that are measured, comma between, or all", TEXT("all"), COMMON(TH_FOR_LAB) },
    { "eval", "profiles", 0, TH_OPTION_TEXT, AT(eval.profiles), NULL, TH_FOR_EVAL, "NAMES",
      "profiles that are measured, comma between, or all; empty: --profile alone", TEXT(""), COMMON(TH_FOR_EVAL) },
    { "eval", "fields", 0, TH_OPTION_TEXT, AT(eval.fields), NULL, TH_FOR_LAB, "NAMES",
      "segmentation: label vectors of the gold, a table each", TEXT("segment"), COMMON(TH_FOR_LAB) },
    { "eval", "resamples", 0, TH_OPTION_NUMBER, AT(eval.resamples), NULL, TH_FOR_EVAL, "N",
      "bootstrap resamples for 95% intervals of means over pages; 0 for none", NUMBER(0, 1000, 1000000), COMMON(TH_FOR_EVAL) },
    { "eval", "eval.worst", 0, TH_OPTION_NUMBER, AT(eval.worst), NULL, TH_FOR_EVAL, "N",
      "extraction: so many pages with the lowest words F1 are named, for each classifier", NUMBER(0, 0, 100000), COMMON(TH_FOR_EVAL) },
    { "eval", "eval.fold-models", 0, TH_OPTION_TEXT, AT(eval.fold_models), NULL, TH_FOR_EVAL, "DIR",
      "extraction, lines: models fold-0.model, fold-1.model, ...: a page is judged by the one that has not seen its site", TEXT(""), COMMON(TH_FOR_EVAL) },
    { "eval", "eval.site-pages", 0, TH_OPTION_NUMBER, AT(eval.site_pages), NULL, TH_FOR_LAB, "N",
      "extraction, lines: only pages of sites of which --sites knows so many are scored", NUMBER(0, 0, TH_SITE_PAGES_MAX) },
    { "eval", "plot", 0, TH_OPTION_TEXT, AT(eval.plot), NULL, TH_FOR_LAB, "FILE.svg",
      "segmentation, density: the curves as a picture", TEXT(""), COMMON(TH_FOR_LAB) },
    { "eval", "markdown", 0, TH_OPTION_SWITCH, AT(eval.markdown), NULL, TH_FOR_EVAL, NULL,
      "tables as Markdown", OFF, COMMON(TH_FOR_EVAL) },
    { "eval", "json", 0, TH_OPTION_SWITCH, AT(eval.json), NULL, TH_FOR_EVAL, NULL,
      "the report as one JSON object", OFF, COMMON(TH_FOR_EVAL) },
    { "eval", "eval.output", 'O', TH_OPTION_TEXT, AT(eval.output), NULL, TH_FOR_LAB, "FILE",
      "features: file that they are written to", TEXT(""), COMMON(TH_FOR_LAB) },
    { "eval", "eval.token-tables", 0, TH_OPTION_TEXT, AT(eval.token_tables), NULL, TH_FOR_LAB, "FILE",
      "features: regressions over words, one a fold, as training writes them; empty: none", TEXT("") },
    { "eval", "eval.without-classes", 0, TH_OPTION_SWITCH, AT(eval.without_classes), NULL, TH_FOR_LAB, NULL,
      "features, extraction, lines: as if pages had no class, id, role and itemprop", OFF },
    { "eval", "eval.list", 0, TH_OPTION_SWITCH, AT(eval.list), NULL, TH_FOR_LAB, NULL,
      "features: the columns and what they mean; reads no corpus", OFF },

    { "train", "train.output", 'O', TH_OPTION_TEXT, AT(train.output), NULL, TH_FOR_TRAIN, "MODEL",
      "file that the model is written to", TEXT(""), COMMON(TH_FOR_TRAIN) },
    { "train", "train.folds", 0, TH_OPTION_SWITCH, AT(train.folds), NULL, TH_FOR_TRAIN, NULL,
      "four models more, each without a quarter of the sites: to measure it on its own corpora", OFF, COMMON(TH_FOR_TRAIN) },
    { "train", "train.without", 0, TH_OPTION_TEXT, AT(train.without), NULL, TH_FOR_TRAIN, "SOURCES",
      "pages of these sources are left out, comma between", TEXT(""), COMMON(TH_FOR_TRAIN) },
    { "train", "train.field", 0, TH_OPTION_TEXT, AT(train.field), NULL, TH_FOR_TRAIN, "NAME",
      "label vector of the gold", TEXT("segment"), COMMON(TH_FOR_TRAIN) },
    { "train", "train.seed", 0, TH_OPTION_NUMBER, AT(train.seed), NULL, TH_FOR_TRAIN, "N",
      "of the order of pages and of what is drawn from them", NUMBER(0, 1, UINT32_MAX), COMMON(TH_FOR_TRAIN) },

    { "limits", "max-record", 0, TH_OPTION_SIZE, AT(page.max_record), NULL, TH_FOR_READING | TH_FOR_SITES, "BYTES",
      "largest record block; what is longer is cut and flagged", LIMIT(max_record) },
    { "limits", "max-body", 0, TH_OPTION_SIZE, AT(page.max_body), NULL, TH_FOR_READING | TH_FOR_SITES, "BYTES",
      "largest decoded HTTP body; what is longer is cut and flagged", LIMIT(max_body) },
    { "limits", "max-head", 0, TH_OPTION_NUMBER, AT(page.max_head), NULL, TH_FOR_ALL | TH_FOR_EVAL | TH_FOR_SITES, "BYTES",
      "largest HTTP head; a longer one is refused", LIMIT(max_head) },
    { "limits", "max-codings", 0, TH_OPTION_NUMBER, AT(page.max_codings), NULL, TH_FOR_ALL | TH_FOR_EVAL | TH_FOR_SITES, "N",
      "most content codings on a body; more are refused", LIMIT(max_codings) },
    { "limits", "max-depth", 0, TH_OPTION_NUMBER, AT(page.max_depth), NULL, TH_FOR_READING | TH_FOR_SITES, "N",
      "deepest nesting of elements; deeper text still comes, flat", LIMIT(max_depth) },
    { "limits", "max-nodes", 0, TH_OPTION_NUMBER, AT(page.max_nodes), NULL, TH_FOR_READING | TH_FOR_SITES, "N",
      "most elements of a page; text beyond still comes, flat", LIMIT(max_nodes) },
    { "limits", "max-blocks", 0, TH_OPTION_NUMBER, AT(page.max_blocks), NULL, TH_FOR_READING | TH_FOR_SITES, "N",
      "most blocks of a page; text beyond joins the last", LIMIT(max_blocks) },
    { "limits", "max-links", 0, TH_OPTION_NUMBER, AT(page.max_links), NULL, TH_FOR_READING | TH_FOR_SITES, "N",
      "most links of a page; more are left out", LIMIT(max_links) },
    { "limits", "max-attributes", 0, TH_OPTION_NUMBER, AT(page.max_attributes), NULL, TH_FOR_READING | TH_FOR_SITES,
      "N", "most attributes of a tag; more are dropped", LIMIT(max_attributes) },
    { "limits", "max-tag", 0, TH_OPTION_NUMBER, AT(page.max_tag), NULL, TH_FOR_READING | TH_FOR_SITES, "BYTES",
      "longest tag; attributes beyond are dropped", LIMIT(max_tag) },
    { "limits", "page-ms", 0, TH_OPTION_NUMBER, AT(page.page_ms), NULL, TH_FOR_READING | TH_FOR_SITES, "MS",
      "CPU milliseconds a page may take, a slower one is refused; 0: no limit", LIMIT(page_ms), COMMON(TH_FOR_SERVE) },
    { "limits", "isolation", 0, TH_OPTION_TEXT, AT(isolation), NAMES(isolation_names), TH_FOR_OUTPUT, "NAME",
      "process: pages are worked on in processes that can do nothing else, one for each worker; one that dies costs its page; none", TEXT("none"), COMMON(TH_FOR_SERVE) },
    { "limits", "isolation-memory", 0, TH_OPTION_SIZE, AT(isolation_memory), NULL, TH_FOR_OUTPUT, "BYTES",
      "memory that such a process may take; a page that needs more is refused", NUMBER(64 << 20, 2147483648.0, MOST_BYTES) },
    { "limits", "isolation-ms", 0, TH_OPTION_NUMBER, AT(isolation_ms), NULL, TH_FOR_OUTPUT, "MS",
      "CPU milliseconds of a page in such a process, and ten times that by the clock; then the process is killed", NUMBER(100, 10000, HOUR_MS) },
    { "daemon", "daemon.listen", 0, TH_OPTION_TEXT, AT(daemon.listen), NULL, TH_FOR_SERVE, "ADDRESS",
      "where /metrics, /livez and /readyz answer: HOST:PORT, unix:PATH or none", TEXT("127.0.0.1:9464"), COMMON(TH_FOR_SERVE) },
    { "daemon", "daemon.log-format", 0, TH_OPTION_TEXT, AT(daemon.log_format), NAMES(th_log_format_names), TH_FOR_SERVE, "NAME",
      "logfmt or json, one line an event on stderr", TEXT("logfmt") },
    { "daemon", "daemon.log-level", 0, TH_OPTION_TEXT, AT(daemon.log_level), NAMES(th_log_level_names), TH_FOR_SERVE, "NAME",
      "least urgent events that are logged: error .. debug", TEXT("info"), COMMON(TH_FOR_SERVE) },
    { "daemon", "daemon.flush-ms", 0, TH_OPTION_NUMBER, AT(daemon.flush_ms), NULL, TH_FOR_SERVE, "MS",
      "results are made durable at least so often", NUMBER(1, 1000, HOUR_MS) },
    { "daemon", "daemon.flush-results", 0, TH_OPTION_NUMBER, AT(daemon.flush_results), NULL, TH_FOR_SERVE, "N",
      "results are made durable when so many records wait", NUMBER(1, 5000, UINT32_MAX) },
    { "daemon", "daemon.flush-bytes", 0, TH_OPTION_SIZE, AT(daemon.flush_bytes), NULL, TH_FOR_SERVE, "BYTES",
      "results are made durable when so many bytes wait", NUMBER(1, 32 << 20, MOST_BYTES) },
    { "daemon", "daemon.drain-ms", 0, TH_OPTION_NUMBER, AT(daemon.drain_ms), NULL, TH_FOR_SERVE, "MS",
      "longest orderly end after SIGTERM", NUMBER(0, 5000, HOUR_MS) },
    { "daemon", "daemon.delivery", 0, TH_OPTION_TEXT, AT(daemon.delivery), NAMES(delivery_names), TH_FOR_SERVE, "NAME",
      "at-least-once or exactly-once", TEXT("at-least-once"), COMMON(TH_FOR_SERVE) },
    { "daemon", "daemon.role", 0, TH_OPTION_TEXT, AT(daemon.role), NAMES(role_names), TH_FOR_SERVE, "NAME",
      "pages: records in, annotated pages out; pairs: band keys in, near-duplicates out, as [pairs] says", TEXT("pages"), COMMON(TH_FOR_SERVE) },

    { "spool", "spool.path", 0, TH_OPTION_TEXT, AT(daemon.spool_path), NULL, TH_FOR_SERVE, "DIR",
      "folder that a crawler fills; empty: no spool", TEXT(""), COMMON(TH_FOR_SERVE) },
    { "spool", "spool.patterns", 0, TH_OPTION_TEXT, AT(daemon.spool_patterns), NULL, TH_FOR_SERVE, "GLOBS",
      "names of complete archives, blank between", TEXT(TH_SPOOL_PATTERNS) },
    { "spool", "spool.subfolders", 0, TH_OPTION_SWITCH, AT(daemon.spool_subfolders), NULL, TH_FOR_SERVE, NULL,
      "read folders below it too, but for done, failed, links and other file systems", ON },
    { "spool", "spool.ledger", 0, TH_OPTION_TEXT, AT(daemon.spool_ledger), NULL, TH_FOR_SERVE, "FILE",
      "what is done, across restarts; empty: PATH/.thresher.ledger", TEXT("") },
    { "spool", "spool.done", 0, TH_OPTION_TEXT, AT(daemon.spool_done), NULL, TH_FOR_SERVE, "DIR",
      "where finished files go; empty: PATH/done", TEXT("") },
    { "spool", "spool.failed", 0, TH_OPTION_TEXT, AT(daemon.spool_failed), NULL, TH_FOR_SERVE, "DIR",
      "where unreadable files go; empty: PATH/failed", TEXT("") },
    { "spool", "spool.finish", 0, TH_OPTION_TEXT, AT(daemon.spool_finish), NAMES(th_spool_finish_names), TH_FOR_SERVE, "NAME",
      "what becomes of a finished file: move, delete or keep", TEXT("move"), COMMON(TH_FOR_SERVE) },
    { "spool", "spool.claim", 0, TH_OPTION_TEXT, AT(daemon.spool_claim), NAMES(th_spool_claim_names), TH_FOR_SERVE, "NAME",
      "rename (several processes may share the spool) or ledger", TEXT("rename") },
    { "spool", "spool.settle-ms", 0, TH_OPTION_NUMBER, AT(daemon.spool_settle_ms), NULL, TH_FOR_SERVE, "MS",
      "wait between a file being complete and its being read", NUMBER(0, TH_SPOOL_SETTLE_MS, DAY_MS) },
    { "spool", "spool.quiet-ms", 0, TH_OPTION_NUMBER, AT(daemon.spool_quiet_ms), NULL, TH_FOR_SERVE, "MS",
      "a file that a writer closed is complete after so long", NUMBER(0, TH_SPOOL_QUIET_MS, DAY_MS) },
    { "spool", "spool.min-age-ms", 0, TH_OPTION_NUMBER, AT(daemon.spool_min_age_ms), NULL, TH_FOR_SERVE, "MS",
      "a file of which nobody said so is complete at this age", NUMBER(0, TH_SPOOL_MIN_AGE_MS, DAY_MS) },
    { "spool", "spool.rescan-ms", 0, TH_OPTION_NUMBER, AT(daemon.spool_rescan_ms), NULL, TH_FOR_SERVE, "MS",
      "time between two looks at the whole folder", NUMBER(1, TH_SPOOL_RESCAN_MS, DAY_MS) },
    { "spool", "spool.content-digest", 0, TH_OPTION_SWITCH, AT(daemon.spool_content_digest), NULL, TH_FOR_SERVE, NULL,
      "a digest of each file's bytes, so that a copy of it is not read again; reads each file once more", ON },
    { "spool", "spool.ledger-keep", 0, TH_OPTION_NUMBER, AT(daemon.spool_ledger_keep), NULL, TH_FOR_SERVE, "N",
      "finished files that are remembered", NUMBER(1, TH_SPOOL_LEDGER_KEEP, UINT32_MAX) },
    { "spool", "spool.stuck-ms", 0, TH_OPTION_NUMBER, AT(daemon.spool_stuck_ms), NULL, TH_FOR_SERVE, "MS",
      "a file that gives no record in so much reading is told in /readyz and metrics", NUMBER(0, TH_SPOOL_STUCK_MS, DAY_MS) },
    { "spool", "spool.give-up-ms", 0, TH_OPTION_NUMBER, AT(daemon.spool_give_up_ms), NULL, TH_FOR_SERVE, "MS",
      "after so much it is passed over: to the failed ones, with what it gave; 0: never", NUMBER(0, TH_SPOOL_GIVE_UP_MS, DAY_MS) },

    { "files", "files.path", 0, TH_OPTION_TEXT, AT(daemon.files_path), NULL, TH_FOR_SERVE, "DIR",
      "folder for rolling output files; empty: none", TEXT(""), COMMON(TH_FOR_SERVE) },
    { "files", "files.prefix", 0, TH_OPTION_TEXT, AT(daemon.files_prefix), NULL, TH_FOR_SERVE, "NAME",
      "the output files' names begin so", TEXT(TH_ROLLING_PREFIX) },
    { "files", "files.roll-bytes", 0, TH_OPTION_SIZE, AT(daemon.files_roll_bytes), NULL, TH_FOR_SERVE, "BYTES",
      "a file ends when it is so long", NUMBER(1, TH_ROLLING_BYTES, MOST_BYTES), COMMON(TH_FOR_SERVE) },
    { "files", "files.roll-ms", 0, TH_OPTION_NUMBER, AT(daemon.files_roll_ms), NULL, TH_FOR_SERVE, "MS",
      "a file ends when it is so old", NUMBER(0, TH_ROLLING_MS, UINT32_MAX) },
    { "files", "files.edges", 0, TH_OPTION_SWITCH, AT(daemon.files_edges), NULL, TH_FOR_SERVE, NULL,
      "with an index: who is like whom, in files edges-*.jsonl beside the records", OFF },

    { "kafka", "kafka.brokers", 0, TH_OPTION_TEXT, AT(daemon.kafka_brokers), NULL, TH_FOR_SERVE, "LIST",
      "host:port,host:port; empty: no Kafka", TEXT(""), COMMON(TH_FOR_SERVE) },
    { "kafka", "kafka.client-id", 0, TH_OPTION_TEXT, AT(daemon.kafka_client_id), NULL, TH_FOR_SERVE, "NAME",
      "how brokers see us", TEXT(TH_KAFKA_CLIENT_ID) },
    { "kafka", "kafka.password-file", 0, TH_OPTION_TEXT, AT(daemon.kafka_password_file), NULL, TH_FOR_SERVE, "FILE",
      "its first line is sasl.password; read whenever a client is made; empty: none", TEXT(""), COMMON(TH_FOR_SERVE) },
    { "kafka", "kafka.topics", 0, TH_OPTION_TEXT, AT(daemon.kafka_topics), NULL, TH_FOR_SERVE, "LIST",
      "topics to read, comma between; empty: no Kafka input", TEXT(""), COMMON(TH_FOR_SERVE) },
    { "kafka", "kafka.group", 0, TH_OPTION_TEXT, AT(daemon.kafka_group), NULL, TH_FOR_SERVE, "NAME",
      "consumer group", TEXT(TH_KAFKA_GROUP), COMMON(TH_FOR_SERVE) },
    { "kafka", "kafka.instance", 0, TH_OPTION_TEXT, AT(daemon.kafka_instance), NULL, TH_FOR_SERVE, "NAME",
      "group.instance.id: a restart takes its partitions up at once", TEXT("") },
    { "kafka", "kafka.session-ms", 0, TH_OPTION_NUMBER, AT(daemon.kafka_session_ms), NULL, TH_FOR_SERVE, "MS",
      "the group waits so long for a silent member", NUMBER(1, TH_KAFKA_SESSION_MS, HOUR_MS) },
    { "kafka", "kafka.message", 0, TH_OPTION_TEXT, AT(daemon.kafka_message), NAMES(th_message_format_names), TH_FOR_SERVE, "NAME",
      "what a message holds: auto, warc, http, html, pointer", TEXT("auto") },
    { "kafka", "kafka.url-header", 0, TH_OPTION_TEXT, AT(daemon.kafka_url_header), NULL, TH_FOR_SERVE, "NAME",
      "header with the URL of a response or page; empty: the key", TEXT("") },
    { "kafka", "kafka.archives", 0, TH_OPTION_TEXT, AT(daemon.kafka_archives), NULL, TH_FOR_SERVE, "DIR",
      "folder that pointers point into", TEXT("") },
    { "kafka", "kafka.archive-prefixes", 0, TH_OPTION_TEXT, AT(daemon.kafka_archive_prefixes), NULL, TH_FOR_SERVE, "LIST",
      "s3://BUCKET/... and https://HOST/... that pointers may lead below, blank between, each with a slash at its end; empty: none", TEXT("") },
    { "kafka", "kafka.archive-wait-ms", 0, TH_OPTION_NUMBER, AT(daemon.kafka_archive_wait_ms), NULL, TH_FOR_SERVE, "MS",
      "longest wait for an archive that is late or still written to, or whose store fails", NUMBER(0, TH_KAFKA_ARCHIVE_WAIT_MS, DAY_MS) },
    { "kafka", "kafka.records-topic", 0, TH_OPTION_TEXT, AT(daemon.kafka_records), NULL, TH_FOR_SERVE, "TOPIC",
      "topic for records; empty: no Kafka output", TEXT(""), COMMON(TH_FOR_SERVE) },
    { "kafka", "kafka.bands-topic", 0, TH_OPTION_TEXT, AT(daemon.kafka_bands), NULL, TH_FOR_SERVE, "TOPIC",
      "topic for band keys, a message for each; empty: none", TEXT("") },
    { "kafka", "kafka.bands-bits", 0, TH_OPTION_NUMBER, AT(daemon.kafka_bands_bits), NULL, TH_FOR_SERVE, "N",
      "bits of each slot that go with a band key, to compare by: 0, 4 or 8", NUMBER(0, 0, 8) },
    { "kafka", "kafka.bands-signed", 0, TH_OPTION_SWITCH, AT(daemon.kafka_bands_signed), NULL, TH_FOR_SERVE, NULL,
      "with each band key goes all that pairs are found by: id, URL, date, digest, signatures; for role pairs", OFF },
    { "kafka", "kafka.edges-topic", 0, TH_OPTION_TEXT, AT(daemon.kafka_edges), NULL, TH_FOR_SERVE, "TOPIC",
      "topic for who is like whom, with an index or in role pairs; empty: none", TEXT(""), COMMON(TH_FOR_SERVE) },
    { "kafka", "kafka.dead-letters-topic", 0, TH_OPTION_TEXT, AT(daemon.kafka_dead_letters), NULL, TH_FOR_SERVE, "TOPIC",
      "topic for what gave no page; empty: counted only", TEXT("") },
    { "kafka", "kafka.progress-topic", 0, TH_OPTION_TEXT, AT(daemon.kafka_progress), NULL, TH_FOR_SERVE, "TOPIC",
      "compacted topic, exactly-once: the spool position and the mark of an index", TEXT("") },
    { "kafka", "kafka.key", 0, TH_OPTION_TEXT, AT(daemon.kafka_key), NAMES(th_kafka_key_names), TH_FOR_SERVE, "NAME",
      "key of records: url, id, input (that of the message) or none", TEXT("url") },
    { "kafka", "kafka.tombstones", 0, TH_OPTION_TEXT, AT(daemon.kafka_tombstones), NULL, TH_FOR_SERVE, "LIST",
      "what withdraws a page: HTTP statuses, null (a message without value); its key goes to records-topic without a value; empty: nothing", TEXT("") },
    { "kafka", "kafka.schema-id", 0, TH_OPTION_NUMBER, AT(daemon.kafka_schema_id), NULL, TH_FOR_SERVE, "N",
      "a schema registry's id of the records' schema: five bytes before each record name it; 0: none", NUMBER(0, 0, INT32_MAX) },
    { "kafka", "kafka.transactional-id", 0, TH_OPTION_TEXT, AT(daemon.kafka_transactional_id), NULL, TH_FOR_SERVE, "NAME",
      "stable over restarts, unique per process; exactly-once", TEXT("") },
    { "kafka", "kafka.transaction-ms", 0, TH_OPTION_NUMBER, AT(daemon.kafka_transaction_ms), NULL, TH_FOR_SERVE, "MS",
      "brokers abort a transaction that is open for so long", NUMBER(1000, TH_KAFKA_TRANSACTION_MS, INT32_MAX) },
    { "kafka", "kafka.max-message", 0, TH_OPTION_SIZE, AT(daemon.kafka_max_message), NULL, TH_FOR_SERVE, "BYTES",
      "largest message for any topic; a longer record becomes a stub", NUMBER(1000, TH_KAFKA_MESSAGE_MAX, 1000000000) },

    { "pairs", "pairs.sign", 0, TH_OPTION_TEXT, AT(daemon.pairs_sign), NAMES(paired_names), TH_FOR_SERVE, "TEXT",
      "signature that is compared, the one whose bands the topic has: main, content, page or distinct", TEXT("main") },
    { "pairs", "pairs.threshold", 0, TH_OPTION_REAL, AT(daemon.pairs_threshold), NULL, TH_FOR_SERVE, "SHARE",
      "share of slots that duplicates have in common; 0: .8, for paper 4 of 8", NUMBER(0, 0, 1) },
    { "pairs", "pairs.fan-out", 0, TH_OPTION_NUMBER, AT(daemon.pairs_fan_out), NULL, TH_FOR_SERVE, "N",
      "where many records share a band key, each is compared with the first so many", NUMBER(1, 64, 1024) },
    { "pairs", "pairs.epoch", 0, TH_OPTION_NUMBER, AT(daemon.pairs_epoch), NULL, TH_FOR_SERVE, "SECONDS",
      "length of an epoch, in seconds of the messages' times", NUMBER(1, 86400, UINT32_MAX) },
    { "pairs", "pairs.keep", 0, TH_OPTION_NUMBER, AT(daemon.pairs_keep), NULL, TH_FOR_SERVE, "EPOCHS",
      "so many epochs a key is remembered", NUMBER(1, 30, 10000) },
    { "pairs", "pairs.memory", 0, TH_OPTION_SIZE, AT(daemon.pairs_memory), NULL, TH_FOR_SERVE, "BYTES",
      "memory for what is remembered; beyond it the oldest epochs are forgotten", NUMBER(1 << 20, 4294967296.0, MOST_BYTES) },

    { "dedup", "dedup.output", 0, TH_OPTION_TEXT, AT(dedup.output), NAMES(th_dedup_output_names), TH_FOR_DEDUP, "NAME",
      "clusters, pairs, or drop: the ids of all but each cluster's oldest", TEXT("clusters"), COMMON(TH_FOR_DEDUP) },
    { "dedup", "dedup.format", 'f', TH_OPTION_TEXT, AT(dedup.format), NAMES(dedup_format_names), TH_FOR_DEDUP, "NAME",
      "how that is written: jsonl (of drop an id a line) or parquet", TEXT("jsonl"), COMMON(TH_FOR_DEDUP) },
    { "dedup", "dedup.file", 'O', TH_OPTION_TEXT, AT(dedup.file), NULL, TH_FOR_DEDUP, "FILE",
      "where clusters, pairs or ids go, - for stdout; of `partition` its folder, of `pairs` the folder of the edges", TEXT("-"), COMMON(TH_FOR_DEDUP) },
    { "dedup", "dedup.sign", 0, TH_OPTION_TEXT, AT(dedup.sign), NAMES(th_compared_names), TH_FOR_DEDUP, "TEXT",
      "signature that is compared: auto (distinct, where a record has it, or main), main, content, page, distinct; both or either of main and page", TEXT("auto"), COMMON(TH_FOR_DEDUP) },
    { "dedup", "dedup.threshold", 0, TH_OPTION_REAL, AT(dedup.threshold), NULL, TH_FOR_DEDUP, "SHARE",
      "share of slots that duplicates have in common; 0: .8, for paper 4 of 8", NUMBER(0, 0, 1), COMMON(TH_FOR_DEDUP) },
    { "dedup", "dedup.fan-out", 0, TH_OPTION_NUMBER, AT(dedup.fan_out), NULL, TH_FOR_DEDUP, "N",
      "where many records share a band key, each is compared with the first so many", NUMBER(1, 64, 1024) },
    { "dedup", "dedup.parts", 0, TH_OPTION_NUMBER, AT(dedup.parts), NULL, TH_FOR_DEDUP, "P",
      "ranges of keys that `partition` makes", NUMBER(1, 64, TH_PARTS_MAX), COMMON(TH_FOR_DEDUP) },
    { "dedup", "dedup.part", 0, TH_OPTION_TEXT, AT(dedup.part), NULL, TH_FOR_DEDUP, "I/P",
      "range that `pairs` compares, the first is 0; auto: as the scheduler's array says", TEXT(""), COMMON(TH_FOR_DEDUP) },
    { "dedup", "dedup.memory", 0, TH_OPTION_SIZE, AT(dedup.memory), NULL, TH_FOR_DEDUP, "BYTES",
      "most memory; what does not fit is sorted on the disk", NUMBER(1 << 20, 512 << 20, MOST_BYTES), COMMON(TH_FOR_DEDUP) },
    { "dedup", "dedup.temp", 0, TH_OPTION_TEXT, AT(dedup.temp), NULL, TH_FOR_DEDUP, "DIR",
      "folder for temporary files; empty: $TMPDIR or /tmp", TEXT(""), COMMON(TH_FOR_DEDUP) },
    { "dedup", "dedup.report", 0, TH_OPTION_TEXT, AT(dedup.report), NULL, TH_FOR_DEDUP, "FILE",
      "the summary as JSON; empty: none", TEXT(""), COMMON(TH_FOR_DEDUP) },
    { "dedup", "dedup.max-line", 0, TH_OPTION_SIZE, AT(dedup.max_line), NULL, TH_FOR_DEDUP, "BYTES",
      "largest record; a longer one is refused", NUMBER(1 << 10, 16 << 20, 1 << 30) },

    { "graph", "graph.output", 'O', TH_OPTION_TEXT, AT(graph.output), NULL, TH_FOR_GRAPH, "DIR",
      "folder of the graph's files, made where it is missing", TEXT(""), COMMON(TH_FOR_GRAPH) },
    { "graph", "graph.level", 0, TH_OPTION_TEXT, AT(graph.level), NAMES(th_graph_level_names), TH_FOR_GRAPH, "NAME",
      "what a vertex is: host or page", TEXT("host"), COMMON(TH_FOR_GRAPH) },
    { "graph", "graph.links", 0, TH_OPTION_TEXT, AT(graph.links), NAMES(th_graph_links_names), TH_FOR_GRAPH, "NAME",
      "which links count: all, content or boilerplate", TEXT("all"), COMMON(TH_FOR_GRAPH) },
    { "graph", "graph.weigh", 0, TH_OPTION_REAL, AT(graph.weigh), NULL, TH_FOR_GRAPH, "WEIGHT",
      "rank that a boilerplate link passes on, of that of a content link", NUMBER(0, 1, 1) },
    { "graph", "graph.bias", 0, TH_OPTION_TEXT, AT(graph.bias), NULL, TH_FOR_GRAPH, "FILE",
      "hosts or URLs, one a line, from which rank comes; empty: from all", TEXT(""), COMMON(TH_FOR_GRAPH) },
    { "graph", "graph.alpha", 0, TH_OPTION_REAL, AT(graph.alpha), NULL, TH_FOR_GRAPH, "SHARE",
      "of a page's rank that its links pass on", NUMBER(0, 0.85, 0.999) },
    { "graph", "graph.epsilon", 0, TH_OPTION_REAL, AT(graph.epsilon), NULL, TH_FOR_GRAPH, "CHANGE",
      "ranking ends when the mean change in a round is below this, the mean rank being 1", NUMBER(1e-12, 1e-6, 1) },
    { "graph", "graph.memory", 0, TH_OPTION_SIZE, AT(graph.memory), NULL, TH_FOR_GRAPH, "BYTES",
      "most memory for sorting, the rest is sorted on the disk; ranks come on top: 41 bytes a vertex, 4 an edge", NUMBER(1 << 20, 512 << 20, MOST_BYTES), COMMON(TH_FOR_GRAPH) },
    { "graph", "graph.temp", 0, TH_OPTION_TEXT, AT(graph.temp), NULL, TH_FOR_GRAPH, "DIR",
      "folder for temporary files; empty: $TMPDIR or /tmp", TEXT(""), COMMON(TH_FOR_GRAPH) },
    { "graph", "graph.max-line", 0, TH_OPTION_SIZE, AT(graph.max_line), NULL, TH_FOR_GRAPH, "BYTES",
      "largest record, and line of --bias; a longer one is refused", NUMBER(1 << 10, 16 << 20, 1 << 30) },

    { .key = NULL },
};
/* clang-format on */

const th_option_alias th_option_aliases[] = { { "sites.least", "sites.min-pages" },
                                              { NULL, NULL } };

/* Returns a key without the prefix that the command's own options have in files. */
static const char *name_of(const char *key, unsigned command)
{
    static const struct {
        unsigned command;
        const char *prefix;
    } own[] = { { TH_FOR_DEDUP, "dedup." },     { TH_FOR_INSPECT, "inspect." },
                { TH_FOR_TEXT, "page." },       { TH_FOR_EVAL, "eval." },
                { TH_FOR_TRAIN, "train." },     { TH_FOR_GRAPH, "graph." },
                { TH_FOR_RECORDS, "records." }, { TH_FOR_SITES, "sites." } };
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        const size_t len = strlen(own[i].prefix);
        if (command & own[i].command && strncmp(key, own[i].prefix, len) == 0)
            return key + len;
    }
    return key;
}

const char *th_option_name(const th_option *option, unsigned command)
{
    return name_of(option->key, command);
}

const char *th_option_alias_name(const th_option_alias *alias, unsigned command)
{
    return name_of(alias->old_key, command);
}

size_t th_name_number(const th_names *names, const char *name, size_t len)
{
    size_t i = 0;
    for (const char *at; (at = names->at(names->table, i)); i++)
        if (strlen(at) == len && memcmp(at, name, len) == 0)
            break;
    return i;
}

/* Returns whether names are equal if '.', '-' and '_' are. */
static bool is_same_name(const char *a, const char *b)
{
    static const char separators[] = ".-_";
    for (; *a && *b; a++, b++)
        if (*a != *b && !(strchr(separators, *a) && strchr(separators, *b)))
            return false;
    return *a == *b;
}

const th_option *th_option_find(const char *key)
{
    for (const th_option_alias *alias = th_option_aliases; alias->old_key; alias++)
        if (strcmp(alias->old_key, key) == 0)
            key = alias->key;
    for (const th_option *option = th_option_table; option->key; option++)
        if (is_same_name(option->key, key))
            return option;
    return NULL;
}
