/*
 * Any bytes in any string of a page: the record and the reject line are each one line of
 * valid JSON, and both can be written as WARC, for any header.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_target.h"
#include "write/annotation.h"
#include "write/format.h"
#include "write/json_line.h"
#include "write/sample_page.h"

static void require(bool claim)
{
    if (!claim)
        abort();
}

/* Cuts off the next string, which ends before 0xFE (never in UTF-8), or at the end.
 */
static th_view next_string(const uint8_t **data, size_t *size)
{
    const uint8_t *end = *size ? memchr(*data, 0xFE, *size) : NULL;
    const th_view text = { (const char *)*data, end ? (size_t)(end - *data) : *size };
    *data += text.len + (end ? 1 : 0);
    *size -= text.len + (end ? 1 : 0);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sample_page s;
    sample_page_init(&s);
    s.opt.emit = TH_EMIT_BLOCKS | TH_EMIT_LINKS | TH_EMIT_HTML;
    th_view *string;
    for (unsigned i = 0; (string = sample_page_string(&s, i)); i++)
        *string = next_string(&data, &size);
    const th_format_options opt = { &s.opt, TH_PLAIN, "thresher/fuzz" };
    th_buffer out = { 0 };
    require(th_jsonl_format.page(&opt, &s.annotated, &out) == TH_OK);
    require(json_line_is_valid(th_buffer_view(&out)));
    th_buffer_reset(&out);
    require(th_reject_line(&s.annotated, &out) == TH_OK);
    require(json_line_is_valid(th_buffer_view(&out)));
    th_buffer_reset(&out);
    require(th_warc_format.start(&opt, s.record.position.file, &out) == TH_OK);
    require(th_warc_format.page(&opt, &s.annotated, &out) == TH_OK);
    th_buffer_done(&out);
    sample_page_done(&s);
    return 0;
}
