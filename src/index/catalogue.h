/*
 * The catalogue of an index: every page by its id, with URL, digest and cluster, in LMDB,
 * so that other programs can look pages up while the index is in use. The index itself
 * never reads it.
 *
 * One database for each segment, named by its eight digits, so that what expires is
 * dropped whole. Of an id that is in several databases the newest row counts. Key: the
 * id, cut to TH_CATALOGUE_ID_MAX bytes; value: a JSON object
 * {"url" "digest" "cluster" "jaccard"}, without jaccard for a representative, which is
 * its own cluster.
 */
#ifndef TH_CATALOGUE_H
#define TH_CATALOGUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "thresher/status.h"

/* Bytes of an id that count: what LMDB takes as a key. */
enum { TH_CATALOGUE_ID_MAX = 511 };

typedef struct th_catalogue th_catalogue;

/** Version of liblmdb, "0.9.24"; NULL: built without it. Static. */
const char *th_catalogue_library_version(void);

/** A page. */
typedef struct th_catalogue_row {
    th_view id;
    th_view url;            /* may be absent */
    const uint64_t *digest; /* two words; NULL: the page has no text */
    th_view cluster;        /* id of the representative */
    double jaccard;         /* to the representative; negative: it is one itself */
} th_catalogue_row;

/**
 * Opens a catalogue, or makes one.
 * @return TH_OK; TH_USAGE: this program was built without liblmdb; TH_NO_ROOM; TH_IO,
 *         also when the file is shorter than its own header says; TH_NOMEM
 */
th_status th_catalogue_open(const char *path, th_catalogue **out, th_error *err);

/** Forgets what was not committed. NULL is legal. */
void th_catalogue_close(th_catalogue *catalogue);

/** Keeps a copy of a row until the next commit; one without an id is left out. TH_OK or
 * TH_NOMEM. */
th_status th_catalogue_add(th_catalogue *catalogue, uint32_t segment,
                           const th_catalogue_row *row);

/** Discards the rows that were added since the last commit. NULL is legal. */
void th_catalogue_rewind(th_catalogue *catalogue);

/**
 * Makes the rows durable, all of them or none.
 * @param first  oldest segment there is: rows of older ones are left out
 * @return TH_OK; TH_NO_ROOM, TH_IO, TH_NOMEM: it may be tried again
 */
th_status th_catalogue_commit(th_catalogue *catalogue, uint32_t first, th_error *err);

/** Drops the rows of a segment. TH_OK, also when there are none; TH_NO_ROOM; TH_IO. */
th_status th_catalogue_drop(th_catalogue *catalogue, uint32_t segment, th_error *err);

/**
 * Finds a page.
 * @param first, last  segments to look in; the newest first
 * @param value        gets the JSON object
 * @return TH_OK; TH_ABSENT: not there; TH_NO_ROOM; TH_IO; TH_NOMEM
 */
th_status th_catalogue_find(th_catalogue *catalogue, uint32_t first, uint32_t last,
                            th_view id, th_buffer *value, th_error *err);

#endif
