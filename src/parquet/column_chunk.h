/*
 * A column of one row group: values go in one by one, pages are encoded and packed as
 * they fill up, and the bytes of all of them come out when the row group ends.
 *
 * Values are numbered in a dictionary while this saves space. The dictionary is given up
 * for a row group when the first page is smaller without it, or when it grows beyond its
 * limit. A dictionary with many entries is judged before the first page is full.
 * The values of a page are kept unpacked, or their numbers in the dictionary: 1 MiB plus
 * the last row's values, or 20,000 rows. In addition, packed pages and the dictionary
 * are kept. [Apache Parquet, Encodings, Data Pages]
 */
#ifndef TH_COLUMN_CHUNK_H
#define TH_COLUMN_CHUNK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "parquet/parquet_schema.h"
#include "parquet/run_lengths.h"
#include "thresher/status.h"

typedef enum th_parquet_codec {
    TH_PARQUET_UNPACKED = 0,
    TH_PARQUET_ZSTD = 6
} th_parquet_codec;

enum {
    TH_PARQUET_PAGE = 1 << 20,      /* bytes of values at which a page is full */
    TH_PARQUET_PAGE_ROWS = 20000,   /* rows at which it is */
    TH_PARQUET_TEXTS = 1 << 20,     /* most bytes of a dictionary of texts */
    TH_PARQUET_NUMBERS = 128 << 10, /* and of numbers, which fit the cache */
    TH_PARQUET_BOUND = 64,          /* bytes of a text in the statistics */
};

/* The least or the greatest value. */
typedef struct th_column_bound {
    uint8_t bytes[TH_PARQUET_BOUND];
    uint8_t len;
    bool is_cut; /* there is a value that continues after these bytes */
} th_column_bound;

typedef struct th_column_chunk {
    const th_parquet_node *node;
    uint8_t most_def, most_rep;
    uint8_t width; /* bytes of a value; 0: text */

    /* the current page */
    th_run_lengths defs, reps;      /* levels, which end in these buffers */
    th_buffer def_bytes, rep_bytes; /* encoded up to the runs that are open */
    uint64_t page_levels;           /* values and nulls */
    th_buffer values; /* plain; with a dictionary the numbers of entries, 4 bytes each */
    uint64_t plain_len; /* bytes that its values have or would have */
    uint32_t rows;

    /* the dictionary */
    bool has_dictionary;
    th_buffer entries; /* plain */
    th_buffer starts;  /* of texts, 4 bytes each */
    /* The low half is the number of an entry, and 1, or 0 for none; the high one is of
     * its hash. */
    uint64_t *slots;
    uint32_t slot_count; /* a power of 2 */
    uint32_t entry_count;
    uint32_t last_entry; /* put last; valid with an entry */

    /* the row group */
    th_buffer pages;       /* packed, with their headers */
    uint64_t decompressed; /* bytes of them, headers included */
    uint64_t level_count;  /* values and nulls */
    uint64_t null_count;
    uint32_t dictionary_pages, plain_pages;
    bool has_bounds;
    th_column_bound min, greatest;
} th_column_chunk;

/** Compressor and buffers shared by all columns of a table. */
typedef struct th_page_packer th_page_packer;

/** @return NULL without memory */
th_page_packer *th_page_packer_new(th_parquet_codec codec);

/** NULL is legal. */
void th_page_packer_free(th_page_packer *packer);

/** Starts a column, at an address that does not change until th_column_done. */
void th_column_init(th_column_chunk *column, const th_parquet_node *node);
void th_column_done(th_column_chunk *column);

/** The next row group begins: forgets all values, keeps the memory. */
void th_column_reset(th_column_chunk *column);

/**
 * A null, or no element: `def` says which.
 * @param rep  0 where a row begins
 */
void th_column_put_null(th_column_chunk *column, uint8_t rep, uint8_t def);

/**
 * A value.
 * @param bytes  text; or the number as Parquet has it plain, little-endian; a bool is a
 *               byte
 * @return TH_OK; TH_NOMEM
 */
th_status th_column_put(th_column_chunk *column, uint8_t rep, th_view bytes);

/** Whether the dictionary takes no more. */
static inline bool th_column_is_dictionary_full(const th_column_chunk *column)
{
    return column->has_dictionary &&
           column->entries.len > (column->width ? TH_PARQUET_NUMBERS : TH_PARQUET_TEXTS);
}

/** Returns whether the current page must end with the row. */
static inline bool th_column_is_full(const th_column_chunk *column)
{
    return column->values.len >= TH_PARQUET_PAGE ||
           column->page_levels >= TH_PARQUET_PAGE ||
           column->rows >= TH_PARQUET_PAGE_ROWS || th_column_is_dictionary_full(column);
}

/** Encodes and packs the current page, if it has any row. Returns TH_OK; TH_NOMEM; or
 * TH_TOO_LARGE if it has 2 GiB. */
th_status th_column_end_page(th_column_chunk *column, th_page_packer *packer);

struct th_thrift;

/**
 * Ends the chunk, whose bytes are `dictionary` and behind it column->pages.
 * @param dictionary  out: appended, its page; nothing when there is none
 * @return TH_OK; TH_NOMEM; TH_TOO_LARGE
 */
th_status th_column_end(th_column_chunk *column, th_page_packer *packer,
                        th_buffer *dictionary);

/**
 * Writes the ColumnChunk of an ended chunk as an element of a list.
 * @param leaf            its number in the schema
 * @param offset          in the file of its first byte
 * @param dictionary_len  bytes of its dictionary's page, 0: none
 */
void th_column_describe(const th_column_chunk *column, const th_parquet_schema *schema,
                        uint32_t leaf, const th_page_packer *packer, uint64_t offset,
                        uint64_t dictionary_len, struct th_thrift *thrift);

#endif
