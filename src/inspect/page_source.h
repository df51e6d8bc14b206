/*
 * What PAGE on the command line of `inspect` stands for: a file, stdin, or a record of an
 * archive by its place or its URL. All become a record that the pipeline takes.
 */
#ifndef TH_PAGE_SOURCE_H
#define TH_PAGE_SOURCE_H

#include <stdatomic.h>

#include "ingest/source.h"
#include "thresher/options.h"

/** What to look for. */
typedef struct th_page_name {
    const char *place;   /* "page.html", "-", "a.warc.gz#123", "a.warc.gz"; or remote */
    const char *url;     /* of a record in the archive `place`; NULL: not by URL */
    const char *base;    /* URL of a page that comes without one, "" = unknown */
    bool verify_digests; /* flags a record whose block digest does not fit */
    th_remote *remote;   /* for remote names; NULL: they cannot be read */
} th_page_name;

/**
 * Reads the page's record.
 *   FILE, -          the bytes are the page; a name in .html .htm .xhtml .xht says its
 *                    type. A saved HTTP response, head first, is taken too
 *   ARCHIVE#OFFSET   the record that starts at this offset of the compressed file, as
 *                    `thresher records` and a record's source.offset name it;
 *                    ARCHIVE#OFFSET+SKIP where records share a gzip member; with ,LENGTH
 *                    so much is asked for of a remote archive, else all from there on
 *   ARCHIVE, url     the first response with that target URI, exactly; where there is no
 *                    response, the first resource or conversion
 * A file whose whole name is `place` is taken as a file, whatever it contains.
 * @param name     borrowed while the batch lives
 * @param stop     not NULL; reading ends when it is not 0: TH_INTERRUPTED
 * @param tell     called every 256 records of a search by URL with the bytes read; may be
 *                 NULL
 * @param batch    empty, with an arena; gets one record
 * @return TH_OK; TH_USAGE (an archive without a record named); TH_ABSENT (no such record);
 *         TH_IO; TH_NOT_YET: a remote archive does not answer; TH_INTERRUPTED; TH_NOMEM
 */
th_status th_page_source_read(const th_page_name *name, const th_options *opt,
                              const atomic_int *stop,
                              void (*tell)(void *context, uint64_t bytes), void *context,
                              th_batch *batch, th_error *err);

#endif
