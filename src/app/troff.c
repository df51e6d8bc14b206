#include "app/troff.h"

#include <string.h>

#include "base/ascii.h"
#include "base/unicode.h"

enum { CELLS_MAX = 8 };

void th_troff_put(FILE *out, th_view text)
{
    for (size_t i = 0; i < text.len;) {
        const unsigned char c = (unsigned char)text.data[i];
        if (c >= 0x80) {
            fprintf(out, "\\[u%04X]", (unsigned)th_utf8_next(text.data, &i));
            continue;
        }
        if (c == '.' && (i == 0 || text.data[i - 1] == '\n'))
            fputs("\\&", out);
        switch (c) {
        case '-':
            fputs("\\-", out);
            break;
        case '\\':
            fputs("\\e", out);
            break;
        case '\'':
            fputs("\\(aq", out);
            break;
        case ',': /* a list without spaces may continue in the next line */
            fputs(i + 1 < text.len && text.data[i + 1] > ' ' ? ",\\:" : ",", out);
            break;
        case '`':
            fputs("\\(ga", out);
            break;
        case '^':
            fputs("\\(ha", out);
            break;
        case '~':
            fputs("\\(ti", out);
            break;
        default:
            fputc(c, out);
        }
        i++;
    }
}

/*
 * Returns the text up to a byte, or all of it. Then `text` is the part after that byte.
 */
static th_view take_until(th_view *text, char end)
{
    const char *at = memchr(text->data, end, text->len);
    const th_view taken = { text->data, at ? (size_t)(at - text->data) : text->len };
    const size_t used = taken.len + (at != NULL);
    *text = (th_view){ text->data + used, text->len - used };
    return taken;
}

static th_view behind(th_view text, size_t len)
{
    return (th_view){ text.data + len, text.len - len };
}

void th_troff_put_heading(FILE *out, const char *request, th_view title)
{
    fprintf(out, "%s \"", request);
    while (title.len) { /* inside quotes a quote is written twice */
        const bool has_more = memchr(title.data, '"', title.len) != NULL;
        th_troff_put(out, take_until(&title, '"'));
        if (has_more)
            fputs("\"\"", out);
    }
    fputs("\"\n", out);
}

/* A name or a command in bold. */
static void put_bold(FILE *out, th_view text)
{
    fputs("\\fB", out);
    th_troff_put(out, text);
    fputs("\\fR", out);
}

/*
 * "[words](address)": writes the words, followed by an address that is not one of
 * thresher's files.
 * @return the bytes of it; 0 if it is not a link
 */
static size_t put_link(FILE *out, th_view text)
{
    th_view rest = behind(text, 1);
    const th_view words = take_until(&rest, ']');
    if (!th_starts_with(rest, "(") || !memchr(rest.data, ')', rest.len))
        return 0;
    rest = behind(rest, 1);
    const th_view address = take_until(&rest, ')');
    th_troff_put(out, words);
    if (th_starts_with(address, "http")) {
        fputs(" <", out);
        th_troff_put(out, address);
        fputs(">", out);
    }
    return text.len - rest.len;
}

/* A line of prose, without its end. */
static void put_words(FILE *out, th_view text)
{
    size_t plain = 0; /* where the text begins that has not been written */
    size_t at = 0;
    while (at < text.len) {
        const th_view rest = behind(text, at);
        const bool is_code = *rest.data == '`';
        const bool is_strong = th_starts_with(rest, "**");
        if (!is_code && !is_strong && *rest.data != '[') {
            at++;
            continue;
        }
        th_troff_put(out, (th_view){ text.data + plain, at - plain });
        plain = at;
        if (is_code || is_strong) {
            th_view marked = behind(rest, is_code ? 1 : 2);
            put_bold(out, take_until(&marked, *rest.data));
            at = text.len - marked.len + (is_strong && marked.len);
            plain = at;
        } else {
            const size_t used = put_link(out, rest);
            at += used ? used : 1;
            plain += used;
        }
    }
    th_troff_put(out, behind(text, plain));
}

struct table {
    th_view heads[CELLS_MAX];
    size_t count, meaning; /* columns; the one that comes first */
    th_view parent;        /* the last name of a first cell that begins with no dot */
};

/* "| a | b |" as cells. @return how many */
static size_t split_row(th_view line, th_view cells[CELLS_MAX])
{
    size_t count = 0;
    line = behind(line, 1);
    while (count < CELLS_MAX && memchr(line.data, '|', line.len))
        cells[count++] = th_ascii_trimmed(take_until(&line, '|'));
    return count;
}

static void begin_table(struct table *table, th_view line)
{
    table->count = split_row(line, table->heads);
    table->meaning = table->count - 1;
    for (size_t i = 1; i < table->count; i++)
        if (th_starts_with(table->heads[i], "meaning"))
            table->meaning = i;
}

/* Names in backticks, members with the name of their object; else the words. */
static void put_term(FILE *out, struct table *table, th_view cell)
{
    const bool has_names = th_starts_with(cell, "`");
    fputs(".TP\n", out);
    if (!has_names)
        put_bold(out, cell);
    for (const char *space = ""; has_names && th_starts_with(cell, "`"); space = " ") {
        cell = behind(cell, 1);
        const th_view name = take_until(&cell, '`');
        cell = th_ascii_trimmed(cell);
        fputs(space, out);
        fputs("\\fB", out);
        if (th_starts_with(name, "."))
            th_troff_put(out, table->parent);
        else
            table->parent = name;
        th_troff_put(out, name);
        fputs("\\fR", out);
    }
    if (has_names && cell.len) {
        fputc(' ', out);
        put_words(out, cell);
    }
    fputc('\n', out);
}

static void end_sentence(FILE *out, th_view text)
{
    const char last = text.data[text.len - 1];
    fputs(last == '.' || last == ':' ? "\n" : ".\n", out);
}

static void put_row(FILE *out, struct table *table, th_view line)
{
    th_view cells[CELLS_MAX];
    const size_t count = split_row(line, cells);
    if (!count)
        return;
    put_term(out, table, cells[0]);
    if (table->meaning < count && cells[table->meaning].len) {
        put_words(out, cells[table->meaning]);
        end_sentence(out, cells[table->meaning]);
    }
    for (size_t i = 1; i < count && i < table->count; i++) {
        if (i == table->meaning || !cells[i].len)
            continue;
        const th_view head = table->heads[i];
        fputc(head.data[0] >= 'a' && head.data[0] <= 'z' ? head.data[0] - 'a' + 'A'
                                                         : head.data[0],
              out);
        th_troff_put(out, behind(head, 1));
        fputs(": ", out);
        put_words(out, cells[i]);
        end_sentence(out, cells[i]);
    }
}

/* The context of the next line, from the lines before it. */
enum place { NOWHERE, IN_PARAGRAPH, IN_ITEM, IN_TABLE, IN_FENCE };

static enum place put_line(FILE *out, enum place place, struct table *table, th_view line)
{
    if (place == IN_FENCE && !th_starts_with(line, "```")) {
        th_troff_put(out, line);
        fputc('\n', out);
        return IN_FENCE;
    }
    if (th_starts_with(line, "```")) {
        fputs(place == IN_FENCE ? ".EE\n.nh\n" : ".PP\n.EX\n", out);
        return place == IN_FENCE ? NOWHERE : IN_FENCE;
    }
    if (th_starts_with(line, "|")) {
        if (place != IN_TABLE)
            begin_table(table, line);
        else if (!th_starts_with(line, "| ---"))
            put_row(out, table, line);
        return IN_TABLE;
    }
    if (th_starts_with(line, "## "))
        th_troff_put_heading(out, ".SH", behind(line, 3));
    if (th_starts_with(line, "### "))
        th_troff_put_heading(out, ".SS", behind(line, 4));
    const th_view words = th_ascii_trimmed(line);
    if (th_starts_with(line, "#") || !words.len)
        return NOWHERE;
    if (th_starts_with(line, "* ")) {
        fputs(".IP \\(bu 2\n", out);
        put_words(out, th_ascii_trimmed(behind(line, 2)));
        place = IN_ITEM;
    } else {
        const bool goes_on = place == IN_PARAGRAPH || place == IN_ITEM;
        if (!goes_on)
            fputs(".PP\n", out);
        put_words(out, words);
        place = goes_on ? place : IN_PARAGRAPH;
    }
    fputc('\n', out);
    return place;
}

void th_troff_put_markdown(FILE *out, th_view text)
{
    struct table table = { .count = 0, .parent = TH_VIEW("") };
    enum place place = NOWHERE;
    while (text.len)
        place = put_line(out, place, &table, take_until(&text, '\n'));
}
