/*
 * The file of features that training reads: rows of bytes, labels, buckets of words.
 * [training/features.md#feature-file]
 *
 * Two lines of text, a name with its version and a JSON object that names columns and
 * sections, then the sections, each at a multiple of 64 bytes, the lowest byte first.
 */
#ifndef TH_FEATURE_FILE_H
#define TH_FEATURE_FILE_H

#include "base/buffer.h"
#include "content/features.h"
#include "lab/features/paragraph_gold.h"

/** A page's part of every section, in one piece of memory. */
typedef struct th_feature_page {
    uint32_t row_count;
    uint32_t bucket_count;
    th_buffer bytes; /* owned: rows, vector, labels, aligned, tokens, starts, buckets */
    th_buffer about; /* owned: its JSON line */
} th_feature_page;

void th_feature_page_done(th_feature_page *page);

/** Packs the features of a page. The caller fills `about`. TH_OK or TH_NOMEM. */
th_status th_feature_page_pack(const th_page *page, const th_feature_columns *columns,
                               const uint8_t *vector, const th_paragraph_gold *gold,
                               const th_token_buckets *buckets, th_feature_page *out);

/**
 * Writes the complete file.
 * @param path   appears when the file is complete
 * @param pages  in order
 * @return TH_OK, TH_IO, TH_NOMEM; TH_TOO_LARGE if it has over 4 billion rows or buckets
 */
th_status th_feature_file_write(const char *path, const th_feature_page *pages,
                                size_t page_count, th_error *err);

#endif
