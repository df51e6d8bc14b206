/* libxml2's bare HTML parser, as a baseline for the other benches. */
#include "bench_sax.h"

#include <libxml/HTMLparser.h>

static void count_start(void *context, const xmlChar *name, const xmlChar **attributes)
{
    (void)name, (void)attributes;
    ++*(size_t *)context;
}

static void count_end(void *context, const xmlChar *name)
{
    (void)name;
    ++*(size_t *)context;
}

static void ignore_text(void *context, const xmlChar *bytes, int len)
{
    (void)context, (void)bytes, (void)len;
}

size_t bench_sax(const bench_pages *pages)
{
    htmlSAXHandler sax = { .startElement = count_start,
                           .endElement = count_end,
                           .characters = ignore_text,
                           .cdataBlock = ignore_text };
    size_t tags = 0;
    for (size_t i = 0; i < pages->count; i++) {
        const bench_page *page = &pages->pages[i];
        htmlParserCtxtPtr context = htmlCreatePushParserCtxt(
            &sax, &tags, page->html, 0, NULL, XML_CHAR_ENCODING_UTF8);
        if (!context)
            bench_die("out of memory");
        (void)htmlCtxtUseOptions(context, XML_PARSE_HUGE | HTML_PARSE_NOERROR |
                                              HTML_PARSE_NOWARNING | HTML_PARSE_NONET |
                                              HTML_PARSE_IGNORE_ENC);
        (void)htmlParseChunk(context, page->html, (int)page->len, 1);
        htmlFreeParserCtxt(context);
    }
    return tags;
}
