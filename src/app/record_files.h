/* Files of emitted records, read one after the other: the inputs of `dedup`, `graph`. */
#ifndef TH_RECORD_FILES_H
#define TH_RECORD_FILES_H

#include "app/progress.h"
#include "dedup/record_input.h"
#include "ingest/input_list.h"
#include "settings/settings.h"

typedef struct th_record_files {
    th_input_list inputs; /* begun with th_input_list_init */
    th_remote *remote;    /* owned */
    th_progress progress;
    const char *path;      /* of the current input */
    uint64_t bytes_before; /* of the inputs before it, as stored */
    uint64_t begun;        /* inputs */
    uint64_t damaged;      /* of these, inputs that could not be read completely */
} th_record_files;

/** A command's work on the records. */
typedef struct th_record_work {
    void *context;
    /** Reads the next record. As th_record_input_next or th_record_input_json. */
    th_status (*next)(void *context, th_record_input *input, th_record_fault *fault,
                      th_error *wrong);
    /**
     * Processes a record, or counts its error. A status that is not TH_OK ends the
     * reading.
     */
    th_status (*take)(void *context, const th_record_input *input, th_record_fault fault,
                      th_error *err);
} th_record_work;

/**
 * Adds the files of the arguments, also objects of stores. In folders, adds files named
 * .jsonl, .warc or .wet, packed or not, .parquet, and the first bucket of each shard of
 * minhash-sig.
 * @param settings  of the command: access to stores; borrowed while the files live
 * @param command   its name, for the message if there is no argument
 * @return TH_OK; TH_USAGE: no argument, or no file; else as th_input_list_add
 */
th_status th_record_files_list(th_record_files *files, const th_settings *settings,
                               const char *command, int count, char **arguments,
                               th_error *err);

/** Frees the list and closes stores. */
void th_record_files_done(th_record_files *files);

/**
 * Reads all inputs. If an input cannot be read completely, reports it on stderr, counts
 * it, and reads the next one.
 * @param use       the part of the records that `next` reads
 * @param max_line  bytes of a record; a longer one is an error
 * @return TH_OK; TH_INTERRUPTED: th_stop_requested; TH_NOMEM; or the status of `take`
 */
th_status th_record_files_read(th_record_files *files, th_record_use use, size_t max_line,
                               const th_record_work *work, th_error *err);

/* The step whose amounts are bytes of the inputs. */
#define TH_STEP_READING "reading"

/**
 * Updates the line of progress, at most five times a second.
 * @param step     name of the step; static
 * @param done     of the step; if the total is 0, the number of a round
 * @param total    0 if unknown
 * @param records  read so far
 */
void th_record_files_show(th_record_files *files, const char *step, uint64_t done,
                          uint64_t total, uint64_t records);

#endif
