/*
 * Pull reader of WARC and ARC files.
 *
 *     warc_reader *reader = NULL;
 *     warc_record *record = NULL;
 *     warc_view chunk;
 *     if (warc_reader_open_path("crawl.warc.gz", NULL, &reader, &error) == WARC_OK) {
 *         while ((status = warc_reader_next(reader, &record, &error)) == WARC_OK)
 *             while ((status = warc_reader_chunk(reader, &chunk, &error)) == WARC_OK)
 *                 use(chunk);
 *     }
 *     warc_reader_free(reader);
 *
 * Reads plain files, gzip with one or many records in a member, and zstd with or without
 * a dictionary frame. The first bytes determine the format, never the name. Records are
 * framed by Content-Length only. If the framing is wrong, the reader continues at the
 * next version line that is followed by a header field, and reports a diagnostic. In a
 * damaged member, only the bytes that do not inflate are lost. The options bound the
 * memory, regardless of the length of file, record or member. A reader belongs to one
 * thread at a time.
 *
 * A call may take long: garbage without end, a record of a terabyte that is skipped, a
 * pipe without a writer. options.should_pause bounds that time. A signal, a deadline or a
 * budget makes the current call return WARC_PAUSED. The same call then continues exactly
 * where it paused. Pauses do not change the data that is read.
 */
#ifndef WARC_READER_H
#define WARC_READER_H

#include "warc/warc_input.h"
#include "warc/warc_record.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct warc_reader warc_reader;

typedef enum warc_container {
    WARC_CONTAINER_UNKNOWN, /* no bytes read yet */
    WARC_CONTAINER_PLAIN,
    WARC_CONTAINER_GZIP,
    WARC_CONTAINER_ZSTD
} warc_container;

/* Limits of a reader: defaults and allowed ranges. */
enum {
    WARC_MAX_HEADER = 1 << 20, /* bytes of a record's header */
    WARC_MAX_HEADER_LEAST = 64,
    WARC_MAX_HEADER_MOST = 1 << 30,
    WARC_MAX_FIELDS = 16384,       /* fields kept of a header; at least 1 */
    WARC_MAX_DICTIONARY = 8 << 20, /* bytes of a zstd dictionary */
    WARC_MAX_DICTIONARY_MOST = 1 << 30,
    WARC_MAX_WINDOW_LOG = 27, /* log2 of a zstd window in bytes */
    WARC_MAX_WINDOW_LOG_LEAST = 10,
    WARC_MAX_WINDOW_LOG_MOST = 31
};

/** Limits and choices. Start from warc_reader_options_init. New members are added at the
 * end of the struct, and `size` is the size that the caller was compiled with. So a
 * program works with a newer library without recompilation. */
typedef struct warc_reader_options {
    size_t size; /* size of this struct for the caller; the init function sets it */
    /* Maximum bytes of a record's header; default WARC_MAX_HEADER. A record with a longer
     * header is dropped. */
    size_t max_header;
    size_t max_fields; /* fields kept of a header; default WARC_MAX_FIELDS */
    /* Maximum bytes of a zstd dictionary, packed or unpacked; default
     * WARC_MAX_DICTIONARY. */
    size_t max_dictionary;
    int max_window_log;  /* log2 of zstd window bytes; default WARC_MAX_WINDOW_LOG */
    bool verify_digests; /* check WARC-Block-Digest during reading; default false */
    /* An external zstd dictionary (unpacked), borrowed for the reader's life: for single
     * frames without their file. */
    warc_view dictionary;

    /* Called for each diagnostic as it is found, including diagnostics outside records;
     * may be NULL. The diagnostic is borrowed for the call. Must not call the reader. */
    void (*on_diag)(void *context, const warc_diag *diag);
    void *diag_context;

    /* Called before each step of work; NULL never pauses. If it returns true, the current
     * call returns WARC_PAUSED and keeps its progress. A step unpacks or searches at most
     * 256 KiB, tries a few offsets where a member may begin, or waits 50 ms for an input
     * without data: microseconds to a few ms. The first step after a pause does not call
     * it. So even a function that always returns true reaches the end. Must not call the
     * reader. */
    bool (*should_pause)(void *context);
    void *pause_context;
} warc_reader_options;

/** Totals of everything read so far. */
typedef struct warc_reader_stats {
    warc_container container;
    bool is_arc;
    uint64_t records;         /* returned to the caller */
    uint64_t dropped_headers; /* version lines with a dropped record */
    uint64_t bytes_in;        /* bytes of the file consumed */
    uint64_t bytes_out;       /* unpacked bytes consumed, including skipped ones */
    uint64_t members;         /* gzip members or zstd frames started */
    uint64_t damaged_members; /* damaged or truncated ones */
    uint64_t stray_bytes;     /* unpacked bytes that belong to no record */
    uint64_t damage_count;    /* sum of diag_count over the damage codes */
    uint64_t diag_count[WARC_DIAG_COUNT]; /* all diagnostics, by code; must remain last */
} warc_reader_stats;

/** Like warc_reader_options_init, for a caller compiled with `size` bytes of the
 * struct. */
WARC_API void warc_reader_options_init_sized(warc_reader_options *options, size_t size);

/** Fills in the defaults given above. */
static inline void warc_reader_options_init(warc_reader_options *options)
{
    warc_reader_options_init_sized(options, sizeof *options);
}

/**
 * Opens a reader and takes ownership of `input`: warc_reader_free calls input->close, or
 * this function does so if it fails. Reads no bytes yet.
 * @param options  copied; NULL for the defaults
 * @param out      the reader, owned by the caller; untouched unless WARC_OK
 * @return WARC_OK; WARC_BAD_ARGUMENT (an option is out of range, or the options were not
 *         initialised or are of a newer library); WARC_NOMEM
 */
WARC_API warc_status warc_reader_open(const warc_input *input,
                                      const warc_reader_options *options,
                                      warc_reader **out, warc_error *error);

/** Like warc_reader_open, for a file; also WARC_IO. */
WARC_API warc_status warc_reader_open_path(const char *path,
                                           const warc_reader_options *options,
                                           warc_reader **out, warc_error *error);

/** Like warc_reader_open, for a descriptor, including stdin and pipes; borrows it. */
WARC_API warc_status warc_reader_open_fd(int fd, const warc_reader_options *options,
                                         warc_reader **out, warc_error *error);

/** Like warc_reader_open, for bytes in memory, borrowed for the reader's life: a whole
 * archive, or one message that contains a record, a gzip member or a zstd frame (see
 * options.dictionary). */
WARC_API warc_status warc_reader_open_memory(warc_view bytes,
                                             const warc_reader_options *options,
                                             warc_reader **out, warc_error *error);

/**
 * Restarts on other bytes, like a new reader with the same options: sums, record and
 * damage start from zero. Keeps the large buffers, so a message costs only its own bytes.
 * Works for a reader that was opened on memory or on any other input.
 * @param bytes  borrowed until the next reopen or free
 * @return WARC_OK; WARC_NOMEM, and the reader is unchanged
 */
WARC_API warc_status warc_reader_reopen_memory(warc_reader *reader, warc_view bytes,
                                               warc_error *error);

/** Closes the input and frees everything; NULL is allowed. */
WARC_API void warc_reader_free(warc_reader *reader);

/**
 * Moves to the next record, past the unread rest of the previous one.
 * @param out  the record, borrowed until the next call of next, seek or free; its block
 *             has not been read yet
 * @return WARC_OK; WARC_END; WARC_BAD_CONTAINER (lz4, bzip2, gzip in gzip, ...); WARC_IO;
 *         WARC_NOMEM; WARC_PAUSED. After an error each further call returns the same one,
 *         until a seek. If the input fails, the reader first returns all complete records
 *         before the failure. Then this function returns WARC_IO instead of the first
 *         incomplete record, or warc_reader_chunk or warc_reader_finish returns it within
 *         that record. Damage in the input is not an error; diagnostics report it. After
 *         WARC_PAUSED there is no record, and the next call continues towards it.
 */
WARC_API warc_status warc_reader_next(warc_reader *reader, warc_record **out,
                                      warc_error *error);

/**
 * Returns the next piece of the current record's block, without copying.
 * @param chunk  at least 1 byte, mostly up to 128 KiB, at most max_header + 128 KiB;
 *               borrowed until the next call on the reader
 * @return WARC_OK; WARC_END at the end of the block or if there is no record; WARC_PAUSED
 *         and errors as in warc_reader_next
 */
WARC_API warc_status warc_reader_chunk(warc_reader *reader, warc_view *chunk,
                                       warc_error *error);

/**
 * Copies the next piece of the block. Like warc_reader_chunk, for callers with their own
 * buffer.
 * @param got  1 .. len bytes; less than len only at the block's end; 0 with WARC_END.
 *             With WARC_PAUSED 0 .. len - 1 bytes, which are in the buffer: continue
 *             after them
 */
WARC_API warc_status warc_reader_read(warc_reader *reader, char *buffer, size_t len,
                                      size_t *got, warc_error *error);

/**
 * Reads to the end of the current record, block and terminator. Then its length, its
 * digest and all its diagnostics are known. The record remains valid. Unnecessary before
 * warc_reader_next, which does the same.
 * @return WARC_OK, also if there is no record; WARC_PAUSED and errors as in
 *         warc_reader_next
 */
WARC_API warc_status warc_reader_finish(warc_reader *reader, warc_error *error);

/**
 * Makes `position` the place of the next record. Then warc_reader_next returns that
 * record, and after it the same ones as in an uninterrupted read. Also works within a
 * gzip member or a zstd frame, by unpacking it again from its start: O(skip).
 * @param position  as returned by warc_record_position of any reader of the same bytes
 * @return WARC_OK; WARC_CANNOT_SEEK; WARC_BAD_CONTAINER; WARC_IO; WARC_NOMEM. A position
 *         beyond the end is not an error: warc_reader_next returns WARC_END. After
 *         WARC_PAUSED, a seek to the same position or warc_reader_next continues; a seek
 *         to another position restarts.
 */
WARC_API warc_status warc_reader_seek(warc_reader *reader, const warc_position *position,
                                      warc_error *error);

/** Returns the totals so far; borrowed for the reader's life, and changed by each call. A
 * seek does not reset them. */
WARC_API const warc_reader_stats *warc_reader_get_stats(const warc_reader *reader);

/** Returns the bytes of the file consumed so far, for progress. */
WARC_API uint64_t warc_reader_tell(const warc_reader *reader);

#ifdef __cplusplus
}
#endif

#endif
