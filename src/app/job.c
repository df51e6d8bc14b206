/*
 * The job of a run. --resume depends on the order of its writes:
 *
 *   1. bytes are appended to the .part files
 *   2. now and then the files are synced, then the state is replaced: "so far, this long"
 *   3. a file gets its final name only after a state says that its input is done
 *
 * A state never counts bytes that are missing, and a resumed job truncates bytes that a
 * state does not count. The last state stays next to the output. It contains the inputs
 * and options of the output, and how the run ended.
 *
 * Rows of a Parquet file wait for their row group, which ends with a batch. Waiting rows
 * are not in a file. So a state is saved only if no rows wait, and a resumed job
 * continues after the last complete row group. The end of a row group depends only on the
 * rows.
 *
 * Shards of signatures are sorted, so they can be written only after their input is done.
 * A complete file is written first, then the state, which moves from input to input. A
 * resumed job repeats the shard that was in progress.
 */
#include "app/job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/index_settings.h"
#include "app/manifest.h"
#include "app/output_path.h"
#include "base/clock.h"
#include "base/file_sink.h"
#include "base/io_status.h"
#include "dedup/seekable_file.h"
#include "parquet/parquet_file.h"
#include "settings/output_name.h"
#include "thresher/version.h"
#include "traffic/seen_state.h"
#include "write/record_field.h"
#include "write/sig_shard.h"

struct th_job {
    const th_settings *settings;
    const th_input_list *inputs;
    th_progress *progress;
    th_warning_fn warn;
    void *warn_context;
    const th_format *format;
    th_compression compression;
    bool is_stream; /* stdout, a device, a pipe: has no state */
    bool is_folder; /* one output for each input */
    char *state_path;
    char *manifest_path; /* NULL if not wanted */
    char **output_paths; /* one for each input; NULL: the output is one file, or shards */
    th_state state;
    th_state shard_state;          /* the saved state: as of the last complete shard */
    th_minhash_preset preset;      /* of the shards */
    th_sig_shard *shard;           /* NULL between two inputs */
    th_file_sink *pages;           /* NULL between two outputs */
    th_parquet_file *table;        /* on `pages`, where their format is one; else NULL */
    th_file_sink *sides[TH_SIDES]; /* NULL when not wanted */
    th_seen_state seen;            /* the index is the job's own */
    int64_t saved_ms;              /* when the state was saved last */
};

static bool ends_with(const char *text, const char *end)
{
    const size_t len = strlen(text);
    const size_t end_len = strlen(end);
    return len >= end_len && strcmp(text + len - end_len, end) == 0;
}

/* ---- names ---- */

/* Path of an input's output. */
static const char *output_path(const th_job *job, uint32_t input)
{
    return job->output_paths ? job->output_paths[input] : job->settings->output;
}

/* The table on the sink that was opened for `path`. */
static th_status open_table(th_job *job, const char *path, th_error *err)
{
    static const th_parquet_pair pairs[] = { { "thresher.schema", "thresher/1" },
                                             { "thresher.version", TH_VERSION } };
    th_parquet_field fields[TH_RECORD_FIELDS];
    const th_parquet_options options = {
        .fields = fields,
        .field_count = job->format->fields(&job->settings->page, fields),
        .codec = strcmp(job->settings->compress, "none") == 0 ? TH_PARQUET_UNPACKED
                                                              : TH_PARQUET_ZSTD,
        .row_group = job->settings->row_group,
        .created_by = "thresher version " TH_VERSION,
        .pairs = pairs,
        .pair_count = sizeof pairs / sizeof *pairs,
    };
    char *part = NULL;
    if (asprintf(&part, "%s" TH_PART_SUFFIX, path) < 0)
        return th_fail(err, TH_NOMEM, "out of memory for the output's name");
    const th_status status =
        th_parquet_open(&options, job->pages, part, &job->table, err);
    free(part);
    return status;
}

static th_status open_pages(th_job *job, uint32_t input, uint64_t start, th_error *err)
{
    const char *path = output_path(job, input);
    th_status status = th_file_sink_open(path, start, &job->pages, err);
    if (status == TH_OK && job->format->fields)
        status = open_table(job, path, err);
    return status;
}

static const char *const side_names[TH_SIDES] = { [TH_SIDE_REJECTS] = "rejects",
                                                  [TH_SIDE_EDGES] = "index.edges",
                                                  [TH_SIDE_ASIDE] = "set-aside" };

/* Returns the path of an output next to the pages, "" if it is not wanted. */
static const char *side_path(const th_job *job, int side)
{
    switch (side) {
    case TH_SIDE_REJECTS:
        return job->settings->rejects;
    case TH_SIDE_EDGES:
        return job->settings->index.edges;
    default:
        return job->settings->set_aside;
    }
}

/* Rejects a file with two uses. Shards have their own names. */
static th_status check_files(const th_job *job, th_file_uses *files, th_error *err)
{
    const uint32_t outputs = job->format->is_sharded ? 0
                             : job->is_folder        ? job->inputs->count
                                                     : 1;
    th_status status = TH_OK;
    for (uint32_t i = 0; i < outputs && status == TH_OK; i++)
        status = th_file_uses_output(files, "output", output_path(job, i), err);
    if (status == TH_OK && job->state_path)
        status = th_file_uses_output(files, "state", job->state_path, err);
    for (int i = 0; i < TH_SIDES && status == TH_OK; i++)
        status = th_file_uses_output(files, side_names[i], side_path(job, i), err);
    if (status == TH_OK && job->manifest_path)
        status = th_file_uses_output(files, "manifest", job->manifest_path, err);
    return status == TH_OK ? th_file_uses_check(files, err) : status;
}

/* ---- state ---- */

static th_status sync_output(th_job *job, th_error *err)
{
    th_status status = TH_OK;
    if (job->pages)
        status = th_file_sink_sync(job->pages, err);
    for (int i = 0; i < TH_SIDES && status == TH_OK; i++)
        if (job->sides[i])
            status = th_file_sink_sync(job->sides[i], err);
    return status;
}

/* What --resume will find at the end of each output. */
static th_status sum_output(const th_job *job, th_state *state, th_error *err)
{
    th_status status = TH_OK;
    state->pages_sum = 0;
    if (job->pages)
        status = th_file_sink_sum(job->pages, state->pages_len, &state->pages_sum, err);
    for (int i = 0; i < TH_SIDES && status == TH_OK; i++) {
        state->side_sum[i] = 0;
        if (job->sides[i])
            status = th_file_sink_sum(job->sides[i], state->side_len[i],
                                      &state->side_sum[i], err);
    }
    return status;
}

/* Index and sites are made durable first, and count when the state that names its mark
 * does. */
static th_status save_state(th_job *job, th_error *err)
{
    th_state *state = job->format->is_sharded ? &job->shard_state : &job->state;
    th_status status = TH_OK;
    if (th_seen_state_is_used(&job->seen))
        status = th_seen_state_prepare(&job->seen, &job->state.index_mark, err);
    if (status == TH_OK && !job->is_stream) {
        status = sync_output(job, err);
        if (status == TH_OK)
            status = sum_output(job, state, err);
        if (status == TH_OK)
            status = th_state_save(state, job->state_path, err);
    }
    if (status == TH_OK)
        th_seen_state_commit(&job->seen);
    job->saved_ms = th_now_ms();
    return status;
}

/*
 * Returns whether a packed output has no page yet. Decompressors require one or more
 * members.
 */
static bool is_bare(const th_job *job)
{
    return job->pages && !job->table && job->compression != TH_PLAIN &&
           th_file_sink_len(job->pages) == 0;
}

static bool is_seekable(const th_job *job)
{
    return strcmp(job->settings->compress, TH_COMPRESS_SEEKABLE) == 0;
}

/*
 * Returns whether a state can describe the current output: no row waits, and the part
 * that end_pages() writes after the last page is not missing.
 */
static bool is_savable(const th_job *job)
{
    const bool is_more = job->state.next.input < job->inputs->count;
    return job->table         ? th_parquet_is_settled(job->table) && is_more
           : is_seekable(job) ? is_more
                              : !is_bare(job) || is_more;
}

static bool is_save_due(const th_job *job)
{
    return is_savable(job) &&
           th_now_ms() - job->saved_ms >= (int64_t)job->settings->checkpoint_ms;
}

/* A file whose input is done, but that an interruption kept from its final name. */
static th_status finish_leftover(const char *path, th_error *err)
{
    char *part = NULL;
    th_file_sink *sink = NULL;
    struct stat facts;
    if (asprintf(&part, "%s" TH_PART_SUFFIX, path) < 0)
        return th_fail(err, TH_NOMEM, "out of memory for the output's name");
    th_status status = TH_OK;
    if (stat(part, &facts) == 0) {
        status = th_file_sink_open(path, (uint64_t)facts.st_size, &sink, err);
        if (status == TH_OK)
            status = th_file_sink_finish(sink, err);
        th_file_sink_free(sink);
    }
    free(part);
    return status;
}

static th_status finish_leftovers(const th_job *job, th_error *err)
{
    th_status status = TH_OK;
    const uint32_t done = job->state.next.input;
    const uint32_t outputs = job->format->is_sharded ? 0 /* whole before the state */
                             : job->is_folder        ? done
                                                     : done == job->inputs->count;
    for (uint32_t i = 0; i < outputs && status == TH_OK; i++) {
        status = finish_leftover(output_path(job, i), err);
    }
    for (int i = 0; i < TH_SIDES && status == TH_OK && done == job->inputs->count; i++)
        if (*side_path(job, i))
            status = finish_leftover(side_path(job, i), err);
    return status;
}

/*
 * Returns the size of an output that should be complete. False if the file does not
 * exist.
 */
static bool find_output_of(const th_job *job, uint32_t input, uint64_t *len)
{
    struct stat facts;
    *len = 0;
    if (job->format->is_sharded) {
        const th_sig_shard_options options = { .folder = job->settings->output,
                                               .preset = &job->preset,
                                               .rank = job->settings->rank + input };
        return th_sig_shard_find(&options, len);
    }
    const bool is_there =
        stat(output_path(job, input), &facts) == 0 && S_ISREG(facts.st_mode);
    if (is_there)
        *len = (uint64_t)facts.st_size;
    return is_there;
}

/* An output exists, but no state describes it. */
static th_status refuse_unknown(const th_job *job, th_error *err)
{
    const uint32_t outputs = job->is_folder ? job->inputs->count : 1;
    for (uint32_t i = 0; i < outputs; i++) {
        uint64_t len = 0;
        if (find_output_of(job, i, &len))
            return th_fail(err, TH_USAGE,
                           "resume: '%.200s' exists, but its state file '%.200s' is "
                           "missing. To overwrite the output, omit --resume",
                           job->settings->output, job->state_path);
    }
    return TH_OK;
}

static bool has_length(const char *path, uint64_t len)
{
    struct stat facts;
    return !*path || th_file_sink_is_stream(path) ||
           (stat(path, &facts) == 0 && (uint64_t)facts.st_size == len);
}

/* Outputs that the state calls done must exist with the length that they had. */
static th_status check_outputs(const th_job *job, th_error *err)
{
    const th_state *state = &job->state;
    const bool is_done = state->next.input == job->inputs->count;
    const uint32_t outputs = job->is_folder ? state->next.input : is_done;
    const uint64_t want = job->is_folder ? state->done_len : state->pages_len;
    uint64_t sum = 0, len = 0;
    bool is_whole = true;
    for (uint32_t i = 0; i < outputs; i++) {
        is_whole &= find_output_of(job, i, &len);
        sum += len;
    }
    if (outputs)
        is_whole &= sum == want;
    for (int i = 0; i < TH_SIDES && is_done; i++)
        is_whole &= has_length(side_path(job, i), state->side_len[i]);
    return is_whole ? TH_OK
                    : th_fail(err, TH_USAGE,
                              "resume: '%.200s' was moved, truncated or changed after "
                              "the run. To overwrite the output, omit --resume",
                              job->settings->output);
}

/* Rejects inputs that cannot be checked again, because they cannot be compared. */
static th_status check_inputs(const th_job *job, th_error *err)
{
    for (uint32_t i = 0; i < job->inputs->count; i++) {
        struct stat facts;
        const char *path = job->inputs->paths[i];
        const bool is_stdin = strcmp(path, "-") == 0;
        if (is_stdin || (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode)))
            return th_fail(err, TH_USAGE,
                           "resume: input '%.200s' is a stream and cannot be read again",
                           path);
    }
    return TH_OK;
}

/* TH_END when the job is done already. */
static th_status load_state(th_job *job, th_error *err)
{
    const th_job_identity now = job->state.job;
    bool found = false;
    th_status status = check_inputs(job, err);
    if (status == TH_OK)
        status = th_state_load(&job->state, job->state_path, &found, err);
    if (status != TH_OK)
        return status;
    if (!found) {
        job->state = (th_state){ .job = now };
        return refuse_unknown(job, err);
    }
    status = th_job_identity_compare(&job->state.job, &now, job->state_path, err);
    if (status == TH_OK && job->state.next.input > job->inputs->count)
        status = th_fail(err, TH_USAGE, "'%s' is not a state file of this run",
                         job->state_path);
    if (status == TH_OK)
        status = finish_leftovers(job, err);
    if (status == TH_OK)
        status = th_file_forget_part(job->state_path, err);
    if (status == TH_OK)
        status = check_outputs(job, err);
    return status == TH_OK && job->state.next.input == job->inputs->count ? TH_END
                                                                          : status;
}

/* ---- manifest ---- */

/* Lists the files of records, `each` of them for each input. The caller frees the names
 * of shards. */
static bool list_outputs(const th_job *job, const char **outputs, uint32_t count,
                         uint32_t each)
{
    for (uint32_t i = 0; i < count; i++) {
        const th_sig_shard_options shard = { .folder = job->settings->output,
                                             .preset = &job->preset,
                                             .rank = job->settings->rank + i / each };
        outputs[i] = job->format->is_sharded ? th_sig_shard_path(&shard, i % each)
                                             : output_path(job, i);
        if (!outputs[i])
            return false;
    }
    return true;
}

/* Describes the finished outputs. */
static th_status write_manifest(const th_job *job, th_error *err)
{
    const uint32_t each = job->format->is_sharded ? job->preset.bands : 1;
    const uint32_t count = job->is_folder ? job->inputs->count * each : 1;
    if (!job->manifest_path)
        return TH_OK;
    const char **outputs = calloc((size_t)count + TH_SIDES, sizeof *outputs);
    if (!outputs)
        return th_fail(err, TH_NOMEM, "out of memory for the manifest");
    const bool is_listed = list_outputs(job, outputs, count, each);
    for (uint32_t i = 0; i < TH_SIDES; i++)
        outputs[count + i] = side_path(job, (int)i);
    const th_manifest manifest = { .settings = job->settings,
                                   .inputs = job->inputs,
                                   .state = &job->state,
                                   .outputs = outputs,
                                   .output_count = count + TH_SIDES,
                                   .record_files = count,
                                   .bar = job->progress ? &job->progress->bar : NULL };
    const th_status status =
        is_listed ? th_manifest_write(&manifest, job->manifest_path, err)
                  : th_fail(err, TH_NOMEM, "out of memory for the manifest");
    if (job->progress)
        th_progress_clear(job->progress);
    for (uint32_t i = 0; i < count && job->format->is_sharded; i++)
        free((char *)outputs[i]);
    free(outputs);
    return status;
}

/* A manifest describes the files next to it: removes the one of an earlier run. */
static th_status forget_manifest(const th_job *job, th_error *err)
{
    if (!job->manifest_path || unlink(job->manifest_path) == 0 || errno == ENOENT)
        return TH_OK;
    return th_fail(err, TH_IO, "cannot remove '%s': %s", job->manifest_path,
                   strerror(errno));
}

/* ---- opening ---- */

static th_status check_format(th_job *job, th_error *err)
{
    const th_format_use use = {
        .page = &job->settings->page,
        .compression = job->compression,
        .is_folder = job->is_folder,
        .rank = job->settings->rank,
        .input_count = job->inputs->count,
    };
    if (is_seekable(job) && job->format->is_compressing)
        return th_fail(err, TH_USAGE,
                       "compress: " TH_COMPRESS_SEEKABLE " is for lines, not format %s",
                       job->format->name);
    const th_status status = job->format->check ? job->format->check(&use, err) : TH_OK;
    if (status == TH_OK && job->format->is_sharded)
        return th_minhash_parse(job->settings->page.minhash, &job->preset, err);
    return status;
}

static th_status find_output(th_job *job, th_error *err)
{
    const char *output = job->settings->output;
    struct stat facts;
    job->is_folder = ends_with(output, "/");
    job->is_stream = !job->is_folder && th_file_sink_is_stream(output);
    const th_status status = check_format(job, err);
    if (status != TH_OK)
        return status;
    if (!job->is_folder && stat(output, &facts) == 0 && S_ISDIR(facts.st_mode))
        return th_fail(err, TH_USAGE,
                       "'%s' is a folder; for one file per input, write '%s/'", output,
                       output);
    if (job->is_stream)
        return job->settings->resume
                   ? th_fail(err, TH_USAGE,
                             "resume: '%s' is a stream and cannot be continued", output)
                   : TH_OK;
    if (job->is_folder && mkdir(output, 0777) != 0 && errno != EEXIST)
        return th_fail(err, TH_IO, "cannot create folder '%s': %s", output,
                       strerror(errno));
    if (asprintf(&job->state_path, "%s%s", output,
                 job->is_folder ? TH_FOLDER_STATE : ".state") < 0) {
        job->state_path = NULL;
        return th_fail(err, TH_NOMEM, "out of memory for the state's name");
    }
    if (job->settings->manifest &&
        !(job->manifest_path = th_manifest_path(job->settings)))
        return th_fail(err, TH_NOMEM, "out of memory for the manifest's name");
    const th_output_names names = { output, job->format, job->compression };
    return job->is_folder && !job->format->is_sharded
               ? th_output_paths_make(&names, job->inputs, &job->output_paths, err)
               : TH_OK;
}

/*
 * Opens the index at the position of this job. A new job notes the index's position, so
 * it can be resumed from its first batch with the same answers.
 */
static th_status open_index(th_job *job, th_error *err)
{
    th_status status = th_settings_open_index(job->settings, job->warn, job->warn_context,
                                              &job->seen.index, err);
    if (status != TH_OK || !th_seen_state_is_used(&job->seen))
        return status;
    if (job->state.index_mark)
        return th_seen_state_rewind(&job->seen, job->state.index_mark, err);
    status =
        job->seen.sites ? th_site_memory_rewind(job->seen.sites, 0, NULL, err) : TH_OK;
    return status == TH_OK ? save_state(job, err) : status;
}

/*
 * Settles a job that was killed after all was written, but before the memory of sites was
 * updated. Its mark counts. The index uses the newest mark automatically. TH_END, as in
 * th_job_open.
 */
static th_status settle_done(th_job *job, th_error *err)
{
    th_site_memory *sites = job->seen.sites;
    const uint64_t mark = job->state.index_mark;
    if (!sites || !mark || th_site_memory_mark(sites) != mark)
        return TH_END;
    const th_status status = th_site_memory_rewind(sites, mark, NULL, err);
    return status == TH_OK ? TH_END : status;
}

/* Checks that files to append to end as the state says. */
static th_status check_sums(const th_job *job, const th_state *then, th_error *err)
{
    th_state now = *then;
    const th_status status = sum_output(job, &now, err);
    if (status != TH_OK)
        return status;
    bool is_same = !job->pages || now.pages_sum == then->pages_sum;
    for (int i = 0; i < TH_SIDES; i++)
        is_same &= !job->sides[i] || now.side_sum[i] == then->side_sum[i];
    if (is_same)
        return TH_OK;
    return th_fail(err, TH_USAGE,
                   "resume: the unfinished output of '%.200s' was changed after the run "
                   "(its last bytes differ). To overwrite the output, omit --resume",
                   job->settings->output);
}

static th_status prepare(th_job *job, th_file_uses *files, th_error *err)
{
    job->format = th_format_find(job->settings->format);
    th_status status =
        th_output_compression(job->settings->output, job->settings->compress, job->format,
                              &job->compression, err);
    if (status == TH_OK)
        status = find_output(job, err);
    if (status == TH_OK)
        status = check_files(job, files, err);
    if (status == TH_OK)
        status = th_output_is_plain("rejects", job->settings->rejects, err);
    if (status == TH_OK)
        status = th_output_is_plain("index.edges", job->settings->index.edges, err);
    if (status == TH_OK)
        status = th_output_warc("set-aside", job->settings->set_aside,
                                &(th_compression){ TH_PLAIN }, err);
    if (status == TH_OK &&
        th_job_identify(job->settings, job->inputs, &job->state.job) != TH_OK)
        status = th_fail(err, TH_NOMEM, "out of memory for the digest of the options");
    if (status == TH_OK && job->settings->resume)
        status = load_state(job, err);
    if (status == TH_END)
        status = settle_done(job, err);
    if (status == TH_END && job->manifest_path && access(job->manifest_path, F_OK) != 0) {
        /* the job was killed after its last state */
        status = write_manifest(job, err);
        return status == TH_OK ? TH_END : status;
    }
    if (status == TH_END)
        return status;
    if (status == TH_OK)
        status = forget_manifest(job, err);
    /* From here on the state file describes this job and not an earlier one. */
    if (status == TH_OK && !job->is_stream)
        status = th_state_save(&job->state, job->state_path, err);
    job->shard_state = job->state;
    const th_state then = job->state;
    for (int i = 0; i < TH_SIDES && status == TH_OK; i++)
        if (*side_path(job, i))
            status = th_file_sink_open(side_path(job, i), job->state.side_len[i],
                                       &job->sides[i], err);
    if (status == TH_OK)
        status = open_index(job, err);
    if (status == TH_OK && job->state.pages_len)
        status = open_pages(job, job->state.next.input, job->state.pages_len, err);
    return status == TH_OK ? check_sums(job, &then, err) : status;
}

th_status th_job_open(const th_job_options *options, th_job **out, th_error *err)
{
    th_job *job = calloc(1, sizeof *job);
    if (!job)
        return th_fail(err, TH_NOMEM, "cannot allocate a job");
    job->settings = options->settings;
    job->inputs = options->inputs;
    job->seen.sites = options->sites;
    job->progress = options->progress;
    job->warn = options->warn;
    job->warn_context = options->warn_context;
    job->saved_ms = th_now_ms();
    const th_status status = prepare(job, options->files, err);
    if (status == TH_OK || status == TH_END)
        *out = job;
    else
        th_job_free(job);
    return status;
}

void th_job_free(th_job *job)
{
    if (!job)
        return;
    th_sig_shard_free(job->shard);
    th_parquet_free(job->table);
    th_file_sink_free(job->pages);
    for (int i = 0; i < TH_SIDES; i++)
        th_file_sink_free(job->sides[i]);
    th_index_close(job->seen.index);
    if (job->output_paths)
        th_output_paths_free(job->output_paths, job->inputs->count);
    free(job->state_path);
    free(job->manifest_path);
    free(job);
}

const th_format *th_job_format(const th_job *job, th_compression *compression)
{
    *compression = job->compression;
    return job->format;
}

bool th_job_is_resumable(const th_job *job)
{
    return !job->is_stream;
}

th_index *th_job_index(const th_job *job)
{
    return job->seen.index;
}

const th_state *th_job_state(const th_job *job)
{
    return &job->state;
}

/* ---- committing ---- */

/* Opens the output that a batch belongs to, and writes the start of the file. */
static th_status begin_output(th_job *job, uint32_t input, th_error *err)
{
    th_status status = open_pages(job, input, 0, err);
    if (status != TH_OK || !job->format->start)
        return status;
    const th_format_options options = { .page = &job->settings->page,
                                        .compression = job->compression,
                                        .software = TH_SOFTWARE };
    const char *path = job->inputs->paths[input];
    const bool is_single = job->is_folder || job->inputs->count == 1;
    th_buffer head = { 0 };
    status = job->format->start(
        &options, is_single ? (th_view){ path, strlen(path) } : (th_view){ NULL, 0 },
        &head);
    if (status == TH_OK)
        status = th_file_sink_write(job->pages, th_buffer_view(&head), err);
    th_buffer_done(&head);
    return status;
}

static th_status write_empty_member(th_job *job, th_error *err)
{
    th_buffer packed = { 0 };
    const th_status status =
        th_compress(job->compression, TH_VIEW(""), &packed) == TH_OK
            ? th_file_sink_write(job->pages, th_buffer_view(&packed), err)
            : th_fail(err, TH_NOMEM, "out of memory to compress the output");
    th_buffer_done(&packed);
    return status;
}

static th_status end_table(th_job *job, th_error *err)
{
    const th_status status = th_parquet_finish(job->table, err);
    th_parquet_free(job->table);
    job->table = NULL;
    return status;
}

static th_status write_piece(void *context, th_view bytes, th_error *err)
{
    const th_job *job = context;
    return th_file_sink_write(job->pages, bytes, err);
}

/* Appends the index and the seek table, which are made from the bytes of the file. If the
 * job is killed here, they are cut off and made again. */
static th_status write_seek_table(th_job *job, th_error *err)
{
    char *part = NULL;
    const uint32_t input = job->state.next.input;
    /* A file of one input is finished after the input. */
    const uint32_t number = job->is_folder && input ? input - 1 : 0;
    if (asprintf(&part, "%s" TH_PART_SUFFIX, output_path(job, number)) < 0)
        return th_fail(err, TH_NOMEM, "out of memory for the output's name");
    const th_status status =
        th_seekable_end(part, th_file_sink_len(job->pages), "", write_piece, job, err);
    free(part);
    return status;
}

/* No page comes any more: a table gets its footer, a packed file without pages a member. */
static th_status end_pages(th_job *job, th_error *err)
{
    th_status status = TH_OK;
    if (job->table)
        status = end_table(job, err);
    else if (is_bare(job))
        status = write_empty_member(job, err);
    if (status == TH_OK && job->pages && is_seekable(job))
        status = write_seek_table(job, err);
    if (job->pages)
        job->state.pages_len = th_file_sink_len(job->pages);
    return status;
}

/* The input is done: the state is saved first, then its file gets its final name. */
static th_status end_output(th_job *job, th_error *err)
{
    th_status status = end_pages(job, err);
    if (status != TH_OK)
        return status;
    job->state.done_len += job->state.pages_len;
    job->state.pages_len = 0;
    status = save_state(job, err);
    if (status == TH_OK)
        status = th_file_sink_finish(job->pages, err);
    th_file_sink_free(job->pages);
    job->pages = NULL;
    return status;
}

static th_status write_pages(th_job *job, const th_work_result *result, th_error *err)
{
    th_status status = TH_OK;
    if (!job->pages)
        status = begin_output(job, result->batch->input, err);
    if (status == TH_OK && result->pages.len)
        status = job->table ? th_parquet_add(job->table, result->pages, err)
                            : th_file_sink_write(job->pages, result->pages, err);
    if (status == TH_OK && job->table && !result->is_part)
        status = th_parquet_settle(job->table, err);
    return status;
}

static th_status add_to_shard(th_job *job, const th_work_result *result, th_error *err)
{
    const th_sig_shard_options options = {
        .folder = job->settings->output,
        .preset = &job->preset,
        .rank = job->settings->rank + result->batch->input,
    };
    th_status status = TH_OK;
    if (!job->shard)
        status = th_sig_shard_open(&options, &job->shard, err);
    if (status == TH_OK)
        status = th_sig_shard_add(job->shard, result->pages, err);
    return status;
}

/* The input is done: its files are finished, then the state is saved. */
static th_status end_shard(th_job *job, th_error *err)
{
    uint64_t len = 0;
    th_status status = th_sig_shard_finish(job->shard, err);
    th_sig_shard_free(job->shard);
    job->shard = NULL;
    if (status == TH_OK && !find_output_of(job, job->state.next.input - 1, &len))
        status = th_fail(err, th_io_status(errno), "cannot read the output in '%s': %s",
                         job->settings->output, strerror(errno));
    job->state.done_len += len;
    job->shard_state = job->state;
    return status == TH_OK ? save_state(job, err) : status;
}

th_status th_job_commit(void *context, const th_work_result *result, th_error *err)
{
    th_job *job = context;
    th_status status = job->format->is_sharded ? add_to_shard(job, result, err)
                                               : write_pages(job, result, err);
    const th_view sides[TH_SIDES] = { [TH_SIDE_REJECTS] = result->rejects,
                                      [TH_SIDE_EDGES] = result->edges,
                                      [TH_SIDE_ASIDE] = result->aside };
    for (int i = 0; i < TH_SIDES && status == TH_OK; i++)
        if (job->sides[i] && sides[i].len)
            status = th_file_sink_write(job->sides[i], sides[i], err);
    if (status != TH_OK)
        return status;
    th_counts_add(&job->state.counts, &result->counts);
    if (result->is_part)
        return TH_OK; /* a state describes whole batches only */
    job->state.next = result->batch->next;
    job->state.source = result->batch->counts;
    job->state.pages_len = job->pages ? th_file_sink_len(job->pages) : 0;
    for (int i = 0; i < TH_SIDES; i++)
        job->state.side_len[i] = job->sides[i] ? th_file_sink_len(job->sides[i]) : 0;
    if (job->format->is_sharded && result->batch->is_last)
        status = end_shard(job, err);
    else if (job->is_folder && result->batch->is_last)
        status = end_output(job, err);
    else if ((!job->is_stream || th_seen_state_is_used(&job->seen)) &&
             !job->format->is_sharded && is_save_due(job))
        status = save_state(job, err);
    th_progress_update(job->progress, &job->state.source, &job->state.counts);
    return status;
}

th_status th_job_suspend(th_job *job, th_error *err)
{
    return is_savable(job) ? save_state(job, err) : TH_OK;
}

th_status th_job_finish(th_job *job, th_error *err)
{
    th_status status = TH_OK;
    /* Inputs without any batch still make an output: an empty one. */
    if (!job->pages && !job->is_folder)
        status = begin_output(job, 0, err);
    if (status == TH_OK)
        status = end_pages(job, err);
    if (status == TH_OK)
        status = save_state(job, err);
    if (status == TH_OK && job->pages)
        status = th_file_sink_finish(job->pages, err);
    for (int i = 0; i < TH_SIDES && status == TH_OK; i++)
        if (job->sides[i])
            status = th_file_sink_finish(job->sides[i], err);
    return status == TH_OK ? write_manifest(job, err) : status;
}
