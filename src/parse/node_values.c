/*
 * The names belong to forum software (XenForo, Discourse, Invision, Reddit, Hacker News),
 * to microdata, and to TIME. A title counts only if it may be a date.
 */
#include "parse/node_values.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "parse/metadata/page_hints.h"
#include "parse/table_room.h"

enum {
    MAX_VALUES = 65536,
    MAX_LEN = 200, /* bytes of a value; longer ones are not kept */
    KEPT = 8192,   /* rows whose memory is kept between pages */
    YEAR_LEN = 4,
};

void th_node_values_done(th_node_values *values)
{
    free(values->rows);
    *values = (th_node_values){ 0 };
}

void th_node_values_begin(th_node_values *values, th_arena *arena)
{
    if (values->capacity > KEPT)
        th_node_values_done(values);
    values->count = 0;
    values->hints = NULL;
    values->arena = arena;
    values->status = TH_OK;
}

/* Whether a text has a year of four digits: "Apr 2, 2014 at 7:15 PM". */
static bool has_year(th_view text)
{
    size_t run = 0;
    for (size_t i = 0; i < text.len; i++) {
        run = th_is_digit(text.data[i]) ? run + 1 : 0;
        if (run == YEAR_LEN && (i + 1 == text.len || !th_is_digit(text.data[i + 1])) &&
            (text.data[i - 3] == '1' || text.data[i - 3] == '2'))
            return true;
    }
    return false;
}

/* Returns the part of schema.org's type that a post has; NULL for other types. */
static const char *post_type(th_view type)
{
    static const char *const types[] = { "DiscussionForumPosting", "Question", "Answer",
                                         "UserComments", "Comment" };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (th_ends_with(type, types[i]))
            return types[i];
    return NULL;
}

static void add(th_node_values *values, uint32_t node, uint8_t kind, th_view value)
{
    value = th_ascii_trimmed(value);
    if (!value.len || value.len > MAX_LEN || values->count >= MAX_VALUES ||
        !TH_TABLE_HAS_ROOM(values->rows, values->count, values->capacity, values->status))
        return;
    const th_view copy = th_arena_copy(values->arena, value);
    if (!copy.data)
        values->status = th_arena_is_full(values->arena) ? TH_TOO_LARGE : TH_NOMEM;
    else
        values->rows[values->count++] = (th_node_value){ copy, node, kind };
}

/* A number is the id of a user, or a mark such as "1" for the author of the thread. */
static bool is_number(th_view value)
{
    for (size_t i = 0; i < value.len; i++)
        if (!th_is_digit(value.data[i]))
            return false;
    return true;
}

static void add_type(th_node_values *values, uint32_t node, th_view type)
{
    const char *post = post_type(type);
    if (values->hints)
        th_page_hints_itemtype(values->hints, type);
    if (post)
        add(values, node, TH_VALUE_TYPE, (th_view){ post, strlen(post) });
}

static bool is(th_view name, const char *word)
{
    return name.len == strlen(word) && memcmp(name.data, word, name.len) == 0;
}

// NOLINTNEXTLINE(readability-function-cognitive-complexity): a short case per attribute
void th_node_values_add(th_node_values *values, uint32_t node, th_tag tag,
                        const th_attribute *attrs, size_t attr_count)
{
    const bool is_quote = tag == TH_TAG_BLOCKQUOTE || tag == TH_TAG_ASIDE;
    for (size_t i = 0; i < attr_count && values->status == TH_OK; i++) {
        const th_view name = attrs[i].name, value = attrs[i].value;
        switch (name.len) {
        case 5:
            if (is(name, "title") && tag != TH_TAG_IMG && tag != TH_TAG_LINK &&
                value.len <= MAX_LEN && has_year(value))
                add(values, node, TH_VALUE_TIME, value);
            break;
        case 6:
            if (is(name, "indent"))
                add(values, node, TH_VALUE_INDENT, value);
            break;
        case 7:
            if (is(name, "content") &&
                th_attribute_find(attrs, attr_count, TH_VIEW("itemprop")))
                add(values, node, TH_VALUE_CONTENT, value);
            break;
        case 8:
            if (is(name, "datetime"))
                add(values, node, TH_VALUE_TIME, value);
            else if (is(name, "itemtype"))
                add_type(values, node, value);
            break;
        case 9:
            if (is(name, "data-time"))
                add(values, node, TH_VALUE_TIME, value);
            break;
        case 10:
            if (is(name, "data-quote") && is_quote)
                add(values, node, TH_VALUE_QUOTED, value);
            else if (is(name, "data-score") ||
                     (is(name, "data-value") &&
                      th_attribute_find(attrs, attr_count, TH_VIEW("itemprop"))))
                add(values, node, TH_VALUE_VOTES, value);
            break;
        case 11:
            if (is(name, "data-author") && !is_number(value))
                add(values, node, TH_VALUE_NAME, value);
            break;
        case 13:
            if (is(name, "data-username"))
                add(values, node, is_quote ? TH_VALUE_QUOTED : TH_VALUE_NAME, value);
            break;
        case 14:
            if (is(name, "data-timestamp"))
                add(values, node, TH_VALUE_TIME, value);
            break;
        case 22:
            if (is(name, "data-ipsquote-username"))
                add(values, node, TH_VALUE_QUOTED, value);
            break;
        default:
            break;
        }
    }
}
