/*
 * Readings of a page: the segments and labels that one segmenter and one classifier give
 * its blocks, for several such pairs.
 */
#ifndef TH_READING_H
#define TH_READING_H

#include "page/record.h"
#include "thresher/classifier.h"
#include "thresher/minhash.h"
#include "thresher/segmenter.h"

/** The page as one segmenter and one classifier read it. */
typedef struct th_reading {
    uint32_t segmenter;  /* index into th_readings.segmenters */
    uint32_t classifier; /* index into th_readings.classifiers */
    th_page page;        /* the rows of all readings, with the columns of this one */
} th_reading;

/** Every pair of the selected methods. */
typedef struct th_readings {
    th_arena *arena;           /* owned: all columns */
    th_minhash_signer *signer; /* owned; NULL if no signatures are computed */
    const th_segmenter **segmenters;
    const th_classifier **classifiers;
    uint32_t segmenter_count, classifier_count;
    th_reading *rows; /* segmenter by segmenter */
    uint32_t count;   /* segmenter_count * classifier_count */
    uint32_t chosen;  /* the row of the options' own methods */
} th_readings;

/**
 * Checks a list of methods without running any.
 * @param names  segmenters and classifiers, separated by commas. "all" selects all of
 *               both, "none" or "" none. The options' own methods are always included.
 * @return TH_OK, or TH_USAGE with the unknown name in err
 */
th_status th_readings_check(const char *names, const th_segmenter *const *segmenters,
                            th_error *err);

/**
 * Reads the page in every way.
 * @param page   parsed; borrowed while the readings live, never changed
 * @param opt    checked; profile, theta_max and the signatures are the same for all
 * @param names  as th_readings_check takes it
 * @param out    freed by th_readings_done, for any status
 * @return TH_OK; TH_USAGE; TH_TOO_LARGE when the columns need over a GiB; TH_NOMEM
 */
th_status th_readings_make(const th_page *page, const th_options *opt, const char *names,
                           th_readings *out, th_error *err);
void th_readings_done(th_readings *readings);

#endif
