/* Names of outputs if each input has its own output. */
#ifndef TH_OUTPUT_PATH_H
#define TH_OUTPUT_PATH_H

#include "ingest/input_list.h"
#include "write/format.h"

/** Returns whether an output is a folder for one file per input: its path ends in '/'. */
bool th_output_is_folder(const char *output);

/** How outputs of a folder are named. All is borrowed. */
typedef struct th_output_names {
    const char *folder; /* ends in '/' */
    const th_format *format;
    th_compression compression;
} th_output_names;

/**
 * Makes a path for the output of each input. All paths differ: "DIR/x.jsonl.gz" for
 * "in/x.warc.gz", "DIR/c-x.jsonl.gz" for "in/c.wacz!archive/x.warc.gz".
 * * Inputs that would share such a name keep their suffix ("x.warc.jsonl",
 *   "x.warc.gz.jsonl"). If names are still the same, they get a hash of their whole name
 *   ("x.warc-1f3c5a7b.jsonl"). So a name depends on the inputs, not on their order.
 * * Control characters become '_'. A name that is too long for a file is cut and gets the
 *   hash.
 * @param out  one path for each input; freed with th_output_paths_free
 * @return TH_OK; TH_USAGE: an input is given twice; TH_NOMEM. Cost: a sort.
 */
th_status th_output_paths_make(const th_output_names *names, const th_input_list *inputs,
                               char ***out, th_error *err);

/** Frees `count` paths; NULL is allowed. */
void th_output_paths_free(char **paths, uint32_t count);

#endif
