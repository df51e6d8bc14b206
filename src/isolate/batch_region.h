/*
 * A batch in memory that two processes share. One process writes the batch and does not
 * trust the other, which works on it. The writer reads back only the progress of the
 * work.
 */
#ifndef TH_BATCH_REGION_H
#define TH_BATCH_REGION_H

#include <stdatomic.h>

#include "ingest/source.h"

/** A mapping of the memory file. { 0 } if there is no mapping. */
typedef struct th_batch_region {
    struct th_batch_region_head *head;
    int fd;     /* the writer's; the reader has closed it */
    size_t len; /* bytes of the file, which the writer lets grow and shrink */
} th_batch_region;

/**
 * The writer's refusals: NULL, or the reason for each record that is refused unread, as
 * TH_CRASHED.
 */
typedef const char *(*th_refused_words)(const void *context, uint32_t record);

/** Maps the file. @param fd  taken over: closed by th_batch_region_close, at once where
 * the mapping is a reader's. @return TH_OK; TH_IO */
th_status th_batch_region_open(int fd, bool is_reader, th_batch_region *out,
                               th_error *err);
void th_batch_region_close(th_batch_region *region);

/**
 * Puts the records of a batch there, from `first` on, with all that work needs of them;
 * under_way is 0 then.
 * @param wants_parts  results are handed in in parts
 * @return TH_OK; TH_NOMEM: no memory for so much
 */
th_status th_batch_region_put(th_batch_region *region, const th_batch *batch,
                              uint32_t first, bool wants_parts, th_refused_words refused,
                              const void *context, th_error *err);

/**
 * Fills a batch from the region. Its strings point into the region.
 * @return the first record to process
 */
uint32_t th_batch_region_get(const th_batch_region *region, th_batch *out,
                             bool *wants_parts);

/**
 * Returns 1 + the index of the current record, or 0 if none has begun. The other process
 * writes it, so any value is possible.
 */
_Atomic uint32_t *th_batch_region_under_way(const th_batch_region *region);

#endif
