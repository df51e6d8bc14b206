/*
 * Runs a first pass over inputs. Workers parse and hash, and the heaps collect the
 * results.
 */
#include "app/site_build.h"

#include <string.h>

#include "base/stop.h"
#include "site/page_paragraphs.h"
#include "site/site_gather.h"
#include "thresher/segmenter.h"
#include "traffic/runner.h"

th_site_limits th_site_limits_of(const th_settings *settings)
{
    return (th_site_limits){ .pages = settings->sites.pages,
                             .hashes = settings->sites.hashes,
                             .min = settings->sites.min };
}

static th_site_grouping grouping_of(const th_settings *settings)
{
    return strcmp(settings->sites.by, th_site_groupings[TH_SITE_HOST]) == 0
               ? TH_SITE_HOST
               : TH_SITE_DOMAIN;
}

/* ---- a page as its entry ---- */

static th_status append_entry(const th_annotated *annotated, th_site_grouping grouping,
                              th_buffer *out)
{
    th_status status = th_page_paragraphs_hash(annotated->page);
    if (status == TH_OK)
        status = th_site_entry_append(annotated->page, annotated->record->url, 0,
                                      grouping, out);
    return status == TH_NOMEM ? TH_NOMEM : TH_OK; /* no site: nothing to count */
}

static th_status hash_segments(const th_format_options *opt, th_page *page)
{
    th_options placed = *opt->page;
    placed.reads |= TH_READS_POSITIONS;
    const th_status status = th_segment_page(page, &placed);
    return status == TH_OK ? th_page_segments_hash(page) : status;
}

static th_status domain_entry(const th_format_options *opt, const th_annotated *annotated,
                              th_buffer *out)
{
    (void)opt;
    return append_entry(annotated, TH_SITE_DOMAIN, out);
}

static th_status host_entry(const th_format_options *opt, const th_annotated *annotated,
                            th_buffer *out)
{
    (void)opt;
    return append_entry(annotated, TH_SITE_HOST, out);
}

static th_status domain_segments(const th_format_options *opt,
                                 const th_annotated *annotated, th_buffer *out)
{
    const th_status status = hash_segments(opt, annotated->page);
    return status == TH_OK ? append_entry(annotated, TH_SITE_DOMAIN, out) : status;
}

static th_status host_segments(const th_format_options *opt,
                               const th_annotated *annotated, th_buffer *out)
{
    const th_status status = hash_segments(opt, annotated->page);
    return status == TH_OK ? append_entry(annotated, TH_SITE_HOST, out) : status;
}

#define ENTRIES(function)                                                                \
    {                                                                                    \
        .name = "entries", .is_compressing = true, .tries_first = true, .page = function \
    }
static const th_format entries[2][2] = {
    [TH_SITE_DOMAIN] = { ENTRIES(domain_entry), ENTRIES(domain_segments) },
    [TH_SITE_HOST] = { ENTRIES(host_entry), ENTRIES(host_segments) },
};

/* ---- gathering ---- */

struct pass {
    th_site_build *build;
    th_site_gather *gather;
};

static th_status take(void *context, const th_work_result *result, th_error *err)
{
    const struct pass *pass = context;
    th_site_build *build = pass->build;
    const th_status status = th_site_gather_add(pass->gather, result->pages, err);
    th_counts_add(&build->counts, &result->counts);
    if (!result->is_part) {
        build->source = result->batch->counts;
        th_progress_update(build->progress, &build->source, &build->counts);
    }
    return status;
}

static th_status read_inputs(struct pass *pass, th_error *err)
{
    th_site_build *build = pass->build;
    const th_settings *settings = build->settings;
    const th_file_source_options options = {
        .inputs = build->inputs->paths,
        .input_count = build->inputs->count,
        .max_record = settings->page.max_record,
        .verify_digests = settings->verify_digests,
        .rendered = settings->rendered,
        .warn = build->warn,
        .warn_context = build->warn_context,
        .stop = &th_stop_requested,
        .remote = build->inputs->remote,
    };
    const th_run_options run = {
        .work = { .page = &settings->page,
                  .format = &entries[grouping_of(settings)][settings->sites.segments],
                  .format_options = { .page = &settings->page },
                  .parses_only = true,
                  .max_in_flight = settings->max_in_flight },
        .workers = th_settings_workers(settings),
    };
    th_source *source = NULL;
    th_status status = th_file_source_open(&options, &source, err);
    if (status == TH_OK)
        status = th_run(source, &run, take, pass, &th_stop_requested, err);
    if (source)
        source->close(source);
    return status;
}

static th_status write_file(const struct pass *pass, th_error *err)
{
    const th_site_build *build = pass->build;
    th_site_writer *writer = NULL;
    th_status status = th_site_writer_open(build->path, grouping_of(build->settings),
                                           build->settings->sites.segments, &writer, err);
    if (status == TH_OK)
        status = th_site_gather_write(pass->gather, writer, err);
    if (status == TH_OK)
        status = th_site_writer_finish(writer, err);
    th_site_writer_free(writer);
    return status;
}

th_status th_site_build_run(th_site_build *build, th_error *err)
{
    const th_site_gather_options options = { .limits = th_site_limits_of(build->settings),
                                             .memory = build->settings->sites.memory,
                                             .temp = build->settings->sites.temp };
    struct pass pass = { .build = build, .gather = th_site_gather_new(&options) };
    if (!pass.gather)
        return th_fail(err, TH_NOMEM, "out of memory");
    th_status status = read_inputs(&pass, err);
    if (status == TH_OK)
        status = write_file(&pass, err);
    th_site_gather_free(pass.gather);
    return status;
}
