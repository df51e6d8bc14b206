/*
 * Parts of a corpus by site, so a model is never measured on a site that it learned from.
 */
#ifndef TH_SITE_FOLD_H
#define TH_SITE_FOLD_H

#include "thresher/view.h"

enum { TH_SITE_FOLDS = 4 };

/** Fold of a page, below TH_SITE_FOLDS: the last byte of the SHA-1 of its host in lower
 * case, & 3. Without a host: 0. */
unsigned th_site_fold(th_view url);

#endif
