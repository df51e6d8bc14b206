#include "lab/train/model_text.h"

#include <inttypes.h>
#include <xxhash.h>

static void write_fold(const th_segment_model *model, const th_weights *weights,
                       const char *name, th_buffer *out)
{
    th_buffer_printf(out, "fold %s\n", name);
    for (uint32_t i = 0; i < model->features->weight_count; i++)
        th_buffer_printf(out, "weight %s %" PRId32 "\n", model->features->weights[i],
                         weights->of[i]);
}

void th_model_text_write(const th_segment_model *model, th_buffer *out)
{
    static const char *const names[TH_MODEL_FOLDS] = { "0", "1", "2", "3" };
    const th_feature_set *features = model->features;
    const size_t start = out->len;
    th_buffer_printf(out, "thresher-model 1\nmethod %s\nfeatures %s\n", features->method,
                     features->name);
    th_buffer_printf(out, "corpora %s\nwithout %s\nseed %" PRIu64 "\n", model->corpora,
                     model->without, model->seed);
    for (uint32_t i = 0; i < features->parameter_count; i++)
        th_buffer_printf(out, "parameter %s %" PRId32 "\n", features->parameters[i].name,
                         model->parameters[i]);
    write_fold(model, &model->final, "final", out);
    for (uint32_t i = 0; model->has_folds && i < TH_MODEL_FOLDS; i++)
        write_fold(model, &model->folds[i], names[i], out);
    if (!out->has_failed)
        th_buffer_printf(out, "checksum %016" PRIx64 "\n",
                         (uint64_t)XXH3_64bits(out->data + start, out->len - start));
}
