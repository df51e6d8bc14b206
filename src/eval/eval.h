/*
 * Measures the program's results against corpora with gold, and computes statistics of
 * archives. This layer is above the stages. It reads a corpus, sends its pages through
 * the pipeline and compares. [docs/methods.md#measures]
 *
 * A kind of measure is one file and one line in a program's table.
 */
#ifndef TH_EVAL_H
#define TH_EVAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/warning.h"
#include "thresher/options.h"

/** How the report is written. */
typedef enum th_eval_form { TH_EVAL_TEXT, TH_EVAL_MARKDOWN, TH_EVAL_JSON } th_eval_form;

/** Reports the progress. Called under a lock, many times a second. */
typedef void (*th_eval_print_progress)(void *context, uint64_t done_bytes,
                                       uint64_t total_bytes, uint64_t pages);

/** The parameters of a measure. All are borrowed while it runs. */
typedef struct th_eval_request {
    const th_options *page;    /* checked; parser, limits, and methods not varied */
    const char *const *inputs; /* corpora or archives, as the kind has it */
    uint32_t input_count;      /* at least 1 */
    const char *classifiers;   /* names with commas, or "all" */
    const char *segmenters;    /* the same */
    const char *profiles;      /* the same; "" = that of `page` */
    const char *fields;        /* label vectors of a gold segmentation */
    /*
     * Models of the learned classifier by fold of sites. A page is judged by the model
     * that has not seen its site. If NULL, the model of `page` judges all pages.
     */
    const struct th_fold_models *fold_models;
    /*
     * Lookup of sites; NULL for no lookup. Pages of sites with fewer known pages are
     * excluded from the scores.
     */
    const struct th_site_lookup *sites;
    uint32_t site_pages;
    uint32_t worst;           /* number of pages with the lowest F1 that are named */
    uint32_t resamples;       /* of the bootstrap; 0 = no intervals */
    bool wants_plot;          /* fill th_eval_output.plot */
    const char *output;       /* features, segmentation: file for rows */
    const char *token_tables; /* features: regressions over words; "" = none */
    bool without_classes;     /* as if pages had no class, id, role, itemprop */
    bool wants_list;          /* features: the list of columns, no corpus is read */
    th_eval_form form;
    unsigned workers;              /* 1..256; the output does not depend on it */
    const atomic_int *stop;        /* non-zero: end early with TH_INTERRUPTED */
    th_eval_print_progress report; /* may be NULL */
    th_warning_fn warn;            /* damage; may be NULL */
    void *context;                 /* of both */
} th_eval_request;

/** The results. Freed with th_eval_output_done. */
typedef struct th_eval_output {
    th_buffer report;
    th_buffer plot;   /* an SVG file; empty unless wanted */
    uint64_t damaged; /* places or inputs that could not be read: exit code 1 */
} th_eval_output;

void th_eval_output_done(th_eval_output *output);

/** A kind of measure. */
typedef struct th_eval_kind {
    const char *name;      /* "extraction" */
    const char *inputs;    /* "CORPUS..." for the usage line */
    const char *help;      /* its purpose; lines for --help */
    bool draws;            /* a picture, if one is requested */
    bool reads_archives;   /* its inputs are archives, not corpora */
    bool varies_segmenter; /* it does not keep the segmenter of the options */
    /**
     * Measures.
     * @return TH_OK; TH_USAGE (an unknown name, an invalid input), TH_IO, TH_NOMEM,
     *         TH_INTERRUPTED, with the reason in err
     */
    th_status (*measure)(const th_eval_request *request, th_eval_output *output,
                         th_error *err);
} th_eval_kind;

extern const th_eval_kind th_eval_extraction;
extern const th_eval_kind th_eval_lines;
extern const th_eval_kind th_eval_duplicates;

/** Returns a kind by name, or NULL. @param kinds  ends with NULL */
const th_eval_kind *th_eval_kind_find(const th_eval_kind *const *kinds, const char *name);

#endif
