/* Which fold of a cross-validation a page is in, by its site. */
#ifndef TH_SITE_OF_PAGE_H
#define TH_SITE_OF_PAGE_H

#include "thresher/view.h"

enum { TH_CONTENT_FOLDS = 5 };

/**
 * The registered domain of a URL's host, unchanged: the last two labels, or three if the
 * last label is a country's and the one before is one of its usual parts ("co.uk"). A
 * numeric address is returned completely. Absent without a host.
 */
th_view th_registered_domain(th_view url);

/** Fold of a page, below TH_CONTENT_FOLDS, by the domain in lower case; of its id where
 * it has no URL. The same on every machine. */
unsigned th_content_fold(th_view url, th_view id);

#endif
