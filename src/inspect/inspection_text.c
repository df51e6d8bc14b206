/*
 * A page for the terminal: the densitogram turned on its side, a line of it for each line
 * of the page's text.
 *
 *   seg    density         links
 *     2 + ┌██████▍     6.5  0.00  The lighthouse keeper counted the ships that ...
 *     2 + └██████▍               and wrote their names on the wall ...
 *
 * The bar is the block's text density, in eighths of a cell. Figures are on the block's
 * first line. A rail of corners joins the lines of a segment. '+' is content, '-' is not.
 */
#include <string.h>

#include "base/json.h"
#include "base/unicode.h"
#include "inspect/explanation.h"
#include "inspect/inspection.h"
#include "inspect/line_wrap.h"
#include "inspect/reason_text.h"
#include "thresher/minhash.h"
#include "write/record_field.h"

enum {
    BAR_CELLS = 8,
    TOKENS_PER_CELL = 2, /* bars end at 16 tokens a line: full text has 9 to 13 */
    PLACES = 2,
    SCORE_PLACES = 4,
};

enum ink { DIM, BOLD, SEGMENT, CONTENT, BOILERPLATE, PLAIN };

static const char *const ink_codes[] = {
    [DIM] = "\033[2m",      [BOLD] = "\033[1m",         [SEGMENT] = "\033[36m",
    [CONTENT] = "\033[32m", [BOILERPLATE] = "\033[33m", [PLAIN] = "\033[0m",
};

/* The text that is being printed. */
struct printer {
    const th_inspection *inspection;
    const th_reading *reading;
    const th_page *page; /* with the columns of the chosen reading */
    bool has_colour;
    th_buffer *out;
    th_explanation explanation; /* if a learned classifier was chosen */
    th_line_wrap *wrap;
    uint32_t block;
    uint32_t line; /* of the block */
};

static void ink(const struct printer *printer, enum ink ink)
{
    if (printer->has_colour)
        th_buffer_append_text(printer->out, ink_codes[ink]);
}

/* Whether a character could control a terminal, or turn the direction of later text. */
static bool is_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x061C ||
           (c >= 0x200E && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) ||
           (c >= 0x2066 && c <= 0x2069);
}

/* Appends foreign text, which may have any bytes. */
static void put_foreign(struct printer *printer, th_view text)
{
    size_t at = 0;
    while (at < text.len) {
        const size_t valid = th_utf8_valid(text.data + at, text.len - at);
        const size_t end = at + valid;
        while (at < end) {
            size_t behind = at;
            const uint32_t c = th_utf8_next(text.data, &behind);
            if (is_control(c))
                th_buffer_append_text(printer->out, "\xEF\xBF\xBD");
            else
                th_buffer_append(printer->out, text.data + at, behind - at);
            at = behind;
        }
        if (at < text.len) {
            th_buffer_append_text(printer->out, "\xEF\xBF\xBD");
            at++;
        }
    }
}

/* ---- the head ---- */

static void put_name(struct printer *printer, const char *name)
{
    ink(printer, DIM);
    th_buffer_printf(printer->out, "%-13s", name);
    ink(printer, PLAIN);
}

static void put_field(struct printer *printer, const char *name, th_view value)
{
    if (!value.data)
        return;
    put_name(printer, name);
    put_foreign(printer, value);
    th_buffer_append_char(printer->out, '\n');
}

static void put_decimal(struct printer *printer, double value)
{
    char text[TH_DECIMAL_MAX];
    th_buffer_append(printer->out, text, th_decimal(value, PLACES, text));
}

static void put_flags(struct printer *printer)
{
    const uint32_t flags = printer->inspection->annotated->record->flags |
                           printer->inspection->annotated->page->flags;
    const char *between = "";
    if (!flags)
        return;
    put_name(printer, "flags");
    for (unsigned bit = 0; bit < TH_FLAG_COUNT; bit++) {
        if (flags >> bit & 1) {
            th_buffer_printf(printer->out, "%s%s", between, th_flag_name(bit));
            between = ", ";
        }
    }
    th_buffer_append_char(printer->out, '\n');
}

static void put_methods(struct printer *printer)
{
    const th_options *opt = printer->inspection->opt;
    const th_segmenter *segmenter = th_segmenter_of(opt);
    const double theta = opt->theta_max >= 0 ? opt->theta_max : segmenter->theta_max;
    put_name(printer, "methods");
    th_buffer_printf(printer->out, "%s", opt->segmenter);
    if (segmenter->theta_max >= 0) {
        th_buffer_append_text(printer->out, " theta_max=");
        put_decimal(printer, theta);
    }
    th_buffer_printf(printer->out, " profile=%s, %s, lines of %u columns\n", opt->profile,
                     opt->classifier, opt->w_max);
}

static void put_counts(struct printer *printer)
{
    const th_page *page = printer->page;
    put_name(printer, "counts");
    th_buffer_printf(
        printer->out,
        "%u blocks in %u segments, %u lines, %u tokens, %u of them linked, "
        "%u in content; %u links\n",
        page->block_count, page->segment_count, page->lines_before[page->block_count],
        page->tokens_before[page->block_count], page->linked_before[page->block_count],
        page->content_tokens, page->link_count);
}

static void put_main_segment(struct printer *printer)
{
    const th_page *page = printer->page;
    put_name(printer, "main segment");
    if (page->main_segment == TH_NONE) {
        th_buffer_append_text(printer->out, "none\n");
        return;
    }
    const th_segment *segment = &page->segments[page->main_segment];
    th_buffer_printf(printer->out, "%u: %u tokens, density ", page->main_segment,
                     segment->tokens);
    put_decimal(printer, segment->density);
    th_buffer_append_text(printer->out, ", link density ");
    put_decimal(printer, segment->link_density);
    th_buffer_append_char(printer->out, '\n');
}

/* A few slots suffice to compare two pages by eye; --json has all. */
static void put_signature(struct printer *printer)
{
    const th_page *page = printer->page;
    const th_minhash_preset *preset = page->minhash;
    for (unsigned i = 0; preset && i < TH_SIGN_COUNT; i++) {
        const th_signature *signature = &page->signatures[i];
        if (!signature->slots)
            continue;
        put_name(printer, "signature");
        th_buffer_printf(printer->out, "%s %s:", preset->name, th_sign_name(i));
        for (uint32_t slot = 0; slot < signature->slot_count && slot < 4; slot++)
            th_buffer_printf(printer->out, " %0*llx", (int)preset->slot_bits / 4,
                             (unsigned long long)signature->slots[slot]);
        th_buffer_printf(printer->out, "%s (%u slots of %u shingles)\n",
                         signature->slot_count > 4 ? " ..." : "", signature->slot_count,
                         signature->shingle_count);
    }
    if (!page->has_text_digest)
        return;
    put_name(printer, "digest");
    th_buffer_printf(printer->out, "%016llx%016llx\n",
                     (unsigned long long)page->text_digest[0],
                     (unsigned long long)page->text_digest[1]);
}

/* A probability in 1/65535, as records have it. */
static void put_score(struct printer *printer, uint16_t score)
{
    char text[TH_DECIMAL_MAX];
    const double value = score / (double)UINT16_MAX;
    th_buffer_append(printer->out, text, th_decimal(value, SCORE_PLACES, text));
}

static void put_learned(struct printer *printer)
{
    const th_learned *learned = printer->inspection->annotated->page->learned;
    if (!learned)
        return;
    put_name(printer, "page type");
    th_buffer_printf(printer->out, "%s, ", learned->page_type);
    put_score(printer, learned->page_type_score);
    th_buffer_append_char(printer->out, '\n');
    put_name(printer, "quality");
    put_score(printer, learned->quality);
    th_buffer_append_text(printer->out, " expected; content from score ");
    put_score(printer, learned->cut);
    th_buffer_printf(printer->out, " on: a missed word weighs %u.%02u false ones\n",
                     learned->missed_weight / 100U, learned->missed_weight % 100U);
}

static void put_language(struct printer *printer)
{
    const th_languages *found = printer->inspection->annotated->page->languages;
    if (!found || !found->count)
        return;
    put_name(printer, "detected");
    for (uint32_t i = 0; i < found->count; i++) {
        th_buffer_append_text(printer->out, i ? ", " : "");
        th_buffer_append_text(printer->out, found->of[i].tag);
        if (found->has_shares)
            th_buffer_printf(printer->out, " %u %%", found->of[i].percent);
    }
    th_buffer_append_text(printer->out, found->is_sure ? "\n" : ", not sure\n");
}

/* By a model of the user's. */
static void put_second_language(struct printer *printer)
{
    const th_second_language *second = printer->page->second_language;
    if (second)
        put_field(printer, "own model", (th_view){ second->name, strlen(second->name) });
}

/* Writes the site memory's facts, if it was queried. */
static void put_site(struct printer *printer)
{
    const th_page *page = printer->page;
    uint32_t recurrent = 0;
    if (!page->paragraph_recurs)
        return;
    for (uint32_t i = 0; i < page->block_count; i++)
        if (page->paragraph_recurs[page->blocks[i].paragraph])
            recurrent += page->blocks[i].tokens;
    put_name(printer, "site memory");
    th_buffer_printf(printer->out, "%u known with this one; %u tokens recur\n",
                     page->site_pages, recurrent);
}

static void put_head(struct printer *printer)
{
    const th_annotated *annotated = printer->inspection->annotated;
    const th_metadata *metadata = &printer->page->metadata;
    ink(printer, BOLD);
    put_foreign(printer, metadata->title.data ? metadata->title : TH_VIEW("(no title)"));
    ink(printer, PLAIN);
    th_buffer_append_char(printer->out, '\n');
    for (uint32_t i = 0; i < th_record_field_count; i++)
        if (th_record_fields[i].label)
            put_field(printer, th_record_fields[i].label,
                      th_record_field_text(&th_record_fields[i], annotated));
    put_language(printer);
    put_second_language(printer);
    if (annotated->charset.name) {
        put_name(printer, "charset");
        th_buffer_printf(printer->out, "%s, by %s\n", annotated->charset.name,
                         annotated->charset.from);
    }
    put_flags(printer);
    put_methods(printer);
    put_learned(printer);
    put_counts(printer);
    put_main_segment(printer);
    put_site(printer);
    put_signature(printer);
}

/* ---- the lines ---- */

static void put_bar(struct printer *printer, double density)
{
    static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
    const double max = BAR_CELLS * TOKENS_PER_CELL;
    const unsigned filled =
        (unsigned)((density < max ? density : max) * 8 / (double)TOKENS_PER_CELL);
    unsigned cells = filled / 8;
    for (unsigned i = 0; i < cells; i++)
        th_buffer_append_text(printer->out, "█");
    if (filled % 8) {
        th_buffer_append_text(printer->out, eighths[filled % 8]);
        cells++;
    }
    th_buffer_printf(printer->out, "%*s", BAR_CELLS - (int)cells, "");
}

static bool is_same_segment(const th_page *page, uint32_t a, uint32_t b)
{
    return b < page->block_count && page->segment_of[a] == page->segment_of[b];
}

/* Returns the corner that joins this line to its segment's lines above and below. */
static const char *rail(const struct printer *printer)
{
    const th_page *page = printer->page;
    const bool is_above =
        printer->line > 0 ||
        (printer->block > 0 && is_same_segment(page, printer->block, printer->block - 1));
    const bool is_below = printer->line + 1 < page->blocks[printer->block].lines ||
                          is_same_segment(page, printer->block, printer->block + 1);
    if (is_above)
        return is_below ? "│" : "└";
    return is_below ? "┌" : "╶";
}

static void put_line(void *context, th_view line, uint32_t tokens)
{
    struct printer *printer = context;
    const th_page *page = printer->page;
    const uint32_t block = printer->block;
    const uint32_t segment = page->segment_of[block];
    const bool is_content = page->label_of[block] == TH_CONTENT;
    const double density = th_page_density(page, block, block + 1);
    (void)tokens;
    ink(printer, SEGMENT);
    th_buffer_printf(printer->out, "%5u", segment);
    ink(printer, PLAIN);
    th_buffer_append_text(printer->out, segment == page->main_segment ? "*" : " ");
    ink(printer, is_content ? CONTENT : BOILERPLATE);
    th_buffer_printf(printer->out, "%c %s", is_content ? '+' : '-', rail(printer));
    put_bar(printer, density);
    ink(printer, PLAIN);
    if (printer->line == 0)
        th_buffer_printf(printer->out, " %5.1f %5.2f  ", density,
                         th_page_link_density(page, block, block + 1));
    else
        th_buffer_printf(printer->out, "%14s", "");
    if (!is_content)
        ink(printer, DIM);
    put_foreign(printer, line);
    if (!is_content)
        ink(printer, PLAIN);
    th_buffer_append_char(printer->out, '\n');
    printer->line++;
}

/* Writes below a paragraph its score, the decisive rule, and the groups of features that
 * raised or lowered it. */
static void put_why(struct printer *printer)
{
    const th_page *page = printer->page;
    const th_block *block = &page->blocks[printer->block];
    const th_paragraph *paragraph = &page->paragraphs[block->paragraph];
    const th_readings *readings = printer->inspection->readings;
    const th_classifier *classifier = readings->classifiers[printer->reading->classifier];
    if (!page->learned || printer->block + 1 != paragraph->end_block)
        return;
    const th_explained explained =
        th_explanation_of(&printer->explanation, block->paragraph);
    ink(printer, DIM);
    th_buffer_printf(printer->out, "%33s%s", "", paragraph->is_hidden ? "hidden; " : "");
    th_reason_text(page, printer->block,
                   th_reason_of(classifier, page->reason_of[printer->block])->words,
                   printer->out);
    th_buffer_append_text(printer->out, ": ");
    th_explanation_text(&explained, printer->out);
    ink(printer, PLAIN);
    th_buffer_append_char(printer->out, '\n');
}

th_status th_inspection_text(const th_inspection *inspection, bool has_colour,
                             th_buffer *out)
{
    const th_reading *reading = &inspection->readings->rows[inspection->readings->chosen];
    struct printer printer = {
        .inspection = inspection,
        .reading = reading,
        .page = &reading->page,
        .has_colour = has_colour,
        .out = out,
        .wrap = th_line_wrap_new(inspection->opt->w_max),
    };
    th_status status = printer.wrap ? TH_OK : TH_NOMEM;
    if (status == TH_OK && printer.page->learned)
        status = th_explanation_make(printer.page, inspection->opt, printer.page->arena,
                                     &printer.explanation);
    put_head(&printer);
    th_buffer_append_text(out, "\n  seg    density       links  "
                               "+ content, - boilerplate, * main segment\n");
    for (uint32_t i = 0; i < printer.page->block_count && status == TH_OK; i++) {
        printer.block = i;
        printer.line = 0;
        status = th_line_wrap_text(printer.wrap, th_block_text(printer.page, i), put_line,
                                   &printer);
        put_why(&printer);
    }
    th_line_wrap_free(printer.wrap);
    return out->has_failed ? TH_NOMEM : status;
}
