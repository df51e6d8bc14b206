/*
 * Quality signals of a page's content: the numbers by which Gopher, C4 and FineWeb keep
 * or drop a document, without their decisions. A stage after select and language; fills
 * page->signals on request. docs/facts.md#quality-signals
 */
#ifndef TH_SIGNALS_H
#define TH_SIGNALS_H

#include "thresher/options.h"
#include "thresher/page.h"

/**
 * The stage: with TH_EMIT_SIGNALS fills page->signals, from the first 512 KiB of the
 * content as plain text. NULL without content.
 * @return TH_OK or TH_NOMEM. Linear; about 100 bytes of the arena for each word
 */
th_status th_signals_page(th_page *page, const th_options *opt);

/** Computes the signals of a text. @param text  not empty, valid UTF-8  @param language
 * BCP 47 tag of its stop words, NULL for English */
th_status th_signals_of(th_view text, const char *language, th_arena *arena,
                        th_quality_signals *signals);

#endif
