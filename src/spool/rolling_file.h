/*
 * One stream of files that appear whole: DIR/PREFIX-YYYYMMDDhhmmss-NNNNN.SUFFIX, written
 * as NAME.part. What is written comes into force in two steps: _sync makes it durable,
 * _keep says that it counts; _cut takes back all that does not.
 *
 * No file is ever replaced: where the name of a file that is to be published is taken, it
 * gets the next one that is free.
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

typedef struct th_rolling_options {
    const char *dir; /* all borrowed for the life of the stream */
    const char *prefix;
    const char *suffix;  /* with its dot: ".jsonl.gz" */
    uint64_t roll_bytes; /* a file that has so many is followed by another one */
    uint64_t roll_ms;    /* the same for its age; 0: never */
    /* Bytes at the start of each file; called when one is opened. May be NULL. */
    th_status (*start)(void *context, th_buffer *out);
    void *context;
} th_rolling_options;

typedef struct th_rolling_file th_rolling_file;

/** Opens a stream, no file yet; makes the folder where it lacks, and DIR/.PREFIX.lock.
 * TH_OK, TH_IO, TH_NOMEM, TH_USAGE (names would be too long, or another stream has this
 * prefix in this folder). */
th_status th_rolling_file_new(const th_rolling_options *options, th_rolling_file **out,
                              th_error *err);

/** Closes; what was not published keeps its temporary name. NULL is legal. */
void th_rolling_file_free(th_rolling_file *stream);

/**
 * Appends bytes that belong together; when the file under way is large enough they start
 * the next one.
 * @return TH_OK; TH_NO_ROOM (the disk is full, or no descriptor is free: _cut, and try
 *         again later); TH_IO; TH_NOMEM
 */
th_status th_rolling_file_write(th_rolling_file *stream, th_view bytes, th_error *err);

/** Makes what was written durable, names too. TH_OK, TH_NO_ROOM as above, TH_IO. */
th_status th_rolling_file_sync(th_rolling_file *stream, th_error *err);

/** Takes back what was written since the last _keep. TH_OK or TH_IO. */
th_status th_rolling_file_cut(th_rolling_file *stream, th_error *err);

/** What was synced counts: publishes the files that are large enough or old enough.
 * TH_OK, TH_IO (it stays under its temporary name; _recover publishes it). */
th_status th_rolling_file_keep(th_rolling_file *stream, th_error *err);

/** Publishes the file under way if it is old enough and nothing is written that does not
 * count. TH_OK, TH_IO. */
th_status th_rolling_file_roll_by_age(th_rolling_file *stream, th_error *err);

/** Publishes what counts of the file under way: the next bytes start another one. TH_OK,
 * TH_IO. */
th_status th_rolling_file_publish(th_rolling_file *stream, th_error *err);

/** Appends one line, `LENGTH NAME\n`, for each file that is not published, with the
 * length it has now. */
void th_rolling_file_note(const th_rolling_file *stream, th_buffer *out);

/** What a recovery found that ought not to be. */
typedef struct th_rolling_losses {
    /* Both as NAME.part.damaged, or with a number behind where that is taken. */
    uint64_t shorter; /* files shorter than the note says */
    uint64_t aside;   /* what was set aside in doubt */
} th_rolling_losses;

/**
 * Takes up what an earlier process left, before the first write. A file that the note
 * speaks of is cut to its length and published; parts of this stream that it does not
 * know never counted and are removed.
 * @param note         lines of th_rolling_file_note, of any stream into the same folder
 * @param is_doubtful  the note may be older than what was acknowledged last: what would
 *                     be cut off or removed is set aside
 * @param losses       added to
 * @return TH_OK, TH_IO
 */
th_status th_rolling_file_recover(th_rolling_file *stream, th_view note, bool is_doubtful,
                                  th_rolling_losses *losses, th_error *err);

/** Bytes that count, and files that were published. */
uint64_t th_rolling_file_bytes(const th_rolling_file *stream);
uint64_t th_rolling_file_published(const th_rolling_file *stream);

#endif
