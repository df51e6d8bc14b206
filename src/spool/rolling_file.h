/*
 * One stream of files that are complete when they appear:
 * DIR/PREFIX-YYYYMMDDhhmmss-NNNNN.SUFFIX, written as NAME.part. Written bytes come into
 * force in two steps: _sync makes them durable, and _keep makes them count. _cut takes
 * back all bytes that do not count.
 *
 * No file is ever replaced. If the name of a file is taken when it is published, the file
 * gets the next free name.
 *
 * A call that may return TH_IO may also return TH_NOMEM: the system had no memory for it.
 */
#ifndef TH_ROLLING_FILE_H
#define TH_ROLLING_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "thresher/status.h"

/* Longest name of an output file with its NUL. */
enum { TH_ROLLING_NAME = 240 };

/** Called for a complete file, which has its final name. */
typedef void (*th_published_fn)(void *context, const char *name);

typedef struct th_rolling_options {
    const char *dir; /* all borrowed for the life of the stream */
    const char *prefix;
    const char *suffix;  /* with its dot: ".jsonl.gz" */
    uint64_t roll_bytes; /* a file with this many bytes is followed by another one */
    uint64_t roll_ms;    /* the same for its age; 0: never */
    /* Bytes at the start of each file; called when one is opened. May be NULL. */
    th_status (*start)(void *context, th_buffer *out);
    th_published_fn published; /* may be NULL */
    void *context;
} th_rolling_options;

typedef struct th_rolling_file th_rolling_file;

/** Opens a stream, no file yet; makes the folder where it lacks, and DIR/.PREFIX.lock.
 * TH_OK, TH_IO, TH_NOMEM, TH_USAGE (names would be too long, or another stream has this
 * prefix in this folder). */
th_status th_rolling_file_new(const th_rolling_options *options, th_rolling_file **out,
                              th_error *err);

/** Closes. Unpublished files keep their temporary names. NULL is legal. */
void th_rolling_file_free(th_rolling_file *stream);

/**
 * Appends bytes that belong together. If the current file is large enough, they start the
 * next one.
 * @return TH_OK; TH_NO_ROOM (the disk is full, or no descriptor is free: _cut, and try
 *         again later); TH_IO; TH_NOMEM
 */
th_status th_rolling_file_write(th_rolling_file *stream, th_view bytes, th_error *err);

/** Makes what was written durable, names too. TH_OK, TH_NO_ROOM as above, TH_IO. */
th_status th_rolling_file_sync(th_rolling_file *stream, th_error *err);

/** Takes back what was written since the last _keep. TH_OK or TH_IO. */
th_status th_rolling_file_cut(th_rolling_file *stream, th_error *err);

/** Makes synced bytes count, and publishes the files that are large enough or old enough.
 * Returns TH_OK, or TH_IO (the file keeps its temporary name; _recover publishes it). */
th_status th_rolling_file_keep(th_rolling_file *stream, th_error *err);

/** Publishes the current file if it is old enough and all its bytes count. Returns TH_OK
 * or TH_IO. */
th_status th_rolling_file_roll_by_age(th_rolling_file *stream, th_error *err);

/** Publishes the bytes of the current file that count. The next bytes start another file.
 * Returns TH_OK or TH_IO. */
th_status th_rolling_file_publish(th_rolling_file *stream, th_error *err);

/** Appends one line, `LENGTH NAME\n`, for each file that is not published, with the
 * length it has now. */
void th_rolling_file_note(const th_rolling_file *stream, th_buffer *out);

/** Losses that a recovery found. */
typedef struct th_rolling_losses {
    /* Both as NAME.part.damaged, or with a number after it if that name is taken. */
    uint64_t shorter; /* files shorter than the note says */
    uint64_t aside;   /* files or parts of files that were set aside in doubt */
} th_rolling_losses;

/**
 * Recovers the files of an earlier process, before the first write. Cuts each file in the
 * note to its length and publishes it. Removes parts of this stream that are not in the
 * note, because they never counted.
 * @param note         lines of th_rolling_file_note, of any stream into the same folder
 * @param is_doubtful  the note may be older than the last acknowledgement: bytes and
 * parts are set aside instead of being cut off or removed
 * @param losses       added to
 * @return TH_OK, TH_IO
 */
th_status th_rolling_file_recover(th_rolling_file *stream, th_view note, bool is_doubtful,
                                  th_rolling_losses *losses, th_error *err);

/** Bytes that count, and files that were published. */
uint64_t th_rolling_file_bytes(const th_rolling_file *stream);
uint64_t th_rolling_file_published(const th_rolling_file *stream);

#endif
