#include "graph/link_record.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/json_reader.h"

/* The state of reading a record. */
struct walk {
    th_json_reader json;
    th_link_record *record;
    th_status status;
};

static bool fail(struct walk *walk, th_status status)
{
    walk->status = status;
    return false;
}

static bool skip(struct walk *walk)
{
    return th_json_skip(&walk->json) || fail(walk, TH_DAMAGED);
}

/* Enters the next value if it begins with this token, else skips it. */
static bool enter(struct walk *walk, th_json_token token, bool *is_inside)
{
    th_json_reader at_value = walk->json;
    *is_inside = th_json_read(&at_value) == token;
    if (!*is_inside)
        return skip(walk);
    walk->json = at_value;
    return true;
}

/* Copies a string to the end of `text`, which has room for the whole record. */
static bool keep_string(struct walk *walk, th_view *out)
{
    th_buffer *text = &walk->record->text;
    bool is_string = false;
    size_t len = 0;
    if (!enter(walk, TH_JSON_STRING, &is_string) || !is_string)
        return walk->status == TH_OK;
    if (!th_json_text(&walk->json, text->data + text->len, &len))
        return fail(walk, TH_DAMAGED);
    *out = (th_view){ text->data + text->len, len };
    text->len += len;
    return true;
}

static bool keep_label(struct walk *walk, bool *is_content)
{
    bool is_string = false;
    if (!enter(walk, TH_JSON_STRING, &is_string))
        return false;
    *is_content = is_string && th_json_text_is(&walk->json, "content");
    return true;
}

static bool add_link(struct walk *walk, th_record_link link)
{
    th_link_record *record = walk->record;
    if (!TH_HAS_CAPACITY(record->links, record->link_count, record->link_capacity))
        return fail(walk, TH_NOMEM);
    record->links[record->link_count++] = link;
    return true;
}

/* Reads the rest of an opened object, a member at a time. */
static bool read_link(struct walk *walk)
{
    th_record_link link = { .url = { NULL, 0 } };
    th_json_token token;
    while ((token = th_json_read(&walk->json)) == TH_JSON_KEY) {
        const bool is_url = th_json_text_is(&walk->json, "url");
        const bool is_label = th_json_text_is(&walk->json, "label");
        if (!(is_url     ? keep_string(walk, &link.url)
              : is_label ? keep_label(walk, &link.is_content)
                         : skip(walk)))
            return false;
    }
    if (token != TH_JSON_CLOSE_OBJECT)
        return fail(walk, TH_DAMAGED);
    return !link.url.data || add_link(walk, link);
}

static bool read_links(struct walk *walk)
{
    if (!enter(walk, TH_JSON_OPEN_ARRAY, &walk->record->has_links))
        return false;
    while (walk->record->has_links) {
        th_json_reader at_end = walk->json;
        bool is_object = false;
        if (th_json_read(&at_end) == TH_JSON_CLOSE_ARRAY) {
            walk->json = at_end;
            return true;
        }
        if (!enter(walk, TH_JSON_OPEN_OBJECT, &is_object) ||
            (is_object && !read_link(walk)))
            return false;
    }
    return true;
}

static bool read_members(struct walk *walk)
{
    th_json_token token;
    if (th_json_read(&walk->json) != TH_JSON_OPEN_OBJECT)
        return fail(walk, TH_DAMAGED);
    while ((token = th_json_read(&walk->json)) == TH_JSON_KEY) {
        const bool is_url = th_json_text_is(&walk->json, "url");
        const bool is_links = th_json_text_is(&walk->json, "links");
        if (!(is_url     ? keep_string(walk, &walk->record->url)
              : is_links ? read_links(walk)
                         : skip(walk)))
            return false;
    }
    return (token == TH_JSON_CLOSE_OBJECT && th_json_read(&walk->json) == TH_JSON_DONE) ||
           fail(walk, TH_DAMAGED);
}

void th_link_record_done(th_link_record *record)
{
    th_buffer_done(&record->text);
    free(record->links);
    *record = (th_link_record){ .link_count = 0 };
}

th_status th_link_record_read(th_link_record *record, th_view json)
{
    struct walk walk = { .record = record, .status = TH_OK };
    th_buffer_reset(&record->text);
    record->url = (th_view){ NULL, 0 };
    record->has_links = false;
    record->link_count = 0;
    if (!th_buffer_reserve(&record->text, json.len + 1))
        return TH_NOMEM;
    th_json_reader_init(&walk.json, json);
    (void)read_members(&walk);
    return walk.status;
}
