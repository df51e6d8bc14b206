/* What a file's name says: by how it ends, by the patterns it fits. */
#ifndef TH_FILE_NAME_H
#define TH_FILE_NAME_H

#include <fnmatch.h>
#include <stdbool.h>
#include <string.h>

/** Whether something stands before `end` in a name, and `end` behind it. */
static inline bool th_file_name_ends(const char *name, const char *end)
{
    const size_t len = strlen(name), end_len = strlen(end);
    return len > end_len && strcmp(name + len - end_len, end) == 0;
}

/** Whether a name ends as that of a WARC or ARC does. */
static inline bool th_is_archive_name(const char *name)
{
    static const char *const ends[] = { ".warc", ".warc.gz", ".warc.zst",
                                        ".arc",  ".arc.gz",  ".arc.zst" };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (th_file_name_ends(name, ends[i]))
            return true;
    return false;
}

/** Bytes of a pattern with its NUL; a longer one fits no name. */
enum { TH_NAME_PATTERN_MAX = 256 };

/** Whether a name fits one of the shell's patterns, which have blanks between them. A dot
 * at the start of a name is fitted by a dot alone. */
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
