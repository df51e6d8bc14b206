/*
 * libthresher: pages to segments, labels and signatures.
 *
 *     th_options opt;
 *     th_options_init(&opt);
 *     th_arena *arena = th_arena_new(0);
 *     th_parser *parser = th_parser_new(&opt);
 *     th_document document = { .bytes = html };
 *     th_page *page;
 *     if (th_parse_html(parser, &document, arena, &page, NULL, NULL) == TH_OK &&
 *         th_segment_page(page, &opt) == TH_OK && th_select_page(page, &opt) == TH_OK)
 *         for (uint32_t i = 0; i < page->block_count; i++)
 *             use(th_block_text(page, i), page->segment_of[i], page->label_of[i]);
 */
#ifndef THRESHER_THRESHER_H
#define THRESHER_THRESHER_H

#include "thresher/arena.h"
#include "thresher/classifier.h"
#include "thresher/minhash.h"
#include "thresher/options.h"
#include "thresher/page.h"
#include "thresher/parse.h"
#include "thresher/segmenter.h"
#include "thresher/status.h"
#include "thresher/tag.h"
#include "thresher/view.h"

#endif
