/*
 * Computes answers of a user's fastText classifier, as a detector of a text's language:
 * text in, one label out.
 */
#ifndef TH_FASTTEXT_H
#define TH_FASTTEXT_H

#include "thresher/page.h"
#include "thresher/status.h"

/** A model; thread-safe for reading. */
typedef struct th_fasttext th_fasttext;

/**
 * Reads a model file, .bin or .ftz, of classifiers (lid.176.ftz, GlotLID, your own).
 * @param out  owned by the caller, for th_fasttext_free
 * @return TH_OK; TH_USAGE if it is damaged or not a model; TH_IO; TH_NOMEM. err has the
 *         file's name. Needs about the file's size in memory
 */
th_status th_fasttext_load(const char *path, th_fasttext **out, th_error *err);
void th_fasttext_free(th_fasttext *model);

/** Returns the XXH3-64 of the model's file. */
uint64_t th_fasttext_checksum(const th_fasttext *model);

/**
 * Returns the most probable language of a text, equal to `fasttext predict-prob` for the
 * text in one line.
 * @param text  UTF-8, borrowed; line ends count as spaces
 * @param out   its names live as long as the model; `name` is NULL if the model knows no
 *              word of the text
 * @return TH_OK; TH_NOMEM
 * Deterministic on one machine. A probability may differ in its last bits on another
 * machine, so callers should round it. Linear in the text, and in the model's labels unless
 * it has a tree.
 */
th_status th_fasttext_detect(const th_fasttext *model, th_view text,
                             th_second_language *out);

#endif
