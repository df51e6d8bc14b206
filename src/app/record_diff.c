/* Compares records field by field. See the header. */
#include "app/record_diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/json_reader.h"

/* A field of a record; all is borrowed from its line. */
struct member {
    th_view group, name, value; /* group: absent at the top level */
};

struct members {
    struct member rows[TH_DIFF_MEMBERS];
    uint32_t count;
};

th_status th_record_diff_init(th_record_diff *diff)
{
    *diff = (th_record_diff){ .arena = th_arena_new(0) };
    for (unsigned i = 0; i < 2; i++)
        diff->members[i] = malloc(sizeof(struct members));
    return diff->arena && diff->members[0] && diff->members[1] ? TH_OK : TH_NOMEM;
}

void th_record_diff_done(th_record_diff *diff)
{
    th_arena_free(diff->arena);
    free(diff->members[0]);
    free(diff->members[1]);
}

/* ---- reading ---- */

/* Returns the text of the next value, without the colon before it. */
static bool read_value(th_json_reader *reader, th_view *value)
{
    const char *start = reader->at;
    if (!th_json_skip(reader))
        return false;
    *value = (th_view){ start, (size_t)(reader->at - start) };
    while (value->len && (th_is_json_blank(*value->data) || *value->data == ':')) {
        value->data++;
        value->len--;
    }
    return value->len > 0;
}

static bool add_member(struct members *members, th_view group, th_view name,
                       th_view value)
{
    if (members->count == TH_DIFF_MEMBERS)
        return false;
    members->rows[members->count++] = (struct member){ group, name, value };
    return true;
}

/* Reads the members of an object; objects at the top level are divided into theirs. */
static bool read_members(struct members *members, th_view object, th_view group)
{
    th_json_reader reader;
    th_json_token token;
    th_json_reader_init(&reader, object);
    if (th_json_read(&reader) != TH_JSON_OPEN_OBJECT)
        return false;
    while ((token = th_json_read(&reader)) == TH_JSON_KEY) {
        const th_view name = reader.text;
        th_view value;
        if (!read_value(&reader, &value))
            return false;
        const bool is_group = *value.data == '{' && !group.data;
        if (is_group ? !read_members(members, value, name)
                     : !add_member(members, group, name, value))
            return false;
    }
    return token == TH_JSON_CLOSE_OBJECT && th_json_read(&reader) == TH_JSON_DONE;
}

th_view th_record_key(th_view line)
{
    th_json_reader reader;
    th_view url = { NULL, 0 };
    th_json_reader_init(&reader, line);
    /* A line that was cut does not end with the object. */
    if (th_json_read(&reader) != TH_JSON_OPEN_OBJECT || line.data[line.len - 1] != '}')
        return url;
    while (th_json_read(&reader) == TH_JSON_KEY) {
        const bool is_id = th_json_text_is(&reader, "id");
        if (!is_id && !th_json_text_is(&reader, "url")) {
            if (!th_json_skip(&reader))
                return (th_view){ NULL, 0 };
            continue;
        }
        if (th_json_read(&reader) != TH_JSON_STRING)
            return (th_view){ NULL, 0 };
        if (is_id)
            return reader.text;
        url = reader.text;
    }
    return url;
}

/* ---- comparing ---- */

/* Returns the field's member. Looks at the same place first, because records of one
 * program have their members in one order. */
static const struct member *find(const struct members *in, const struct member *wanted,
                                 uint32_t hint)
{
    for (uint32_t i = 0; i < in->count; i++) {
        const struct member *row = &in->rows[(hint + i) % in->count];
        if (th_view_same(row->name, wanted->name) &&
            th_view_same(row->group, wanted->group))
            return row;
    }
    return NULL;
}

/* Returns the field with the name of a member. NULL if out of memory. */
static th_diff_field *field_of(th_record_diff *diff, const struct member *member)
{
    const size_t group_len = member->group.len;
    const size_t len = group_len + (group_len ? 1 : 0) + member->name.len;
    const bool is_last = diff->field_count == TH_DIFF_FIELDS - 1;
    for (uint32_t i = 0; i < diff->field_count; i++) {
        const th_view name = diff->fields[i].name;
        if (name.len == len &&
            memcmp(name.data + len - member->name.len, member->name.data,
                   member->name.len) == 0 &&
            memcmp(name.data, group_len ? member->group.data : name.data, group_len) == 0)
            return &diff->fields[i];
    }
    if (is_last || diff->field_count == TH_DIFF_FIELDS) {
        diff->field_count = TH_DIFF_FIELDS;
        th_diff_field *other = &diff->fields[TH_DIFF_FIELDS - 1];
        other->name = TH_VIEW("(other)");
        return other;
    }
    char *name = th_arena_alloc(diff->arena, len + 1);
    if (!name)
        return NULL;
    if (group_len) {
        memcpy(name, member->group.data, group_len);
        name[group_len] = '.';
    }
    memcpy(name + len - member->name.len, member->name.data, member->name.len);
    diff->fields[diff->field_count] = (th_diff_field){ .name = { name, len } };
    return &diff->fields[diff->field_count++];
}

static bool count(th_record_diff *diff, const struct member *member, th_view id,
                  uint64_t *(*counter)(th_diff_field *))
{
    th_diff_field *field = field_of(diff, member);
    if (!field)
        return false;
    ++*counter(field);
    for (unsigned i = 0; i < TH_DIFF_EXAMPLES; i++) {
        if (field->examples[i].data)
            continue;
        field->examples[i] = th_arena_copy(diff->arena, id);
        return field->examples[i].data || !id.len;
    }
    return true;
}

static uint64_t *changed(th_diff_field *field)
{
    return &field->changed;
}

static uint64_t *added(th_diff_field *field)
{
    return &field->added;
}

static uint64_t *removed(th_diff_field *field)
{
    return &field->removed;
}

th_status th_record_diff_add(th_record_diff *diff, th_view id, th_view old_line,
                             th_view new_line, bool *same)
{
    struct members *olds = diff->members[0], *news = diff->members[1];
    const th_view top = { NULL, 0 };
    olds->count = news->count = 0;
    *same = th_view_same(old_line, new_line);
    if (*same)
        return TH_OK;
    if (!read_members(olds, old_line, top) || !read_members(news, new_line, top))
        return TH_DAMAGED;
    *same = true;
    for (uint32_t i = 0; i < olds->count; i++) {
        const struct member *now = find(news, &olds->rows[i], i);
        if (now && th_view_same(now->value, olds->rows[i].value))
            continue;
        *same = false;
        if (!count(diff, &olds->rows[i], id, now ? changed : removed))
            return TH_NOMEM;
    }
    for (uint32_t i = 0; i < news->count; i++) {
        if (find(olds, &news->rows[i], i))
            continue;
        *same = false;
        if (!count(diff, &news->rows[i], id, added))
            return TH_NOMEM;
    }
    return TH_OK;
}
