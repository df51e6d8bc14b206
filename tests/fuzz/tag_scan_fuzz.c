/*
 * Property: for any bytes, libxml2 sees no tag beyond the limits in the output of
 * th_tag_scan, and a second scan changes nothing.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/HTMLparser.h>

#include "base/unicode.h"
#include "fuzz_target.h"
#include "parse/html/tag_scan.h"

enum { MAX_ATTRIBUTES = 3 };

static void start(void *context, const xmlChar *name, const xmlChar **atts)
{
    (void)context, (void)name;
    size_t count = 0;
    while (atts && atts[2 * count])
        count++;
    assert(count <= MAX_ATTRIBUTES);
}

static void parse(th_view text)
{
    if (text.len == 0)
        return;
    xmlParserCtxtPtr ctxt = htmlNewParserCtxt();
    assert(ctxt);
    *ctxt->sax = (xmlSAXHandler){ .startElement = start, .initialized = 1 };
    (void)htmlCtxtReadMemory(ctxt, text.data, (int)text.len, NULL, "UTF-8",
                             HTML_PARSE_RECOVER | HTML_PARSE_NONET | XML_PARSE_HUGE);
    htmlFreeParserCtxt(ctxt);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* The input of the scan is UTF-8 without NUL. */
    size = strnlen((const char *)data, size);
    size = th_utf8_valid((const char *)data, size);
    const th_tag_limits limits = { .max_attributes = MAX_ATTRIBUTES, .max_tag = 64 };
    th_buffer copy = { 0 }, again = { 0 };
    th_view safe, safe_again;
    uint32_t flags = 0;
    const th_view text = { size ? (const char *)data : "", size };
    assert(th_tag_scan(text, &limits, &copy, &safe, &flags) == TH_OK);
    parse(safe);
    assert(th_tag_scan(safe, &limits, &again, &safe_again, &flags) == TH_OK);
    assert(safe_again.len == safe.len);
    th_buffer_done(&copy);
    th_buffer_done(&again);
    return 0;
}
