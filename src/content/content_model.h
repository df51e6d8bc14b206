/*
 * The learned model of content. It contains the weights of class tokens, the type of a
 * page, and the probability that a paragraph is content. One file holds all of it.
 * training/ writes the file, and the program contains the model that it was built with.
 *
 * A file is text up to the second line's end, then bytes:
 *
 *     thresher content model 1
 *     {"columns":["log_tokens",...],"page_columns":[...],"page_types":["article",...],
 *      "tokens":{"buckets":4096,"bias":-120},
 *      "type":{"trees":100,"depth":4,"shift":12,"bias":[...]},
 *      "paragraph":{"trees":400,"depth":6,"shift":14,"bias":[...]},
 *      "calibration":[[slope,offset],...],"cut":32768,"without_fold":null,
 *      "sources":[...],"training":{...}}        (all in one line)
 *     int16_t[4096]  weights of tokens, as all numbers here the lowest byte first
 *     levels, low bytes and high bytes of the leaves of "type", then of "paragraph"
 *     uint64_t       XXH3-64 of all before it
 *
 * Unknown members are skipped. They are for people.
 */
#ifndef TH_CONTENT_MODEL_H
#define TH_CONTENT_MODEL_H

#include <stdint.h>

#include "content/ensemble.h"
#include "content/page_type.h"
#include "content/token_table.h"
#include "thresher/arena.h"
#include "thresher/status.h"
#include "thresher/view.h"

enum {
    TH_CONTENT_MODEL_BYTES = 4 << 20, /* limit of a file */
};

/** The inputs that a model must have been trained on: names of the columns, in order. */
typedef struct th_content_schema {
    /* of a paragraph; the last are TH_PAGE_TYPE_COUNT probabilities */
    const char *(*column_name)(unsigned column);
    uint32_t column_count; /* at most 256 */
    const char *(*page_column_name)(unsigned column);
    uint32_t page_column_count; /* at most 256 */
} th_content_schema;

/** From an ensemble's score to log-odds: slope * score + offset, both in 1/65536. */
typedef struct th_calibration {
    int32_t slope, offset;
} th_calibration;

typedef struct th_content_model {
    th_token_table tokens;
    th_ensemble type;      /* of the page: log-odds of each type */
    th_ensemble paragraph; /* log-odds of content, not calibrated */
    th_calibration calibration[TH_PAGE_TYPE_COUNT];
    uint16_t cut;     /* probability, in 1/65535, that best parts content from the rest */
    int without_fold; /* fold of sites that it was not trained on; -1 if it was trained
                       * on all */
    uint64_t checksum;
    th_view about; /* its header, JSON, borrowed from the file */
} th_content_model;

/**
 * Reads a model.
 * @param file    borrowed as long as the model is used
 * @param schema  the columns that this program computes
 * @param name    of the file, for messages
 * @return TH_OK; TH_DAMAGED if the checksum is wrong; TH_USAGE if the model has another
 *         version or other columns. err contains the reason. O(bytes), allocates nothing.
 */
th_status th_content_model_read(th_view file, const th_content_schema *schema,
                                const char *name, th_content_model *out, th_error *err);

/**
 * Does the same from a file of at most TH_CONTENT_MODEL_BYTES.
 * @param arena  owns the model and its bytes
 * @return as above; also TH_ABSENT if there is no such file, TH_IO if it cannot be read,
 *         TH_NOMEM
 */
th_status th_content_model_load(const char *path, const th_content_schema *schema,
                                th_arena *arena, const th_content_model **out,
                                th_error *err);

/**
 * Probabilities of content from an ensemble's scores.
 * @param type_probability  of the page, in 1/65535: each type's constants count by it
 * @param probability       out: [count], in 1/65535
 */
void th_content_model_calibrate(const th_content_model *model,
                                const uint16_t *type_probability, const int32_t *score,
                                uint32_t count, uint16_t *probability);

/**
 * Types of a page.
 * @param page_values  [schema->page_column_count]
 * @param probability  out: [TH_PAGE_TYPE_COUNT], in 1/65535, each rounded down
 */
void th_content_model_types(const th_content_model *model, const uint8_t *page_values,
                            uint16_t *probability);

#endif
