/*
 * Zstandard frames to unpacked bytes and marks, with the dictionary frame of
 * the proposal warc-zstd 1.0 (iipc/warc-specifications).
 */
#ifndef WARC_ZSTD_UNPACKER_H
#define WARC_ZSTD_UNPACKER_H

#include "decompressed_window.h"
#include "input_window.h"

struct zstd_unpacker;

/** Limits, as in warc_reader_options. */
struct zstd_limits {
    size_t max_dictionary;
    int max_window_log;
};

/**
 * @param dictionary  in force until the file brings its own; copied; may be empty
 * @return WARC_OK, the caller owns *out. WARC_BAD_ARGUMENT if the bytes are not a
 * dictionary, or there is no memory to load it. WARC_NOMEM.
 */
warc_status zstd_unpacker_new(const struct zstd_limits *limits, warc_view dictionary,
                              struct zstd_unpacker **out);

/** NULL is allowed. */
void zstd_unpacker_free(struct zstd_unpacker *zstd);

/** The next byte read begins a frame. The dictionary stays. */
void zstd_unpacker_reset(struct zstd_unpacker *zstd);

/** Returns the offset of the dictionary frame in force, or WARC_NO_OFFSET if there is
 * none, or if the dictionary came from elsewhere.
 */
uint64_t zstd_unpacker_dict_offset(const struct zstd_unpacker *zstd);

/** Loads the dictionary frame at the position of `in`, if there is one. After
 * zstd_unpacker_reset. @return WARC_OK; WARC_IO; WARC_NOMEM; WARC_PAUSED: call again */
warc_status zstd_unpacker_load(struct zstd_unpacker *zstd, struct input_window *in);

/** One step, as gzip_unpacker_step. */
warc_status zstd_unpacker_step(struct zstd_unpacker *zstd, struct input_window *in,
                               struct decompressed_window *out);

/** True when `bytes` are the start of a frame that begins with a record. */
bool zstd_unpacker_probe(struct zstd_unpacker *zstd, warc_view bytes);

/** True when `bytes` begin with the magic number of a frame, skippable or not. */
bool zstd_unpacker_is_magic(warc_view bytes);

#endif
