/* A row for each segment of a page. */
#include "lab/density/segment_rows.h"

#include <string.h>

#include "lab/density/template_counts.h"
#include "thresher/minhash.h"

struct fixed_part {
    uint64_t fingerprint;
    uint32_t tokens, density, sample_len;
};

static th_status start(const th_format_options *opt, th_view source, th_buffer *out)
{
    (void)opt;
    (void)source;
    (void)out;
    return TH_OK;
}

/* Start of a text, not cut within a character. */
static th_view sample_of(th_view text)
{
    size_t len = text.len < TH_TEMPLATE_SAMPLE ? text.len : TH_TEMPLATE_SAMPLE;
    while (len > 0 && len < text.len && ((unsigned char)text.data[len] & 0xC0) == 0x80)
        len--;
    return (th_view){ text.data, len };
}

static th_status add_row(const th_page *page, uint32_t segment, th_buffer *out)
{
    const th_segment *facts = &page->segments[segment];
    uint8_t fingerprint[TH_FINGERPRINT_LEN];
    const th_status status =
        th_template_fingerprint(page, segment, page->arena, fingerprint);
    if (status != TH_OK)
        return status;
    const th_view sample = sample_of(th_block_text(page, facts->first_block));
    struct fixed_part part = { .tokens = facts->tokens,
                               .density = (uint32_t)facts->density,
                               .sample_len = (uint32_t)sample.len };
    for (int i = 0; i < 8; i++)
        part.fingerprint = part.fingerprint << 8 | fingerprint[i];
    th_buffer_append(out, (const char *)&part, sizeof part);
    th_buffer_append_view(out, sample);
    return out->has_failed ? TH_NOMEM : TH_OK;
}

static th_status add_page(const th_format_options *opt, const th_annotated *annotated,
                          th_buffer *out)
{
    const th_page *page = annotated->page;
    const size_t before = out->len;
    th_status status = TH_OK;
    (void)opt;
    for (uint32_t i = 0; i < page->segment_count && status == TH_OK; i++)
        if (page->segments[i].tokens)
            status = add_row(page, i, out);
    if (status != TH_OK)
        out->len = before;
    return status;
}

const th_format th_segment_rows_format = {
    .name = "segment-rows",
    .help = "rows of segments, for statistics",
    .is_compressing = false,
    .start = start,
    .page = add_page,
};

bool th_segment_row_next(th_view *bytes, th_segment_row *row)
{
    struct fixed_part part;
    if (bytes->len < sizeof part)
        return false;
    memcpy(&part, bytes->data, sizeof part);
    *row = (th_segment_row){ .fingerprint = part.fingerprint,
                             .tokens = part.tokens,
                             .density = part.density,
                             .sample = { bytes->data + sizeof part, part.sample_len } };
    bytes->data += sizeof part + part.sample_len;
    bytes->len -= sizeof part + part.sample_len;
    return true;
}
