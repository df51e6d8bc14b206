/*
 * The records of a shard set that a search needs. They are marked first, 1 bit each, then
 * loaded into a duplicate finder. The finder orders them by age and decides which of
 * several records with one id stays.
 */
#ifndef TH_CHOSEN_RECORDS_H
#define TH_CHOSEN_RECORDS_H

#include "dedup/duplicate_finder.h"
#include "dedup/shard_set.h"

typedef struct th_chosen_records {
    uint64_t *marks;   /* a bit for each record of the set */
    uint32_t *before;  /* marked ones before each 64 records, after loading */
    uint32_t *numbers; /* of the marked ones, ascending, after loading */
    uint32_t records, count;
} th_chosen_records;

/** Bytes of the marks of `records` records. */
uint64_t th_chosen_cost(uint32_t records);

/** Starts with no marks. TH_OK or TH_NOMEM */
th_status th_chosen_init(th_chosen_records *chosen, uint32_t records, th_error *err);
void th_chosen_done(th_chosen_records *chosen);

void th_chosen_mark(th_chosen_records *chosen, uint32_t number);
bool th_chosen_has(const th_chosen_records *chosen, uint32_t number);

/**
 * Marks the records that may have the id of a marked one: by the hash.
 * @param wants_all  also mark the records that may have the id of any other record
 * @return as th_shard_merge_next; TH_INTERRUPTED
 */
th_status th_chosen_mark_repeated(th_chosen_records *chosen, th_shard_set *set,
                                  bool wants_all, const th_dedup_options *options,
                                  th_error *err);

/** Adds the marked ones to an empty finder, then ranks them. TH_OK; TH_DAMAGED;
 * TH_TOO_LARGE; TH_IO; TH_NOMEM; TH_INTERRUPTED */
th_status th_chosen_load(th_chosen_records *chosen, th_shard_set *set,
                         th_duplicate_finder *finder, th_error *err);

/** Returns the rank of a marked record in the finder; UINT32_MAX if another one has its
 * id. */
uint32_t th_chosen_rank(const th_chosen_records *chosen,
                        const th_duplicate_finder *finder, uint32_t number);

/** Returns the number of a record by its rank. */
uint32_t th_chosen_number(const th_chosen_records *chosen,
                          const th_duplicate_finder *finder, uint32_t rank);

#endif
