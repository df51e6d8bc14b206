/* Converts runs and insets to pieces. */
#include "write/inline_pieces.h"

#include <stdbool.h>

#include "base/array.h"

static bool is_wanted(const th_pieces *pieces, const th_inset *inset)
{
    return inset->kind != TH_INSET_IMAGE ||
           (pieces->opt->text_images && (inset->url.len || pieces->takes_words));
}

/* Returns the footnote of a link's text, or NULL. */
static const th_note_link *note_of(const th_pieces *pieces, const th_piece *piece)
{
    const th_page *page = pieces->page;
    if (!pieces->is_note || !page->note_link_count || piece->link == TH_NONE ||
        piece->inset)
        return NULL;
    const uint32_t at =
        th_first_from(page->note_links, page->note_link_count, sizeof *page->note_links,
                      offsetof(th_note_link, link), piece->link);
    const th_note_link *note = &page->note_links[at];
    return at < page->note_link_count && note->link == piece->link &&
                   pieces->is_note[note->item]
               ? note
               : NULL;
}

static th_status add(th_pieces *pieces, th_piece piece)
{
    piece.note = note_of(pieces, &piece);
    if (piece.link != TH_NONE) /* a raised link is a mark of a note */
        piece.style &= (uint8_t)~TH_STYLE_RAISED;
    if (!pieces->opt->text_links || piece.note)
        piece.link = TH_NONE;
    th_piece *last = pieces->count ? &pieces->items[pieces->count - 1] : NULL;
    const bool is_other_code = (piece.style & TH_STYLE_CODE) && last && last->text.len &&
                               last->text.data[last->text.len - 1] == ' ';
    if (last && !piece.inset && !last->inset && !is_other_code &&
        last->style == piece.style && last->link == piece.link &&
        last->note == piece.note && last->text.data + last->text.len == piece.text.data) {
        last->text.len += piece.text.len;
        return TH_OK;
    }
    if (!TH_ARENA_HAS_CAPACITY(pieces->page->arena, pieces->items, pieces->count,
                               pieces->capacity))
        return TH_NOMEM;
    pieces->items[pieces->count++] = piece;
    return TH_OK;
}

/* Returns the next row of the paragraph, or NULL. */
static const th_style_run *next_run(const th_pieces *pieces, uint32_t paragraph)
{
    const th_page *page = pieces->page;
    const th_style_run *run = &page->runs[pieces->run];
    return pieces->run < page->run_count && run->paragraph == paragraph ? run : NULL;
}

static const th_inset *next_inset(const th_pieces *pieces, uint32_t paragraph)
{
    const th_page *page = pieces->page;
    const th_inset *inset = &page->insets[pieces->inset];
    return pieces->inset < page->inset_count && inset->paragraph == paragraph ? inset
                                                                              : NULL;
}

static void skip_to(th_pieces *pieces, uint32_t paragraph)
{
    const th_page *page = pieces->page;
    while (pieces->run < page->run_count && page->runs[pieces->run].paragraph < paragraph)
        pieces->run++;
    while (pieces->inset < page->inset_count &&
           (page->insets[pieces->inset].paragraph < paragraph ||
            (page->insets[pieces->inset].paragraph == paragraph &&
             page->insets[pieces->inset].is_alone)))
        pieces->inset++;
}

static bool is_stop_behind_blank(const char *at)
{
    return at[0] == ' ' && (at[1] == '.' || at[1] == ',' || at[1] == ';' ||
                            at[1] == ':' || at[1] == ')' || at[1] == '?' || at[1] == '!');
}

/* Adds an inset, with a space before it if the text before has none. */
static th_status add_spaced(th_pieces *pieces, th_piece piece, uint32_t paragraph_start)
{
    const char *const text = pieces->page->text.data;
    const uint32_t start = piece.inset->start;
    if (piece.inset->is_spaced && start > paragraph_start && text[start - 1] != ' ' &&
        text[start - 1] != '\n') {
        const th_piece blank = { .text = { " ", 1 }, .link = piece.link };
        const th_status status = add(pieces, blank);
        if (status)
            return status;
    }
    return add(pieces, piece);
}

th_status th_pieces_of(th_pieces *pieces, uint32_t paragraph)
{
    const th_paragraph *row = &pieces->page->paragraphs[paragraph];
    const uint32_t end = row->text_start + row->text_len;
    uint32_t at = row->text_start;
    th_piece state = { .link = TH_NONE };
    th_status status = TH_OK;
    pieces->count = 0;
    skip_to(pieces, paragraph);
    while (status == TH_OK) {
        const th_style_run *run = next_run(pieces, paragraph);
        const th_inset *inset = next_inset(pieces, paragraph);
        if (run && run->start <= at) {
            state.style = run->style;
            state.link = run->link;
            pieces->run++;
        } else if (inset && (inset->start <= at || at == end)) {
            th_piece piece = state;
            piece.inset = inset;
            pieces->inset++;
            if (is_wanted(pieces, inset))
                status = add_spaced(pieces, piece, row->text_start);
            if (inset->start + inset->len > at)
                at = inset->start + inset->len < end ? inset->start + inset->len : end;
            if (inset->is_spaced && is_wanted(pieces, inset) && at + 1 < end &&
                is_stop_behind_blank(pieces->page->text.data + at))
                at++; /* the space is before the inset */
        } else if (at < end) {
            uint32_t to = run && run->start < end ? run->start : end;
            if (inset && inset->start < to)
                to = inset->start;
            state.text = (th_view){ pieces->page->text.data + at, to - at };
            status = add(pieces, state);
            state.text = (th_view){ 0 };
            at = to;
        } else {
            break;
        }
    }
    return status;
}

const th_inset *th_pieces_alone(th_pieces *pieces, uint32_t paragraph)
{
    const th_page *page = pieces->page;
    for (; pieces->inset < page->inset_count; pieces->inset++) {
        const th_inset *inset = &page->insets[pieces->inset];
        if (inset->paragraph > paragraph ||
            (inset->paragraph == paragraph && !inset->is_alone))
            break;
        if (inset->paragraph == paragraph && is_wanted(pieces, inset)) {
            pieces->inset++;
            return inset;
        }
    }
    return NULL;
}

th_view th_pieces_language(th_pieces *pieces, uint32_t paragraph)
{
    const th_page *page = pieces->page;
    while (pieces->language < page->code_language_count &&
           page->code_languages[pieces->language].paragraph < paragraph)
        pieces->language++;
    if (pieces->language < page->code_language_count &&
        page->code_languages[pieces->language].paragraph == paragraph)
        return page->code_languages[pieces->language].name;
    return (th_view){ "", 0 };
}
