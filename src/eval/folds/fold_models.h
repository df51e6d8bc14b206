/* Models of the learned classifier, each made without one fold of the sites. */
#ifndef TH_FOLD_MODELS_H
#define TH_FOLD_MODELS_H

#include "content/content_model.h"
#include "eval/folds/site_of_page.h"

/** Models by the fold that they were not trained on. */
typedef struct th_fold_models {
    const th_content_model *models[TH_CONTENT_FOLDS];
} th_fold_models;

/**
 * Reads FOLDER/fold-0.model and so on.
 * @param arena  owns them
 * @return TH_OK; TH_USAGE if a model is damaged, or was not trained without its fold;
 *         TH_ABSENT; TH_IO; TH_NOMEM
 */
th_status th_fold_models_read(const char *folder, th_arena *arena, th_fold_models *out,
                              th_error *err);

#endif
