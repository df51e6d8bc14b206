/*
 * bench_segmenters [--rounds N] [--all] [ARCHIVE...]
 *
 * Time and scratch memory of a page for each segmenter (with --all also the baselines). It
 * prints median, 99th percentile and worst over the pages of the archives, and then each
 * hostile page, which has the maximum of blocks, elements or nesting. The minimum of N
 * rounds counts for a page, in CPU time of the
 * thread.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "bench_pages.h"
#include "hostile_pages.h"
#include "lab/segment/lab_segmenters.h"
#include "thresher/parse.h"
#include "thresher/segmenter.h"

struct figure {
    double seconds;
    size_t scratch; /* bytes held when it was at its most */
};

struct bench {
    th_options opt;
    th_parser *parser;
    int rounds;
};

/* ---- measuring ---- */

static th_page *parse(const struct bench *bench, th_view html, th_arena *arena)
{
    const th_document document = { .bytes = html, .charset = TH_VIEW("utf-8") };
    th_page *page = NULL;
    th_arena_reset(arena);
    if (th_parse_html(bench->parser, &document, arena, &page, NULL, NULL) != TH_OK)
        bench_die("a page cannot be parsed");
    return page;
}

/* The least limit of an arena in which the page can be segmented, to 16 KiB. */
static size_t least_scratch(const th_segmenter *method, const th_page *page,
                            const th_options *opt)
{
    uint32_t *segment_of = calloc(page->block_count + 1u, sizeof *segment_of);
    size_t low = 0, high = (size_t)1 << 30;
    if (!segment_of)
        bench_die("out of memory");
    while (high - low > 16384) {
        const size_t middle = low + (high - low) / 2;
        th_arena *arena = th_arena_new(middle);
        const bool fits = arena && method->segment(page, opt, arena, segment_of) == TH_OK;
        low = fits ? low : middle;
        high = fits ? middle : high;
        th_arena_free(arena);
    }
    free(segment_of);
    return high;
}

static struct figure measure(const struct bench *bench, const th_segmenter *method,
                             th_page *page, th_arena *arena)
{
    th_options opt = bench->opt;
    opt.segmenters = th_lab_segmenters;
    opt.segmenter = method->name;
    struct figure figure = { 1e9, least_scratch(method, page, &opt) };
    for (int round = 0; round < bench->rounds; round++) {
        const th_arena_mark mark = th_arena_get_mark(arena);
        const double start = bench_cpu();
        if (th_segment_page(page, &opt) != TH_OK)
            bench_die("a page cannot be segmented");
        const double seconds = bench_cpu() - start;
        figure.seconds = seconds < figure.seconds ? seconds : figure.seconds;
        th_arena_rewind(arena, mark);
    }
    return figure;
}

static int by_seconds(const void *left, const void *right)
{
    const struct figure *a = left, *b = right;
    return (a->seconds > b->seconds) - (a->seconds < b->seconds);
}

static void bench_archives(const struct bench *bench, const bench_pages *pages,
                           const th_segmenter *method)
{
    th_arena *arena = th_arena_new(0);
    struct figure *figures = calloc(pages->count, sizeof *figures);
    size_t max = 0;
    if (!arena || !figures)
        bench_die("out of memory");
    for (size_t i = 0; i < pages->count; i++) {
        const th_view html = { pages->pages[i].html, pages->pages[i].len };
        figures[i] = measure(bench, method, parse(bench, html, arena), arena);
        max = figures[i].scratch > max ? figures[i].scratch : max;
    }
    qsort(figures, pages->count, sizeof *figures, by_seconds);
    printf("%-16s %9.3f %9.3f %9.3f %9.2f\n", method->name,
           1e3 * figures[pages->count / 2].seconds,
           1e3 * figures[pages->count * 99 / 100].seconds,
           1e3 * figures[pages->count - 1].seconds, (double)max / 1048576);
    free(figures);
    th_arena_free(arena);
}

static int is_measured(const th_segmenter *method, int is_all)
{
    return is_all || method->features || strcmp(method->name, "dom-cohesion") == 0 ||
           strcmp(method->name, "bf-rulebased") == 0;
}

static void bench_hostile(const struct bench *bench, const hostile_page *hostile,
                          int is_all)
{
    th_buffer html = { 0 };
    th_arena *arena = th_arena_new(0);
    hostile->write(&html);
    if (!arena || html.has_failed)
        bench_die("out of memory");
    th_page *page = parse(bench, th_buffer_view(&html), arena);
    printf("\n%s: %u blocks, %u elements\n", hostile->name, page->block_count,
           page->node_count);
    for (const th_segmenter *const *at = th_lab_segmenters; *at; at++) {
        if (!is_measured(*at, is_all))
            continue;
        const struct figure figure = measure(bench, *at, page, arena);
        printf("%-16s %9.3f ms  %7.2f MiB\n", (*at)->name, 1e3 * figure.seconds,
               (double)figure.scratch / 1048576);
    }
    th_arena_free(arena);
    th_buffer_done(&html);
}

int main(int argc, char **argv)
{
    struct bench bench = { .rounds = 3 };
    int first = 1, is_all = 0;
    for (; first < argc && strncmp(argv[first], "--", 2) == 0; first++) {
        if (strcmp(argv[first], "--all") == 0)
            is_all = 1;
        else if (strcmp(argv[first], "--rounds") == 0 && first + 1 < argc)
            bench.rounds = atoi(argv[++first]);
        else
            bench_die("usage: bench_segmenters [--rounds N] [--all] [ARCHIVE...]");
    }
    th_options_init(&bench.opt);
    bench.opt.page_ms = 0;
    bench.parser = th_parser_new(&bench.opt);
    if (!bench.parser || bench.rounds < 1)
        bench_die("out of memory, or no rounds");
    if (first < argc) {
        bench_pages pages = { 0 };
        bench_load(&pages, &bench.opt, (const char *const *)argv + first,
                   (uint32_t)(argc - first));
        printf("%zu pages: ms a page   median      99 %%     worst, most MiB\n",
               pages.count);
        for (const th_segmenter *const *at = th_lab_segmenters; *at; at++)
            if (is_measured(*at, is_all))
                bench_archives(&bench, &pages, *at);
        bench_unload(&pages);
    }
    for (const hostile_page *at = hostile_pages; at->name; at++)
        bench_hostile(&bench, at, is_all);
    th_parser_free(bench.parser);
    return 0;
}
