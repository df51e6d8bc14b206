/* Regressions over words, one for each fold, written by training for a second round. */
#ifndef TH_TOKEN_TABLES_H
#define TH_TOKEN_TABLES_H

#include "content/token_table.h"
#include "thresher/arena.h"
#include "thresher/status.h"

enum { TH_TOKEN_TABLES_MAX = 64 };

/** A page of fold f is read with table f % count. */
typedef struct th_token_tables {
    uint32_t count;
    th_token_table *tables; /* in the arena */
} th_token_tables;

/**
 * Reads a file: the line "thresher token tables 1", a line {"buckets":4096,"tables":K},
 * then K times a bias (int32) and 4096 weights (int16), the lowest byte first.
 * @return TH_OK; TH_USAGE if there is no such file, or it is damaged, with the reason in
 *         err; TH_NOMEM
 */
th_status th_token_tables_read(const char *path, th_arena *arena, th_token_tables *out,
                               th_error *err);

#endif
