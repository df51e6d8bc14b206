/*
 * Rows of a Parquet file. A worker passes on the values of the record as packed JSON,
 * including near-duplicates. The one writer of the file puts them into columns
 * (src/parquet).
 */
#include "write/annotation.h"
#include "write/format.h"
#include "write/record_field.h"

static th_status page(const th_format_options *opt, const th_annotated *annotated,
                      th_buffer *out)
{
    const th_annotation_parts parts = { .emit = opt->page->emit,
                                        .is_packed = true,
                                        .has_hole = true };
    return th_annotation_write(opt->page, annotated, parts, out);
}

const th_format th_parquet_format = {
    .name = "parquet",
    .help = "a Parquet file with one row per page: the fields of jsonl as columns, lists "
            "nested",
    .suffix = "parquet",
    .is_compressing = true,
    .fields = th_record_columns,
    .not_for_serve = "row groups are written when they are full, so messages cannot be "
                     "acknowledged before",
    .page = page,
};
