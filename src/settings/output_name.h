/* What the name of an output says of its bytes. */
#ifndef TH_OUTPUT_NAME_H
#define TH_OUTPUT_NAME_H

#include "write/format.h"

/** The values of `compress`; ends with NULL. */
extern const char *const th_compress_names[];

/**
 * How an output is compressed.
 * @param path  a file, DIR/, or a stream
 * @param how   "none", "gzip", "zstd", or "auto": by the suffix .gz or .zst of a file.
 *              Then what stands before it must be a suffix of ours or none: who asks for
 *              x.csv or x.jsonl.bz2 would not get what the name says. Nor may x.gz be
 *              asked to hold anything but gzip, or x.zst anything but zstd
 * @param is_table  the output is a Parquet file, whose pages are packed and not the file:
 *                  its name ends with .parquet or has no suffix
 * @return TH_OK, or TH_USAGE with what was wrong, and the known suffixes, in err
 */
th_status th_output_compression(const char *path, const char *how, bool is_table,
                                th_compression *out, th_error *err);

/**
 * Whether a file that is never compressed may have this name.
 * @param option  that names the file, for the message
 * @param path    "" and streams may always
 * @return TH_OK, or TH_USAGE where the name ends with .gz or .zst
 */
th_status th_output_is_plain(const char *option, const char *path, th_error *err);

#endif
