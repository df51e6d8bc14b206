/* Records in a Parquet file of `thresher run --format parquet`, in a file or a store. */
#ifndef TH_TABLE_INPUT_H
#define TH_TABLE_INPUT_H

#include <stdatomic.h>

#include "parquet/parquet_reader.h"
#include "remote/remote.h"

typedef struct th_table_input th_table_input;

/**
 * Opens a table.
 * @param path    borrowed for the input's life, like the next two
 * @param remote  opens names of objects, each part with a request; NULL: a file
 * @param stop    not 0: reading gives up with TH_INTERRUPTED; may be NULL
 * @param wanted  as of th_parquet_reader_open
 * @return TH_OK; TH_ABSENT with the kind of file in err, if it is not a table of records;
 *         TH_BAD_CODING if it is damaged; TH_IO; TH_NOMEM; TH_INTERRUPTED
 */
th_status th_table_input_open(const char *path, th_remote *remote, const atomic_int *stop,
                              const char *const *wanted, th_table_input **out,
                              th_error *err);

/** NULL is legal. */
void th_table_input_free(th_table_input *input);

/** Reads the next record. TH_OK; TH_END; TH_BAD_CODING at the end, if row groups are
 * damaged; TH_IO; TH_NOMEM; TH_INTERRUPTED */
th_status th_table_input_next(th_table_input *input, th_view *json, th_error *err);

/** As th_parquet_reader_row and th_parquet_reader_report. */
uint64_t th_table_input_row(const th_table_input *input);
uint64_t th_table_input_report(const th_table_input *input);

#endif
