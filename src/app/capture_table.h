/*
 * `thresher records --parquet`: writes a record as a row of a table of captures, with the
 * columns of Common Crawl's index. docs/parquet.md#captures
 */
#ifndef TH_CAPTURE_TABLE_H
#define TH_CAPTURE_TABLE_H

#include "parquet/parquet_file.h"
#include "parse/http/http_message.h"
#include "thresher/arena.h"
#include "warc/warc.h"

typedef struct th_capture_table {
    th_file_sink *sink;
    th_parquet_file *file;
    th_arena *arena; /* of a row */
    th_buffer row;
    uint64_t count;
} th_capture_table;

/**
 * Starts a table.
 * @param path       a file, "-" or another stream
 * @param row_group  bytes of values at which a row group is full
 * @return TH_OK; TH_USAGE: the name is no Parquet file's; TH_IO; TH_NO_ROOM; TH_NOMEM
 */
th_status th_capture_table_open(th_capture_table *table, const char *path,
                                uint64_t row_group, th_error *err);

/** Frees; an unfinished file keeps its temporary name. Legal for { 0 }. */
void th_capture_table_done(th_capture_table *table);

/**
 * Adds a record. Ignores a record that is not a capture (th_is_capture).
 * @param path    of its file
 * @param http    NULL if the record has no HTTP head
 * @param head    the bytes of that head; absent if `http` is NULL
 * @param digest  of the payload as it is stored; NULL if unknown, or declared
 * @return TH_OK; TH_IO; TH_NO_ROOM; TH_NOMEM; TH_TOO_LARGE
 */
th_status th_capture_table_add(th_capture_table *table, const char *path,
                               const warc_record *record, const th_http_head *http,
                               th_view head, const warc_digest_value *digest,
                               th_error *err);

/** Writes the remaining rows and gives the file its final name. */
th_status th_capture_table_finish(th_capture_table *table, th_error *err);

#endif
