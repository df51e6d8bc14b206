/* The fields of a JSON line by path: "source.file"; arrays are not part of a path. */
#ifndef RECORD_PATHS_H
#define RECORD_PATHS_H

#include <stdbool.h>
#include <stddef.h>

#include "thresher/view.h"

enum { MOST_PATHS = 400, PATH_ROOM = 64 };

/** Paths without duplicates, with the first value of each. */
typedef struct record_paths {
    char paths[MOST_PATHS][PATH_ROOM];
    th_view values[MOST_PATHS]; /* JSON of a value or of the first one of a list, borrowed
                                 * from the line; NULL: an object */
    size_t count;
} record_paths;

/** Adds the fields of a line, which is valid JSON. */
void record_paths_add(record_paths *set, th_view line);

/** Adds one path. @return its number */
size_t record_paths_put(record_paths *set, const char *path);

bool record_paths_have(const record_paths *set, const char *path);

#endif
