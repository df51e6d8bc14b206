/* The parser without knowledge of the methods that read its page. */
#ifndef TH_PARSER_H
#define TH_PARSER_H

#include "thresher/parse.h"

/**
 * Creates a parser, for th_parser_free.
 * @param options  complete and copied; `reads` has all parts of the page to keep
 * @return NULL if out of memory
 */
th_parser *th_parser_open(const th_options *options);

#endif
