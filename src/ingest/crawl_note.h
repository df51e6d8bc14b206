/*
 * A crawler's notes about a page, in a separate metadata record. Common Crawl writes one
 * after each response: `application/warc-fields`, WARC-Concurrent-To (or WARC-Refers-To)
 * the response, with a line `languages-cld2: {...}`.
 */
#ifndef TH_CRAWL_NOTE_H
#define TH_CRAWL_NOTE_H

#include "ingest/source.h"
#include "warc/warc.h"

enum {
    TH_CRAWL_NOTE_MAX = 16 << 10, /* bytes of such a record that are read */
    TH_CRAWL_NOTE_REACH = 8       /* maximum distance in records after its page */
};

/** Whether a record is such a note, by its header. */
bool th_crawl_note_is(const warc_record *record);

/** Whether it is a note on one of the batch's last records: then it belongs to the batch,
 * which would else be full. O(1). */
bool th_crawl_note_belongs(const warc_record *record, const th_batch *batch);

/** Gives the page of a note what it says; a page that has something already keeps it.
 * @param block  of the note, in the batch */
void th_crawl_note_join(const warc_record *record, th_view block, th_batch *batch);

#endif
