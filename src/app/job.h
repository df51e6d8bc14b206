/*
 * One `thresher run`: its outputs, and its progress.
 *
 * Output is one file or stream, or one file for each input. With files, the job's state
 * is saved from time to time. A job that was interrupted at any moment continues from
 * there. The files are identical to the files of an uninterrupted job.
 */
#ifndef TH_JOB_H
#define TH_JOB_H

#include "app/progress.h"
#include "app/same_file.h"
#include "app/state.h"
#include "base/warning.h"
#include "ingest/input_list.h"
#include "settings/settings.h"
#include "site/site_memory.h"
#include "write/format.h"

typedef struct th_job th_job;

/** The parameters of a job. All are borrowed while it lives. */
typedef struct th_job_options {
    const th_settings *settings;
    const th_input_list *inputs;
    th_file_uses *files; /* the inputs of the run; its outputs are added and checked */
    th_progress *progress;
    th_site_memory *sites; /* that grows with the pages; NULL if not used */
    th_warning_fn warn;    /* told of damage in the index */
    void *warn_context;
} th_job_options;

/**
 * Prepares a job. With settings->resume, continues from the state of an interrupted job.
 * @return TH_OK; TH_END if no work is left (resume of a finished job, whose state
 *         contains how it ended); TH_USAGE, also if the output belongs to another job or
 *         was changed; TH_IO, TH_NOMEM. A job is returned with TH_OK and TH_END
 */
th_status th_job_open(const th_job_options *options, th_job **out, th_error *err);

/** Whether the job has a state from which it can continue. False for streams. */
bool th_job_is_resumable(const th_job *job);

/**
 * Returns the index of near-duplicates, at the mark where the job continues. NULL if not
 * used.
 */
th_index *th_job_index(const th_job *job);

/** How the output is written: format and compression. */
const th_format *th_job_format(const th_job *job, th_compression *compression);

/** Returns the start of the source, and the counts so far. */
const th_state *th_job_state(const th_job *job);

/** A th_commit. Writes a result to its output. `context` is the job. */
th_status th_job_commit(void *context, const th_work_result *result, th_error *err);

/**
 * Gives the files their final names after all is committed. Keeps the state, which
 * describes how the output was made.
 */
th_status th_job_finish(th_job *job, th_error *err);

/** Saves the state of a job that stops early. Nothing for a stream. */
th_status th_job_suspend(th_job *job, th_error *err);

/** Frees; unfinished files keep their temporary names. NULL is legal. */
void th_job_free(th_job *job);

#endif
