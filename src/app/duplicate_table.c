/* The columns of clusters, pairs and dropped records: the members of their lines. */
#include "app/duplicate_table.h"

#include <string.h>

#include "thresher/version.h"

static const th_parquet_field clusters[] = {
    { 0, "representative", TH_PARQUET_GROUP, false },
    { 1, "id", TH_PARQUET_TEXT, false },
    { 1, "url", TH_PARQUET_TEXT, false },
    { 1, "date", TH_PARQUET_TEXT, false },
    { 0, "size", TH_PARQUET_INT, false },
    { 0, "members", TH_PARQUET_GROUP, true },
    { 1, "id", TH_PARQUET_TEXT, false },
    { 1, "url", TH_PARQUET_TEXT, false },
    { 1, "date", TH_PARQUET_TEXT, false },
    { 1, "jaccard", TH_PARQUET_REAL, false },
    { 1, "exact", TH_PARQUET_BOOL, false },
};

static const th_parquet_field pairs[] = {
    { 0, "id_a", TH_PARQUET_TEXT, false },    { 0, "url_a", TH_PARQUET_TEXT, false },
    { 0, "id_b", TH_PARQUET_TEXT, false },    { 0, "url_b", TH_PARQUET_TEXT, false },
    { 0, "jaccard", TH_PARQUET_REAL, false }, { 0, "exact", TH_PARQUET_BOOL, false },
};

static const th_parquet_field dropped[] = { { 0, "id", TH_PARQUET_TEXT, false } };

enum { METADATA = 2 };

/* clang-format off */
#define TABLE(name, schema)                                                   \
    { name, sizeof name / sizeof *name,                                       \
      { { "thresher.schema", schema }, { "thresher.version", TH_VERSION } } }
/* clang-format on */

static const struct {
    const th_parquet_field *fields;
    uint32_t count;
    th_parquet_pair metadata[METADATA];
} tables[] = {
    [TH_DEDUP_CLUSTERS] = TABLE(clusters, "clusters"),
    [TH_DEDUP_PAIRS] = TABLE(pairs, "pairs"),
    [TH_DEDUP_DROP] = TABLE(dropped, "drop"),
};

th_status th_duplicate_table_open(const th_settings *settings, th_dedup_output output,
                                  th_file_sink *sink, th_parquet_file **out,
                                  th_error *err)
{
    const th_parquet_options options = {
        .fields = tables[output].fields,
        .field_count = tables[output].count,
        .codec = strcmp(settings->compress, "none") == 0 ? TH_PARQUET_UNPACKED
                                                         : TH_PARQUET_ZSTD,
        .row_group = settings->row_group,
        .created_by = "thresher version " TH_VERSION,
        .pairs = tables[output].metadata,
        .pair_count = METADATA,
    };
    return th_parquet_open(&options, sink, NULL, out, err);
}
