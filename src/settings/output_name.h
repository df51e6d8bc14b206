/* Derives the format of an output from its name. */
#ifndef TH_OUTPUT_NAME_H
#define TH_OUTPUT_NAME_H

#include "write/format.h"

/* The value of `compress` for a file of zstd frames with a seek table and an index of ids
 * (dedup/seekable_file.h). */
#define TH_COMPRESS_SEEKABLE "zstd:seekable"

/** The values of `compress`; ends with NULL. */
extern const char *const th_compress_names[];

/**
 * Returns the compression of an output.
 * @param path  a file, DIR/, or a stream
 * @param how   "none", "gzip", "zstd", TH_COMPRESS_SEEKABLE, or "auto": by the suffix .gz or .zst of a file.
 *              With "auto", the rest of the name must have a known suffix, the suffix of
 *              the format, or none. For example, x.csv and x.jsonl.bz2 are rejected,
 *              because the file would not match its name. A file named x.gz must be gzip,
 *              and x.zst must be zstd
 * @param format  of the output. In a Parquet file the pages are compressed, not the file
 *                itself. Its name ends with .parquet or has no suffix
 * @return TH_OK, or TH_USAGE with the reason and the known suffixes in err
 */
th_status th_output_compression(const char *path, const char *how,
                                const th_format *format, th_compression *out,
                                th_error *err);

/**
 * Selects the format of an output by its suffix, before .gz or .zst: .parquet, .warc, .wet.
 * @param format  in: a name; "auto" becomes the format of the suffix, or jsonl
 * @return TH_OK, or TH_USAGE if the suffix says another format than `format`
 */
th_status th_output_format(const char *path, const char **format, th_error *err);

/**
 * Returns the compression of a WARC file that an option names: by the suffix .warc,
 * .warc.gz or .warc.zst.
 * @param path  "" is always accepted
 * @return TH_OK, or TH_USAGE with the known suffixes in err
 */
th_status th_output_warc(const char *option, const char *path, th_compression *out,
                         th_error *err);

/**
 * Whether a file that is never compressed may have this name.
 * @param option  the option that names the file, for the message
 * @param path    "" and streams are always accepted
 * @return TH_OK, or TH_USAGE if the name ends with .gz or .zst
 */
th_status th_output_is_plain(const char *option, const char *path, th_error *err);

#endif
