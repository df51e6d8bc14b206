/* What the output of an input is called where each input has its own. */
#ifndef TH_OUTPUT_PATH_H
#define TH_OUTPUT_PATH_H

#include "ingest/input_list.h"
#include "write/format.h"

/** How outputs of a folder are named. All is borrowed. */
typedef struct th_output_names {
    const char *folder; /* with '/' at its end */
    const th_format *format;
    th_compression compression;
} th_output_names;

/** "DIR/x.jsonl.gz" for "in/x.warc.gz", "DIR/c-x.jsonl.gz" for "in/c.wacz!archive/x.warc.gz".
 * Freed by the caller; NULL: no memory. */
char *th_output_path(const th_output_names *names, const char *input);

/** Refuses inputs of which two would be written to one file. TH_OK; TH_USAGE; TH_NOMEM. */
th_status th_output_paths_check(const th_output_names *names, const th_input_list *inputs,
                                th_error *err);

#endif
