/*
 * Reads a column of one row group, as column_chunk.h writes it: pages of version 1, plain
 * or with a dictionary, packed with zstd or not. Every length is checked, and the CRC of
 * each page. Memory: a page, the dictionary, and a window of the file.
 */
#ifndef TH_COLUMN_READER_H
#define TH_COLUMN_READER_H

#include "parquet/column_chunk.h"
#include "parquet/run_lengths.h"

enum {
    TH_PARQUET_WINDOW = 1 << 20,     /* bytes that are read at a time */
    TH_PARQUET_PAGE_MAX = 512 << 20, /* most bytes of a page, packed or not */
};

/** A file that is read at any position. */
typedef struct th_parquet_source {
    void *context;
    uint64_t size; /* bytes */
    /** Reads exactly `len` bytes. TH_OK, or an error of the source with the reason. */
    th_status (*read)(void *context, uint64_t offset, char *bytes, size_t len,
                      th_error *err);
} th_parquet_source;

/** A column's place in a row group. */
typedef struct th_column_place {
    uint64_t offset, len; /* of its pages in the file, with the dictionary */
    uint64_t count;       /* values and nulls */
    int32_t codec;        /* th_parquet_codec, or another one, which is refused */
} th_column_place;

typedef struct th_column_reader {
    const th_parquet_source *source; /* borrowed */
    const th_parquet_node *node;     /* borrowed */
    uint8_t width;                   /* bytes of a value; 0: text */
    void *zstd;                      /* ZSTD_DCtx, owned */
    uint64_t at, end;                /* bytes of the chunk that are not in the window */
    th_buffer window, dictionary, starts, page;
    size_t window_at;
    bool is_packed;       /* the codec is zstd */
    uint64_t left;        /* values and nulls after this page */
    uint32_t page_left;   /* in this page, including the current one */
    uint32_t entry_count; /* of the dictionary */
    bool has_dictionary, is_numbered;
    th_run_reader reps, defs, numbers;
    const unsigned char *values, *values_end; /* plain ones of this page, not taken yet */
    unsigned bit;                             /* of the next boolean */
    bool has_current;                         /* rep and def are valid */
    uint32_t rep, def;                        /* of the current value */
    uint64_t read_bytes;                      /* from the source */
} th_column_reader;

/** Frees the buffers. */
void th_column_reader_done(th_column_reader *column);

/**
 * Starts on a chunk. Memory of an earlier chunk is kept. Zero the struct before its first
 * use.
 * @return TH_OK; TH_DAMAGED if the place is not inside the file, or has another codec;
 *         TH_NOMEM
 */
th_status th_column_reader_begin(th_column_reader *column,
                                 const th_parquet_source *source,
                                 const th_parquet_node *node,
                                 const th_column_place *place, th_error *err);

/**
 * Reads the levels of the next value or null into `rep` and `def`, without taking it.
 * @return TH_OK; TH_END after the last one; TH_DAMAGED; TH_NOMEM; an error of the source
 */
th_status th_column_reader_peek(th_column_reader *column, th_error *err);

/**
 * Takes the value that th_column_reader_peek found.
 * @param value  out: the plain bytes, borrowed until the next call of this column; data
 *               is NULL for a null. A boolean is one byte.
 * @return TH_OK; TH_DAMAGED
 */
th_status th_column_reader_take(th_column_reader *column, th_view *value, th_error *err);

#endif
