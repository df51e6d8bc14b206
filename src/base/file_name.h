/* Tests of file names: by suffix and by patterns. */
#ifndef TH_FILE_NAME_H
#define TH_FILE_NAME_H

#include <fnmatch.h>
#include <stdbool.h>
#include <string.h>

/** Returns the part of a path after its last slash. */
static inline const char *th_last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/** Returns whether a name has the suffix `end` and is longer than it. */
static inline bool th_file_name_ends(const char *name, const char *end)
{
    const size_t len = strlen(name), end_len = strlen(end);
    return len > end_len && strcmp(name + len - end_len, end) == 0;
}

/** Returns whether a name ends like a WARC or ARC file. */
static inline bool th_is_archive_name(const char *name)
{
    static const char *const ends[] = { ".warc", ".warc.gz", ".warc.zst",
                                        ".arc",  ".arc.gz",  ".arc.zst" };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (th_file_name_ends(name, ends[i]))
            return true;
    return false;
}

/** Size of a pattern with its NUL; a longer one matches no name. */
enum { TH_NAME_PATTERN_MAX = 256 };

/** Returns whether a name matches one of the shell patterns, which are separated by
 * spaces. Only a dot matches a dot at the start of a name. */
static inline bool th_file_name_fits(const char *name, const char *patterns)
{
    for (const char *at = patterns; *at;) {
        char pattern[TH_NAME_PATTERN_MAX];
        const size_t len = strcspn(at, " ");
        if (len > 0 && len < sizeof pattern) {
            memcpy(pattern, at, len);
            pattern[len] = '\0';
            if (fnmatch(pattern, name, FNM_PERIOD) == 0)
                return true;
        }
        at += len + (at[len] != '\0');
    }
    return false;
}

#endif
