/*
 * A page shown in every way. Its JSON for the report has no character that starts markup,
 * and its text has no character that controls a terminal. The number of lines equals the
 * count of the text model.
 *
 * Input: a byte for w_max (1, 7, 20 or 80), then a document.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz_target.h"
#include "inspect/inspection.h"
#include "inspect/line_wrap.h"
#include "inspect/report_parts.h"
#include "lab/segment/lab_segmenters.h"
#include "pipeline/pipeline.h"

static void must(int holds)
{
    if (!holds)
        abort();
}

static void count_line(void *context, th_view line, uint32_t tokens)
{
    uint32_t *counts = context; /* lines, tokens of the last */
    must(line.len > 0);
    counts[0]++;
    counts[1] = tokens;
}

static void lines_hold(const th_page *page, uint32_t w_max)
{
    th_line_wrap *wrap = th_line_wrap_new(w_max);
    for (uint32_t i = 0; i < page->block_count; i++) {
        uint32_t counts[2] = { 0, 0 };
        must(th_line_wrap_text(wrap, th_block_text(page, i), count_line, counts) ==
             TH_OK);
        must(counts[0] == page->blocks[i].lines);
        must(counts[1] == page->blocks[i].last_line_tokens);
    }
    th_line_wrap_free(wrap);
}

static void report_holds(const th_inspection *inspection)
{
    th_buffer out = { 0 };
    must(th_inspection_html(inspection, &out) == TH_OK);
    const char *data = out.data + th_report_head_len;
    const size_t len = out.len - th_report_head_len - th_report_tail_len;
    must(!memchr(data, '<', len) && !memchr(data, '>', len) && !memchr(data, '&', len));
    must(!memmem(data, len, "\xE2\x80\xA8", 3) && !memmem(data, len, "\xE2\x80\xA9", 3));
    must(memchr(data, '\n', len) == data + len - 1);
    th_buffer_done(&out);
}

static void text_holds(const th_inspection *inspection)
{
    th_buffer out = { 0 };
    must(th_inspection_text(inspection, false, &out) == TH_OK);
    for (size_t i = 0; i < out.len; i++) {
        const unsigned char c = (unsigned char)out.data[i];
        must((c >= 0x20 || c == '\n') && c != 0x7F);
        must(c != 0xC2 || (i + 1 < out.len && (unsigned char)out.data[i + 1] >= 0xA0));
    }
    th_buffer_done(&out);
}

/* A pipeline costs more than a small page, so there is one for each width. */
static th_pipeline *pipeline_of(unsigned width, const th_options **opt)
{
    static const uint32_t widths[4] = { 1, 7, 20, 80 };
    static th_options options[4];
    static th_pipeline *pipelines[4];
    if (!pipelines[width]) {
        th_options_init(&options[width]);
        options[width].segmenters = th_lab_segmenters;
        options[width].w_max = widths[width];
        options[width].page_ms = 0;
        pipelines[width] = th_pipeline_new(&options[width]);
    }
    *opt = &options[width];
    return pipelines[width];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    const th_options *opt = NULL;
    th_pipeline *pipeline = pipeline_of(data[0] & 3u, &opt);
    const th_record record = { .kind = TH_RECORD_RESOURCE,
                               .content_type = TH_VIEW("text/html"),
                               .url = TH_VIEW("http://a.example/"),
                               .block = { (const char *)data + 1, size - 1 },
                               .block_len = size - 1 };
    th_annotated annotated;
    must(th_pipeline_run(pipeline, &record, &annotated) == TH_OK);
    if (annotated.status == TH_OK) {
        th_readings readings;
        must(th_readings_make(annotated.page, opt, "tag-gap,main-content", &readings,
                              NULL) == TH_OK);
        const th_inspection inspection = { opt, &annotated, &readings, "fuzz" };
        lines_hold(annotated.page, opt->w_max);
        report_holds(&inspection);
        text_holds(&inspection);
        th_readings_done(&readings);
    }
    return 0;
}
