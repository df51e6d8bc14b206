/*
 * The table of `thresher dedup -f parquet`: its output as rows.
 * docs/parquet.md#near-duplicates
 */
#ifndef TH_DUPLICATE_TABLE_H
#define TH_DUPLICATE_TABLE_H

#include "dedup/cluster_writer.h"
#include "parquet/parquet_file.h"
#include "settings/settings.h"

/**
 * Starts a table whose rows are the packed objects that th_clusters_write makes of
 * `output`.
 * @param sink    empty; borrowed until th_parquet_free
 * @return TH_OK; TH_NOMEM; TH_IO; TH_NO_ROOM
 */
th_status th_duplicate_table_open(const th_settings *settings, th_dedup_output output,
                                  th_file_sink *sink, th_parquet_file **out,
                                  th_error *err);

#endif
