/* Reads a model for each fold, which must state the fold that it has not seen. */
#include "eval/folds/fold_models.h"

#include <stdio.h>

#include "content/content_scores.h"
#include "eval/corpus_path.h"

th_status th_fold_models_read(const char *folder, th_arena *arena, th_fold_models *out,
                              th_error *err)
{
    for (unsigned fold = 0; fold < TH_CONTENT_FOLDS; fold++) {
        char name[32];
        (void)snprintf(name, sizeof name, "fold-%u.model", fold);
        const char *path = th_corpus_path_join(folder, name, arena);
        if (!path)
            return th_fail(err, TH_NOMEM, "out of memory for the models");
        const th_status status = th_content_model_load(path, &th_feature_schema, arena,
                                                       &out->models[fold], err);
        if (status != TH_OK)
            return status;
        if (out->models[fold]->without_fold != (int)fold)
            return th_fail(err, TH_USAGE, "'%s' was not trained without fold %u", path,
                           fold);
    }
    return TH_OK;
}
