/* Limits the bytes read since a start. See the header. */
#include "ingest/read_limit.h"

void th_read_limit_begin(th_read_limit *limit, const warc_reader *reader, uint64_t bytes)
{
    *limit = (th_read_limit){ .reader = reader,
                              .max = bytes + TH_READ_LIMIT_LEAST,
                              .file = warc_reader_tell(reader),
                              .decompressed = warc_reader_get_stats(reader)->bytes_out };
}

bool th_read_limit_is_passed(void *context)
{
    const th_read_limit *limit = context;
    if (!limit->reader)
        return false;
    const uint64_t file = warc_reader_tell(limit->reader);
    const uint64_t decompressed = warc_reader_get_stats(limit->reader)->bytes_out;
    /* A seek may go back. */
    return (file > limit->file && file - limit->file > limit->max) ||
           decompressed - limit->decompressed > limit->max;
}
