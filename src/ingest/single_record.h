/* One record of an archive, local or remote, by its place. */
#ifndef TH_SINGLE_RECORD_H
#define TH_SINGLE_RECORD_H

#include "ingest/archive_place.h"
#include "ingest/read_limit.h"
#include "ingest/record_taker.h"

/**
 * How a record is read without the archive's beginning, where that is remote and of a kind
 * that lets it: sets `start` and `end` of the options, to 0 for others.
 * @return where the record stands in what is read then
 */
th_checkpoint th_single_record_slice(const char *archive, const th_archive_place *place,
                                     th_record_taker_options *options);

/**
 * Opens an archive and finds the record at a place. A remote .warc.gz or .warc is asked
 * for the bytes of the record alone, or, without a length, for those from its offset on.
 * What is read of others begins where libwarc wants it.
 * @param taker    closed by the caller, whatever is returned
 * @param limit    of it, in use while it is open
 * @param archive  its name, borrowed while the taker is open
 * @param options  `start` and `end` are set here; should_pause must ask the limit, too
 * @return TH_OK: it is pending; TH_IO with words: there is none, or the archive cannot be
 *         read; TH_NOT_YET; TH_NOMEM; TH_PAUSED: should_pause said so before the limit did
 */
th_status th_single_record_open(th_record_taker *taker, th_read_limit *limit,
                                const char *archive, const th_archive_place *place,
                                const th_record_taker_options *options,
                                warc_error *error);

/**
 * Takes it into the batch; one beyond the limit is cut, and says so.
 * @param name  as in th_record_taker_fill
 * @return as th_record_taker_take; TH_PAUSED as above
 */
th_status th_single_record_take(th_record_taker *taker, th_read_limit *limit,
                                th_view name, th_batch *batch, warc_error *error);

#endif
