/*
 * Parameters of a learned segmenter: weights by name, and a few numbers that were chosen
 * by hand. The shipped models are tables made from src/segment/models/ at build time. A
 * file in the same format replaces them.
 */
#ifndef TH_SEGMENT_MODEL_H
#define TH_SEGMENT_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "thresher/options.h"
#include "thresher/segmenter.h"
#include "thresher/status.h"
#include "thresher/view.h"

enum {
    TH_MODEL_WEIGHTS = 64,
    TH_MODEL_PARAMETERS = 4,
    TH_MODEL_FOLDS = 4,
    TH_MODEL_BYTES = 1 << 20, /* of a file */
    TH_MODEL_TEXT = 256,      /* of its lines `corpora` and `without` */
};

/** A parameter of a model in addition to its weights. */
typedef struct th_model_parameter {
    const char *name;
    int32_t low, high;
} th_model_parameter;

/**
 * The features that a model must have to fit a method. Any change of a feature's
 * definition is a new set with its own name.
 */
typedef struct th_feature_set {
    const char *name;           /* "boundary-1" */
    const char *method;         /* of the segmenter */
    const char *const *weights; /* names, in the order of the features */
    uint32_t weight_count;      /* at most TH_MODEL_WEIGHTS */
    const th_model_parameter *parameters;
    uint32_t parameter_count;               /* at most TH_MODEL_PARAMETERS */
    const struct th_segment_model *shipped; /* the model shipped with the program */
} th_feature_set;

/** Weights in 1/65536. */
typedef struct th_weights {
    int32_t of[TH_MODEL_WEIGHTS];
} th_weights;

typedef struct th_segment_model {
    const th_feature_set *features;
    th_weights final;                        /* from all pages */
    int32_t parameters[TH_MODEL_PARAMETERS]; /* in the order of the set */
    uint64_t checksum;                       /* of its file */
    uint8_t has_folds;
    /* Fold f is learned without the pages whose host is in fold f. */
    th_weights folds[TH_MODEL_FOLDS];
    char corpora[TH_MODEL_TEXT]; /* sources with their pages: "landmarks:184" */
    char without[TH_MODEL_TEXT]; /* excluded sources */
    uint64_t seed;               /* of its training */
} th_segment_model;

/**
 * Reads a model's text.
 * @param text      borrowed for the call
 * @param methods   segmenters whose models are known; ends with NULL. NULL: th_segmenters
 * @param features  features that the model must fit; NULL: the features of any method
 * @param name      of the file, for messages
 * @return TH_OK, or TH_USAGE if the model is damaged or does not fit, with the line in
 *         err
 */
th_status th_segment_model_read(th_view text, const th_segmenter *const *methods,
                                const th_feature_set *features, const char *name,
                                th_segment_model *out, th_error *err);

/** Like th_segment_model_read, from a file. TH_ABSENT if there is no such file, TH_IO if it
 * cannot be read. */
th_status th_segment_model_load(const char *path, const th_segmenter *const *methods,
                                const th_feature_set *features, th_segment_model *out,
                                th_error *err);

/** Returns the model that the options name if it has these features, else the shipped
 * model. @param opt  may be NULL for no options */
static inline const th_segment_model *
th_segment_model_chosen(const th_options *opt, const th_segment_model *shipped)
{
    const th_segment_model *own = opt ? opt->segment_model : NULL;
    return own && own->features == shipped->features ? own : shipped;
}

/** Returns whether a model was learned from a corpus. @param name  "landmarks" */
bool th_segment_model_has_seen(const th_segment_model *model, const char *name);

extern const th_feature_set th_boundary_features;

/** The shipped model. */
extern const th_segment_model th_boundary_graph_model;

#endif
