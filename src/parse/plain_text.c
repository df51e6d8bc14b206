#include "parse/plain_text.h"

#include <string.h>

#include "base/ascii.h"

/* Whether a line begins like an item: "- ", "* ", "12. ", "3) ". */
static bool begins_item(th_view line)
{
    size_t at = 0;
    while (at < line.len && th_is_digit(line.data[at]))
        at++;
    const bool has_sign =
        at ? at < line.len && (line.data[at] == '.' || line.data[at] == ')')
           : line.len && strchr("-*+", line.data[0]) != NULL;
    return has_sign && at + 1 < line.len && line.data[at + 1] == ' ';
}

static void put_line(th_builder *builder, th_view line, bool is_first)
{
    const bool is_indented = line.len && (line.data[0] == ' ' || line.data[0] == '\t');
    if (!is_first && (is_indented || begins_item(line)))
        th_builder_start_tag(builder, TH_TAG_BR, NULL, 0, 0, TH_TAG_IN_SOURCE);
    else if (!is_first)
        th_builder_text(builder, "\n", 1);
    th_builder_text(builder, line.data, line.len);
}

/* Takes the next line off a text, without its end. A form feed ends a line, too. */
static th_view next_line(th_view *text)
{
    size_t len = 0;
    while (len < text->len && !strchr("\n\r\f", text->data[len]))
        len++;
    const th_view line = { text->data, len };
    size_t skip = len < text->len;
    if (len + 1 < text->len && text->data[len] == '\r' && text->data[len + 1] == '\n')
        skip = 2;
    *text = (th_view){ text->data + len + skip, text->len - len - skip };
    return line;
}

th_status th_plain_text(th_view text, th_builder *builder)
{
    bool is_open = false;
    while (text.len && th_builder_status(builder) == TH_OK) {
        const th_view line = next_line(&text);
        const bool is_empty = !th_ascii_trimmed(line).len;
        if (is_open && is_empty)
            th_builder_end_tag(builder, TH_TAG_P, TH_TAG_IN_SOURCE);
        else if (!is_open && !is_empty)
            th_builder_start_tag(builder, TH_TAG_P, NULL, 0, 0, TH_TAG_IN_SOURCE);
        if (!is_empty)
            put_line(builder, line, !is_open);
        is_open = !is_empty;
    }
    return th_builder_status(builder);
}
