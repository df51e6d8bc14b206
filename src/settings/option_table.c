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
#include "dedup/exact_unit.h"
#include "dedup/record_shard.h"
#include "dedup/signature_params.h"
#include "graph/graph_options.h"
#include "ingest/range_fetcher.h"
#include "ingest/rendered_copies.h"
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
    if (i == 0)
        return TH_FORMAT_AUTO;
    return th_formats[i - 1] ? th_formats[i - 1]->name : NULL;
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
static const char *const dedup_format_names[] = { TH_FORMAT_AUTO, "jsonl", "parquet",
                                                  NULL };

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
      "output: a file, DIR/ for one file per input, s3://BUCKET/KEY, s3://BUCKET/DIR/, or - for stdout", TEXT("-"), COMMON(TH_FOR_RUN) },
    { "run", "format", 'f', TH_OPTION_TEXT, AT(format), NAMES_BY(format_at), TH_FOR_OUTPUT, "NAME",
      "format of the output; `thresher run --help` lists the formats. auto: by the suffix .parquet, .warc or .wet of the output, otherwise jsonl", TEXT(TH_FORMAT_AUTO), COMMON(TH_FOR_RUN | TH_FOR_SERVE) },
    { "run", "rank", 0, TH_OPTION_NUMBER, AT(rank), NULL, TH_FOR_RUN, "N",
      "minhash-sig: number of the first input's shard", NUMBER(0, 0, 99999) },
    { "run", "row-group", 0, TH_OPTION_SIZE, AT(row_group), NULL, TH_FOR_RUN | TH_FOR_RECORDS | TH_FOR_DEDUP, "BYTES",
      "parquet: uncompressed size of a row group; --resume continues after the last complete row group", NUMBER(1 << 10, 128 << 20, 2147483648.0) },
    { "run", "compress", 0, TH_OPTION_TEXT, AT(compress), NAMES(th_compress_names), TH_FOR_OUTPUT | TH_FOR_DEDUP, "NAME",
      "compression: gzip, zstd, zstd:seekable (for `thresher get`), auto (by the suffix .gz or .zst of the output) or none", TEXT("auto"), COMMON(TH_FOR_RUN | TH_FOR_DEDUP) },
    { "run", "rejects", 0, TH_OPTION_TEXT, AT(rejects), NULL, TH_FOR_RUN, "FILE",
      "write one JSON line for each refused record, with the reason", TEXT(""), COMMON(TH_FOR_RUN) },
    { "run", "set-aside", 0, TH_OPTION_TEXT, AT(set_aside), NULL, TH_FOR_RUN, "FILE",
      "copy records that are no HTML (PDF, office documents, text, feeds) unchanged to a WARC file, by its name .warc, .warc.gz or .warc.zst", TEXT("") },
    { "run", "text-plain", 0, TH_OPTION_SWITCH, AT(page.text_plain), NULL, TH_FOR_OUTPUT, NULL,
      "records of plain text (text/plain, Markdown) are pages, too, except robots.txt and logs of crawlers (metadata:); all of their text is content", OFF },
    { "run", "rendered", 0, TH_OPTION_TEXT, AT(rendered), NAMES(th_rendered_names), TH_FOR_RUN, "NAME",
      "rendered copies (Browsertrix): dom (read a page from its urn:dom: record), text (or else from urn:text:), only (urn:dom: records are the pages), off; dom and text read inputs twice", TEXT("off") },
    { "run", "emit", 'e', TH_OPTION_SET, AT(page.emit), NAMES(th_emit_names), TH_FOR_WRITING, "PARTS",
      "additional parts of a record: full_text,segments,blocks,links,html,paragraphs,languages,signals,posts,rights,structured,paragraph_languages", OF_PAGE, COMMON(TH_FOR_RUN | TH_FOR_SERVE) },
    { "run", "jobs", 'j', TH_OPTION_NUMBER, AT(jobs), NULL, TH_FOR_OUTPUT | TH_FOR_EVAL | TH_FOR_SITES, "N",
      "worker threads (0: one per core); the output does not depend on this number", NUMBER(0, 0, TH_WORKERS_MAX), COMMON(TH_FOR_RUN | TH_FOR_SERVE | TH_FOR_EVAL | TH_FOR_SITES) },
    { "run", "max-in-flight", 0, TH_OPTION_SIZE, AT(max_in_flight), NULL, TH_FOR_OUTPUT | TH_FOR_SITES, "BYTES",
      "memory for large pages and results in progress, shared by the workers (0: 16M per worker, at least 64M)", NUMBER(0, 0, MOST_BYTES) },
    { "run", "resume", 'r', TH_OPTION_SWITCH, AT(resume), NULL, TH_FOR_RUN, NULL,
      "continue an interrupted run; needs --output", OFF, COMMON(TH_FOR_RUN) },
    { "run", "manifest", 0, TH_OPTION_SWITCH, AT(manifest), NULL, TH_FOR_RUN | TH_FOR_SERVE, NULL,
      "write NAME.manifest.json next to an output that is not a stream: version, options, counts, and SHA-256 of inputs and outputs (=off: none)", ON },
    { "run", "checkpoint-ms", 0, TH_OPTION_NUMBER, AT(checkpoint_ms), NULL, TH_FOR_RUN, "MS",
      "milliseconds between two checkpoints for --resume", NUMBER(0, 5000, DAY_MS) },
    { "run", "verify-digests", 0, TH_OPTION_SWITCH, AT(verify_digests), NULL, TH_FOR_ALL | TH_FOR_SITES, NULL,
      "verify block digests; a mismatch sets a flag, but the record is kept", OFF, COMMON(TH_FOR_RECORDS) },
    { "run", "quiet", 'q', TH_OPTION_SWITCH, AT(quiet), NULL, TH_FOR_ALL | TH_FOR_EVAL | TH_FOR_DEDUP | TH_FOR_TRAIN | TH_FOR_GRAPH | TH_FOR_SITES | TH_FOR_ROBOTS, NULL,
      "hide progress and summary, but report damage", OFF, COMMON(TH_FOR_RUN | TH_FOR_RECORDS | TH_FOR_EVAL | TH_FOR_DEDUP | TH_FOR_INSPECT | TH_FOR_TEXT | TH_FOR_TRAIN | TH_FOR_GRAPH | TH_FOR_SITES | TH_FOR_ROBOTS) },

    { "run", "shard", 0, TH_OPTION_TEXT, AT(shard), NULL, TH_FOR_RUN, "I/N",
      "read inputs I, I + N, ... and write a marker for each finished input (auto: from the scheduler's environment)", TEXT(""), COMMON(TH_FOR_RUN) },
    { "run", "base", 0, TH_OPTION_TEXT, AT(base), NULL, TH_FOR_LISTS, "PREFIX",
      "prefix for relative names in an @list: a folder, s3://BUCKET/ or https://HOST/", TEXT(""), COMMON(TH_FOR_RECORDS) },

    { "set-aside", "set-aside.types", 0, TH_OPTION_TEXT, AT(set_aside_types), NULL, TH_FOR_RUN, "LIST",
      "media types for set-aside, with commas; * at an end stands for any rest; documents: PDF, office files, EPUB, RTF, plain text, Markdown, CSV, feeds",
      TEXT("documents") },

    { "remote", "remote.endpoint", 0, TH_OPTION_TEXT, AT(remote.endpoint), NULL, TH_FOR_REMOTE, "URL",
      "endpoint for s3:// (empty: $AWS_ENDPOINT_URL, or Amazon S3)", TEXT("") },
    { "remote", "remote.region", 0, TH_OPTION_TEXT, AT(remote.region), NULL, TH_FOR_REMOTE, "NAME",
      "region of the endpoint (empty: $AWS_REGION, or us-east-1)", TEXT("") },
    { "remote", "remote.path-style", 0, TH_OPTION_TEXT, AT(remote.path_style), NAMES(th_path_style_names), TH_FOR_REMOTE, "NAME",
      "put the bucket into the path instead of the host name: on, off, auto (on with an endpoint)", TEXT("auto") },
    { "remote", "remote.credentials", 0, TH_OPTION_TEXT, AT(remote.credentials), NAMES(th_credentials_names), TH_FOR_REMOTE, "NAME",
      "source of credentials: auto, env, web-identity, profile, container, instance or none (unsigned requests)", TEXT("auto") },
    { "remote", "remote.ca-file", 0, TH_OPTION_TEXT, AT(remote.ca_file), NULL, TH_FOR_REMOTE, "FILE",
      "trusted CA certificates (empty: $AWS_CA_BUNDLE, or the certificates of the system)", TEXT("") },
    { "remote", "remote.retries", 0, TH_OPTION_NUMBER, AT(remote.retries), NULL, TH_FOR_REMOTE, "N",
      "consecutive retries without enough progress (see remote.min-rate)", NUMBER(0, 10, 1000) },
    { "remote", "remote.backoff-ms", 0, TH_OPTION_NUMBER, AT(remote.backoff_ms), NULL, TH_FOR_REMOTE, "MS",
      "wait before the first retry; doubles for each further retry, up to 64 times", NUMBER(0, 1000, HOUR_MS) },
    { "remote", "remote.connect-ms", 0, TH_OPTION_NUMBER, AT(remote.connect_ms), NULL, TH_FOR_REMOTE, "MS",
      "timeout for a connection", NUMBER(1, 10000, HOUR_MS) },
    { "remote", "remote.stall-ms", 0, TH_OPTION_NUMBER, AT(remote.stall_ms), NULL, TH_FOR_REMOTE, "MS",
      "timeout without any data; after it the connection is closed", NUMBER(1, 60000, HOUR_MS) },
    { "remote", "remote.min-rate", 0, TH_OPTION_SIZE, AT(remote.min_rate), NULL, TH_FOR_REMOTE, "BYTES",
      "minimum bytes per second; a slower connection is closed (0: no minimum)", NUMBER(0, 1024, 1 << 30) },
    { "remote", "remote.min-rate-ms", 0, TH_OPTION_NUMBER, AT(remote.min_rate_ms), NULL, TH_FOR_REMOTE, "MS",
      "period for measuring remote.min-rate; at most four times remote.stall-ms", NUMBER(1, 60000, HOUR_MS) },
    { "remote", "remote.coalesce", 0, TH_OPTION_SIZE, AT(remote.coalesce), NULL, TH_FOR_RUN, "BYTES",
      "single records of an archive up to this far apart are one request, in order of archive and offset (0: one request each, in the order of the list)", NUMBER(0, 1 << 20, TH_RANGE_MAX) },
    { "remote", "remote.requests", 0, TH_OPTION_NUMBER, AT(remote.requests), NULL, TH_FOR_RUN, "N",
      "number of simultaneous requests for single records", NUMBER(1, 4, TH_RANGE_REQUESTS_MAX) },
    { "remote", "remote.staging", 0, TH_OPTION_TEXT, AT(remote.staging), NULL, TH_FOR_RUN, "DIR",
      "folder for outputs until they are complete and uploaded (empty: thresher-UID in $TMPDIR or /tmp)", TEXT("") },

    { "inspect", "inspect.html", 0, TH_OPTION_TEXT, AT(inspect.html), NULL, TH_FOR_INSPECT, "FILE",
      "write an HTML report with the densitogram to one file; - for stdout", TEXT(""), COMMON(TH_FOR_INSPECT) },
    { "inspect", "inspect.json", 0, TH_OPTION_SWITCH, AT(inspect.json), NULL, TH_FOR_INSPECT, NULL,
      "print one JSON object (thresher-inspect/1) instead of text", OFF, COMMON(TH_FOR_INSPECT) },
    { "inspect", "inspect.compare", 0, TH_OPTION_LIST, AT(inspect.compare), NULL, TH_FOR_INSPECT, "NAMES",
      "also apply other segmenters and classifiers: =all, =NAME,NAME", TEXT("none"), COMMON(TH_FOR_INSPECT) },
    { "inspect", "inspect.url", 0, TH_OPTION_TEXT, AT(inspect.url), NULL, TH_FOR_INSPECT, "URL",
      "URL of the page in a file or on stdin; base of its links", TEXT(""), COMMON(TH_FOR_INSPECT) },

    { "page", "page.output", 'O', TH_OPTION_TEXT, AT(text.output), NULL, TH_FOR_TEXT, "PATH",
      "output: a file, DIR/ for one file per page, or - for stdout", TEXT("-"), COMMON(TH_FOR_TEXT) },
    { "page", "page.json", 0, TH_OPTION_SWITCH, AT(text.json), NULL, TH_FOR_TEXT, NULL,
      "write the record of each page as a JSON line, as in `thresher run`", OFF, COMMON(TH_FOR_TEXT) },
    { "page", "page.url", 0, TH_OPTION_TEXT, AT(text.url), NULL, TH_FOR_TEXT, "URL",
      "URL of the page in a file or on stdin; base of its links", TEXT(""), COMMON(TH_FOR_TEXT) },
    { "page", "page.allow-private", 0, TH_OPTION_SWITCH, AT(text.allow_private), NULL, TH_FOR_TEXT, NULL,
      "also fetch pages from this machine and private networks, and use proxies", OFF, COMMON(TH_FOR_TEXT) },

    { "records", "records.cdxj", 0, TH_OPTION_SWITCH, AT(records.cdxj), NULL, TH_FOR_RECORDS, NULL,
      "write a sorted CDXJ index of the captures instead", OFF, COMMON(TH_FOR_RECORDS) },
    { "records", "records.cdxj-blocks", 0, TH_OPTION_TEXT, AT(records.cdxj_blocks), NULL, TH_FOR_RECORDS, "FILE",
      "write the CDXJ index to FILE in gzip blocks of 300 lines (ZipNum), and the index of blocks to stdout", TEXT(""), COMMON(TH_FOR_RECORDS) },
    { "records", "records.parquet", 0, TH_OPTION_TEXT, AT(records.parquet), NULL, TH_FOR_RECORDS, "FILE",
      "write a table of captures with the columns of Common Crawl's index instead; - for stdout", TEXT(""), COMMON(TH_FOR_RECORDS) },
    { "records", "records.validate", 0, TH_OPTION_SWITCH, AT(records.validate), NULL, TH_FOR_RECORDS, NULL,
      "print one line for each archive instead: ok, or the first three problems; digests are verified", OFF, COMMON(TH_FOR_RECORDS) },
    { "records", "records.json", 0, TH_OPTION_SWITCH, AT(records.json), NULL, TH_FOR_RECORDS, NULL,
      "with --validate: a JSON object for each archive", OFF, COMMON(TH_FOR_RECORDS) },

    { "text", "w-max", 0, TH_OPTION_NUMBER, AT(page.w_max), NULL, TH_FOR_READING, "COLUMNS",
      "line width for measuring text density", LIMIT(w_max) },
    { "text", "segmenter", 's', TH_OPTION_TEXT, AT(page.segmenter), NAMES_BY(th_segmenter_at), TH_FOR_READING | TH_FOR_SITES, "NAME",
      "method that joins blocks into segments", OF_PAGE, COMMON(TH_FOR_RUN | TH_FOR_EVAL | TH_FOR_INSPECT) },
    { "text", "segmenter-model", 0, TH_OPTION_TEXT, AT(segmenter_model), NULL, TH_FOR_READING, "FILE",
      "parameters of a learned segmenter, from `thresher-lab train` (empty: the built-in parameters)", TEXT("") },
    { "text", "profile", 'p', TH_OPTION_TEXT, AT(page.profile), NAMES_BY(th_profile_at), TH_FOR_READING, "NAME",
      "profile of tags that force or prevent a gap between blocks", OF_PAGE },
    { "text", "theta-max", 0, TH_OPTION_REAL, AT(page.theta_max), NULL, TH_FOR_READING, "DELTA",
      "join blocks up to this relative difference of density, or inf (negative: the default of the segmenter)", NUMBER(-INFINITY, TH_THETA_MAX_OWN, INFINITY) },
    { "text", "classifier", 'k', TH_OPTION_TEXT, AT(page.classifier), NAMES_BY(th_classifier_at), TH_FOR_READING, "NAME",
      "method that separates content from boilerplate", OF_PAGE, COMMON(TH_FOR_PAGES) },
    { "text", "strictness", 0, TH_OPTION_TEXT, AT(page.strictness), NULL, TH_FOR_READING, "NAME",
      "learned: balanced, strict (less boilerplate), wide (less missed content), or a minimum score such as .5; strict,balanced,wide writes text_strict and text_wide too", OF_PAGE, COMMON(TH_FOR_PAGES | TH_FOR_EVAL) },
    { "text", "comments", 0, TH_OPTION_SWITCH, AT(page.comments), NULL, TH_FOR_READING, NULL,
      "learned: label readers' comments as content", OFF, COMMON(TH_FOR_RUN | TH_FOR_EVAL | TH_FOR_INSPECT | TH_FOR_TEXT) },
    { "text", "content-without", 0, TH_OPTION_SET, AT(page.content_left_out), NAMES(th_content_step_names), TH_FOR_EVAL | TH_FOR_TRAIN, "STEPS",
      "learned: omit steps of the decision, to measure them: footer,like,cut,long,rescue,headings,tables,groups,contents,ingredients,comments,edit,end,repeats", OF_PAGE },
    { "text", "main-segment", 0, TH_OPTION_TEXT, AT(page.main_segment), NAMES(th_main_segment_names), TH_FOR_PAGES, "NAME",
      "selection of the main segment: weighed, or the largest as in the papers", OF_PAGE },
    { "text", "content-model", 0, TH_OPTION_TEXT, AT(content_model), NULL, TH_FOR_READING, "FILE",
      "model of a learned classifier, from training/train.py (empty: the built-in model)", TEXT("") },

    { "text", "text-format", 0, TH_OPTION_TEXT, AT(page.text_format), NULL, TH_FOR_WRITING, "NAMES",
      "formats of the text: plain, markdown, html; the first is the field text, others are text_NAME", OF_PAGE, COMMON(TH_FOR_WRITING) },
    { "text", "text-links", 0, TH_OPTION_SWITCH, AT(page.text_links), NULL, TH_FOR_WRITING, NULL,
      "markdown, html: write links with absolute URLs", OFF, COMMON(TH_FOR_RUN | TH_FOR_TEXT) },
    { "text", "text-images", 0, TH_OPTION_SWITCH, AT(page.text_images), NULL, TH_FOR_WRITING, NULL,
      "markdown, html: write images with absolute URLs", OFF, COMMON(TH_FOR_TEXT) },
    { "text", "text-title", 0, TH_OPTION_TEXT, AT(page.text_title), NAMES(th_text_titles), TH_FOR_WRITING, "RULE",
      "begin the text with the page's headline: yes, no, auto (yes in markdown and html)", OF_PAGE, COMMON(TH_FOR_TEXT) },
    { "text", "text-front-matter", 0, TH_OPTION_SWITCH, AT(page.text_front_matter), NULL, TH_FOR_WRITING, NULL,
      "plain, markdown: begin the text with YAML of url, title, author, dates, language and site", OFF, COMMON(TH_FOR_TEXT) },
    { "text", "redact", 0, TH_OPTION_SET, AT(page.redact), NAMES(th_redact_names), TH_FOR_WRITING, "KINDS",
      "replace personal data in all texts by markers: email,ip,phone", OF_PAGE },
    { "text", "weak-facts", 0, TH_OPTION_SWITCH, AT(page.weak_facts), NULL, TH_FOR_PAGES, NULL,
      "also use sources of authors and dates with an error rate above 20 %", OFF },

    { "text", "language-detector", 0, TH_OPTION_TEXT, AT(page.language_detector), NAMES(th_language_detectors), TH_FOR_PAGES, "NAME",
      "detector of the content's language: cld2, auto (cld2 if built in), fasttext (the model of language-fasttext) or none", OF_PAGE },
    { "text", "language-bytes", 0, TH_OPTION_NUMBER, AT(page.language_bytes), NULL, TH_FOR_PAGES, "N",
      "bytes of content to sample for language detection", LIMIT(language_bytes) },
    { "text", "language-fasttext", 0, TH_OPTION_TEXT, AT(language_fasttext), NULL, TH_FOR_PAGES, "FILE",
      "fastText model that also detects the content's language, such as lid.176.ftz or GlotLID (empty: none)", TEXT("") },

    { "filter", "filter.urls", 0, TH_OPTION_TEXT, AT(filter.urls), NULL, TH_FOR_OUTPUT, "FILE",
      "keep only pages that match a line of FILE: hosts, or URLs with *", TEXT(""), COMMON(TH_FOR_RUN) },
    { "filter", "filter.not-urls", 0, TH_OPTION_TEXT, AT(filter.not_urls), NULL, TH_FOR_OUTPUT, "FILE",
      "omit pages that match a line of FILE", TEXT("") },
    { "filter", "filter.not-ids", 0, TH_OPTION_TEXT, AT(filter.not_ids), NULL, TH_FOR_OUTPUT, "FILE",
      "omit records whose id is a line of FILE, such as the output of `thresher dedup --output drop`", TEXT("") },
    { "filter", "filter.suffix", 0, TH_OPTION_TEXT, AT(filter.suffix), NULL, TH_FOR_OUTPUT, "LIST",
      "keep only hosts with these public suffixes: de,co.uk,github.io", TEXT("") },
    { "filter", "filter.since", 0, TH_OPTION_TEXT, AT(filter.since), NULL, TH_FOR_OUTPUT, "DATE",
      "keep only captures from this date (WARC-Date) on: 2025, 2025-12-18", TEXT(""), COMMON(TH_FOR_RUN) },
    { "filter", "filter.until", 0, TH_OPTION_TEXT, AT(filter.until), NULL, TH_FOR_OUTPUT, "DATE",
      "keep only captures before this date", TEXT(""), COMMON(TH_FOR_RUN) },
    { "filter", "filter.status", 0, TH_OPTION_TEXT, AT(filter.status), NULL, TH_FOR_OUTPUT, "LIST",
      "keep only records with these HTTP statuses, or without one: 200,3xx,all (default: 2xx in formats for training, all in others)", TEXT("") },
    { "filter", "filter.media", 0, TH_OPTION_TEXT, AT(filter.media), NULL, TH_FOR_OUTPUT, "LIST",
      "keep only these media types, from the HTTP header; records without a media type are kept", TEXT("") },
    { "filter", "filter.language", 0, TH_OPTION_TEXT, AT(filter.language), NULL, TH_FOR_OUTPUT, "LIST",
      "keep only pages that declare these languages: en,de (none: pages without a declaration)", TEXT(""), COMMON(TH_FOR_RUN) },
    { "filter", "filter.page-type", 0, TH_OPTION_TEXT, AT(filter.page_type), NULL, TH_FOR_OUTPUT, "LIST",
      "keep only these page types of the learned classifier: article,forum", TEXT("") },
    { "filter", "filter.min-quality", 0, TH_OPTION_REAL, AT(filter.min_quality), NULL, TH_FOR_OUTPUT, "SCORE",
      "minimum quality of the text that the learned classifier expects (0: no limit)", NUMBER(0, 0, 1) },
    { "filter", "filter.detected", 0, TH_OPTION_TEXT, AT(filter.detected), NULL, TH_FOR_OUTPUT, "LIST",
      "keep only pages with these detected languages: en,zh (none: pages without a reliable language)", TEXT("") },
    { "filter", "filter.min-share", 0, TH_OPTION_REAL, AT(filter.min_share), NULL, TH_FOR_OUTPUT, "SHARE",
      "minimum share of the content in its main language (0: no limit)", NUMBER(0, 0, 1) },
    { "filter", "filter.min-words", 0, TH_OPTION_NUMBER, AT(filter.min_words), NULL, TH_FOR_OUTPUT, "N",
      "keep only pages with at least N words of content", NUMBER(0, 0, UINT32_MAX), COMMON(TH_FOR_RUN) },
    { "filter", "filter.max-words", 0, TH_OPTION_NUMBER, AT(filter.max_words), NULL, TH_FOR_OUTPUT, "N",
      "keep only pages with at most N words of content (0: no limit)", NUMBER(0, 0, UINT32_MAX) },

    { "filter", "filter.rights", 0, TH_OPTION_TEXT, AT(filter.rights), NULL, TH_FOR_OUTPUT, "LIST",
      "omit pages with these statements about rights: noindex,noarchive,noai,tdm-reservation,robots.txt,train-ai=n", TEXT("") },
    { "filter", "robots", 0, TH_OPTION_TEXT, AT(robots_file), NULL, TH_FOR_PAGES, "FILE",
      "rules of robots.txt and tdmrep.json, from `thresher robots build`, for emit = rights and filter.rights (empty: none)", TEXT("") },
    { "filter", "agent", 0, TH_OPTION_TEXT, AT(page.agent), NULL, TH_FOR_PAGES, "NAME",
      "name of your robot: statements about rights for it also count", TEXT("") },

    { "sketch", "minhash", 'm', TH_OPTION_TEXT, AT(page.minhash), NULL, TH_FOR_PAGES, "PRESET",
      "signature scheme: a preset, a preset with parameters such as datasketch2:k=256,w=7,seed=42, or none", OF_PAGE, COMMON(TH_FOR_RUN | TH_FOR_SERVE | TH_FOR_INSPECT) },
    { "sketch", "sign", 0, TH_OPTION_SET, AT(page.sign), NAMES_BY(sign_at), TH_FOR_PAGES, "TEXTS",
      "texts to sign: main,content,page,distinct", OF_PAGE },
    { "sketch", "bands", 'b', TH_OPTION_SWITCH, AT(page.bands), NULL, TH_FOR_PAGES, NULL,
      "also emit band keys, for joins of near-duplicates", OFF, COMMON(TH_FOR_RUN | TH_FOR_SERVE) },

    { "sites", "sites", 0, TH_OPTION_TEXT, AT(sites.file), NULL, TH_FOR_PAGES | TH_FOR_EVAL, "FILE",
      "counts of paragraphs that recur on sites, from `thresher sites build` (empty: none)", TEXT(""), COMMON(TH_FOR_RUN | TH_FOR_EVAL | TH_FOR_INSPECT) },
    { "sites", "two-pass", 0, TH_OPTION_SWITCH, AT(sites.two_pass), NULL, TH_FOR_RUN, NULL,
      "read the inputs twice: first count recurrent paragraphs, then write records", OFF, COMMON(TH_FOR_RUN) },
    { "sites", "sites-rule", 0, TH_OPTION_TEXT, AT(page.sites_rule), NAMES(th_sites_rules), TH_FOR_PAGES | TH_FOR_EVAL, "NAME",
      "omit recurrent paragraphs from signatures (sign = distinct), from signatures and content (labels), or from neither (off)", OF_PAGE },
    { "sites", "sites.by", 0, TH_OPTION_TEXT, AT(sites.by), NAMES(th_site_groupings), TH_FOR_OUTPUT | TH_FOR_SITES, "NAME",
      "define a site as a registered domain (Public Suffix List) or as a host", TEXT("domain"), COMMON(TH_FOR_SITES) },
    { "sites", "sites.path", 0, TH_OPTION_TEXT, AT(sites.path), NULL, TH_FOR_OUTPUT, "DIR",
      "folder for counting sites during the run, created if missing (empty: do not count)", TEXT("") },
    { "sites", "sites.epoch", 0, TH_OPTION_NUMBER, AT(sites.epoch), NULL, TH_FOR_OUTPUT, "N",
      "with sites.path: records per epoch; a page is compared with the counts at the start of its epoch", NUMBER(1, 1000, UINT32_MAX) },
    { "sites", "sites.journal", 0, TH_OPTION_SIZE, AT(sites.journal), NULL, TH_FOR_OUTPUT, "BYTES",
      "with sites.path: growth of the journal between two snapshots", NUMBER(1 << 12, 64 << 20, MOST_BYTES) },
    { "sites", "sites.segments", 0, TH_OPTION_SWITCH, AT(sites.segments), NULL, TH_FOR_OUTPUT | TH_FOR_SITES, NULL,
      "also count segments, by template fingerprint and position", OFF },
    { "sites", "sites.output", 'O', TH_OPTION_TEXT, AT(sites.output), NULL, TH_FOR_SITES, "FILE",
      "file for the counts", TEXT(""), COMMON(TH_FOR_SITES) },
    { "sites", "sites.json", 0, TH_OPTION_SWITCH, AT(sites.json), NULL, TH_FOR_SITES, NULL,
      "show: print JSON lines instead of text", OFF, COMMON(TH_FOR_SITES) },
    { "sites", "sites.pages", 0, TH_OPTION_NUMBER, AT(sites.pages), NULL, TH_FOR_OUTPUT | TH_FOR_SITES, "N",
      "maximum counted pages per site", NUMBER(4, 1000, TH_SITE_PAGES_MAX) },
    { "sites", "sites.hashes", 0, TH_OPTION_NUMBER, AT(sites.hashes), NULL, TH_FOR_OUTPUT | TH_FOR_SITES, "N",
      "maximum paragraphs per site; paragraphs on the most pages are kept", NUMBER(1, 2000, 1000000) },
    { "sites", "sites.min-pages", 0, TH_OPTION_NUMBER, AT(sites.min), NULL, TH_FOR_RUN | TH_FOR_SITES, "N",
      "omit paragraphs and sites with fewer pages; use 1 for files to merge", NUMBER(1, 2, 100), COMMON(TH_FOR_SITES) },
    { "sites", "sites.memory", 0, TH_OPTION_SIZE, AT(sites.memory), NULL, TH_FOR_OUTPUT | TH_FOR_SITES, "BYTES",
      "memory limit for counts; further counts are on disk", NUMBER(1 << 20, 256 << 20, MOST_BYTES), COMMON(TH_FOR_SITES) },
    { "sites", "sites.temp", 0, TH_OPTION_TEXT, AT(sites.temp), NULL, TH_FOR_RUN | TH_FOR_SITES, "DIR",
      "folder for temporary files (empty: $TMPDIR or /tmp)", TEXT(""), COMMON(TH_FOR_SITES) },

    { "robots", "robots.output", 'O', TH_OPTION_TEXT, AT(robots_build.output), NULL, TH_FOR_ROBOTS, "FILE",
      "build: file for the rules", TEXT(""), COMMON(TH_FOR_ROBOTS) },
    { "robots", "robots.memory", 0, TH_OPTION_SIZE, AT(robots_build.memory), NULL, TH_FOR_ROBOTS, "BYTES",
      "build: memory for sorting the hosts; more is on disk", NUMBER(1 << 20, 64 << 20, MOST_BYTES) },
    { "robots", "robots.temp", 0, TH_OPTION_TEXT, AT(robots_build.temp), NULL, TH_FOR_ROBOTS, "DIR",
      "build: folder for temporary files (empty: $TMPDIR or /tmp)", TEXT("") },

    { "index", "index.path", 0, TH_OPTION_TEXT, AT(index.path), NULL, TH_FOR_OUTPUT, "DIR",
      "folder of the online index of near-duplicates, created if missing (empty: none)", TEXT(""), COMMON(TH_FOR_RUN | TH_FOR_SERVE) },
    { "index", "index.threshold", 0, TH_OPTION_REAL, AT(index.threshold), NULL, TH_FOR_OUTPUT, "SHARE",
      "minimum share of equal slots of near-duplicates (negative: .8, or .5 for preset paper)", NUMBER(-1, -1, 1) },
    { "index", "index.bits", 0, TH_OPTION_NUMBER, AT(index.bits), NULL, TH_FOR_OUTPUT, "BITS",
      "bits of each slot to store for comparison: 8, 16, 32 or 64 (0 stores all bits)", NUMBER(0, 8, 64) },
    { "index", "index.epoch", 0, TH_OPTION_NUMBER, AT(index.epoch), NULL, TH_FOR_OUTPUT, "SECONDS",
      "length of an epoch, in seconds by the records' dates (0: one epoch per segment)", NUMBER(0, 86400, UINT32_MAX) },
    { "index", "index.keep", 0, TH_OPTION_NUMBER, AT(index.keep), NULL, TH_FOR_OUTPUT, "EPOCHS",
      "number of epochs to remember a page after its last occurrence", NUMBER(0, 30, UINT32_MAX) },
    { "index", "index.segment-pages", 0, TH_OPTION_NUMBER, AT(index.segment_pages), NULL, TH_FOR_OUTPUT, "N",
      "maximum pages in the active segment; needs 200 to 400 bytes of memory per page", NUMBER(1, 2000000, UINT32_MAX) },
    { "index", "index.repair", 0, TH_OPTION_SWITCH, AT(index.repair), NULL, TH_FOR_OUTPUT, NULL,
      "open a damaged index with its intact pages (no: fail)", OFF },
    { "index", "index.edges", 0, TH_OPTION_TEXT, AT(index.edges), NULL, TH_FOR_RUN, "FILE",
      "write one JSON line for each near-duplicate: both pages and their similarity", TEXT("") },

    { "eval", "classifiers", 0, TH_OPTION_TEXT, AT(eval.classifiers), NULL, TH_FOR_EVAL, "NAMES",
      "extraction: classifiers to measure, separated by commas, or all", TEXT("all"), COMMON(TH_FOR_EVAL) },
    { "eval", "segmenters", 0, TH_OPTION_TEXT, AT(eval.segmenters), NULL, TH_FOR_LAB, "NAMES",
      "segmentation: segmenters to measure, separated by commas, or all", TEXT("all"), COMMON(TH_FOR_LAB) },
    { "eval", "profiles", 0, TH_OPTION_TEXT, AT(eval.profiles), NULL, TH_FOR_EVAL, "NAMES",
      "profiles to measure, separated by commas, or all (empty: only --profile)", TEXT(""), COMMON(TH_FOR_EVAL) },
    { "eval", "fields", 0, TH_OPTION_TEXT, AT(eval.fields), NULL, TH_FOR_LAB, "NAMES",
      "segmentation: fields with gold labels, each with its own table", TEXT("segment"), COMMON(TH_FOR_LAB) },
    { "eval", "resamples", 0, TH_OPTION_NUMBER, AT(eval.resamples), NULL, TH_FOR_EVAL, "N",
      "bootstrap resamples for 95% confidence intervals of means over pages (0: no intervals)", NUMBER(0, 1000, 1000000), COMMON(TH_FOR_EVAL) },
    { "eval", "eval.worst", 0, TH_OPTION_NUMBER, AT(eval.worst), NULL, TH_FOR_EVAL, "N",
      "extraction: list the N pages with the lowest words F1, for each classifier", NUMBER(0, 0, 100000), COMMON(TH_FOR_EVAL) },
    { "eval", "eval.fold-models", 0, TH_OPTION_TEXT, AT(eval.fold_models), NULL, TH_FOR_EVAL, "DIR",
      "extraction, lines: folder with fold-0.model, fold-1.model, ...; each page uses the model trained without its site", TEXT(""), COMMON(TH_FOR_EVAL) },
    { "eval", "eval.site-pages", 0, TH_OPTION_NUMBER, AT(eval.site_pages), NULL, TH_FOR_LAB, "N",
      "extraction, lines: score only pages of sites with at least N pages in --sites", NUMBER(0, 0, TH_SITE_PAGES_MAX) },
    { "eval", "plot", 0, TH_OPTION_TEXT, AT(eval.plot), NULL, TH_FOR_LAB, "FILE.svg",
      "segmentation, density: write the curves as an SVG file", TEXT(""), COMMON(TH_FOR_LAB) },
    { "eval", "markdown", 0, TH_OPTION_SWITCH, AT(eval.markdown), NULL, TH_FOR_EVAL, NULL,
      "print tables as Markdown", OFF, COMMON(TH_FOR_EVAL) },
    { "eval", "json", 0, TH_OPTION_SWITCH, AT(eval.json), NULL, TH_FOR_EVAL, NULL,
      "print the report as one JSON object", OFF, COMMON(TH_FOR_EVAL) },
    { "eval", "eval.output", 'O', TH_OPTION_TEXT, AT(eval.output), NULL, TH_FOR_LAB, "FILE",
      "output file: rows of features, or segmentation: scores of each page as JSON lines", TEXT(""), COMMON(TH_FOR_LAB) },
    { "eval", "eval.token-tables", 0, TH_OPTION_TEXT, AT(eval.token_tables), NULL, TH_FOR_LAB, "FILE",
      "features: regressions over words from the training, one per fold (empty: none)", TEXT("") },
    { "eval", "eval.without-classes", 0, TH_OPTION_SWITCH, AT(eval.without_classes), NULL, TH_FOR_LAB, NULL,
      "features, extraction, lines: ignore the attributes class, id, role and itemprop", OFF },
    { "eval", "eval.list", 0, TH_OPTION_SWITCH, AT(eval.list), NULL, TH_FOR_LAB, NULL,
      "features: list the columns and their meanings; reads no corpus", OFF },

    { "train", "train.output", 'O', TH_OPTION_TEXT, AT(train.output), NULL, TH_FOR_TRAIN, "MODEL",
      "file for the model", TEXT(""), COMMON(TH_FOR_TRAIN) },
    { "train", "train.folds", 0, TH_OPTION_SWITCH, AT(train.folds), NULL, TH_FOR_TRAIN, NULL,
      "also train four models, each without a quarter of the sites, for measurements on the same corpora", OFF, COMMON(TH_FOR_TRAIN) },
    { "train", "train.without", 0, TH_OPTION_TEXT, AT(train.without), NULL, TH_FOR_TRAIN, "SOURCES",
      "omit pages of these sources, separated by commas", TEXT(""), COMMON(TH_FOR_TRAIN) },
    { "train", "train.field", 0, TH_OPTION_TEXT, AT(train.field), NULL, TH_FOR_TRAIN, "NAME",
      "field with the gold labels", TEXT("segment"), COMMON(TH_FOR_TRAIN) },
    { "train", "train.seed", 0, TH_OPTION_NUMBER, AT(train.seed), NULL, TH_FOR_TRAIN, "N",
      "seed for the order of pages and for samples", NUMBER(0, 1, UINT32_MAX), COMMON(TH_FOR_TRAIN) },

    { "limits", "max-record", 0, TH_OPTION_SIZE, AT(page.max_record), NULL, TH_FOR_READING | TH_FOR_SITES, "BYTES",
      "maximum size of a record block; longer blocks are cut and flagged", LIMIT(max_record) },
    { "limits", "max-body", 0, TH_OPTION_SIZE, AT(page.max_body), NULL, TH_FOR_READING | TH_FOR_SITES, "BYTES",
      "maximum size of a decoded HTTP body; longer bodies are cut and flagged", LIMIT(max_body) },
    { "limits", "max-head", 0, TH_OPTION_NUMBER, AT(page.max_head), NULL, TH_FOR_ALL | TH_FOR_EVAL | TH_FOR_SITES, "BYTES",
      "maximum size of an HTTP header; records with a longer header are refused", LIMIT(max_head) },
    { "limits", "max-codings", 0, TH_OPTION_NUMBER, AT(page.max_codings), NULL, TH_FOR_ALL | TH_FOR_EVAL | TH_FOR_SITES, "N",
      "maximum content codings of a body; records with more are refused", LIMIT(max_codings) },
    { "limits", "max-depth", 0, TH_OPTION_NUMBER, AT(page.max_depth), NULL, TH_FOR_READING | TH_FOR_SITES, "N",
      "maximum nesting of elements; deeper text is kept without its structure", LIMIT(max_depth) },
    { "limits", "max-nodes", 0, TH_OPTION_NUMBER, AT(page.max_nodes), NULL, TH_FOR_READING | TH_FOR_SITES, "N",
      "maximum elements of a page; text after the limit is kept without its structure", LIMIT(max_nodes) },
    { "limits", "max-blocks", 0, TH_OPTION_NUMBER, AT(page.max_blocks), NULL, TH_FOR_READING | TH_FOR_SITES, "N",
      "maximum blocks of a page; text after the limit is added to the last block", LIMIT(max_blocks) },
    { "limits", "max-links", 0, TH_OPTION_NUMBER, AT(page.max_links), NULL, TH_FOR_READING | TH_FOR_SITES, "N",
      "maximum links of a page; further links are omitted", LIMIT(max_links) },
    { "limits", "max-attributes", 0, TH_OPTION_NUMBER, AT(page.max_attributes), NULL, TH_FOR_READING | TH_FOR_SITES,
      "N", "maximum attributes of a tag; further attributes are ignored", LIMIT(max_attributes) },
    { "limits", "max-tag", 0, TH_OPTION_NUMBER, AT(page.max_tag), NULL, TH_FOR_READING | TH_FOR_SITES, "BYTES",
      "maximum length of a tag; attributes after the limit are ignored", LIMIT(max_tag) },
    { "limits", "page-ms", 0, TH_OPTION_NUMBER, AT(page.page_ms), NULL, TH_FOR_READING | TH_FOR_SITES, "MS",
      "CPU time limit of a page in milliseconds; slower pages are refused (0: no limit)", LIMIT(page_ms), COMMON(TH_FOR_SERVE) },
    { "limits", "isolation", 0, TH_OPTION_TEXT, AT(isolation), NAMES(isolation_names), TH_FOR_OUTPUT, "NAME",
      "process: handle pages in sandboxed processes, one per worker, so that a crash loses only its page (none: in threads)", TEXT("none"), COMMON(TH_FOR_SERVE) },
    { "limits", "isolation-memory", 0, TH_OPTION_SIZE, AT(isolation_memory), NULL, TH_FOR_OUTPUT, "BYTES",
      "memory limit of a page process; pages that need more are refused", NUMBER(64 << 20, 2147483648.0, MOST_BYTES) },
    { "limits", "isolation-ms", 0, TH_OPTION_NUMBER, AT(isolation_ms), NULL, TH_FOR_OUTPUT, "MS",
      "CPU time limit of a page in a page process, in milliseconds; the limit by the clock is ten times this", NUMBER(100, 10000, HOUR_MS) },
    { "daemon", "daemon.listen", 0, TH_OPTION_TEXT, AT(daemon.listen), NULL, TH_FOR_SERVE, "ADDRESS",
      "address of the HTTP endpoint for /metrics, /livez and /readyz: HOST:PORT, unix:PATH or none", TEXT("127.0.0.1:9464"), COMMON(TH_FOR_SERVE) },
    { "daemon", "daemon.log-format", 0, TH_OPTION_TEXT, AT(daemon.log_format), NAMES(th_log_format_names), TH_FOR_SERVE, "NAME",
      "format of the log on stderr, one line per event: logfmt or json", TEXT("logfmt") },
    { "daemon", "daemon.log-level", 0, TH_OPTION_TEXT, AT(daemon.log_level), NAMES(th_log_level_names), TH_FOR_SERVE, "NAME",
      "minimum level of logged events, from error to debug", TEXT("info"), COMMON(TH_FOR_SERVE) },
    { "daemon", "daemon.flush-ms", 0, TH_OPTION_NUMBER, AT(daemon.flush_ms), NULL, TH_FOR_SERVE, "MS",
      "maximum milliseconds between two flushes of results", NUMBER(1, 1000, HOUR_MS) },
    { "daemon", "daemon.flush-results", 0, TH_OPTION_NUMBER, AT(daemon.flush_results), NULL, TH_FOR_SERVE, "N",
      "flush results when N records are pending", NUMBER(1, 5000, UINT32_MAX) },
    { "daemon", "daemon.flush-bytes", 0, TH_OPTION_SIZE, AT(daemon.flush_bytes), NULL, TH_FOR_SERVE, "BYTES",
      "flush results when this many bytes are pending", NUMBER(1, 32 << 20, MOST_BYTES) },
    { "daemon", "daemon.drain-ms", 0, TH_OPTION_NUMBER, AT(daemon.drain_ms), NULL, TH_FOR_SERVE, "MS",
      "time limit for a clean shutdown after SIGTERM", NUMBER(0, 5000, HOUR_MS) },
    { "daemon", "daemon.delivery", 0, TH_OPTION_TEXT, AT(daemon.delivery), NAMES(delivery_names), TH_FOR_SERVE, "NAME",
      "delivery guarantee: at-least-once or exactly-once", TEXT("at-least-once"), COMMON(TH_FOR_SERVE) },
    { "daemon", "daemon.role", 0, TH_OPTION_TEXT, AT(daemon.role), NAMES(role_names), TH_FOR_SERVE, "NAME",
      "pages: read records and write annotated pages; pairs: read band keys and write near-duplicates, see [pairs]", TEXT("pages"), COMMON(TH_FOR_SERVE) },

    { "endpoint", "endpoint.extract", 0, TH_OPTION_SWITCH, AT(endpoint.extract), NULL, TH_FOR_SERVE, NULL,
      "accept POST /extract at daemon.listen: a page in, its record or text out; then input and output are optional", OFF, COMMON(TH_FOR_SERVE) },
    { "endpoint", "endpoint.max-body", 0, TH_OPTION_SIZE, AT(endpoint.max_body), NULL, TH_FOR_SERVE, "BYTES",
      "maximum size of a request's body; larger requests get status 413", NUMBER(1, 8 << 20, 1 << 30) },
    { "endpoint", "endpoint.queue", 0, TH_OPTION_NUMBER, AT(endpoint.queue), NULL, TH_FOR_SERVE, "N",
      "maximum requests in progress; further requests get status 503", NUMBER(1, 128, 1024) },
    { "endpoint", "endpoint.timeout-ms", 0, TH_OPTION_NUMBER, AT(endpoint.timeout_ms), NULL, TH_FOR_SERVE, "MS",
      "time limit for receiving a request, for sending its answer, and between two requests of a connection", NUMBER(100, 5000, HOUR_MS) },

    { "spool", "spool.path", 0, TH_OPTION_TEXT, AT(daemon.spool_path), NULL, TH_FOR_SERVE, "DIR",
      "input folder that a crawler writes to (empty: no spool)", TEXT(""), COMMON(TH_FOR_SERVE) },
    { "spool", "spool.patterns", 0, TH_OPTION_TEXT, AT(daemon.spool_patterns), NULL, TH_FOR_SERVE, "GLOBS",
      "file name patterns of complete archives, separated by spaces", TEXT(TH_SPOOL_PATTERNS) },
    { "spool", "spool.subfolders", 0, TH_OPTION_SWITCH, AT(daemon.spool_subfolders), NULL, TH_FOR_SERVE, NULL,
      "also read subfolders, except done, failed, links and other file systems", ON },
    { "spool", "spool.ledger", 0, TH_OPTION_TEXT, AT(daemon.spool_ledger), NULL, TH_FOR_SERVE, "FILE",
      "file that stores progress across restarts (empty: PATH/.thresher.ledger)", TEXT("") },
    { "spool", "spool.done", 0, TH_OPTION_TEXT, AT(daemon.spool_done), NULL, TH_FOR_SERVE, "DIR",
      "folder for finished files (empty: PATH/done)", TEXT("") },
    { "spool", "spool.failed", 0, TH_OPTION_TEXT, AT(daemon.spool_failed), NULL, TH_FOR_SERVE, "DIR",
      "folder for unreadable files (empty: PATH/failed)", TEXT("") },
    { "spool", "spool.finish", 0, TH_OPTION_TEXT, AT(daemon.spool_finish), NAMES(th_spool_finish_names), TH_FOR_SERVE, "NAME",
      "action for a finished file: move, delete or keep", TEXT("move"), COMMON(TH_FOR_SERVE) },
    { "spool", "spool.claim", 0, TH_OPTION_TEXT, AT(daemon.spool_claim), NAMES(th_spool_claim_names), TH_FOR_SERVE, "NAME",
      "method to claim files: rename (several processes can share the spool) or ledger", TEXT("rename") },
    { "spool", "spool.settle-ms", 0, TH_OPTION_NUMBER, AT(daemon.spool_settle_ms), NULL, TH_FOR_SERVE, "MS",
      "wait between the completion of a file and its reading", NUMBER(0, TH_SPOOL_SETTLE_MS, DAY_MS) },
    { "spool", "spool.quiet-ms", 0, TH_OPTION_NUMBER, AT(daemon.spool_quiet_ms), NULL, TH_FOR_SERVE, "MS",
      "time without changes after which a closed file is complete", NUMBER(0, TH_SPOOL_QUIET_MS, DAY_MS) },
    { "spool", "spool.min-age-ms", 0, TH_OPTION_NUMBER, AT(daemon.spool_min_age_ms), NULL, TH_FOR_SERVE, "MS",
      "age at which a file without a close event is complete", NUMBER(0, TH_SPOOL_MIN_AGE_MS, DAY_MS) },
    { "spool", "spool.rescan-ms", 0, TH_OPTION_NUMBER, AT(daemon.spool_rescan_ms), NULL, TH_FOR_SERVE, "MS",
      "time between two scans of the complete folder", NUMBER(1, TH_SPOOL_RESCAN_MS, DAY_MS) },
    { "spool", "spool.content-digest", 0, TH_OPTION_SWITCH, AT(daemon.spool_content_digest), NULL, TH_FOR_SERVE, NULL,
      "compute a digest of each file, to skip copies; reads each file one more time", ON },
    { "spool", "spool.ledger-keep", 0, TH_OPTION_NUMBER, AT(daemon.spool_ledger_keep), NULL, TH_FOR_SERVE, "N",
      "number of finished files to remember", NUMBER(1, TH_SPOOL_LEDGER_KEEP, UINT32_MAX) },
    { "spool", "spool.stuck-ms", 0, TH_OPTION_NUMBER, AT(daemon.spool_stuck_ms), NULL, TH_FOR_SERVE, "MS",
      "reading time without a record after which /readyz and the metrics report a stuck file", NUMBER(0, TH_SPOOL_STUCK_MS, DAY_MS) },
    { "spool", "spool.give-up-ms", 0, TH_OPTION_NUMBER, AT(daemon.spool_give_up_ms), NULL, TH_FOR_SERVE, "MS",
      "reading time without a record after which a file is moved to failed; its earlier records are kept (0: never)", NUMBER(0, TH_SPOOL_GIVE_UP_MS, DAY_MS) },

    { "files", "files.path", 0, TH_OPTION_TEXT, AT(daemon.files_path), NULL, TH_FOR_SERVE, "DIR",
      "folder for rolling output files (empty: none)", TEXT(""), COMMON(TH_FOR_SERVE) },
    { "files", "files.prefix", 0, TH_OPTION_TEXT, AT(daemon.files_prefix), NULL, TH_FOR_SERVE, "NAME",
      "prefix of output file names", TEXT(TH_ROLLING_PREFIX) },
    { "files", "files.roll-bytes", 0, TH_OPTION_SIZE, AT(daemon.files_roll_bytes), NULL, TH_FOR_SERVE, "BYTES",
      "maximum size of an output file", NUMBER(1, TH_ROLLING_BYTES, MOST_BYTES), COMMON(TH_FOR_SERVE) },
    { "files", "files.roll-ms", 0, TH_OPTION_NUMBER, AT(daemon.files_roll_ms), NULL, TH_FOR_SERVE, "MS",
      "maximum age of an output file", NUMBER(0, TH_ROLLING_MS, UINT32_MAX) },
    { "files", "files.edges", 0, TH_OPTION_SWITCH, AT(daemon.files_edges), NULL, TH_FOR_SERVE, NULL,
      "with an index: also write near-duplicate pairs, to files edges-*.jsonl", OFF },

    { "kafka", "kafka.brokers", 0, TH_OPTION_TEXT, AT(daemon.kafka_brokers), NULL, TH_FOR_SERVE, "LIST",
      "brokers as host:port,host:port (empty: no Kafka)", TEXT(""), COMMON(TH_FOR_SERVE) },
    { "kafka", "kafka.client-id", 0, TH_OPTION_TEXT, AT(daemon.kafka_client_id), NULL, TH_FOR_SERVE, "NAME",
      "client id for the brokers", TEXT(TH_KAFKA_CLIENT_ID) },
    { "kafka", "kafka.password-file", 0, TH_OPTION_TEXT, AT(daemon.kafka_password_file), NULL, TH_FOR_SERVE, "FILE",
      "file whose first line is sasl.password, read for each new client (empty: none)", TEXT(""), COMMON(TH_FOR_SERVE) },
    { "kafka", "kafka.topics", 0, TH_OPTION_TEXT, AT(daemon.kafka_topics), NULL, TH_FOR_SERVE, "LIST",
      "topics to read, separated by commas (empty: no Kafka input)", TEXT(""), COMMON(TH_FOR_SERVE) },
    { "kafka", "kafka.group", 0, TH_OPTION_TEXT, AT(daemon.kafka_group), NULL, TH_FOR_SERVE, "NAME",
      "consumer group", TEXT(TH_KAFKA_GROUP), COMMON(TH_FOR_SERVE) },
    { "kafka", "kafka.instance", 0, TH_OPTION_TEXT, AT(daemon.kafka_instance), NULL, TH_FOR_SERVE, "NAME",
      "group.instance.id, so that a restart gets its partitions back immediately", TEXT("") },
    { "kafka", "kafka.session-ms", 0, TH_OPTION_NUMBER, AT(daemon.kafka_session_ms), NULL, TH_FOR_SERVE, "MS",
      "session timeout of a group member", NUMBER(1, TH_KAFKA_SESSION_MS, HOUR_MS) },
    { "kafka", "kafka.message", 0, TH_OPTION_TEXT, AT(daemon.kafka_message), NAMES(th_message_format_names), TH_FOR_SERVE, "NAME",
      "content of a message: auto, warc, http, html, pointer", TEXT("auto") },
    { "kafka", "kafka.url-header", 0, TH_OPTION_TEXT, AT(daemon.kafka_url_header), NULL, TH_FOR_SERVE, "NAME",
      "message header with the URL of a response or page (empty: the message key)", TEXT("") },
    { "kafka", "kafka.archives", 0, TH_OPTION_TEXT, AT(daemon.kafka_archives), NULL, TH_FOR_SERVE, "DIR",
      "folder of archives for pointers", TEXT("") },
    { "kafka", "kafka.archive-prefixes", 0, TH_OPTION_TEXT, AT(daemon.kafka_archive_prefixes), NULL, TH_FOR_SERVE, "LIST",
      "allowed URL prefixes of pointers: s3://BUCKET/.../ and https://HOST/.../, separated by spaces, each with a final slash (empty: none)", TEXT("") },
    { "kafka", "kafka.archive-wait-ms", 0, TH_OPTION_NUMBER, AT(daemon.kafka_archive_wait_ms), NULL, TH_FOR_SERVE, "MS",
      "time limit for an archive that is missing, incomplete or in a failing store", NUMBER(0, TH_KAFKA_ARCHIVE_WAIT_MS, DAY_MS) },
    { "kafka", "kafka.records-topic", 0, TH_OPTION_TEXT, AT(daemon.kafka_records), NULL, TH_FOR_SERVE, "TOPIC",
      "topic for records (empty: no Kafka output)", TEXT(""), COMMON(TH_FOR_SERVE) },
    { "kafka", "kafka.bands-topic", 0, TH_OPTION_TEXT, AT(daemon.kafka_bands), NULL, TH_FOR_SERVE, "TOPIC",
      "topic for band keys, one message per key (empty: none)", TEXT("") },
    { "kafka", "kafka.bands-bits", 0, TH_OPTION_NUMBER, AT(daemon.kafka_bands_bits), NULL, TH_FOR_SERVE, "N",
      "bits of each slot in a message of a band key, for comparison: 0, 4 or 8", NUMBER(0, 0, 8) },
    { "kafka", "kafka.bands-signed", 0, TH_OPTION_SWITCH, AT(daemon.kafka_bands_signed), NULL, TH_FOR_SERVE, NULL,
      "for role pairs: add id, URL, date, digest and signatures to each band key", OFF },
    { "kafka", "kafka.edges-topic", 0, TH_OPTION_TEXT, AT(daemon.kafka_edges), NULL, TH_FOR_SERVE, "TOPIC",
      "topic for near-duplicate pairs, with an index or in role pairs (empty: none)", TEXT("") },
    { "kafka", "kafka.dead-letters-topic", 0, TH_OPTION_TEXT, AT(daemon.kafka_dead_letters), NULL, TH_FOR_SERVE, "TOPIC",
      "topic for refused records (empty: only count them)", TEXT("") },
    { "kafka", "kafka.progress-topic", 0, TH_OPTION_TEXT, AT(daemon.kafka_progress), NULL, TH_FOR_SERVE, "TOPIC",
      "exactly-once: compacted topic for the spool position and the mark of an index", TEXT("") },
    { "kafka", "kafka.key", 0, TH_OPTION_TEXT, AT(daemon.kafka_key), NAMES(th_kafka_key_names), TH_FOR_SERVE, "NAME",
      "key of records: url, id, input (key of the input message) or none", TEXT("url") },
    { "kafka", "kafka.tombstones", 0, TH_OPTION_TEXT, AT(daemon.kafka_tombstones), NULL, TH_FOR_SERVE, "LIST",
      "HTTP statuses, or null (messages without a value), that withdraw a page: its key is sent to records-topic without a value (empty: none)", TEXT("") },
    { "kafka", "kafka.schema-id", 0, TH_OPTION_NUMBER, AT(daemon.kafka_schema_id), NULL, TH_FOR_SERVE, "N",
      "id of the record schema in a schema registry, written before each record in five bytes (0: none)", NUMBER(0, 0, INT32_MAX) },
    { "kafka", "kafka.transactional-id", 0, TH_OPTION_TEXT, AT(daemon.kafka_transactional_id), NULL, TH_FOR_SERVE, "NAME",
      "exactly-once: transactional.id, stable across restarts and unique per process", TEXT("") },
    { "kafka", "kafka.transaction-ms", 0, TH_OPTION_NUMBER, AT(daemon.kafka_transaction_ms), NULL, TH_FOR_SERVE, "MS",
      "transaction timeout of the brokers", NUMBER(1000, TH_KAFKA_TRANSACTION_MS, INT32_MAX) },
    { "kafka", "kafka.max-message", 0, TH_OPTION_SIZE, AT(daemon.kafka_max_message), NULL, TH_FOR_SERVE, "BYTES",
      "maximum size of a message; larger records are replaced by a stub", NUMBER(1000, TH_KAFKA_MESSAGE_MAX, 1000000000) },

    { "pairs", "pairs.sign", 0, TH_OPTION_TEXT, AT(daemon.pairs_sign), NAMES(paired_names), TH_FOR_SERVE, "TEXT",
      "signature to compare, whose bands the topic contains: main, content, page or distinct", TEXT("main") },
    { "pairs", "pairs.threshold", 0, TH_OPTION_REAL, AT(daemon.pairs_threshold), NULL, TH_FOR_SERVE, "SHARE",
      "minimum share of equal slots of duplicates (0: .8, or 4 of 8 for preset paper)", NUMBER(0, 0, 1) },
    { "pairs", "pairs.fan-out", 0, TH_OPTION_NUMBER, AT(daemon.pairs_fan_out), NULL, TH_FOR_SERVE, "N",
      "maximum records with the same band key to compare a record with", NUMBER(1, 64, 1024) },
    { "pairs", "pairs.epoch", 0, TH_OPTION_NUMBER, AT(daemon.pairs_epoch), NULL, TH_FOR_SERVE, "SECONDS",
      "length of an epoch, in seconds by the messages' timestamps", NUMBER(1, 86400, UINT32_MAX) },
    { "pairs", "pairs.keep", 0, TH_OPTION_NUMBER, AT(daemon.pairs_keep), NULL, TH_FOR_SERVE, "EPOCHS",
      "number of epochs to remember a key", NUMBER(1, 30, 10000) },
    { "pairs", "pairs.memory", 0, TH_OPTION_SIZE, AT(daemon.pairs_memory), NULL, TH_FOR_SERVE, "BYTES",
      "memory limit for keys; the oldest epochs are evicted", NUMBER(1 << 20, 4294967296.0, MOST_BYTES) },

    { "dedup", "dedup.output", 0, TH_OPTION_TEXT, AT(dedup.output), NAMES(th_dedup_output_names), TH_FOR_DEDUP, "NAME",
      "output: clusters, pairs, or drop (ids of all records except the oldest of each cluster)", TEXT("clusters"), COMMON(TH_FOR_DEDUP) },
    { "dedup", "dedup.format", 'f', TH_OPTION_TEXT, AT(dedup.format), NAMES(dedup_format_names), TH_FOR_DEDUP, "NAME",
      "format of the output: jsonl (drop: one id per line), parquet, or auto (by the suffix .parquet of the output)", TEXT(TH_FORMAT_AUTO), COMMON(TH_FOR_DEDUP) },
    { "dedup", "dedup.file", 'O', TH_OPTION_TEXT, AT(dedup.file), NULL, TH_FOR_DEDUP, "FILE",
      "output file, - for stdout (partition: folder of the shard, pairs: folder of the edges)", TEXT("-"), COMMON(TH_FOR_DEDUP) },
    { "dedup", "dedup.by", 0, TH_OPTION_TEXT, AT(dedup.by), NAMES(th_dedup_by_names), TH_FOR_DEDUP, "NAME",
      "duplicates: similarity (of signatures, or equal text), text (equal digest), or url (equal URL)", TEXT("similarity"), COMMON(TH_FOR_DEDUP) },
    { "dedup", "dedup.unit", 0, TH_OPTION_TEXT, AT(dedup.unit), NAMES(th_dedup_unit_names), TH_FOR_DEDUP, "NAME",
      "unit to compare: record, or paragraph (equal lines of the text)", TEXT("record"), COMMON(TH_FOR_DEDUP) },
    { "dedup", "dedup.sign", 0, TH_OPTION_TEXT, AT(dedup.sign), NAMES(th_compared_names), TH_FOR_DEDUP, "TEXT",
      "signature to compare: auto (distinct if present, otherwise main), main, content, page, distinct, both or either (main and page)", TEXT("auto"), COMMON(TH_FOR_DEDUP) },
    { "dedup", "dedup.threshold", 0, TH_OPTION_REAL, AT(dedup.threshold), NULL, TH_FOR_DEDUP, "SHARE",
      "minimum share of equal slots of duplicates (0: .8, or 4 of 8 for preset paper)", NUMBER(0, 0, 1), COMMON(TH_FOR_DEDUP) },
    { "dedup", "dedup.fan-out", 0, TH_OPTION_NUMBER, AT(dedup.fan_out), NULL, TH_FOR_DEDUP, "N",
      "maximum records with the same band key to compare a record with", NUMBER(1, 64, 1024) },
    { "dedup", "dedup.parts", 0, TH_OPTION_NUMBER, AT(dedup.parts), NULL, TH_FOR_DEDUP, "P",
      "partition: number of key ranges", NUMBER(1, 64, TH_PARTS_MAX), COMMON(TH_FOR_DEDUP) },
    { "dedup", "dedup.part", 0, TH_OPTION_TEXT, AT(dedup.part), NULL, TH_FOR_DEDUP, "I/P",
      "pairs: range to compare, from 0 (auto: from the scheduler's environment)", TEXT(""), COMMON(TH_FOR_DEDUP) },
    { "dedup", "dedup.memory", 0, TH_OPTION_SIZE, AT(dedup.memory), NULL, TH_FOR_DEDUP, "BYTES",
      "memory limit; larger data is sorted on disk", NUMBER(1 << 20, 512 << 20, MOST_BYTES), COMMON(TH_FOR_DEDUP) },
    { "dedup", "dedup.temp", 0, TH_OPTION_TEXT, AT(dedup.temp), NULL, TH_FOR_DEDUP, "DIR",
      "folder for temporary files (empty: $TMPDIR or /tmp)", TEXT(""), COMMON(TH_FOR_DEDUP) },
    { "dedup", "dedup.report", 0, TH_OPTION_TEXT, AT(dedup.report), NULL, TH_FOR_DEDUP, "FILE",
      "write the summary as JSON (empty: none)", TEXT(""), COMMON(TH_FOR_DEDUP) },
    { "dedup", "dedup.max-line", 0, TH_OPTION_SIZE, AT(dedup.max_line), NULL, TH_FOR_DEDUP, "BYTES",
      "maximum size of a record; longer records are refused", NUMBER(1 << 10, 16 << 20, 1 << 30) },

    { "graph", "graph.output", 'O', TH_OPTION_TEXT, AT(graph.output), NULL, TH_FOR_GRAPH, "DIR",
      "folder for the files of the graph, created if missing", TEXT(""), COMMON(TH_FOR_GRAPH) },
    { "graph", "graph.level", 0, TH_OPTION_TEXT, AT(graph.level), NAMES(th_graph_level_names), TH_FOR_GRAPH, "NAME",
      "type of the vertices: host or page", TEXT("host"), COMMON(TH_FOR_GRAPH) },
    { "graph", "graph.links", 0, TH_OPTION_TEXT, AT(graph.links), NAMES(th_graph_links_names), TH_FOR_GRAPH, "NAME",
      "links to use: all, content or boilerplate", TEXT("all"), COMMON(TH_FOR_GRAPH) },
    { "graph", "graph.weigh", 0, TH_OPTION_REAL, AT(graph.weigh), NULL, TH_FOR_GRAPH, "WEIGHT",
      "weight of a boilerplate link, relative to a content link", NUMBER(0, 1, 1) },
    { "graph", "graph.bias", 0, TH_OPTION_TEXT, AT(graph.bias), NULL, TH_FOR_GRAPH, "FILE",
      "file of hosts or URLs, one per line, that the random surfer starts from (empty: all)", TEXT(""), COMMON(TH_FOR_GRAPH) },
    { "graph", "graph.alpha", 0, TH_OPTION_REAL, AT(graph.alpha), NULL, TH_FOR_GRAPH, "SHARE",
      "damping factor: share of a page's rank that its links pass on", NUMBER(0, 0.85, 0.999) },
    { "graph", "graph.epsilon", 0, TH_OPTION_REAL, AT(graph.epsilon), NULL, TH_FOR_GRAPH, "CHANGE",
      "stop ranking when the mean change per round is below this value (the mean rank is 1)", NUMBER(1e-12, 1e-6, 1) },
    { "graph", "graph.memory", 0, TH_OPTION_SIZE, AT(graph.memory), NULL, TH_FOR_GRAPH, "BYTES",
      "memory limit for sorting; larger data is sorted on disk. Ranking needs 41 bytes per vertex and 4 per edge in addition", NUMBER(1 << 20, 512 << 20, MOST_BYTES), COMMON(TH_FOR_GRAPH) },
    { "graph", "graph.temp", 0, TH_OPTION_TEXT, AT(graph.temp), NULL, TH_FOR_GRAPH, "DIR",
      "folder for temporary files (empty: $TMPDIR or /tmp)", TEXT(""), COMMON(TH_FOR_GRAPH) },
    { "graph", "graph.max-line", 0, TH_OPTION_SIZE, AT(graph.max_line), NULL, TH_FOR_GRAPH, "BYTES",
      "maximum size of a record or a line of --bias; longer ones are refused", NUMBER(1 << 10, 16 << 20, 1 << 30) },

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
                { TH_FOR_RECORDS, "records." }, { TH_FOR_SITES, "sites." },
                { TH_FOR_ROBOTS, "robots." } };
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
