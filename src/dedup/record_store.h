/*
 * All records of a deduplication: in temporary files, with 16 bytes each in memory, 24
 * after the ranking; and their order by age, which decides who represents whom.
 *
 * Two numbers name a record: `number` is its place in the input, `rank` its place by date
 * and then by id. All that leaves the program goes by rank, so that the order of the
 * inputs does not matter.
 */
#ifndef TH_RECORD_STORE_H
#define TH_RECORD_STORE_H

#include "dedup/signature_params.h"

typedef struct th_record_store th_record_store;

/** Maximum bytes of memory that a record costs, all stages counted. */
enum { TH_RECORD_COST = 80 };

/**
 * Makes an empty store.
 * @param folder  for temporary files, borrowed; "" as in scratch_file.h
 * @param memory  maximum bytes for all records together
 * @return TH_OK; TH_IO with the folder in err; TH_NOMEM
 */
th_status th_record_store_new(const char *folder, uint64_t memory, th_record_store **out,
                              th_error *err);

/** NULL is legal. */
void th_record_store_free(th_record_store *store);

/**
 * Keeps a record, after th_signature_agree has accepted it.
 * @param fault  out: TH_RECORD_NONE, or TH_RECORD_BAD_MINHASH and it is not kept
 * @return TH_OK; TH_TOO_LARGE when the memory is too small for the records; TH_IO;
 *         TH_NOMEM
 */
th_status th_record_store_add(th_record_store *store, const th_signature_params *params,
                              const th_record_line *record, th_record_fault *fault,
                              th_error *err);

/**
 * Keeps a record that was packed before.
 * @param row    its bytes, for which th_signature_row_is_good
 * @param parts  id, URL and date; absent ones have no data
 * @return as th_record_store_add
 */
th_status th_record_store_add_row(th_record_store *store,
                                  const th_signature_params *params, th_view row,
                                  const th_view parts[3], th_error *err);

/**
 * Orders the records: oldest date first, then by id. An unknown date is the youngest.
 * Among several records with one id the oldest stays. Among equally old ones it is the
 * first by th_signature_order, then by URL and date. The order of the input does not
 * matter.
 * @param repeated  out: records left out because another one has their id
 * @return TH_OK; TH_IO; TH_NOMEM
 */
th_status th_record_store_rank(th_record_store *store, const th_signature_params *params,
                               uint64_t *repeated, th_error *err);

/** Returns the number of records with a rank, 0 .. count-1. Before the ranking: all added
 * records. */
uint32_t th_record_store_count(const th_record_store *store);

/**
 * Reads the row of the record with this rank.
 * @param bytes  room for th_signature_row_len bytes, in which the row is unpacked
 * @return TH_OK or TH_IO
 */
th_status th_record_store_row(th_record_store *store, const th_signature_params *params,
                              uint32_t rank, unsigned char *bytes, th_signed_row *row,
                              th_error *err);

/** Returns the rank of a record by its number; UINT32_MAX when it was left out for its
 * id. */
uint32_t th_record_store_rank_of(const th_record_store *store, uint32_t number);

/** Returns the number of a record by its rank. */
uint32_t th_record_store_number_of(const th_record_store *store, uint32_t rank);

/** Returns the number of records added, including the ones left out for their id. */
uint32_t th_record_store_added(const th_record_store *store);

/** Id, URL and date of a record. */
typedef struct th_record_name {
    th_view id, url, date; /* in `bytes`; url and date may be absent */
    th_buffer bytes;       /* owned; starts as { 0 }, used again */
} th_record_name;

/** Reads the names of the record with this rank. TH_OK; TH_IO; TH_NOMEM */
th_status th_record_store_name(th_record_store *store, uint32_t rank,
                               th_record_name *name, th_error *err);

#endif
