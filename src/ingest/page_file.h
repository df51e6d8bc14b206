/* A file of HTML where an archive was expected. */
#ifndef TH_PAGE_FILE_H
#define TH_PAGE_FILE_H

#include <stdbool.h>

/** Whether a regular file begins with markup, behind a byte order mark and blanks. Asked
 * of files that held no record, to say what reads them. Costs one read. */
bool th_is_page_file(const char *path);

/** What to say then, behind the file's name. */
#define TH_PAGE_FILE_WORDS                                                               \
    "a page, not an archive: `thresher inspect` reads one, and `run` reads pages from "  \
    "WARC files, as wget --warc-file or warcio make them"

#endif
