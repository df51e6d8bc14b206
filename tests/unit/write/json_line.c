/* yajl's parser with a few rules that JSON leaves open. */
#include "json_line.h"

#include <stdlib.h>
#include <string.h>

#include <yajl/yajl_parse.h>

enum { MAX_DEPTH = 8, MAX_KEYS = 64, MAX_KEY = 32 };

/* The keys seen in each object that is open. */
struct reader {
    int depth;
    int key_count[MAX_DEPTH];
    char keys[MAX_DEPTH][MAX_KEYS][MAX_KEY];
};

static int open_object(void *context)
{
    struct reader *reader = context;
    if (reader->depth == MAX_DEPTH)
        return 0;
    reader->key_count[reader->depth++] = 0;
    return 1;
}

static int close_object(void *context)
{
    struct reader *reader = context;
    reader->depth--;
    return 1;
}

static int key(void *context, const unsigned char *name, size_t len)
{
    struct reader *reader = context;
    const int level = reader->depth - 1;
    char(*const keys)[MAX_KEY] = reader->keys[level];
    const int count = reader->key_count[level];
    if (count == MAX_KEYS || len >= MAX_KEY)
        return 0;
    for (int i = 0; i < count; i++)
        if (strlen(keys[i]) == len && memcmp(keys[i], name, len) == 0)
            return 0;
    memcpy(keys[count], name, len);
    keys[count][len] = '\0';
    reader->key_count[level]++;
    return 1;
}

static int null(void *context)
{
    (void)context;
    return 0;
}

bool json_line_is_valid(th_view line)
{
    if (line.len < 3 || line.data[0] != '{' ||
        memchr(line.data, '\n', line.len) != line.data + line.len - 1)
        return false;
    const yajl_callbacks callbacks = {
        .yajl_null = null,
        .yajl_start_map = open_object,
        .yajl_map_key = key,
        .yajl_end_map = close_object,
    };
    struct reader *reader = calloc(1, sizeof *reader);
    yajl_handle parser = yajl_alloc(&callbacks, NULL, reader);
    const bool is_valid = yajl_parse(parser, (const unsigned char *)line.data,
                                     line.len) == yajl_status_ok &&
                          yajl_complete_parse(parser) == yajl_status_ok;
    yajl_free(parser);
    free(reader);
    return is_valid;
}
