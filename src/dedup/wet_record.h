/*
 * A record from the text of a WARC conversion record (WET), with the members of a line of
 * `thresher run` that the text allows: id, url, date, digest.text, and the signature
 * `main` by the preset `modern`.
 */
#ifndef TH_WET_RECORD_H
#define TH_WET_RECORD_H

#include "base/buffer.h"
#include "thresher/arena.h"
#include "thresher/minhash.h"
#include "warc/warc.h"

/** Zeroed at first; filled when it is needed. */
typedef struct th_wet_maker {
    th_arena *arena;           /* scratch of a record */
    th_minhash_signer *signer; /* NULL before the first record to sign */
    th_buffer json;
    th_buffer names; /* id, URL and date, because the reader of the archive moves on */
} th_wet_maker;

void th_wet_maker_done(th_wet_maker *maker);

/** Keeps the names of a record whose text is read next. The id is WARC-Refers-To, the
 * page's, or else the record's. TH_OK; TH_NOMEM */
th_status th_wet_maker_begin(th_wet_maker *maker, const warc_record *record);

/**
 * Makes the record's JSON.
 * @param text      UTF-8; other bytes are replaced in the copy
 * @param has_text  writes the text, and no digest and signature
 * @param json      out: borrowed until the next call
 * @return TH_OK; TH_NOMEM
 */
th_status th_wet_maker_json(th_wet_maker *maker, th_view text, bool has_text,
                            th_view *json);

#endif
