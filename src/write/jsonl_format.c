/* JSON lines: one record `thresher/1` a line, nothing before the first and after the
 * last. */
#include "write/annotation.h"
#include "write/format.h"

static th_status page(const th_format_options *opt, const th_annotated *annotated,
                      th_buffer *out)
{
    const th_annotation_parts parts = { .emit = opt->page->emit, .has_hole = true };
    return th_annotation_write(opt->page, annotated, parts, out);
}

const th_format th_jsonl_format = {
    .name = "jsonl",
    .help = "one line with a JSON object per page, schema thresher/1",
    .suffix = "jsonl",
    .page = page,
};
