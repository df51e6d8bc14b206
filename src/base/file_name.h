/* What a file's name says by how it ends. */
#ifndef TH_FILE_NAME_H
#define TH_FILE_NAME_H

#include <stdbool.h>
#include <string.h>

/** Whether something stands before `end` in a name, and `end` behind it. */
static inline bool th_file_name_ends(const char *name, const char *end)
{
    const size_t len = strlen(name), end_len = strlen(end);
    return len > end_len && strcmp(name + len - end_len, end) == 0;
}

#endif
