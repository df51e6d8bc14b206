/* Converts JSON, CDXJ and CSV lines to names of records. See the header. */
#include "ingest/pointer_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ingest/warc_pointer.h"

enum { COLUMNS_MAX = 64 };

/* ---- CSV ---- */

/* Takes the next field off a row, and removes quotes in place. Returns false if there is
 * none. */
static bool take_field(char **at, char **field)
{
    char *from = *at, *to = *at;
    if (!from)
        return false;
    *field = to;
    const bool is_quoted = *from == '"';
    from += is_quoted;
    while (*from && (is_quoted || *from != ',')) {
        if (is_quoted && from[0] == '"' && from[1] != '"')
            break;
        from += is_quoted && from[0] == '"';
        *to++ = *from++;
    }
    from += strcspn(from, ",");
    *at = *from ? from + 1 : NULL;
    *to = '\0';
    return true;
}

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

/* Returns whether a line is a head, which names a column of archives and a column of
 * offsets. */
static bool read_head(char *line, th_pointer_columns *out)
{
    th_pointer_columns columns = { .is_csv = true };
    char *at = line, *field = NULL;
    for (unsigned i = 1; i <= COLUMNS_MAX && take_field(&at, &field); i++) {
        if (is_one_of(field, th_pointer_file_names))
            columns.file = i;
        else if (is_one_of(field, th_pointer_offset_names))
            columns.offset = i;
        else if (is_one_of(field, th_pointer_length_names))
            columns.length = i;
    }
    if (!columns.file || !columns.offset)
        return false;
    *out = columns;
    return true;
}

static bool read_number(const char *digits, uint64_t *out)
{
    const size_t len = strlen(digits);
    uint64_t value = 0;
    if (len == 0 || len > 18 || strspn(digits, "0123456789") != len)
        return false;
    for (size_t i = 0; i < len; i++)
        value = value * 10 + (uint64_t)(digits[i] - '0');
    *out = value;
    return true;
}

static th_status read_row(char *line, const th_pointer_columns *columns,
                          th_warc_pointer *out, th_error *err)
{
    char *at = line, *field = NULL;
    bool has_offset = false;
    *out = (th_warc_pointer){ .offset = 0 };
    for (unsigned i = 1; i <= COLUMNS_MAX && take_field(&at, &field); i++) {
        if (i == columns->file)
            out->file = (th_view){ field, strlen(field) };
        else if (i == columns->offset)
            has_offset = read_number(field, &out->offset);
        else if (i == columns->length)
            (void)read_number(field, &out->length);
    }
    if (!out->file.data || !has_offset)
        return th_fail(err, TH_USAGE, "the row has no archive or no valid offset");
    return TH_OK;
}

/* ---- a line ---- */

/* Returns the object of a JSON or CDXJ line, NULL for another line. */
static const char *object_of(const char *line)
{
    if (*line == '{')
        return line;
    const char *brace = strstr(line, " {\"");
    const size_t before = brace ? strcspn(line, " ") : 0;
    /* A key, a time of digits, the object. */
    return brace && before && line + before < brace &&
                   strspn(line + before + 1, "0123456789") ==
                       (size_t)(brace - line) - before - 1
               ? brace + 1
               : NULL;
}

static th_status name_it(const th_warc_pointer *pointer, th_arena *arena,
                         const char **name, th_error *err)
{
    const size_t capacity = pointer->file.len + (size_t)2 * 21 + 1;
    char *text = th_arena_alloc(arena, capacity);
    if (!text)
        return th_fail(err, TH_NOMEM, "out of memory");
    const int len = snprintf(text, capacity, "%.*s#%" PRIu64, (int)pointer->file.len,
                             pointer->file.data, pointer->offset);
    if (pointer->length)
        (void)snprintf(text + len, capacity - (size_t)len, ",%" PRIu64, pointer->length);
    *name = text;
    return TH_OK;
}

th_status th_pointer_line_read(const char *line, th_pointer_columns *columns,
                               th_arena *arena, const char **name, bool *is_pointer,
                               th_error *err)
{
    const char *object = object_of(line);
    th_warc_pointer pointer;
    th_status status = TH_OK;
    *is_pointer = false;
    *name = NULL;
    if (object) {
        *is_pointer = true;
        status = th_warc_pointer_read((th_view){ object, strlen(object) }, arena,
                                      &pointer, err);
    } else if (columns->is_csv || strchr(line, ',')) {
        char *row = th_arena_alloc(arena, strlen(line) + 1);
        if (!row)
            return th_fail(err, TH_NOMEM, "out of memory");
        memcpy(row, line, strlen(line) + 1);
        if (!columns->is_csv) {
            *is_pointer = read_head(row, columns);
            return TH_OK;
        }
        *is_pointer = true;
        status = read_row(row, columns, &pointer, err);
        if (status == TH_OK)
            status = th_warc_pointer_check(&pointer, err);
    } else {
        return TH_OK;
    }
    if (status != TH_OK)
        return status == TH_NOMEM ? status : TH_USAGE;
    return name_it(&pointer, arena, name, err);
}
