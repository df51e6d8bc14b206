/*
 * Size and speed of a site memory with synthetic sites: bytes per site in its file, and
 * pages counted and looked up per second.
 *
 *     bench_sites [SITES [PAGES [PARAGRAPHS]]]       1000, 50 pages of 40 paragraphs
 *
 * Half of a page's paragraphs are its site's template, which every page has. The others
 * appear on one page. The file (in $TMPDIR or /tmp) has the bytes that `sites build` writes
 * for such pages. A lookup finds a page's site, at random, and all of its paragraphs.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "site/site_file.h"

enum { LOOK_UPS = 200000, PARAGRAPHS_MAX = 1000 };

struct shape {
    uint64_t sites;
    uint32_t pages, paragraphs;
};

static double now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void check(bool holds, const char *what)
{
    if (holds)
        return;
    (void)fprintf(stderr, "bench_sites: %s\n", what);
    exit(1);
}

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* Ascending, spread over all numbers. */
static uint64_t number_of(const struct shape *shape, uint64_t site)
{
    return (UINT64_MAX / shape->sites) * site + 1;
}

static uint64_t paragraph_of(const struct shape *shape, uint64_t site, uint32_t page,
                             uint32_t paragraph)
{
    const bool is_template = paragraph < shape->paragraphs / 2;
    const uint64_t owner = is_template ? 0 : page + 1;
    return mix((site * 65537 + owner) * PARAGRAPHS_MAX + paragraph + 1) | 1;
}

static int by_hash(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static void add_page(const struct shape *shape, uint64_t site, uint32_t page,
                     th_buffer *out)
{
    uint64_t hashes[PARAGRAPHS_MAX];
    char name[32] = "";
    const int name_len = snprintf(name, sizeof name, "site-%" PRIu64 ".example", site);
    const uint64_t identity = mix(site * 65537 + page + 1);
    const th_site_entry entry = { .site = number_of(shape, site),
                                  .url = (uint32_t)identity,
                                  .text = (uint32_t)(identity >> 32),
                                  .hash_count = shape->paragraphs,
                                  .name_len = (uint32_t)name_len };
    for (uint32_t i = 0; i < shape->paragraphs; i++)
        hashes[i] = paragraph_of(shape, site, page, i);
    qsort(hashes, shape->paragraphs, sizeof *hashes, by_hash);
    th_buffer_append(out, (const char *)&entry, sizeof entry);
    th_buffer_append(out, (const char *)hashes, shape->paragraphs * sizeof *hashes);
    th_buffer_append(out, name, ((size_t)name_len + 7) & ~(size_t)7);
}

static void count_sites(const struct shape *shape, const char *path)
{
    static const th_site_limits limits = { 1000, 2000, 2 };
    th_buffer bytes = { 0 }, site = { 0 };
    th_site_writer *writer = NULL;
    const th_site_entry **entries = calloc(shape->pages, sizeof *entries);
    check(entries &&
              th_site_writer_open(path, TH_SITE_DOMAIN, false, &writer, NULL) == TH_OK,
          "cannot write");
    for (uint64_t i = 0; i < shape->sites; i++) {
        th_buffer_reset(&bytes);
        th_buffer_reset(&site);
        for (uint32_t page = 0; page < shape->pages; page++)
            add_page(shape, i, page, &bytes);
        check(!bytes.has_failed, "out of memory");
        const char *at = bytes.data;
        for (uint32_t page = 0; page < shape->pages; page++) {
            entries[page] = (const th_site_entry *)(const void *)at;
            at += th_site_entry_len(entries[page]);
        }
        check(th_site_add(NULL, entries, shape->pages, &limits, &site) == TH_OK &&
                  th_site_writer_add(writer, th_buffer_view(&site), NULL) == TH_OK,
              "cannot count");
    }
    check(th_site_writer_finish(writer, NULL) == TH_OK, "cannot finish");
    th_site_writer_free(writer);
    struct stat facts;
    check(stat(path, &facts) == 0, "the file is gone");
    (void)printf("file: %jd bytes, %.0f a site\n", (intmax_t)facts.st_size,
                 (double)facts.st_size / (double)shape->sites);
    th_buffer_done(&bytes);
    th_buffer_done(&site);
    free(entries);
}

static void look_up(const struct shape *shape, const char *path)
{
    th_site_file *file = NULL;
    uint64_t recurrent = 0;
    check(th_site_file_open(path, NULL, NULL, &file, NULL) == TH_OK, "cannot open");
    const double start = now();
    for (uint64_t i = 0; i < LOOK_UPS; i++) {
        const uint64_t at = mix(i + 1) % shape->sites;
        const th_site_name name = { .number = number_of(shape, at) };
        th_site site;
        check(th_site_file_find(file, &name, &site) == TH_OK, "a site is missing");
        for (uint32_t k = 0; k < shape->paragraphs; k++)
            recurrent += th_site_count(&site, paragraph_of(shape, at, 0, k)) > 1;
    }
    const double took = now() - start;
    check(recurrent == (uint64_t)LOOK_UPS * (shape->paragraphs / 2), "wrong counts");
    (void)printf("looked up: %.0f pages/s, %.1f million paragraphs/s\n", LOOK_UPS / took,
                 (double)LOOK_UPS * shape->paragraphs / took / 1e6);
    th_site_file_close(file);
}

int main(int argc, char **argv)
{
    const char *folder = getenv("TMPDIR");
    char path[400];
    struct rusage usage;
    struct shape shape = { 1000, 50, 40 };
    if (argc > 1)
        shape.sites = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        shape.pages = (uint32_t)strtoul(argv[2], NULL, 10);
    if (argc > 3)
        shape.paragraphs = (uint32_t)strtoul(argv[3], NULL, 10);
    check(shape.sites && shape.pages > 1 && shape.pages <= TH_SITE_PAGES_MAX &&
              shape.paragraphs && shape.paragraphs <= PARAGRAPHS_MAX,
          "bad arguments");
    (void)snprintf(path, sizeof path, "%s/bench_sites-%ld",
                   folder && *folder ? folder : "/tmp", (long)getpid());
    const double start = now();
    count_sites(&shape, path);
    const double took = now() - start;
    (void)printf("counted: %.0f pages/s\n", (double)shape.sites * shape.pages / took);
    (void)getrusage(RUSAGE_SELF, &usage);
    (void)printf("memory to count: %ld KiB\n", usage.ru_maxrss);
    look_up(&shape, path);
    (void)unlink(path);
    return 0;
}
