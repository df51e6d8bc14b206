/*
 * Formats: from annotated pages to bytes. This is the last step of a worker, before the
 * sink writes the bytes in order. A format has no state: its bytes depend on page and
 * options only.
 */
#ifndef TH_FORMAT_H
#define TH_FORMAT_H

#include "base/buffer.h"
#include "page/record.h"
#include "parquet/parquet_schema.h"

typedef enum th_compression { TH_PLAIN, TH_GZIP, TH_ZSTD } th_compression;

/** Options of a format; filled once from the options of the run. */
typedef struct th_format_options {
    const th_options *page;     /* emit, minhash, bands, methods */
    th_compression compression; /* of the file */
    const char *software;       /* "thresher/1.0.0", for warcinfo */
} th_format_options;

/** The destination of a run's output, for a format with restrictions. */
typedef struct th_format_use {
    const th_options *page;
    th_compression compression;
    bool is_folder;       /* one output for each input, in a folder */
    uint32_t rank;        /* number of the first input's output */
    uint32_t input_count; /* outputs in all */
} th_format_use;

/** An output format. */
typedef struct th_format {
    const char *name;        /* as in options: "jsonl" */
    const char *help;        /* one line for --help */
    const char *suffix;      /* of a file's name, before .gz or .zst: "warc" */
    const char *twin_suffix; /* for an output named like its input; NULL: use suffix */
    /* Compresses each record separately; otherwise the runner compresses batches of
     * bytes. */
    bool is_compressing;
    /* If it refuses a page, it has written nothing, so its output can be passed on before
     * the page is complete. Otherwise a large page is formatted twice. */
    bool tries_first;
    /* Its bytes are not a file but rows of a th_sig_shard, one for each input. */
    bool is_sharded;
    /**
     * Its bytes are rows of a Parquet file, packed JSON objects with these fields, at most
     * TH_RECORD_FIELDS. @return how many. NULL: its bytes are the file's.
     */
    uint32_t (*fields)(const th_options *page, th_parquet_field *fields);
    /* Its readers expect text of pages only: without filter.status, error pages and
     * redirects are refused. */
    bool takes_only_success;
    /* The reason why it cannot be used, in words; NULL if it can. */
    const char *not_for_index; /* near-duplicates reported in the records */
    const char *not_for_serve; /* files that roll */
    /**
     * Refuses other options that it cannot write: TH_USAGE with the reason in err. NULL
     * if the format accepts all options.
     */
    th_status (*check)(const th_format_use *use, th_error *err);
    /**
     * Bytes at the start of a file (warcinfo); NULL if there are none.
     * @param source  name of the input the file is made from, absent when there are
     * several
     */
    th_status (*start)(const th_format_options *opt, th_view source, th_buffer *out);
    /**
     * Appends one emitted page, with the page's arena as scratch. TH_OK, TH_NOMEM, or
     * TH_TOO_LARGE, which refuses only this page: the arena is at its limit, or a packed
     * WARC block is over 2 GiB. Unless TH_OK, `out` is unchanged.
     */
    th_status (*page)(const th_format_options *opt, const th_annotated *annotated,
                      th_buffer *out);
} th_format;

/* clang-format off */
/** All formats, in the order of --help. */
#define TH_FORMATS(ROW) \
    ROW(th_jsonl_format) \
    ROW(th_parquet_format) \
    ROW(th_warc_format) \
    ROW(th_wet_format) \
    ROW(th_sig_format) \
    ROW(th_fineweb_format) \
    ROW(th_dolma_format) \
    ROW(th_dolma_attributes_format) \
    ROW(th_dclm_format) \
    ROW(th_hplt_format) \
    ROW(th_opensearch_format)
/* clang-format on */

#define TH_DECLARE(name) extern const th_format name;
TH_FORMATS(TH_DECLARE)
#undef TH_DECLARE

/** The answer to one request: the JSON line of a page, or its text in the format that the
 * record's answer_format names. The pages are parsed with all formats in text_format. Not
 * an output of a run. */
extern const th_format th_answer_format;

/** The option's value that means a format by the name of the output. */
#define TH_FORMAT_AUTO "auto"

/** All formats; ends with a NULL pointer. */
extern const th_format *const th_formats[];
/** Returns the format of a name, JSON lines for TH_FORMAT_AUTO; NULL for other names. */
const th_format *th_format_find(const char *name);

/**
 * Appends the reject line of a refused record: one JSON object with reason, detail,
 * source, url (docs/record.md). TH_OK or TH_NOMEM.
 */
th_status th_reject_line(const th_annotated *annotated, th_buffer *out);

/** Returns the compression's file suffix: ".gz", ".zst" or "". */
const char *th_compression_suffix(th_compression compression);

/**
 * Appends `bytes` as a complete gzip member or zstd frame, or unchanged for TH_PLAIN.
 * Deterministic: no name, no time. TH_OK or TH_NOMEM.
 */
th_status th_compress(th_compression compression, th_view bytes, th_buffer *out);

#endif
