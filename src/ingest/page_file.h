/* A file of HTML where an archive was expected. */
#ifndef TH_PAGE_FILE_H
#define TH_PAGE_FILE_H

#include <stdbool.h>

/** Returns whether a regular file begins with markup, after a byte order mark and spaces.
 * For files without records, to suggest a command that reads them. Costs one read. */
bool th_is_page_file(const char *path);

/** Message for such a file, after the file's name. */
#define TH_PAGE_FILE_WORDS                                                               \
    "a page, not an archive. Use `thresher text` for a page. `run` reads WARC files, "   \
    "for "                                                                               \
    "example from wget --warc-file or warcio"

#endif
