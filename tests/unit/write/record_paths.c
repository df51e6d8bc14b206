/* Fields of a line by path. See the header. */
#include "record_paths.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/json_reader.h"

enum { MOST_DEPTH = 8 };

static size_t find(const record_paths *set, const char *path)
{
    size_t i = 0;
    while (i < set->count && strcmp(set->paths[i], path) != 0)
        i++;
    return i;
}

bool record_paths_have(const record_paths *set, const char *path)
{
    return find(set, path) < set->count;
}

size_t record_paths_put(record_paths *set, const char *path)
{
    const size_t at = find(set, path);
    assert(at < MOST_PATHS && strlen(path) < PATH_ROOM);
    if (at == set->count) {
        (void)snprintf(set->paths[at], PATH_ROOM, "%s", path);
        set->values[at] = (th_view){ NULL, 0 };
        set->count++;
    }
    return at;
}

void record_paths_add(record_paths *set, th_view line)
{
    char path[PATH_ROOM] = "";
    size_t lens[MOST_DEPTH] = { 0 }; /* of the path to each open container */
    size_t depth = 0, last = SIZE_MAX;
    th_json_reader reader;
    th_json_reader_init(&reader, line);
    for (th_json_token token; (token = th_json_read(&reader)) != TH_JSON_DONE;) {
        assert(token != TH_JSON_BAD);
        if (token == TH_JSON_KEY) {
            const size_t len = lens[depth - 1];
            (void)snprintf(path + len, sizeof path - len, "%s%.*s", len ? "." : "",
                           (int)reader.text.len, reader.text.data);
            last = record_paths_put(set, path);
        } else if (token == TH_JSON_STRING || token == TH_JSON_NUMBER ||
                   token == TH_JSON_LITERAL) {
            const unsigned quote = token == TH_JSON_STRING;
            if (last < set->count && !set->values[last].data)
                set->values[last] =
                    (th_view){ reader.text.data - quote, reader.text.len + 2 * quote };
        } else if (token == TH_JSON_OPEN_OBJECT || token == TH_JSON_OPEN_ARRAY) {
            assert(depth < MOST_DEPTH);
            lens[depth++] = strlen(path);
        } else if (token == TH_JSON_CLOSE_OBJECT || token == TH_JSON_CLOSE_ARRAY) {
            path[lens[--depth]] = '\0';
        }
    }
}
