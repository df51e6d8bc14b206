/* Converts JSON, CDXJ and CSV lines to names of records. See the header. */
#include "ingest/pointer_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ingest/warc_pointer.h"

enum { COLUMNS_MAX = 64 };

/* ---- rows ---- */

/* Ends a field at `from`, the separator or the end, and moves `at` after it. */
static void end_field(char **at, char *from, char *to, const char *separator)
{
    from += strcspn(from, separator);
    *at = *from ? from + 1 : NULL;
    *to = '\0';
}

/* Takes the next field off a row, and removes quotes and escapes in place. Returns false
 * if there is none. */
static bool take_field(char **at, th_pointer_rows rows, char **field)
{
    char *from = *at, *to = *at;
    if (!from)
        return false;
    *field = to;
    if (rows == TH_ROWS_CDX) {
        end_field(at, from, from + strcspn(from, " "), " ");
        return true;
    }
    while (rows == TH_ROWS_ARRAYS && *from == ' ')
        from++;
    const bool is_quoted = *from == '"';
    from += is_quoted;
    while (*from && (is_quoted || *from != ',')) {
        const bool is_escape = rows == TH_ROWS_ARRAYS && from[0] == '\\' && from[1];
        if (is_quoted && !is_escape && from[0] == '"' &&
            (rows == TH_ROWS_ARRAYS || from[1] != '"'))
            break;
        from += is_escape || (is_quoted && from[0] == '"');
        *to++ = *from++;
    }
    end_field(at, from, to, ",");
    return true;
}

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

/* Removes the brackets around an array and after it. Returns the row. */
static char *strip_array(char *line)
{
    while (*line == '[' || *line == ' ')
        line++;
    size_t len = strlen(line);
    while (len && strchr("], ", line[len - 1]))
        line[--len] = '\0';
    return line;
}

/* Returns whether a line is a head, which names a column of archives and a column of
 * offsets. CDX names them by letters. */
static bool read_head(char *line, th_pointer_rows rows, th_pointer_columns *out)
{
    static const char *const letters[][2] = { { "g" }, { "V" }, { "S" } };
    const bool is_cdx = rows == TH_ROWS_CDX;
    th_pointer_columns columns = { .rows = rows };
    char *at = line, *field = NULL;
    for (unsigned i = 1; i <= COLUMNS_MAX && take_field(&at, rows, &field); i++) {
        if (is_one_of(field, is_cdx ? letters[0] : th_pointer_file_names))
            columns.file = i;
        else if (is_one_of(field, is_cdx ? letters[1] : th_pointer_offset_names))
            columns.offset = i;
        else if (is_one_of(field, is_cdx ? letters[2] : th_pointer_length_names))
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
    for (unsigned i = 1; i <= COLUMNS_MAX && take_field(&at, columns->rows, &field);
         i++) {
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

/* Returns whether a line has the 11 fields that a CDX server writes without a head. */
static bool is_cdx_row(const char *line)
{
    enum { FIELDS = 11, TIME = 2, LENGTH = 9, OFFSET = 10, TIME_DIGITS = 14 };
    unsigned fields = 0;
    bool is_row = true;
    while (is_row && *line) {
        const size_t len = strcspn(line, " ");
        const size_t digits = strspn(line, "0123456789");
        fields++;
        is_row = len > 0 && (fields != TIME || (digits == len && len == TIME_DIGITS)) &&
                 ((fields != LENGTH && fields != OFFSET) || digits == len);
        line += len + (line[len] == ' ');
    }
    return is_row && fields == FIELDS;
}

static const th_pointer_columns cdx_columns = {
    .rows = TH_ROWS_CDX, .file = 11, .offset = 10, .length = 9
};

/* Reads a line as a row or a head. `row` is a copy, which is changed. */
static th_status read_rows(char *row, th_pointer_columns *columns, th_warc_pointer *out,
                           bool *is_pointer, bool *is_head, th_error *err)
{
    static const char cdx[] = " CDX ";
    const bool has_brackets =
        (row[0] == '[' && (row[1] == '[' || row[1] == '"')) ||
        (columns->rows == TH_ROWS_ARRAYS && (*row == '[' || *row == ']'));
    const bool is_cdx = strncmp(row, cdx, sizeof cdx - 1) == 0;
    const th_pointer_columns *used = columns;
    *is_head = false;
    if (columns->rows == TH_ROWS_NONE && is_cdx_row(row)) {
        used = &cdx_columns;
    } else if (columns->rows == TH_ROWS_NONE || is_cdx) {
        char *head = has_brackets ? strip_array(row)
                     : is_cdx     ? row + sizeof cdx - 1
                                  : row;
        *is_head = *is_pointer = read_head(head,
                                           has_brackets ? TH_ROWS_ARRAYS
                                           : is_cdx     ? TH_ROWS_CDX
                                                        : TH_ROWS_CSV,
                                           columns);
        if (!*is_head && (is_cdx || has_brackets)) {
            *is_pointer = true;
            return th_fail(err, TH_USAGE,
                           "the head names no column of archives or of offsets "
                           "(filename and offset, or g and V)");
        }
        return TH_OK;
    }
    *is_pointer = true;
    if (used->rows == TH_ROWS_ARRAYS && has_brackets)
        row = strip_array(row);
    *is_head = !*row; /* a bracket alone */
    return *is_head ? TH_OK : read_row(row, used, out, err);
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
    th_warc_pointer pointer = { 0 };
    th_status status = TH_OK;
    *is_pointer = false;
    *name = NULL;
    if (object) {
        *is_pointer = true;
        status = th_warc_pointer_read((th_view){ object, strlen(object) }, arena,
                                      &pointer, err);
    } else if (columns->rows != TH_ROWS_NONE || strpbrk(line, ", ")) {
        char *row = th_arena_alloc(arena, strlen(line) + 1);
        bool is_head = false;
        if (!row)
            return th_fail(err, TH_NOMEM, "out of memory");
        memcpy(row, line, strlen(line) + 1);
        status = read_rows(row, columns, &pointer, is_pointer, &is_head, err);
        if (status == TH_OK && (is_head || !*is_pointer))
            return TH_OK;
        if (status == TH_OK)
            status = th_warc_pointer_check(&pointer, err);
    } else {
        return TH_OK;
    }
    if (status != TH_OK)
        return status == TH_NOMEM ? status : TH_USAGE;
    return name_it(&pointer, arena, name, err);
}
