/*
 * Everything that can be set, in one struct, and the one table that feeds it: from the
 * file, the command line and `-o`, into --help, `config show`, manual pages and
 * completions.
 */
#ifndef TH_SETTINGS_H
#define TH_SETTINGS_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/unknown_name.h"
#include "base/warning.h"
#include "kafka/kafka_conf.h"
#include "pipeline/page_filter.h"
#include "thresher/arena.h"
#include "thresher/options.h"
#include "thresher/segmenter.h"

/* Commands, as bits: which of them an option is for. */
enum {
    TH_FOR_RUN = 1u << 0,
    TH_FOR_RECORDS = 1u << 1,
    TH_FOR_SERVE = 1u << 2,
    TH_FOR_EVAL = 1u << 3,
    TH_FOR_DEDUP = 1u << 4,
    TH_FOR_INSPECT = 1u << 5,
    TH_FOR_TRAIN = 1u << 6,
    TH_FOR_GRAPH = 1u << 7,
    TH_FOR_SITES = 1u << 8,
    TH_FOR_LAB = 1u << 9, /* `eval` of thresher-lab, in addition to TH_FOR_EVAL */
    TH_FOR_TEXT = 1u << 10,
    TH_FOR_ROBOTS = 1u << 11,
    TH_FOR_OUTPUT = TH_FOR_RUN | TH_FOR_SERVE,
    TH_FOR_WRITING = TH_FOR_OUTPUT | TH_FOR_TEXT,
    TH_FOR_PAGES = TH_FOR_OUTPUT | TH_FOR_INSPECT | TH_FOR_TEXT,
    TH_FOR_READING =
        TH_FOR_PAGES | TH_FOR_EVAL | TH_FOR_TRAIN, /* commands that read pages */
    TH_FOR_ALL = TH_FOR_PAGES | TH_FOR_RECORDS,
    TH_FOR_LISTS = TH_FOR_RUN | TH_FOR_RECORDS | TH_FOR_SITES |
                   TH_FOR_ROBOTS, /* archives as INPUT */
    TH_FOR_REMOTE = TH_FOR_LISTS | TH_FOR_INSPECT | TH_FOR_TEXT | TH_FOR_SERVE |
                    TH_FOR_DEDUP | TH_FOR_GRAPH
};

/** Settings of the daemon's HTTP endpoint, except its address. */
typedef struct th_endpoint_settings {
    bool extract;        /* POST /extract */
    uint32_t queue;      /* its requests in progress */
    uint64_t max_body;   /* bytes of a request's body */
    uint32_t timeout_ms; /* for receiving a request, and for sending its answer */
} th_endpoint_settings;

/** Settings only for the daemon; "" = not set. */
typedef struct th_daemon_settings {
    const char *listen;     /* of the HTTP endpoint, "none" = no endpoint */
    const char *log_format; /* "logfmt", "json" */
    const char *log_level;  /* "error" .. "debug" */
    uint32_t flush_ms, flush_results, drain_ms;
    uint64_t flush_bytes;
    const char *delivery; /* "at-least-once", "exactly-once" */
    const char *role;     /* "pages", "pairs" */

    const char *spool_path, *spool_patterns, *spool_ledger, *spool_done, *spool_failed;
    const char *spool_finish; /* "move", "delete", "keep" */
    const char *spool_claim;  /* "rename", "ledger" */
    uint32_t spool_settle_ms, spool_quiet_ms, spool_min_age_ms, spool_rescan_ms;
    uint32_t spool_ledger_keep;
    uint32_t spool_stuck_ms, spool_give_up_ms;
    bool spool_subfolders, spool_content_digest;

    const char *files_path, *files_prefix;
    uint64_t files_roll_bytes;
    uint32_t files_roll_ms;
    bool files_edges;

    const char *kafka_brokers, *kafka_client_id, *kafka_password_file, *kafka_tombstones;
    const char *kafka_topics, *kafka_group, *kafka_instance;
    const char *kafka_message, *kafka_url_header, *kafka_archives;
    const char *kafka_archive_prefixes;
    uint32_t kafka_schema_id;
    uint32_t kafka_session_ms, kafka_archive_wait_ms, kafka_transaction_ms;
    const char *kafka_records, *kafka_bands, *kafka_edges;
    const char *kafka_dead_letters, *kafka_progress;
    uint32_t kafka_bands_bits; /* of each slot in the bands' values: 0, 4, 8 */
    bool kafka_bands_signed;   /* they hold all that pairs are found by */
    const char *kafka_key;     /* "url", "id", "input" */
    const char *kafka_transactional_id;
    uint64_t kafka_max_message;
    const char *pairs_sign; /* a name in th_compared_names */
    double pairs_threshold; /* 0 = the preset's own */
    uint32_t pairs_fan_out, pairs_epoch, pairs_keep;
    uint64_t pairs_memory;
    th_kafka_pair *pairs; /* lines `librdkafka.KEY = VALUE`, passed through */
    uint32_t pair_count;
} th_daemon_settings;

/** Settings only for `thresher eval`. */
typedef struct th_eval_settings {
    const char *classifiers, *segmenters; /* names with commas, "all" */
    const char *profiles;                 /* the same; "" = only `profile` */
    const char *fields;                   /* label vectors of a gold segmentation */
    const char *plot;                     /* SVG file, "" = none */
    const char *fold_models;              /* folder, "" = none */
    uint32_t site_pages;                  /* pages of smaller sites are not scored */
    uint32_t resamples;                   /* of the bootstrap */
    uint32_t worst;                       /* pages that are named */
    bool markdown, json;                  /* form of the report; neither: text */
    const char *output;                   /* features: their file, "" = not said */
    const char *token_tables;             /* features: "" = none */
    bool without_classes;                 /* treat pages as if they had no classes */
    bool list;                            /* features: columns, not rows */
} th_eval_settings;

/** Settings only for `thresher text`. */
typedef struct th_text_settings {
    const char *output; /* file, "DIR/" for a file for each page, "-" = stdout */
    const char *url;    /* of a file or stdin: base of its links; "" = unknown */
    bool json;          /* the record instead of its text */
    bool allow_private; /* also fetch pages from addresses that are not public */
} th_text_settings;

/** Settings only for `thresher train`. */
typedef struct th_train_settings {
    const char *output;  /* the model's file, "" = not said */
    const char *field;   /* label vector of the gold */
    const char *without; /* sources to exclude, separated by commas */
    uint32_t seed;
    bool folds;
} th_train_settings;

/** Settings only for `thresher dedup`. */
typedef struct th_dedup_settings {
    const char *output; /* "clusters", "pairs", "drop" */
    const char *format; /* "jsonl", "parquet" */
    const char *file;   /* output file, "-" = stdout */
    const char *by;     /* a name in th_dedup_by_names */
    const char *unit;   /* a name in th_dedup_unit_names */
    const char *sign;   /* texts compared: a name in th_compared_names */
    const char *report; /* file for the JSON report, "" = none */
    const char *temp;   /* folder of temporary files, "" = $TMPDIR or /tmp */
    double threshold;   /* least share of equal slots; 0 = the preset's own rule */
    uint32_t fan_out;
    uint32_t parts;            /* ranges of keys */
    const char *part;          /* "3/64", "auto"; "" = not said */
    uint64_t memory, max_line; /* bytes */
} th_dedup_settings;

/** Settings only for `thresher graph`. */
typedef struct th_graph_settings {
    const char *output; /* folder of its files, "" = not said */
    const char *level;  /* "host", "page" */
    const char *links;  /* "all", "content", "boilerplate" */
    const char *bias;   /* file of the biasing set, "" = none */
    const char *temp;   /* as of dedup */
    double weigh, alpha, epsilon;
    uint64_t memory, max_line; /* bytes */
} th_graph_settings;

/** How records are listed. */
typedef struct th_records_settings {
    bool cdxj;               /* an index of captures */
    const char *cdxj_blocks; /* file of its gzip blocks, "" = none */
    const char *parquet;     /* file of a table of captures, "-" = stdout, "" = none */
    bool validate;           /* a verdict for each archive */
    bool json;               /* as JSON lines */
} th_records_settings;

/** How a page is shown. */
typedef struct th_inspect_settings {
    const char *html;    /* file of the report, "-" = stdout, "" = none */
    const char *compare; /* methods shown next to the chosen ones; "none" */
    const char *url;     /* of a page without a known URL, "" = unknown */
    bool json;
} th_inspect_settings;

/**
 * Settings for access to stores and servers: th_remote_options, and the folder for
 * waiting outputs.
 */
typedef struct th_remote_settings {
    const char *endpoint, *region, *path_style, *credentials, *ca_file;
    const char *staging; /* of outputs; "" = thresher-UID in $TMPDIR, or /tmp */
    uint32_t retries, backoff_ms, connect_ms, stall_ms, min_rate_ms;
    uint64_t min_rate; /* bytes per second; 0 = any */
    uint64_t coalesce; /* bytes between two records of one request; 0: one record each */
    uint32_t requests; /* of records, at a time */
} th_remote_settings;

/** The online index of near-duplicates; path "" = none. */
typedef struct th_index_settings {
    const char *path;
    const char *edges; /* file of edges, "" = none */
    double threshold;  /* negative: the preset's own */
    uint32_t bits, epoch, keep, segment_pages;
    bool repair;
} th_index_settings;

/** Settings for text that recurs on sites. */
typedef struct th_sites_settings {
    const char *file;            /* counts made before, "" = none */
    const char *by;              /* a name in th_site_groupings */
    const char *output;          /* of `thresher sites`, "" = not said */
    const char *temp;            /* folder of temporary files, "" = $TMPDIR or /tmp */
    const char *path;            /* folder of a memory that grows, "" = none */
    uint32_t pages, hashes, min; /* th_site_limits */
    uint32_t epoch;              /* records */
    uint64_t memory, journal;    /* bytes */
    uint64_t checksum;           /* of the file in use; 0 = none. Not an option */
    bool two_pass, json;
    bool segments; /* are also counted */
} th_sites_settings;

/** Settings only for `thresher robots build`. */
typedef struct th_robots_settings {
    const char *output; /* file, "" = not said */
    const char *temp;   /* as of dedup */
    uint64_t memory;    /* bytes */
} th_robots_settings;

/** The place where an option was set. */
typedef struct th_origin {
    const char *file; /* NULL: by no file */
    uint32_t line;
} th_origin;

typedef struct th_settings {
    th_options page;
    th_filter_settings filter;
    const char *output;    /* "-", a file, or a folder that ends in '/' */
    const char *format;    /* name of a th_format */
    const char *compress;  /* "auto" (by the output's name), "none", "gzip", "zstd" */
    const char *rejects;   /* file of reject lines, "" = none */
    const char *rendered;  /* use of rendered copies: off, dom, text, only */
    const char *set_aside; /* WARC file of records that are no pages, "" = none */
    const char *set_aside_types;   /* their media types, with commas */
    uint32_t jobs;                 /* workers; 0 = one for each core */
    const char *segmenter_model;   /* file, "" = the models that ship */
    const char *content_model;     /* the same of the content model */
    const char *language_fasttext; /* file of a fastText classifier, "" = none */
    const char *robots_file;       /* of `thresher robots build`, "" = none */
    uint64_t max_in_flight;        /* bytes; 0 = by the workers */
    const char *isolation;         /* "none" or "process" */
    uint64_t isolation_memory;     /* bytes of a process of pages */
    uint32_t isolation_ms;         /* processor time for a page in one */
    uint64_t row_group;            /* bytes of a Parquet file's row groups */
    uint32_t rank;                 /* of the first shard of minhash-sig */
    uint32_t checkpoint_ms;        /* between two saved states of a run into files */
    bool manifest;                 /* write how an output was made next to it */
    bool resume;
    bool verify_digests;
    bool quiet;
    bool help_all; /* the help that was requested is --help-all. Not an option */
    const char *output_name; /* of the output in a store, if `output` is its local file;
                                else NULL. Not an option */
    const char *shard;       /* "I/N", "auto", "auto/N"; "" = all inputs in one job */
    const char *base;        /* put before relative names in lists, "" = none */
    th_remote_settings remote;
    th_inspect_settings inspect;
    th_text_settings text;
    th_records_settings records;
    th_index_settings index;
    th_daemon_settings daemon;
    th_endpoint_settings endpoint;
    th_eval_settings eval;
    th_dedup_settings dedup;
    th_train_settings train;
    th_graph_settings graph;
    th_sites_settings sites;
    th_robots_settings robots_build;
    th_origin *origins;            /* of the options, by row of the table */
    struct th_fasttext *fasttext;  /* owned; page.fasttext is the same, NULL = none */
    struct th_robots_file *robots; /* owned; page.robots is the same, NULL = none */
    th_page_filter *page_filter;   /* owned; page.filter is the same, NULL = none */
    th_arena *strings; /* owns the targets of the pointers above and in `page` */
} th_settings;

typedef enum th_option_type {
    TH_OPTION_SIZE,   /* uint64_t; K, M, G are powers of 1024 */
    TH_OPTION_NUMBER, /* uint32_t */
    TH_OPTION_REAL,   /* double; "inf" too */
    TH_OPTION_TEXT,   /* const char * */
    TH_OPTION_LIST,   /* the same; "all" when it is given without a value */
    TH_OPTION_SWITCH, /* bool or uint8_t; yes, no */
    TH_OPTION_SET,    /* uint32_t of bits, comma-separated names, "none", "all" */
} th_option_type;

/** The names that a text may be, or of a set's bits: their owner's list. */
typedef struct th_names {
    th_name_at *at;
    const void *table;
} th_names;

typedef struct th_option {
    const char *section; /* of the file */
    /* "max-body": --max-body on the command line; "spool.path": path in the file's
     * section [spool]. */
    const char *key;
    char letter; /* 'j' for -j; 0 = none */
    th_option_type type;
    size_t offset;         /* into th_settings */
    const th_names *names; /* NULL: any text */
    unsigned commands;     /* TH_FOR_... */
    const char *value;     /* kind or unit of the value, "BYTES", for help */
    const char *help;
    double low, high; /* inclusive range of a number, below 2^53 or inf */
    double standard;  /* its default; of a switch 1 is on */
    const char *text; /* default of a text; NULL if th_options_init sets it */
    unsigned
        common; /* TH_FOR_...: commands whose --help lists it; --help-all lists all */
} th_option;

/**
 * Returns the index of a name in its list, or the count of names if it is not in the
 * list.
 */
size_t th_name_number(const th_names *names, const char *name, size_t len);

/** All options, section by section; ends with a row whose key is NULL. */
extern const th_option th_option_table[];

/**
 * Returns the name of an option on a command's line: its key. If the key begins with the
 * command's own section, that is omitted: `dedup.memory` is --memory of `dedup`.
 */
const char *th_option_name(const th_option *option, unsigned command);

/** An earlier name of an option, accepted until version 1.0. Its value is not a list. */
typedef struct th_option_alias {
    const char *old_key, *key;
} th_option_alias;

/** Ends with a row of NULL. Add a row when an option is renamed. */
extern const th_option_alias th_option_aliases[];

/** Like th_option_name, for an earlier name. */
const char *th_option_alias_name(const th_option_alias *alias, unsigned command);

/**
 * Returns an option by key or earlier key, or NULL if there is no such option. '.', '-' and
 * '_' are equal in a key, because a keyword argument of Python has only '_'.
 */
const th_option *th_option_find(const char *key);

/**
 * Fills in every default.
 * @param segmenters  methods that `segmenter` may name; NULL: th_segmenters
 * @return TH_OK or TH_NOMEM; th_settings_done frees after both
 */
th_status th_settings_init(th_settings *settings, const th_segmenter *const *segmenters);
void th_settings_done(th_settings *settings);

/** Sets one option from text. TH_USAGE with key and reason in err; TH_NOMEM. */
th_status th_settings_set(th_settings *settings, const char *key, const char *value,
                          th_error *err);

/**
 * Reads an INI file. Returns TH_USAGE for an unknown key, a key in the wrong section or a
 * bad value, with file and line in err. Returns TH_IO if the file cannot be read,
 * TH_NOMEM, or TH_INTERRUPTED if th_stop_requested was raised meanwhile.
 * @param tell  gets the message about each bad row but the last one, which is in err.
 *              NULL: the rows after the first bad one are not read. Its context is NULL
 */
th_status th_settings_load(th_settings *settings, const char *path, th_warning_fn tell,
                           th_error *err);

/** Appends an option's present value as the file would have it. */
void th_settings_print(const th_settings *settings, const th_option *option,
                       th_buffer *out);

/**
 * Checks that the options go together, and checks a page's again with th_options_check.
 * Touches no file. TH_OK or TH_USAGE, with file and line in err if a file set the bad
 * option.
 */
th_status th_settings_check(const th_settings *settings, th_error *err);

/**
 * Reads the models of segmenter, content and language once, if their files are set, and
 * puts them in `page`.
 * @param fits_any  accepts a model of any segmenter, not only of the chosen one
 * @return TH_OK; TH_USAGE: damaged, or it does not fit; TH_IO; TH_NOMEM
 */
th_status th_settings_load_models(th_settings *settings, bool fits_any, th_error *err);

/**
 * Compiles the filters; page.filter lives as long as the settings. Without
 * filter.status, a format for text of pages keeps only status 2xx.
 * @return TH_OK; TH_USAGE, with file and line in err if a file set the bad option; TH_IO:
 *         a file of patterns cannot be read; TH_NOMEM
 */
th_status th_settings_load_filter(th_settings *settings, th_error *err);

/**
 * Checks that the daemon's settings go together. TH_OK or TH_USAGE, as above.
 * @param is_whole  there must also be an input and an output, or `endpoint.extract`
 */
th_status th_settings_check_daemon(const th_settings *settings, bool is_whole,
                                   th_error *err);

/**
 * Rejects the value of an option of the table: "FILE:LINE: WORDS", or only the words if
 * no file set it.
 * @param key  one of the table's
 * @return TH_USAGE
 */
th_status th_settings_fail(const th_settings *settings, const char *key, th_error *err,
                           const char *format, ...) __attribute__((format(printf, 4, 5)));

/** Whether pages are processed in worker processes. */
bool th_settings_isolate(const th_settings *settings);

/** Whether `serve` must find pairs instead of reading pages. */
bool th_settings_is_of_pairs(const th_settings *settings);

enum { TH_WORKERS_MAX = 256 };

/**
 * Returns the number of worker threads: `jobs`, or one for each core, at most
 * TH_WORKERS_MAX threads.
 */
unsigned th_settings_workers(const th_settings *settings);

/**
 * Reads a command's options: -c FILE first, then the others in their order.
 * @param command  TH_FOR_...
 * @param argv     of the program, argv[0] is the command's name; reordered so that
 *                 arguments which are not options are last
 * @param first    out: index of the first argument that is not an option
 * @return TH_OK; TH_END if help was requested (settings->help_all: of every option);
 *         else as th_settings_load
 */
th_status th_settings_parse(th_settings *settings, unsigned command, int argc,
                            char **argv, int *first, th_error *err);

#endif
