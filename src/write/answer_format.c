/* The answer to a request about one page: its record, or its text. */
#include "write/format.h"
#include "write/formatted_text.h"

static th_status page(const th_format_options *opt, const th_annotated *annotated,
                      th_buffer *out)
{
    const uint32_t number = annotated->record->answer_format;
    if (!number)
        return th_jsonl_format.page(opt, annotated, out);
    th_options options = *opt->page;
    options.text_format = th_text_formats[number - 1];
    return th_formatted_text_append(annotated, &options, out);
}

const th_format th_answer_format = {
    .name = "answer",
    .help = "the record of a page, or its text",
    .suffix = "txt",
    .page = page,
};
