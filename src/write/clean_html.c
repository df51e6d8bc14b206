/*
 * Content to HTML. Boxes are elements. They open and close where the boxes around one
 * paragraph differ from the boxes around the last. A box without content leaves nothing.
 */
#include "write/clean_html.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/ascii.h"
#include "write/data_tables.h"
#include "write/inline_pieces.h"
#include "write/tab_labels.h"

enum { BOXES_MAX = 256 };

struct html {
    const th_page *page;
    th_buffer *out;
    th_pieces pieces;
    const th_table_shape *shapes;
    const uint8_t *label_of;
    uint32_t open[BOXES_MAX]; /* boxes, outermost first */
    uint32_t count;
    uint32_t chain[BOXES_MAX];
    uint32_t chain_count;
    uint8_t level_of[7]; /* by the page's level, 1 to 6, of open headings; else 0 */
    uint32_t rows_left;  /* of the open table, after the open row */
    bool is_in_terms;    /* a DL is open */
};

static void put(struct html *html, const char *text)
{
    th_buffer_append_text(html->out, text);
}

/* Bytes of a control character, which HTML does not allow. 0 for other characters. */
static size_t control_len(th_view text, size_t at)
{
    const unsigned char c = (unsigned char)text.data[at];
    if (c < ' ' || c == 0x7F)
        return c != '\n' && c != '\t';
    const bool is_second =
        c == 0xC2 && at + 1 < text.len && (unsigned char)text.data[at + 1] < 0xA0;
    return is_second ? 2 : 0;
}

static void put_escaped(struct html *html, th_view text)
{
    size_t from = 0;
    if (!text.len)
        return;
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.data[i];
        const size_t control = control_len(text, i);
        if (control) {
            th_buffer_append(html->out, text.data + from, i - from);
            from = i + control;
            i = from - 1;
            continue;
        }
        const char *name = c == '&'   ? "&amp;"
                           : c == '<' ? "&lt;"
                           : c == '>' ? "&gt;"
                           : c == '"' ? "&quot;"
                                      : NULL;
        if (!name)
            continue;
        th_buffer_append(html->out, text.data + from, i - from);
        put(html, name);
        from = i + 1;
    }
    th_buffer_append(html->out, text.data + from, text.len - from);
}

/* ---- inline ------------------------------------------------------------------------ */

static const struct {
    uint8_t style;
    const char *start, *end;
} styles[] = {
    { TH_STYLE_STRONG, "<strong>", "</strong>" }, { TH_STYLE_EMPHASIS, "<em>", "</em>" },
    { TH_STYLE_STRUCK, "<s>", "</s>" },           { TH_STYLE_RAISED, "<sup>", "</sup>" },
    { TH_STYLE_LOWERED, "<sub>", "</sub>" },      { TH_STYLE_CODE, "<code>", "</code>" },
};
enum { STYLES = sizeof styles / sizeof *styles };

/* Writes text whose line ends are BR. */
static void put_lines(struct html *html, th_view text)
{
    size_t from = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] != '\n')
            continue;
        put_escaped(html, (th_view){ text.data + from, i - from });
        put(html, "<br>");
        from = i + 1;
    }
    put_escaped(html, (th_view){ text.data + from, text.len - from });
}

static bool is_hex(char c)
{
    return th_is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

/* Returns the end of the host in a URL, 0 if it has none. */
static size_t host_end(th_view url, size_t *host)
{
    const char *colon = memchr(url.data, ':', url.len);
    const size_t scheme = colon ? (size_t)(colon - url.data) : url.len;
    if (url.len - scheme < 3 || memcmp(colon, "://", 3) != 0)
        return 0; /* mailto:... */
    size_t at = *host = scheme + 3;
    while (at < url.len && !strchr("/?#", url.data[at]))
        at++;
    return at;
}

/* Returns the end of the name and password in a URL, the start of its host if it has none. */
static size_t credentials_end(th_view url, size_t host, size_t path)
{
    size_t end = host;
    for (size_t i = host; i < path; i++)
        if (url.data[i] == '@')
            end = i + 1;
    return end;
}

/* Writes a URL as the value of an attribute, without name and password. Characters that a
 * URL string must not contain are percent-encoded, as in Markdown. [URL Living Standard
 * 4.3] */
static void put_url(struct html *html, th_view url)
{
    size_t host = 0;
    const size_t path = host_end(url, &host);
    const size_t credentials = credentials_end(url, host, path);
    bool is_fragment = false;
    for (size_t i = 0; i < url.len; i = i + 1 == host ? credentials : i + 1) {
        const char c = url.data[i];
        const bool is_second_hash = c == '#' && is_fragment;
        const bool is_bracket = (c == '[' || c == ']') && i >= path;
        is_fragment |= c == '#';
        const bool is_bare_percent =
            c == '%' &&
            !(i + 2 < url.len && is_hex(url.data[i + 1]) && is_hex(url.data[i + 2]));
        if ((unsigned char)c <= ' ' || strchr("\"<>\\^`{|}", c) || is_bare_percent ||
            is_second_hash || is_bracket)
            th_buffer_printf(html->out, "%%%02X", (unsigned)(unsigned char)c);
        else
            put_escaped(html, (th_view){ url.data + i, 1 });
    }
}

static void put_inset(struct html *html, const th_inset *inset)
{
    if (inset->kind == TH_INSET_IMAGE && !inset->url.len) {
        put_escaped(html, inset->words);
        return;
    }
    if (inset->kind == TH_INSET_IMAGE) {
        put(html, "<img src=\"");
        put_url(html, inset->url);
        put(html, "\" alt=\"");
        put_escaped(html, inset->words);
        put(html, "\">");
        return;
    }
    const bool is_display = inset->kind == TH_INSET_MATH_DISPLAY;
    put(html, is_display ? "\\[" : "\\(");
    put_escaped(html, inset->words);
    put(html, is_display ? "\\]" : "\\)");
}

static void put_piece(struct html *html, const th_piece *piece)
{
    if (piece->inset) {
        put_inset(html, piece->inset);
        return;
    }
    for (unsigned i = 0; i < STYLES; i++)
        if (piece->style & styles[i].style)
            put(html, styles[i].start);
    put_lines(html, th_piece_text(piece));
    for (unsigned i = STYLES; i-- > 0;)
        if (piece->style & styles[i].style)
            put(html, styles[i].end);
}

static th_status put_pieces(struct html *html, uint32_t number)
{
    const th_status status = th_pieces_of(&html->pieces, number);
    uint32_t link = TH_NONE;
    for (uint32_t i = 0; status == TH_OK && i < html->pieces.count; i++) {
        const th_piece *piece = &html->pieces.items[i];
        const uint32_t next = piece->link;
        if (next != link && link != TH_NONE)
            put(html, "</a>");
        if (next != link && next != TH_NONE) {
            put(html, "<a href=\"");
            put_url(html, html->page->links[next].url);
            put(html, "\">");
        }
        link = next;
        put_piece(html, piece);
    }
    if (link != TH_NONE)
        put(html, "</a>");
    return status;
}

/* ---- boxes ------------------------------------------------------------------------- */

/* Returns the table that a box is, or is a part of, if it is shown as a table. */
static bool is_in_shown_table(const struct html *html, const th_box *box, uint32_t number)
{
    if (box->kind == TH_BOX_CELL)
        number = html->page->boxes[box->row].parent;
    else if (box->kind == TH_BOX_ROW)
        number = box->parent;
    return html->shapes[number].columns > 0;
}

static bool is_element(const struct html *html, uint32_t number)
{
    const th_box *box = &html->page->boxes[number];
    return box->kind == TH_BOX_TABLE || box->kind == TH_BOX_ROW ||
                   box->kind == TH_BOX_CELL
               ? is_in_shown_table(html, box, number)
               : true;
}

static void find_chain(struct html *html, uint32_t box)
{
    /* A paragraph in a table, but in no cell, is written outside the table. */
    while (box != TH_NONE && (html->page->boxes[box].kind == TH_BOX_TABLE ||
                              html->page->boxes[box].kind == TH_BOX_ROW))
        box = html->page->boxes[box].parent;
    uint32_t depth = 0;
    for (uint32_t at = box; at != TH_NONE; at = html->page->boxes[at].parent)
        depth += is_element(html, at);
    html->chain_count = depth < BOXES_MAX ? depth : BOXES_MAX;
    for (; box != TH_NONE; box = html->page->boxes[box].parent)
        if (is_element(html, box) && --depth < BOXES_MAX)
            html->chain[depth] = box;
}

static void end_terms(struct html *html)
{
    if (html->is_in_terms)
        put(html, "</dl>\n");
    html->is_in_terms = false;
}

/* Whether the innermost element is a list, in which only items may be. */
static bool is_right_in_list(const struct html *html)
{
    const uint8_t kind =
        html->count ? html->page->boxes[html->open[html->count - 1]].kind : TH_BOX_QUOTE;
    return kind == TH_BOX_LIST || kind == TH_BOX_ORDERED;
}

/* Whether a box is an item of the innermost element. */
static bool is_item_of_list(const struct html *html, const th_box *box)
{
    return box->kind == TH_BOX_ITEM && is_right_in_list(html) &&
           box->parent == html->open[html->count - 1];
}

/* Writes how many rows a cell spans. Rows without content are not in the table, so it may
 * have fewer. */
static void put_row_span(struct html *html, const th_box *cell)
{
    const uint32_t most = html->rows_left + 1;
    if (cell->row_span == UINT16_MAX)
        put(html, " rowspan=\"0\"");
    else if (cell->row_span > 1 && most > 1)
        th_buffer_printf(html->out, " rowspan=\"%u\"",
                         cell->row_span < most ? (unsigned)cell->row_span : most);
}

/* Columns without content are not in the table either, so that in each column a cell
 * begins. */
static void put_column_span(struct html *html, const th_box *cell)
{
    uint32_t at = html->count; /* the innermost table contains the cell */
    while (at && html->page->boxes[html->open[at - 1]].kind != TH_BOX_TABLE)
        at--;
    const uint32_t columns = at ? html->shapes[html->open[at - 1]].columns : UINT32_MAX;
    const uint32_t most = columns - cell->column;
    const uint32_t span = cell->column_span < most ? cell->column_span : most;
    if (span > 1)
        th_buffer_printf(html->out, " colspan=\"%" PRIu32 "\"", span);
}

/* Opens the elements of a box. An item without a list gets one, and a list without an
 * item one. */
static void begin_box(struct html *html, uint32_t number)
{
    const th_box *box = &html->page->boxes[number];
    th_buffer *out = html->out;
    if (is_right_in_list(html) && !is_item_of_list(html, box))
        put(html, "<li>\n");
    switch (box->kind) {
    case TH_BOX_LIST:
        put(html, "<ul>\n");
        break;
    case TH_BOX_ORDERED:
        put(html, "<ol>\n");
        break;
    case TH_BOX_ITEM:
        if (!is_item_of_list(html, box))
            put(html, "<ul>\n");
        if (box->parent != TH_NONE &&
            html->page->boxes[box->parent].kind == TH_BOX_ORDERED)
            th_buffer_printf(out, "<li value=\"%d\">", (int)box->number);
        else
            put(html, "<li>");
        break;
    case TH_BOX_TABLE:
        put(html, "<table>\n");
        html->rows_left = html->shapes[number].rows;
        break;
    case TH_BOX_ROW:
        put(html, "<tr>");
        html->rows_left -= html->rows_left > 0;
        break;
    case TH_BOX_CELL:
        put(html, "<td");
        put_column_span(html, box);
        put_row_span(html, box);
        put(html, ">");
        break;
    default:
        put(html, "<blockquote>\n");
        break;
    }
}

static void end_box(struct html *html, uint32_t number)
{
    static const char *const ends[] = {
        [TH_BOX_LIST] = "</ul>\n",          [TH_BOX_ORDERED] = "</ol>\n",
        [TH_BOX_ITEM] = "</li>\n",          [TH_BOX_TABLE] = "</table>\n",
        [TH_BOX_ROW] = "</tr>\n",           [TH_BOX_CELL] = "</td>",
        [TH_BOX_QUOTE] = "</blockquote>\n",
    };
    const th_box *box = &html->page->boxes[number];
    html->count--;
    put(html, ends[box->kind]);
    if (box->kind == TH_BOX_ITEM && !is_item_of_list(html, box))
        put(html, "</ul>\n");
    if (is_right_in_list(html) && !is_item_of_list(html, box))
        put(html, "</li>\n");
}

/* Writes the empty cells before a cell with content, unless other cells cover them. */
static void put_empty_cells(struct html *html, uint32_t ordinal, uint32_t *done)
{
    for (; *done < ordinal; ++*done)
        put(html, "<td></td>");
}

/* Opens and closes elements until they match the boxes around a paragraph.
 * @param innermost  of the boxes, or TH_NONE */
static void enter(struct html *html, uint32_t innermost, uint32_t *cells)
{
    find_chain(html, innermost);
    uint32_t same = 0;
    while (same < html->count && same < html->chain_count &&
           html->open[same] == html->chain[same])
        same++;
    if (same < html->count || same < html->chain_count)
        end_terms(html);
    while (html->count > same)
        end_box(html, html->open[html->count - 1]);
    for (; same < html->chain_count; same++) {
        const th_box *box = &html->page->boxes[html->chain[same]];
        if (box->kind == TH_BOX_ROW)
            *cells = 0;
        if (box->kind == TH_BOX_CELL)
            put_empty_cells(html, box->ordinal, cells);
        *cells += box->kind == TH_BOX_CELL;
        begin_box(html, html->chain[same]);
        html->open[html->count++] = html->chain[same];
    }
}

/* ---- paragraphs -------------------------------------------------------------------- */

static th_status put_block(struct html *html, uint32_t number, const char *name)
{
    th_buffer_printf(html->out, "<%s>", name);
    const th_status status = put_pieces(html, number);
    th_buffer_printf(html->out, "</%s>\n", name);
    return status;
}

static void put_code(struct html *html, uint32_t number)
{
    const th_view language = th_pieces_language(&html->pieces, number);
    put(html, "<pre><code");
    if (language.len) {
        put(html, " class=\"language-");
        put_escaped(html, language);
        put(html, "\"");
    }
    put(html, ">");
    put_escaped(html, th_paragraph_text(html->page, number));
    put(html, "</code></pre>\n");
}

/* Whether a definition follows a term: a DL has no term without one. */
static bool has_definition(const struct html *html, uint32_t number)
{
    enum { LOOK = 32 };
    const th_page *page = html->page;
    const th_paragraph *term = &page->paragraphs[number];
    for (uint32_t i = number + 1; i < page->paragraph_count && i - number < LOOK; i++) {
        const th_paragraph *next = &page->paragraphs[i];
        if (html->label_of[i] != TH_CONTENT)
            continue;
        if (next->box != term->box || next->is_space_kept ||
            next->kind != TH_PARAGRAPH_TERM)
            return next->box == term->box && !next->is_space_kept &&
                   next->kind == TH_PARAGRAPH_DEFINITION;
    }
    return false;
}

/* Returns the level of the element of a heading. A heading may be at most one level below
 * the heading that contains it. [HTML 4.3.11] */
static char heading_level(struct html *html, unsigned level)
{
    unsigned outer = level - 1;
    memset(html->level_of + level, 0, sizeof html->level_of - level);
    while (outer && !html->level_of[outer])
        outer--;
    html->level_of[level] = outer ? (uint8_t)(html->level_of[outer] + 1) : (uint8_t)level;
    return (char)('0' + html->level_of[level]);
}

static th_status put_in_element(struct html *html, uint32_t number)
{
    const th_paragraph *paragraph = &html->page->paragraphs[number];
    const bool is_of_terms =
        (paragraph->kind == TH_PARAGRAPH_TERM && has_definition(html, number)) ||
        (paragraph->kind == TH_PARAGRAPH_DEFINITION && html->is_in_terms);
    if (!is_of_terms || paragraph->is_space_kept)
        end_terms(html);
    if (paragraph->is_space_kept) {
        put_code(html, number);
        return TH_OK;
    }
    const th_box *innermost =
        html->count ? &html->page->boxes[html->open[html->count - 1]] : NULL;
    if (innermost && innermost->kind == TH_BOX_CELL && innermost->texts < 2)
        return put_pieces(html, number);
    if (paragraph->kind == TH_PARAGRAPH_HEADING) {
        const char name[] = { 'h', heading_level(html, paragraph->level), '\0' };
        return put_block(html, number, name);
    }
    if (!is_of_terms)
        return put_block(html, number, "p");
    if (!html->is_in_terms)
        put(html, "<dl>\n");
    html->is_in_terms = true;
    return put_block(html, number, paragraph->kind == TH_PARAGRAPH_TERM ? "dt" : "dd");
}

static th_status put_paragraph(struct html *html, uint32_t number)
{
    const bool is_apart = is_right_in_list(html);
    if (is_apart)
        put(html, "<li>");
    const th_status status = put_in_element(html, number);
    if (is_apart) {
        end_terms(html);
        put(html, "</li>\n");
    }
    return status;
}

/* Writes the insets between two paragraphs of content, as in markdown.c. */
static void put_alone(struct html *html, uint32_t number, bool is_shown, uint32_t *cells)
{
    const th_inset *inset;
    while ((inset = th_pieces_alone(&html->pieces, number))) {
        if (!is_shown)
            continue;
        if (inset->is_inside)
            enter(html, html->page->paragraphs[number].box, cells);
        const bool is_apart = is_right_in_list(html);
        put(html, is_apart ? "<li><p>" : "<p>");
        put_inset(html, inset);
        put(html, is_apart ? "</p>\n</li>\n" : "</p>\n");
    }
}

/* Writes the labels of the tabs that begin with a paragraph. */
static void put_tab_labels(struct html *html, th_tab_labels *tabs, uint32_t number,
                           uint32_t *cells)
{
    const th_tab_label *label;
    while ((label = th_tab_label_before(tabs, number))) {
        enter(html, label->box, cells);
        end_terms(html);
        const bool is_apart = is_right_in_list(html);
        put(html, is_apart ? "<li><p><strong>" : "<p><strong>");
        put_lines(html, label->text);
        put(html, is_apart ? "</strong></p>\n</li>\n" : "</strong></p>\n");
    }
}

/* Writes the headline as the first heading. */
static th_status put_headline(struct html *html, const th_page_headline *headline)
{
    th_pieces *pieces = &html->pieces;
    const th_pieces before = *pieces;
    th_status status = TH_OK;
    if (headline->paragraph != TH_NONE) {
        (void)heading_level(html, 1);
        status = put_block(html, headline->paragraph, "h1");
    } else if (headline->title.len) {
        (void)heading_level(html, 1);
        put(html, "<h1>");
        put_escaped(html, headline->title);
        put(html, "</h1>\n");
    }
    pieces->run = before.run; /* the paragraphs come from the first on */
    pieces->inset = before.inset;
    pieces->language = before.language;
    return status;
}

th_status th_clean_html_write(const th_page *page, const th_options *opt,
                              const th_page_headline *headline, th_buffer *out)
{
    th_tab_labels tabs;
    th_status status = th_tab_labels_find(page, headline->label_of, &tabs);
    if (status)
        return status;
    const uint8_t *label_of = tabs.label_of;
    struct html html = { .page = page,
                         .out = out,
                         .label_of = label_of,
                         .pieces = { .page = page, .opt = opt, .takes_words = true } };
    uint32_t cells = 0;
    html.shapes = th_data_tables(page, label_of);
    status = html.shapes ? put_headline(&html, headline) : TH_NOMEM;
    for (uint32_t i = 0; i < page->paragraph_count && status == TH_OK; i++) {
        const bool is_kept = label_of[i] == TH_CONTENT;
        const bool is_between = is_kept && i && label_of[i - 1] == TH_CONTENT;
        const bool is_in_table =
            html.count && html.page->boxes[html.open[html.count - 1]].kind == TH_BOX_CELL;
        put_alone(&html, i, is_between && !html.is_in_terms && !is_in_table, &cells);
        if (!is_kept)
            continue;
        put_tab_labels(&html, &tabs, i, &cells);
        enter(&html, page->paragraphs[i].box, &cells);
        status = put_paragraph(&html, i);
    }
    end_terms(&html);
    while (html.count)
        end_box(&html, html.open[html.count - 1]);
    return status == TH_OK && out->has_failed ? TH_NOMEM : status;
}
