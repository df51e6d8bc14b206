/* Only members of the outermost object count. See the header. */
#include "ingest/warc_pointer.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/json_events.h"

enum member { MEMBER_OTHER, MEMBER_FILE, MEMBER_OFFSET, MEMBER_LENGTH, MEMBER_URL };

const char *const th_pointer_file_names[] = { "warc_filename", "filename", NULL };
const char *const th_pointer_offset_names[] = { "warc_offset", "warc_record_offset",
                                                "offset", NULL };
const char *const th_pointer_length_names[] = { "warc_record_length", "length", NULL };
static const char *const url_names[] = { "url", NULL };

static const struct {
    const char *const *keys;
    enum member member;
} members[] = {
    { th_pointer_file_names, MEMBER_FILE },
    { th_pointer_offset_names, MEMBER_OFFSET },
    { th_pointer_length_names, MEMBER_LENGTH },
    { url_names, MEMBER_URL },
};

struct reading {
    th_arena *arena;
    th_warc_pointer pointer;
    unsigned depth;
    enum member member; /* of the value that comes next, at depth 1 */
    bool has_offset;
    bool is_offset_bad;
    bool has_failed; /* no memory */
};

/* ---- events ---- */

static bool is_one_of(const char *const *keys, th_view key)
{
    for (; *keys; keys++)
        if (th_view_is(key, *keys))
            return true;
    return false;
}

static bool on_key(void *context, th_view key)
{
    struct reading *reading = context;
    reading->member = MEMBER_OTHER;
    if (reading->depth == 1)
        for (size_t i = 0; i < sizeof members / sizeof *members; i++)
            if (is_one_of(members[i].keys, key))
                reading->member = members[i].member;
    return true;
}

/* Reads a number of at most 18 digits. Returns false if it is not one. */
static bool read_number(th_view digits, uint64_t *out)
{
    uint64_t value = 0;
    bool is_bad = digits.len == 0 || digits.len > 18;
    for (size_t i = 0; i < digits.len && !is_bad; i++) {
        is_bad = !th_is_digit(digits.data[i]);
        value = value * 10 + (uint64_t)(digits.data[i] - '0');
    }
    *out = is_bad ? 0 : value;
    return !is_bad;
}

static bool on_text(void *context, th_view text)
{
    struct reading *reading = context;
    th_warc_pointer *pointer = &reading->pointer;
    if (reading->depth == 1 && reading->member == MEMBER_OFFSET) {
        reading->has_offset = true;
        reading->is_offset_bad = !read_number(text, &pointer->offset);
    } else if (reading->depth == 1 && reading->member == MEMBER_LENGTH) {
        (void)read_number(text, &pointer->length);
    } else if (reading->depth == 1 && reading->member != MEMBER_OTHER) {
        const th_view copy = th_arena_copy(reading->arena, text);
        reading->has_failed |= !copy.data;
        *(reading->member == MEMBER_FILE ? &pointer->file : &pointer->url) = copy;
    }
    reading->member = MEMBER_OTHER;
    return !reading->has_failed;
}

static bool on_number(void *context, th_view digits)
{
    struct reading *reading = context;
    if (reading->member != MEMBER_OFFSET && reading->member != MEMBER_LENGTH)
        reading->member = MEMBER_OTHER;
    return on_text(reading, digits);
}

static bool on_literal(void *context)
{
    ((struct reading *)context)->member = MEMBER_OTHER;
    return true;
}

static bool on_open(void *context)
{
    struct reading *reading = context;
    reading->member = MEMBER_OTHER;
    reading->depth++;
    return true;
}

static bool on_open_array(void *context)
{
    return ((struct reading *)context)->depth > 0 && on_open(context);
}

static bool on_close(void *context)
{
    ((struct reading *)context)->depth--;
    return true;
}

static const th_json_callbacks callbacks = { .key = on_key,
                                             .string = on_text,
                                             .number = on_number,
                                             .literal = on_literal,
                                             .open_object = on_open,
                                             .open_array = on_open_array,
                                             .close = on_close };

/* ---- the pointer ---- */

/* Returns whether a name stays within any folder that it is appended to. */
static bool is_tame(th_view file)
{
    if (file.len == 0 || file.len > TH_POINTER_NAME_MAX || file.data[0] == '/')
        return false;
    size_t start = 0;
    for (size_t i = 0; i <= file.len; i++) {
        if (i < file.len && ((unsigned char)file.data[i] < ' ' || file.data[i] == 0x7f))
            return false;
        if (i < file.len && file.data[i] != '/')
            continue;
        const th_view part = { file.data + start, i - start };
        if (part.len == 2 && memcmp(part.data, "..", 2) == 0)
            return false;
        start = i + 1;
    }
    return file.data[file.len - 1] != '/';
}

static th_status parse(struct reading *reading, th_view text)
{
    const th_status status = th_json_events(text, &callbacks, reading);
    if (reading->has_failed)
        return TH_NOMEM;
    return status == TH_DAMAGED ? TH_BAD_WARC : status;
}

th_status th_warc_pointer_read(th_view text, th_arena *arena, th_warc_pointer *out,
                               th_error *err)
{
    if (text.len > TH_POINTER_MAX)
        return th_fail(err, TH_TOO_LARGE, "pointer is longer than %d bytes",
                       (int)TH_POINTER_MAX);
    struct reading reading = { .arena = arena };
    const th_status status = parse(&reading, text);
    if (status == TH_BAD_WARC)
        return th_fail(err, status, "pointer is not one JSON object");
    if (status != TH_OK)
        return th_fail(err, status, "cannot read a pointer: out of memory");
    if (!reading.pointer.file.data)
        return th_fail(err, TH_BAD_WARC, "pointer has no 'warc_filename'");
    if (!reading.has_offset || reading.is_offset_bad)
        return th_fail(err, TH_BAD_WARC, "pointer has no valid 'warc_offset'");
    *out = reading.pointer;
    return th_warc_pointer_check(out, err);
}

th_status th_warc_pointer_check(const th_warc_pointer *pointer, th_error *err)
{
    return is_tame(pointer->file)
               ? TH_OK
               : th_fail(err, TH_BAD_WARC,
                         "pointer leads outside of the archives' folder");
}
