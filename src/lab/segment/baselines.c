/*
 * The baseline methods, which every other method has to beat. [KN08 §5], [K11 §4.2.3]
 *
 *  - word-wrap: all text of the page wrapped at w_max as one running text, lines are
 * segments. Segments are made of whole atomic blocks here, so a block belongs to the line
 * on which it starts. A block that is longer than a line is one segment. The paper would
 * cut it. In scripts without spaces a line may end after any letter.
 *  - tag-gap: every atomic block is a segment.
 */
#include <stdbool.h>

#include "base/unicode.h"
#include "lab/segment/lab_segmenters.h"

/* A line being filled, word by word. */
struct wrap {
    uint32_t w_max;
    uint32_t line;   /* number of the line */
    uint32_t column; /* columns in use on it; this is 0 only before the first word */
};

/*
 * Puts a word after a space or directly after the last one. A word that is too long is on
 * a separate line.
 */
static void put_word(struct wrap *wrap, uint32_t columns, bool is_spaced)
{
    if (wrap->column && (uint64_t)wrap->column + is_spaced + columns > wrap->w_max) {
        wrap->line++;
        wrap->column = columns;
    } else {
        wrap->column += columns + (wrap->column && is_spaced);
    }
}

/* Wraps a text after the present text. @return the line on which it starts */
static uint32_t put_text(struct wrap *wrap, th_view text)
{
    uint32_t first_line = TH_NONE;
    bool is_spaced = true;
    for (size_t at = 0; at < text.len;) {
        uint32_t c = th_utf8_next(text.data, &at);
        if (th_is_space(c)) {
            is_spaced = true;
            continue;
        }
        uint32_t columns = th_columns(c);
        bool is_open = !th_is_unspaced(c);
        while (is_open && at < text.len) {
            size_t behind = at;
            c = th_utf8_next(text.data, &behind);
            is_open = !th_is_space(c) && !th_is_unspaced(c);
            if (is_open) {
                columns += th_columns(c);
                at = behind;
            }
        }
        put_word(wrap, columns, is_spaced);
        is_spaced = false;
        if (first_line == TH_NONE)
            first_line = wrap->line;
    }
    return first_line == TH_NONE ? wrap->line : first_line;
}

static th_status segment_word_wrap(const th_page *page, const th_options *opt,
                                   th_arena *scratch, uint32_t *segment_of)
{
    (void)scratch;
    struct wrap wrap = { .w_max = opt->w_max };
    uint32_t last_line = 0, number = 0;
    for (uint32_t i = 0; i < page->block_count; i++) {
        const uint32_t line = put_text(&wrap, th_block_text(page, i));
        number += line != last_line;
        last_line = line;
        segment_of[i] = number;
    }
    return TH_OK;
}

static th_status segment_tag_gap(const th_page *page, const th_options *opt,
                                 th_arena *scratch, uint32_t *segment_of)
{
    (void)opt;
    (void)scratch;
    for (uint32_t i = 0; i < page->block_count; i++)
        segment_of[i] = i;
    return TH_OK;
}

const th_segmenter th_word_wrap = {
    .name = "word-wrap",
    .cites = "[KN08 §5]",
    .help = "baseline: wraps all text at w_max; each line is a segment",
    .theta_max = -1,
    .segment = segment_word_wrap,
};

const th_segmenter th_tag_gap = {
    .name = "tag-gap",
    .cites = "[KN08 §5]",
    .help = "baseline: each atomic block is a segment",
    .theta_max = -1,
    .segment = segment_tag_gap,
};
