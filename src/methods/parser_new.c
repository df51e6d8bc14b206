/* Creates a parser that keeps the parts of a page that the page's methods read. */
#include "methods/page_parts.h"
#include "page/options_size.h"
#include "parse/parser.h"

th_parser *th_parser_new(const th_options *options)
{
    th_options room;
    options = th_options_complete(options, &room);
    if (!options)
        return NULL;
    th_options with_reads = *options;
    with_reads.reads = th_options_reads(options);
    return th_parser_open(&with_reads);
}
