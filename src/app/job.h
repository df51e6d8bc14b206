/*
 * One `thresher run`: where results go, and how far it has come.
 *
 * Output is one file or stream, or one file for each input. With files, the job's state
 * is saved from time to time; a job that was interrupted at any moment goes on from
 * there, and the files come out as if it had not been.
 */
#ifndef TH_JOB_H
#define TH_JOB_H

#include "app/progress.h"
#include "app/same_file.h"
#include "app/state.h"
#include "base/notice.h"
#include "ingest/input_list.h"
#include "settings/settings.h"
#include "site/site_memory.h"
#include "write/format.h"

typedef struct th_job th_job;

/** What a job is made of: all borrowed while it lives. */
typedef struct th_job_options {
    const th_settings *settings;
    const th_input_list *inputs;
    th_file_uses *files; /* what the run reads; what it will write is added and checked */
    th_progress *progress;
    th_site_memory *sites; /* that grows with the pages; NULL: none */
    th_notice notice;      /* told of damage in the index */
    void *notice_context;
} th_job_options;

/**
 * Prepares a job; with settings->resume, takes up the state of an interrupted one.
 * @return TH_OK; TH_END when there is nothing left to do (resume of a finished job, whose
 *         state tells how it ended); TH_USAGE, also where the output is another job's or
 *         is not as that job left it; TH_IO, TH_NOMEM. A job is handed out with TH_OK and
 *         TH_END
 */
th_status th_job_open(const th_job_options *options, th_job **out, th_error *err);

/** Whether the job has a state from which it can go on; not so for streams. */
bool th_job_is_resumable(const th_job *job);

/** The index of near-duplicates, at the mark where the job goes on; NULL: none. */
th_index *th_job_index(const th_job *job);

/** How the output is written: format and compression. */
const th_format *th_job_format(const th_job *job, th_compression *compression);

/** Where the source has to start, and what was counted before. */
const th_state *th_job_state(const th_job *job);

/** A th_commit: writes a result where it belongs. `context` is the job. */
th_status th_job_commit(void *context, const th_work_result *result, th_error *err);

/** All is committed: gives the files their final names. The state stays: it says
 * what the output was made of. */
th_status th_job_finish(th_job *job, th_error *err);

/** Saves the state of a job that stops early. Nothing for a stream. */
th_status th_job_suspend(th_job *job, th_error *err);

/** Frees; unfinished files keep their temporary names. NULL is legal. */
void th_job_free(th_job *job);

#endif
