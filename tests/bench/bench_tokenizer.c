/*
 * bench_tokenizer [--rounds N] ARCHIVE...
 *
 * The HTML tokenizer alone, on the pages of the archives, with a sink that only states how
 * content is read, and with the page builder (blocks, words, lines, links, metadata). It is
 * compared with libxml2's HTML parser with empty callbacks, and with a search for every '<'
 * with memchr, which is the cost of reading the bytes. N rounds of all in turn. Prints best
 * and median MB of HTML per second of the core's time, and ratios to libxml2's within each
 * round. Ratios count. Absolute figures depend on the machine.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_pages.h"
#include "bench_sax.h"
#include "parse/html/html_tokenizer.h"
#include "parse/html_whatwg.h"
#include "thresher/version.h"

enum { MEMCHR, SAX, PORTABLE, WIDTH_16, WIDTH_32, PIECES, BUILDER, STAGE_COUNT };
static const char *const stage_names[] = { "memchr('<')",   "libxml2-sax",
                                           "tokenizer, 8",  "tokenizer, 16",
                                           "tokenizer, 32", "32, 4 KiB pieces",
                                           "with builder" };
enum { PIECE = 4096 };
#define WHOLE ((size_t)1 << 62) /* one piece */

struct bench {
    bench_pages pages;
    size_t found[STAGE_COUNT]; /* tags, '<', blocks: so that nothing is left out */
    size_t text;               /* bytes that the tokenizer gave */
    double seconds[STAGE_COUNT][BENCH_MAX_ROUNDS];
};

/* ---- the sink ---- */

struct counts {
    size_t tags, attributes, text;
};

static th_html_content start_tag(void *context, const th_html_tag *tag)
{
    struct counts *counts = context;
    counts->tags++;
    counts->attributes += tag->attr_count;
    switch (tag->tag) {
    case TH_TAG_TITLE:
    case TH_TAG_TEXTAREA:
        return TH_HTML_RCDATA;
    case TH_TAG_STYLE:
    case TH_TAG_XMP:
    case TH_TAG_IFRAME:
    case TH_TAG_NOEMBED:
    case TH_TAG_NOFRAMES:
        return TH_HTML_RAWTEXT;
    case TH_TAG_SCRIPT:
        return TH_HTML_SCRIPT_DATA;
    case TH_TAG_PLAINTEXT:
        return TH_HTML_PLAINTEXT;
    default:
        return TH_HTML_DATA;
    }
}

static void end_tag(void *context, const th_html_tag *tag)
{
    (void)tag;
    ((struct counts *)context)->tags++;
}

static void text(void *context, const char *bytes, size_t len)
{
    (void)bytes;
    ((struct counts *)context)->text += len;
}

static bool answer_no(void *context)
{
    (void)context;
    return false;
}

static const th_html_sink sink = {
    .start_tag = start_tag, .end_tag = end_tag, .text = text, .is_foreign = answer_no
};

static void run_tokenizer(struct bench *bench, int stage, th_html_search search,
                          size_t piece, int round)
{
    const th_html_limits limits = { .max_attributes = 1024,
                                    .max_tag = 65536,
                                    .search = search };
    th_html_tokenizer *tokenizer = th_html_tokenizer_new(&limits);
    struct counts counts = { 0 };
    if (!tokenizer)
        bench_die("out of memory");
    const double start = bench_cpu();
    for (size_t i = 0; i < bench->pages.count; i++) {
        const bench_page *page = &bench->pages.pages[i];
        th_html_tokenizer_begin(tokenizer, &sink, &counts, NULL, TH_HTML_DATA,
                                (th_view){ 0 });
        for (size_t at = 0; at < page->len; at += piece) {
            const size_t left = page->len - at;
            if (th_html_tokenizer_feed(tokenizer, page->html + at,
                                       left < piece ? left : piece) != TH_OK)
                bench_die("the tokenizer failed");
        }
        (void)th_html_tokenizer_finish(tokenizer);
    }
    bench->seconds[stage][round] = bench_cpu() - start;
    bench->found[stage] = counts.tags;
    bench->text = counts.text;
    th_html_tokenizer_free(tokenizer);
}

/* Tokens to pages: all of parsing that follows the charset. */
static void run_builder(struct bench *bench, const th_options *opt, int round)
{
    th_whatwg *parser = th_whatwg_new(opt);
    th_builder *builder = th_builder_new(opt);
    th_arena *arena = th_arena_new(0);
    size_t blocks = 0;
    if (!parser || !builder || !arena)
        bench_die("out of memory");
    const double start = bench_cpu();
    for (size_t i = 0; i < bench->pages.count; i++) {
        const bench_page *page = &bench->pages.pages[i];
        const th_document document = { .url = { page->url, strlen(page->url) } };
        th_page *built = NULL;
        th_arena_reset(arena);
        if (th_builder_begin(builder, arena, &document) != TH_OK ||
            th_whatwg_html(parser, (th_view){ page->html, page->len }, TH_TITLE_IS_TEXT,
                           builder) != TH_OK ||
            th_builder_finish(builder, &built) != TH_OK)
            bench_die("the builder failed");
        blocks += built->block_count;
    }
    bench->seconds[BUILDER][round] = bench_cpu() - start;
    bench->found[BUILDER] = blocks;
    th_arena_free(arena);
    th_builder_free(builder);
    th_whatwg_free(parser);
}

/* ---- baselines ---- */

static void run_memchr(struct bench *bench, int round)
{
    size_t found = 0;
    const double start = bench_cpu();
    for (size_t i = 0; i < bench->pages.count; i++) {
        const char *at = bench->pages.pages[i].html;
        const char *const end = at + bench->pages.pages[i].len;
        while ((at = memchr(at, '<', (size_t)(end - at)))) {
            at++;
            found++;
        }
    }
    bench->seconds[MEMCHR][round] = bench_cpu() - start;
    bench->found[MEMCHR] = found;
}

static void run_sax(struct bench *bench, int round)
{
    const double start = bench_cpu();
    bench->found[SAX] = bench_sax(&bench->pages);
    bench->seconds[SAX][round] = bench_cpu() - start;
}

static void print_stage(const struct bench *bench, int stage, int rounds)
{
    const double *seconds = bench->seconds[stage];
    double best = seconds[0];
    for (int i = 1; i < rounds; i++)
        best = seconds[i] < best ? seconds[i] : best;
    const double bytes = (double)bench->pages.bytes / 1e6;
    const double ratio = bench_median_ratio(seconds, bench->seconds[SAX], rounds);
    printf("%-17s %9.1f %9.1f %9.3f %10zu\n", stage_names[stage], bytes / best,
           bytes / bench_median(seconds, rounds), 1 / ratio, bench->found[stage]);
}

int main(int argc, char **argv)
{
    static struct bench bench;
    th_options opt;
    int rounds = 5;
    int first = 1;
    if (argc > 2 && strcmp(argv[1], "--rounds") == 0) {
        rounds = atoi(argv[2]);
        first = 3;
    }
    if (first >= argc || rounds < 1 || rounds >= BENCH_MAX_ROUNDS) {
        fputs("usage: bench_tokenizer [--rounds 1..100] ARCHIVE...\n", stderr);
        return 2;
    }
    th_options_init(&opt);
    bench_load(&bench.pages, &opt, (const char *const *)argv + first,
               (uint32_t)(argc - first));
    for (int round = -1; round < rounds; round++) {
        const int slot = round < 0 ? 0 : round; /* the first is the warm-up */
        run_memchr(&bench, slot);
        run_sax(&bench, slot);
        run_tokenizer(&bench, PORTABLE, TH_HTML_SEARCH_PORTABLE, WHOLE, slot);
        run_tokenizer(&bench, WIDTH_16, TH_HTML_SEARCH_16, WHOLE, slot);
        run_tokenizer(&bench, WIDTH_32, TH_HTML_SEARCH_32, WHOLE, slot);
        run_tokenizer(&bench, PIECES, TH_HTML_SEARCH_32, PIECE, slot);
        run_builder(&bench, &opt, slot);
    }
    printf("%s, %s, %zu pages, %.1f MB of HTML, %zu bytes of text, %d rounds\n",
           TH_SOFTWARE, __VERSION__, bench.pages.count, (double)bench.pages.bytes / 1e6,
           bench.text, rounds);
    printf("%-17s %9s %9s %9s %10s\n", "", "best MB/s", "median", "x SAX", "found");
    for (int stage = 0; stage < STAGE_COUNT; stage++)
        print_stage(&bench, stage, rounds);
    bench_unload(&bench.pages);
    return 0;
}
