/* One record of an archive, local or remote, by its place. */
#ifndef TH_SINGLE_RECORD_H
#define TH_SINGLE_RECORD_H

#include "ingest/archive_place.h"
#include "ingest/batch_builder.h"
#include "ingest/read_limit.h"

/**
 * Sets `start` and `end` of the options to read a record without the archive's beginning,
 * if the archive is remote and of a kind that allows it. Sets them to 0 for others.
 * @return the position of the record within the read range
 */
th_checkpoint th_single_record_slice(const char *archive, const th_archive_place *place,
                                     th_batch_builder_options *options);

/**
 * Opens an archive and finds the record at a position. From a remote .warc.gz or .warc
 * only the bytes of the record are requested, or, without a length, all bytes from its
 * offset. Other archives are read from where libwarc needs it.
 * @param batch builder    closed by the caller, for any result
 * @param limit    of it, in use while it is open
 * @param archive  its name, borrowed while the batch builder is open
 * @param options  `start` and `end` are set here; should_pause must also check the limit
 * @return TH_OK if the record is pending. TH_IO with words if there is no such record, or
 * the archive cannot be read. TH_NOT_YET. TH_NOMEM. TH_PAUSED if should_pause was true
 * before the limit was passed.
 */
th_status th_single_record_open(th_batch_builder *builder, th_read_limit *limit,
                                const char *archive, const th_archive_place *place,
                                const th_batch_builder_options *options,
                                warc_error *error);

/**
 * Takes it into the batch; one beyond the limit is cut, and says so.
 * @param name  as in th_batch_builder_fill
 * @return as th_batch_builder_add; TH_PAUSED as above
 */
th_status th_single_record_take(th_batch_builder *builder, th_read_limit *limit,
                                th_view name, th_batch *batch, warc_error *error);

#endif
