/*
 * bench_content [--rounds N] ARCHIVE...
 *
 * Cost of the learned classifier, part by part, over all pages of the archives: the page
 * with and without its data (classes, hidden text, hints), features, trees with page types
 * and calibration, the decision. CPU time of the thread, the median of N rounds, in
 * microseconds per paragraph and per atomic block of the page.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_pages.h"
#include "content/content_decision.h"
#include "content/content_scores.h"
#include "thresher/parse.h"

enum part { PLAIN, READ, FEATURES, TREES, DECISION, PARTS };

static const char *const part_names[] = {
    [PLAIN] = "page as for rules", [READ] = "additional data",
    [FEATURES] = "features",       [TREES] = "trees, page types, calibration",
    [DECISION] = "decision",
};

struct bench {
    th_parser *plain, *reading; /* without and with what the classifier reads */
    th_arena *arena, *scratch;
    const th_content_model *model;
    uint64_t blocks, paragraphs;
    double seconds[PARTS][BENCH_MAX_ROUNDS];
};

static th_page *parse(struct bench *bench, th_parser *parser, const bench_page *page)
{
    const th_document document = { .bytes = { page->html, page->len },
                                   .url = { page->url, strlen(page->url) } };
    th_page *out = NULL;
    th_arena_reset(bench->arena);
    if (th_parse_html(parser, &document, bench->arena, &out, NULL, NULL) != TH_OK)
        bench_die("a page that was read once is refused");
    return out;
}

static th_parser *parser_that_reads(uint32_t reads)
{
    th_options opt;
    th_options_init(&opt);
    opt.page_ms = 0;
    opt.classifier = "num-words"; /* which reads nothing more */
    opt.reads = reads;
    th_parser *parser = th_parser_new(&opt);
    if (!parser)
        bench_die("out of memory");
    return parser;
}

/* The trees a second time, over the features of a scored page. */
static void score_again(const struct bench *bench, th_content_scores *scores)
{
    th_content_model_types(bench->model, scores->vector, scores->type_probability);
    th_ensemble_score(&bench->model->paragraph,
                      (const uint8_t *const *)scores->columns.column,
                      scores->columns.stride, scores->score);
    th_content_model_calibrate(bench->model, scores->type_probability, scores->score,
                               scores->columns.rows, scores->probability);
}

static void decide(const struct bench *bench, const th_page *page,
                   const th_content_scores *scores)
{
    const th_content_rules rules = th_content_rules_standard();
    const size_t count = (size_t)page->paragraph_count + 1;
    uint8_t *verdict_of = th_arena_calloc(bench->scratch, count, 1);
    uint8_t *is_comment = th_arena_calloc(bench->scratch, count, 1);
    th_content_choice choice;
    if (!verdict_of || !is_comment ||
        th_content_decide(page, scores->probability, &rules, bench->scratch, verdict_of,
                          is_comment, &choice) != TH_OK)
        bench_die("out of memory");
}

/* Parts that are measured together with another part are also measured alone and
 * subtracted. */
static void measure_page(struct bench *bench, const bench_page *source, int round)
{
    th_content_scores scores;
    (void)parse(bench, bench->plain, source); /* its bytes are in the caches now */
    const double begun = bench_cpu();
    (void)parse(bench, bench->plain, source);
    const double parsed = bench_cpu();
    const th_page *page = parse(bench, bench->reading, source);
    const double read = bench_cpu();
    if (th_content_score(bench->model, page, bench->scratch, &scores) != TH_OK)
        bench_die("out of memory");
    const double scored = bench_cpu();
    score_again(bench, &scores);
    const double again = bench_cpu();
    decide(bench, page, &scores);
    const double decided = bench_cpu();
    th_arena_reset(bench->scratch);
    bench->seconds[PLAIN][round] += parsed - begun;
    bench->seconds[READ][round] += (read - parsed) - (parsed - begun);
    bench->seconds[FEATURES][round] += (scored - read) - (again - scored);
    bench->seconds[TREES][round] += again - scored;
    bench->seconds[DECISION][round] += decided - again;
    if (round == 0) {
        bench->blocks += page->block_count;
        bench->paragraphs += page->paragraph_count;
    }
}

int main(int argc, char **argv)
{
    static struct bench bench;
    int first = 1, rounds = 5;
    if (argc > 3 && strcmp(argv[1], "--rounds") == 0) {
        rounds = atoi(argv[2]);
        first = 3;
    }
    if (first >= argc || argv[first][0] == '-' || rounds < 1 || rounds > BENCH_MAX_ROUNDS)
        bench_die("usage: bench_content [--rounds N] ARCHIVE...");
    th_options opt;
    bench_pages pages = { 0 };
    th_options_init(&opt);
    opt.page_ms = 0;
    opt.classifier = "num-words";
    bench_load(&pages, &opt, (const char *const *)argv + first, (uint32_t)(argc - first));
    bench.plain = parser_that_reads(0);
    bench.reading = parser_that_reads(TH_FEATURES_READ);
    bench.arena = th_arena_new(0);
    bench.scratch = th_arena_new(0);
    bench.model = th_content_model_shipped();
    if (!bench.arena || !bench.scratch)
        bench_die("out of memory");
    for (int round = 0; round < rounds; round++)
        for (size_t i = 0; i < pages.count; i++)
            measure_page(&bench, &pages.pages[i], round);
    printf("%zu pages, %llu paragraphs, %llu atomic blocks, %d rounds\n", pages.count,
           (unsigned long long)bench.paragraphs, (unsigned long long)bench.blocks,
           rounds);
    for (int i = 0; i < PARTS; i++) {
        const double seconds = bench_median(bench.seconds[i], rounds);
        printf("%-32s %7.3f us a paragraph %7.3f us a block\n", part_names[i],
               seconds * 1e6 / (double)bench.paragraphs,
               seconds * 1e6 / (double)bench.blocks);
    }
    bench_unload(&pages);
    th_parser_free(bench.plain);
    th_parser_free(bench.reading);
    th_arena_free(bench.arena);
    th_arena_free(bench.scratch);
    return 0;
}
