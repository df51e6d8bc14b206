/*
 * Learns a segmenter's parameters from corpora with gold segments. Like eval it uses the
 * stages and belongs to none. It reads corpora and sends their pages through the
 * pipeline. [training/README.md]
 */
#ifndef TH_TRAIN_H
#define TH_TRAIN_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/warning.h"
#include "lab/train/sample.h"
#include "segment/segment_model.h"
#include "thresher/options.h"

/** The parameters of a training. All are borrowed while it runs. */
typedef struct th_train_request {
    const th_options *page; /* checked; parser and limits */
    const th_trainer *trainer;
    const char *const *inputs; /* corpora */
    uint32_t input_count;      /* at least 1 */
    const char *field;         /* label vector of the gold */
    const char *without;       /* sources to exclude, separated by commas */
    bool has_folds;            /* four models more, each without the sites of one fold */
    uint64_t seed;
    const atomic_int *stop; /* non-zero: end early with TH_INTERRUPTED */
    th_warning_fn warn;     /* damage; may be NULL */
    void *context;
} th_train_request;

/**
 * Trains a model. The same corpora give the same model.
 * @param pages  out: number of pages that were learned from
 * @param err    not NULL
 * @return TH_OK, or with the reason in err TH_USAGE if an input is not a corpus, or does
 *         not allow learning; TH_IO; TH_NOMEM; TH_INTERRUPTED
 */
th_status th_train(const th_train_request *request, th_segment_model *out,
                   uint32_t *pages, th_error *err);

#endif
