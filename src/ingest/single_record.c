/* A record by its place. See the header. */
#include "ingest/single_record.h"

#include <stdio.h>

#include "base/file_name.h"

/* Returns whether a record can be read without the archive's beginning. An ARC record
 * needs the archive's head, and a zstd record may need the dictionary there. */
static bool stands_alone(const char *archive)
{
    return th_remote_is_name(archive) && !th_wacz_file_len(archive) &&
           (th_file_name_ends(archive, ".warc.gz") ||
            th_file_name_ends(archive, ".warc"));
}

/* Returns whether the pending record is the requested one, not a later one. */
static bool is_at(const th_batch_builder *builder, const th_checkpoint *place)
{
    const warc_position found = warc_record_position(builder->pending);
    return found.offset == place->offset && found.skip == place->skip;
}

th_checkpoint th_single_record_slice(const char *archive, const th_archive_place *place,
                                     th_batch_builder_options *options)
{
    const bool is_alone = stands_alone(archive);
    options->start = is_alone ? place->offset : 0;
    options->end = is_alone && place->length ? place->offset + place->length : 0;
    return (th_checkpoint){ .offset = place->offset - options->start,
                            .skip = place->skip,
                            .uoffset = WARC_NO_OFFSET,
                            .dict_offset = WARC_NO_OFFSET };
}

th_status th_single_record_open(th_batch_builder *builder, th_read_limit *limit,
                                const char *archive, const th_archive_place *place,
                                const th_batch_builder_options *options,
                                warc_error *error)
{
    th_batch_builder_options reading = *options;
    const th_checkpoint at = th_single_record_slice(archive, place, &reading);
    th_status status = th_batch_builder_open(builder, archive, -1, &reading, error);
    if (status != TH_OK)
        return status;
    builder->stops_at_max = true;
    th_read_limit_begin(limit, builder->reader, 0);
    if (at.offset || at.skip)
        status = th_batch_builder_seek(builder, &at, error);
    th_read_limit_begin(limit, builder->reader, options->max_record);
    if (status == TH_OK)
        status = th_batch_builder_next(builder, error);
    if (status == TH_PAUSED && !th_read_limit_is_passed(limit))
        return TH_PAUSED;
    if (status == TH_OK && is_at(builder, &at))
        return TH_OK;
    if (status == TH_OK || status == TH_END || status == TH_PAUSED) {
        (void)snprintf(error->text, sizeof error->text, "no record starts at offset %llu",
                       (unsigned long long)place->offset);
        return TH_IO;
    }
    return status;
}

th_status th_single_record_take(th_batch_builder *builder, th_read_limit *limit,
                                th_view name, th_batch *batch, warc_error *error)
{
    const th_status status = th_batch_builder_add(builder, name, batch, error);
    if (status != TH_PAUSED || !th_read_limit_is_passed(limit))
        return status;
    th_batch_builder_cut(builder, batch);
    return TH_OK;
}
