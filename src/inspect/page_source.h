/*
 * Reads the PAGE of the command line of `inspect`: a file, stdin, or a record of an
 * archive by its offset or its URL. Each becomes a record for the pipeline.
 */
#ifndef TH_PAGE_SOURCE_H
#define TH_PAGE_SOURCE_H

#include <stdatomic.h>

#include "ingest/source.h"
#include "thresher/options.h"

/** The page to read. */
typedef struct th_page_name {
    const char *place;   /* "page.html", "-", "a.warc.gz#123", "a.warc.gz"; or remote */
    const char *url;     /* of a record in the archive `place`, or NULL for an offset */
    const char *base;    /* URL of a page that comes without one, "" = unknown */
    bool verify_digests; /* flags a record whose block digest does not fit */
    th_remote *remote;   /* for remote names; NULL if they cannot be read */
} th_page_name;

/**
 * Reads the page's record.
 *   FILE, -          The bytes are the page. A name in .html .htm .xhtml .xht gives its
 *                    type, also before .gz or .zst. Bytes of gzip or zstd are
 *                    decompressed, up to max_record; damage is flagged. A saved HTTP
 *                    response, head first, is accepted too.
 *   ARCHIVE#OFFSET   The record that starts at this offset of the compressed file, as in
 *                    `thresher records` and a record's source.offset. If records share a
 *                    gzip member, use ARCHIVE#OFFSET+SKIP. With ,LENGTH only this many
 *                    bytes of a remote archive are requested, otherwise the rest.
 *   ARCHIVE, url     The first response with exactly that target URI. If there is no
 *                    response, the first resource or conversion.
 * A file whose whole name is `place` is read as a file, regardless of its name's form.
 * @param name     borrowed while the batch lives
 * @param stop     not NULL; reading ends when it is not 0: TH_INTERRUPTED
 * @param report     called every 256 records of a search by URL with the bytes read; may be
 *                 NULL
 * @param batch    empty, with an arena; gets one record
 * @return TH_OK, TH_USAGE (an archive without a record named), TH_ABSENT (no such
 *         record), TH_IO, TH_NOT_YET if a remote archive does not answer, TH_INTERRUPTED,
 *         or TH_NOMEM
 */
th_status th_page_source_read(const th_page_name *name, const th_options *opt,
                              const atomic_int *stop,
                              void (*report)(void *context, uint64_t bytes),
                              void *context, th_batch *batch, th_error *err);

#endif
