/*
 * bench [--rounds N] [--classifier NAME] ARCHIVE...
 *
 * Loads the archives, warms up, and measures every part on them, N rounds of all parts in
 * turn, so that a drifting machine affects all equally. Prints the best and the median MB
 * of HTML per second (of page text for the text model, of decompressed bytes for inflate).
 * Then it prints the speed relative to libxml2's bare SAX in the same round, and nanoseconds
 * per byte of HTML. Last are the ratios of the design, a checksum of the result, peak
 * memory and the build. Ratios count. Absolute figures depend on the machine.
 *
 * Charset and text model are parts of parse, and are also measured separately: charset on
 * pages that are already UTF-8, the text model on the blocks of the page, each as one event.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "bench_pages.h"
#include "bench_sax.h"
#include "parse/charset/charset.h"
#include "parse/text_model.h"
#include "pipeline/pipeline.h"
#include "thresher/classifier.h"
#include "thresher/minhash.h"
#include "thresher/segmenter.h"
#include "thresher/version.h"
#include "traffic/runner.h"
#include "warc/warc.h"
#include "xxhash.h"

enum {
    INFLATE,
    SAX,
    CHARSET,
    TEXT_MODEL,
    PARSE,
    SEGMENT,
    SELECT,
    SKETCH,
    WRITE,
    ONE_WORKER,
    TWO_WORKERS,
    STAGE_COUNT
};
static const char *const stage_names[] = {
    [INFLATE] = "inflate+warc",  [SAX] = "libxml2-sax",       [CHARSET] = "charset",
    [TEXT_MODEL] = "text model", [PARSE] = "parse",           [SEGMENT] = "segment",
    [SELECT] = "select",         [SKETCH] = "sketch",         [WRITE] = "write",
    [ONE_WORKER] = "1 worker",   [TWO_WORKERS] = "2 workers",
};

struct bench {
    th_options opt;
    th_minhash_signer *signer; /* of opt's preset */
    const char *const *paths;
    uint32_t path_count;
    bench_pages pages;
    uint64_t unpacked_bytes;
    uint64_t checksum;
    double seconds[STAGE_COUNT][BENCH_MAX_ROUNDS];
};

/* ---- stages ---- */

static void run_inflate(struct bench *bench, int round)
{
    const double start = bench_now();
    bench->unpacked_bytes = 0;
    for (uint32_t i = 0; i < bench->path_count; i++) {
        warc_reader *reader = NULL;
        warc_record *record = NULL;
        warc_view chunk;
        if (warc_reader_open_path(bench->paths[i], NULL, &reader, NULL) != WARC_OK)
            bench_die("cannot open an archive");
        while (warc_reader_next(reader, &record, NULL) == WARC_OK)
            while (warc_reader_chunk(reader, &chunk, NULL) == WARC_OK)
                bench->unpacked_bytes += chunk.len;
        warc_reader_free(reader);
    }
    bench->seconds[INFLATE][round] = bench_now() - start;
}

/* libxml2's HTML parser with callbacks that only count, as a baseline. */
static void run_sax(struct bench *bench, int round)
{
    const double start = bench_now();
    (void)bench_sax(&bench->pages);
    bench->seconds[SAX][round] = bench_now() - start;
}

/* Finds out that the pages are what they are: UTF-8. */
static void run_charset(struct bench *bench, int round)
{
    th_charset *charset = th_charset_new();
    th_arena *arena = th_arena_new(0);
    if (!charset || !arena)
        bench_die("out of memory");
    const double start = bench_now();
    for (size_t i = 0; i < bench->pages.count; i++) {
        const bench_page *from = &bench->pages.pages[i];
        th_view text;
        th_encoding used;
        uint32_t flags = 0;
        th_arena_reset(arena);
        if (th_charset_decode(charset, TH_VIEW("utf-8"),
                              (th_view){ from->html, from->len }, arena, &text, &used,
                              &flags) != TH_OK)
            bench_die("out of memory");
    }
    bench->seconds[CHARSET][round] = bench_now() - start;
    th_arena_free(arena);
    th_charset_free(charset);
}

/* Words and lines of the blocks' texts. */
static void run_text_model(struct bench *bench, int round)
{
    th_text_model *model = th_text_new(bench->opt.w_max);
    if (!model)
        bench_die("out of memory");
    const double start = bench_now();
    for (size_t i = 0; i < bench->pages.count; i++) {
        const char *at = bench->pages.pages[i].text;
        const char *const end = at + bench->pages.pages[i].text_len;
        th_text_reset(model);
        while (at < end) {
            const char *mark = memchr(at, '\n', (size_t)(end - at));
            const char *block_end = mark ? mark : end;
            th_block block;
            th_text_add(model, at, (size_t)(block_end - at), false);
            th_text_close(model, &block);
            at = block_end + 1;
        }
    }
    bench->seconds[TEXT_MODEL][round] = bench_now() - start;
    th_text_free(model);
}

/* Parse to write, page by page, the clock read between the stages. */
static void run_stages(struct bench *bench, int round)
{
    th_arena *arena = th_arena_new(0);
    th_parser *parser = th_parser_new(&bench->opt);
    th_buffer out = { 0 };
    const th_format *format = th_format_find("jsonl");
    const th_format_options format_options = { .page = &bench->opt };
    XXH3_state_t *sum = XXH3_createState();
    (void)XXH3_64bits_reset(sum);
    for (int stage = PARSE; stage <= WRITE; stage++)
        bench->seconds[stage][round] = 0;
    for (size_t i = 0; i < bench->pages.count; i++) {
        const bench_page *from = &bench->pages.pages[i];
        const th_document document = { .bytes = { from->html, from->len },
                                       .url = { from->url, strlen(from->url) },
                                       .charset = TH_VIEW("utf-8") };
        const th_record record = { .url = document.url };
        th_annotated annotated = { .record = &record, .detail = "" };
        double times[WRITE - PARSE + 2];
        th_arena_reset(arena);
        th_buffer_reset(&out);
        times[0] = bench_now();
        th_status status = th_parse_html(parser, &document, arena, &annotated.page,
                                         &annotated.charset, NULL);
        times[1] = bench_now();
        if (status != TH_OK)
            continue;
        status = th_segment_page(annotated.page, &bench->opt);
        times[2] = bench_now();
        if (status == TH_OK)
            status = th_select_page(annotated.page, &bench->opt);
        times[3] = bench_now();
        if (status == TH_OK)
            status = th_sketch_page(annotated.page, &bench->opt, bench->signer);
        times[4] = bench_now();
        if (status == TH_OK)
            status = format->page(&format_options, &annotated, &out);
        times[5] = bench_now();
        if (status != TH_OK)
            bench_die(th_status_text(status));
        (void)XXH3_64bits_update(sum, out.data, out.len);
        for (int stage = PARSE; stage <= WRITE; stage++)
            bench->seconds[stage][round] +=
                times[stage - PARSE + 1] - times[stage - PARSE];
    }
    bench->checksum = XXH3_64bits_digest(sum);
    (void)XXH3_freeState(sum);
    th_buffer_done(&out);
    th_parser_free(parser);
    th_arena_free(arena);
}

static th_status drop(void *context, const th_work_result *result, th_error *err)
{
    (void)err;
    *(uint64_t *)context += result->pages.len;
    return TH_OK;
}

/* Archive to JSONL, end to end, nothing written. */
static void run_line(struct bench *bench, unsigned workers, int stage, int round)
{
    uint64_t bytes = 0;
    const th_run_options options = { .work = { .page = &bench->opt,
                                               .format = th_format_find("jsonl"),
                                               .format_options = { .page =
                                                                       &bench->opt } },
                                     .workers = workers };
    th_source *source = bench_open(&bench->opt, bench->paths, bench->path_count);
    const double start = bench_now();
    if (th_run(source, &options, drop, &bytes, NULL, NULL) != TH_OK)
        bench_die("the run failed");
    bench->seconds[stage][round] = bench_now() - start;
    source->close(source);
}

/* ---- figures ---- */

/* Median over rounds of a ratio taken within each round. */
static double median_ratio(const struct bench *bench, int above, int below, int rounds)
{
    return bench_median_ratio(bench->seconds[above], bench->seconds[below], rounds);
}

static double method_share(const struct bench *bench, int rounds)
{
    double shares[BENCH_MAX_ROUNDS];
    for (int i = 0; i < rounds; i++)
        shares[i] = (bench->seconds[SEGMENT][i] + bench->seconds[SELECT][i] +
                     bench->seconds[SKETCH][i]) /
                    bench->seconds[ONE_WORKER][i];
    return bench_median(shares, rounds);
}

static void print_stage(const struct bench *bench, int stage, int rounds)
{
    double best = bench->seconds[stage][0];
    for (int i = 1; i < rounds; i++)
        best = bench->seconds[stage][i] < best ? bench->seconds[stage][i] : best;
    const double middle = bench_median(bench->seconds[stage], rounds);
    const uint64_t bytes = stage == INFLATE      ? bench->unpacked_bytes
                           : stage == TEXT_MODEL ? bench->pages.text_bytes
                                                 : bench->pages.bytes;
    printf("%-12s %9.1f %9.1f %9.0f %8.2f %8.3f\n", stage_names[stage],
           (double)bytes / 1e6 / best, (double)bytes / 1e6 / middle,
           (double)bench->pages.count / middle, median_ratio(bench, SAX, stage, rounds),
           middle * 1e9 / (double)bench->pages.bytes);
}

static void print_figures(const struct bench *bench, int rounds)
{
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    printf("%s, %s, classifier %s, %zu pages, %.1f MB of HTML, %.1f MB of text, "
           "%.1f MB unpacked, %d rounds\n",
           TH_SOFTWARE, __VERSION__, bench->opt.classifier, bench->pages.count,
           (double)bench->pages.bytes / 1e6, (double)bench->pages.text_bytes / 1e6,
           (double)bench->unpacked_bytes / 1e6, rounds);
    printf("%-12s %9s %9s %9s %8s %8s\n", "part", "best MB/s", "median", "pages/s",
           "x SAX", "ns/byte");
    for (int stage = 0; stage < STAGE_COUNT; stage++)
        print_stage(bench, stage, rounds);
    printf("1 worker : libxml2-sax          %.3f\n",
           median_ratio(bench, SAX, ONE_WORKER, rounds));
    printf("2 workers : 1 worker            %.3f\n",
           median_ratio(bench, ONE_WORKER, TWO_WORKERS, rounds));
    printf("segment+select+sketch of 1 worker %.1f%%\n",
           100 * method_share(bench, rounds));
    printf("checksum %016" PRIx64 ", peak %.0f MB\n", bench->checksum,
           (double)usage.ru_maxrss / 1024);
}

/* The options before the first archive. @return its place in argv, 0 for wrong usage */
static int read_options(struct bench *bench, int argc, char **argv, int *rounds)
{
    int at = 1;
    for (; at + 1 < argc && strncmp(argv[at], "--", 2) == 0; at += 2) {
        if (strcmp(argv[at], "--rounds") == 0)
            *rounds = atoi(argv[at + 1]);
        else if (strcmp(argv[at], "--classifier") == 0)
            bench->opt.classifier = argv[at + 1];
        else
            return 0;
    }
    th_error error;
    if (th_options_check(&bench->opt, &error) != TH_OK)
        bench_die(error.text);
    return at < argc && *rounds >= 1 && *rounds < BENCH_MAX_ROUNDS ? at : 0;
}

int main(int argc, char **argv)
{
    static struct bench bench;
    int rounds = 5;
    th_options_init(&bench.opt);
    const int first = read_options(&bench, argc, argv, &rounds);
    if (!first) {
        fputs("usage: bench [--rounds 1..100] [--classifier NAME] "
              "ARCHIVE...\n",
              stderr);
        return 2;
    }
    if (th_minhash_signer_new(th_minhash_find(bench.opt.minhash), &bench.signer, NULL) !=
        TH_OK)
        bench_die("no memory");
    bench.paths = (const char *const *)argv + first;
    bench.path_count = (uint32_t)(argc - first);
    bench_load(&bench.pages, &bench.opt, bench.paths, bench.path_count);
    for (int round = -1; round < rounds; round++) {
        const int slot = round < 0 ? 0 : round; /* the first is the warm-up */
        run_inflate(&bench, slot);
        run_sax(&bench, slot);
        run_charset(&bench, slot);
        run_text_model(&bench, slot);
        run_stages(&bench, slot);
        run_line(&bench, 1, ONE_WORKER, slot);
        run_line(&bench, 2, TWO_WORKERS, slot);
    }
    print_figures(&bench, rounds);
    th_minhash_signer_free(bench.signer);
    bench_unload(&bench.pages);
    return 0;
}
