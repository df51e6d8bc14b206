/*
 * The columns of the record `thresher/1` as rows of a table: its fields by the names and
 * in the nesting of the JSON object. docs/parquet.md
 */
#ifndef TH_RECORD_TABLE_H
#define TH_RECORD_TABLE_H

#include "parquet/parquet_schema.h"
#include "thresher/options.h"

enum { TH_RECORD_FIELDS = 224 }; /* maximum number of fields */

/**
 * The fields that records with these options can have.
 * @param fields  out
 * @return how many
 */
uint32_t th_record_fields(const th_options *page,
                          th_parquet_field fields[TH_RECORD_FIELDS]);

#endif
