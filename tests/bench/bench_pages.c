/* Common start and end of every bench. */
#include "bench_pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pipeline/pipeline.h"

static double read_clock(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

double bench_now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

double bench_cpu(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

void bench_die(const char *what)
{
    fprintf(stderr, "bench: %s\n", what);
    exit(2);
}

static char *copied(th_view bytes)
{
    char *copy = malloc(bytes.len + 1);
    if (!copy)
        bench_die("out of memory");
    if (bytes.len)
        memcpy(copy, bytes.data, bytes.len);
    copy[bytes.len] = '\0';
    return copy;
}

static void keep(bench_pages *pages, const th_annotated *annotated)
{
    if (pages->count == pages->capacity) {
        pages->capacity = pages->capacity ? pages->capacity * 2 : 1024;
        bench_page *more = realloc(pages->pages, pages->capacity * sizeof *pages->pages);
        if (!more)
            bench_die("out of memory");
        pages->pages = more;
    }
    const bench_page page = { .html = copied(annotated->html),
                              .len = annotated->html.len,
                              .url = copied(annotated->record->url),
                              .text = copied(annotated->page->text),
                              .text_len = annotated->page->text.len };
    pages->pages[pages->count++] = page;
    pages->bytes += page.len;
    pages->text_bytes += page.text_len;
}

th_source *bench_open(const th_options *opt, const char *const *paths, uint32_t count)
{
    th_source *source = NULL;
    const th_file_source_options options = { .inputs = paths,
                                             .input_count = count,
                                             .max_record = opt->max_record };
    if (th_file_source_open(&options, &source, NULL) != TH_OK)
        bench_die("out of memory");
    return source;
}

void bench_load(bench_pages *pages, const th_options *opt, const char *const *paths,
                uint32_t count)
{
    th_pipeline *pipeline = th_pipeline_new(opt);
    th_source *source = bench_open(opt, paths, count);
    th_batch batch = { .arena = th_arena_new(0) };
    while (source->read(source, &batch, NULL) == TH_OK) {
        for (uint32_t i = 0; i < batch.record_count; i++) {
            th_annotated annotated;
            if (th_pipeline_run(pipeline, &batch.records[i], &annotated) == TH_OK &&
                annotated.status == TH_OK)
                keep(pages, &annotated);
        }
        th_arena_reset(batch.arena);
    }
    th_arena_free(batch.arena);
    source->close(source);
    th_pipeline_free(pipeline);
    if (!pages->count)
        bench_die("no page in the archives");
}

void bench_unload(bench_pages *pages)
{
    for (size_t i = 0; i < pages->count; i++) {
        free(pages->pages[i].html);
        free(pages->pages[i].url);
        free(pages->pages[i].text);
    }
    free(pages->pages);
    *pages = (bench_pages){ 0 };
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(const double *values, int count)
{
    double sorted[BENCH_MAX_ROUNDS];
    memcpy(sorted, values, (size_t)count * sizeof *values);
    qsort(sorted, (size_t)count, sizeof *sorted, by_value);
    return sorted[count / 2];
}

double bench_median_ratio(const double *above, const double *below, int count)
{
    double ratios[BENCH_MAX_ROUNDS];
    for (int i = 0; i < count; i++)
        ratios[i] = above[i] / below[i];
    return bench_median(ratios, count);
}
