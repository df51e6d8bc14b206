/*
 * The online index only: pages are looked up, and inserted if they are new.
 *
 *     bench_index [--pages N] [--segment N] [--batch N] [--preset NAME] [--new SHARE]
 *                 [--bits N] [--dir DIR]
 *
 * A separate thread makes the pages, like a worker: random signatures. A page that is not
 * new is an earlier page with one slot in ten changed. Prints one line for every tenth of
 * the run: pages, pages per second of this tenth and in total, bytes. Making the pages is
 * not counted. Wall time means little on a busy machine, so the CPU time of the index's
 * thread is also printed.
 */
#include <getopt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "index/near_index.h"

enum { BATCHES = 4 }; /* made ahead */

struct bench {
    uint64_t pages, segment;
    uint32_t batch;
    double share_new;
    th_index_options options;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    th_buffer entries[BATCHES];
    uint64_t made, taken; /* batches */
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* CPU time of this thread, independent of other users of the machine. */
static double cpu_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

static void make_page(const struct bench *bench, uint64_t number, th_buffer *out)
{
    const th_minhash_preset *preset = &bench->options.scheme.preset;
    const uint64_t mask =
        preset->slot_bits == 64 ? UINT64_MAX : ((uint64_t)1 << preset->slot_bits) - 1;
    uint64_t slots[1024];
    char id[64], url[96];
    const uint64_t dice = mix(number * 2 + 1);
    const bool is_new = number == 0 || (double)(dice >> 11) * 0x1p-53 < bench->share_new;
    const uint64_t family = is_new ? number : mix(dice) % number;
    for (uint32_t i = 0; i < preset->slots; i++)
        slots[i] = mix(family * 1024 + i) & mask;
    for (uint32_t i = 0; !is_new && i < preset->slots / 10; i++)
        slots[i] = mix(number * 1024 + 1000000007 * i) & mask;
    (void)snprintf(id, sizeof id, "<urn:uuid:%08x-0000-4000-8000-%012llx>",
                   (unsigned)mix(number), (unsigned long long)number);
    (void)snprintf(url, sizeof url, "https://host-%u.example/path/to/page-%llu.html",
                   (unsigned)(mix(number) % 100000), (unsigned long long)number);
    const uint64_t digest[2] = { mix(family), mix(family + 1) };
    const th_signature signature = { .slots = slots,
                                     .slot_count = preset->slots,
                                     .shingle_count = 500 };
    const th_index_page page = { .id = { id, strlen(id) },
                                 .url = { url, strlen(url) },
                                 .date = 1700000000 + (int64_t)(number / 100),
                                 .signatures = { &signature },
                                 .digest = digest };
    if (th_index_entry_append(&bench->options.scheme, &page, out) != TH_OK)
        abort();
}

static void *make_pages(void *context)
{
    struct bench *bench = context;
    for (uint64_t n = 0; n < bench->pages; n += bench->batch) {
        pthread_mutex_lock(&bench->lock);
        while (bench->made == bench->taken + BATCHES)
            pthread_cond_wait(&bench->changed, &bench->lock);
        th_buffer *entries = &bench->entries[bench->made % BATCHES];
        pthread_mutex_unlock(&bench->lock);
        th_buffer_reset(entries);
        for (uint64_t i = n; i < n + bench->batch && i < bench->pages; i++)
            make_page(bench, i, entries);
        pthread_mutex_lock(&bench->lock);
        bench->made++;
        pthread_cond_signal(&bench->changed);
        pthread_mutex_unlock(&bench->lock);
    }
    return NULL;
}

static const th_buffer *take_batch(struct bench *bench)
{
    pthread_mutex_lock(&bench->lock);
    while (bench->made == bench->taken)
        pthread_cond_wait(&bench->changed, &bench->lock);
    const th_buffer *entries = &bench->entries[bench->taken % BATCHES];
    pthread_mutex_unlock(&bench->lock);
    return entries;
}

static void give_back(struct bench *bench)
{
    pthread_mutex_lock(&bench->lock);
    bench->taken++;
    pthread_cond_signal(&bench->changed);
    pthread_mutex_unlock(&bench->lock);
}

static void report(const th_index *index, uint64_t done, uint64_t stretch, double busy,
                   double cpu, double all_cpu)
{
    th_index_stats facts;
    struct rusage usage;
    th_index_facts_get(index, &facts);
    getrusage(RUSAGE_SELF, &usage);
    const double bytes =
        (double)(facts.memory_bytes + facts.table_bytes + facts.journal_bytes);
    printf("%10llu pages  %8.0f/s here  per second of CPU %8.0f here %8.0f so far  "
           "%5.1f%% new  "
           "%u segments  "
           "memory %6.0f MB  tables %6.0f MB  journals %6.0f MB  %5.0f bytes/new page  "
           "rss %ld MB\n",
           (unsigned long long)done, (double)stretch / busy, (double)stretch / cpu,
           (double)done / all_cpu, 100.0 * (double)facts.counts.inserted / (double)done,
           facts.segments, (double)facts.memory_bytes / 1e6,
           (double)facts.table_bytes / 1e6, (double)facts.journal_bytes / 1e6,
           bytes / (double)facts.counts.inserted, usage.ru_maxrss / 1024);
    (void)fflush(stdout);
}

static int run(struct bench *bench)
{
    th_index *index = NULL;
    th_error err = { .text = "" };
    pthread_t maker;
    th_index_answer *answers = calloc(bench->batch, sizeof *answers);
    th_buffer names = { 0 };
    if (!answers || th_index_open(&bench->options, &index, &err) != TH_OK) {
        (void)fprintf(stderr, "bench_index: %s\n", err.text);
        return 1;
    }
    if (pthread_create(&maker, NULL, make_pages, bench) != 0)
        return 1;
    const uint64_t tenth = bench->pages / 10 ? bench->pages / 10 : 1;
    double busy = 0, all_busy = 0, cpu = 0, reported_cpu = 0, prepares = 0;
    const double start = now();
    uint64_t done = 0, reported = 0, duplicates = 0, mark = 0;
    while (done < bench->pages) {
        const uint64_t left = bench->pages - done;
        const size_t count = left < bench->batch ? left : bench->batch;
        const th_buffer *entries = take_batch(bench);
        const double from = now(), cpu_from = cpu_now();
        th_buffer_reset(&names);
        if (th_index_look_up(index, th_buffer_view(entries), count, answers, &names,
                             &err) != TH_OK) {
            (void)fprintf(stderr, "bench_index: %s\n", err.text);
            return 1;
        }
        const double to = now();
        busy += to - from;
        all_busy += to - from;
        cpu += cpu_now() - cpu_from;
        for (size_t i = 0; i < count; i++)
            duplicates += answers[i].is_duplicate;
        give_back(bench);
        done += count;
        if (done - reported >= tenth || done == bench->pages) {
            const double begin = now();
            if (th_index_prepare(index, &mark, &err) != TH_OK)
                return 1;
            th_index_commit(index);
            prepares += now() - begin;
            report(index, done, done - reported, busy, cpu - reported_cpu, cpu);
            reported_cpu = cpu;
            reported = done;
            busy = 0;
        }
    }
    pthread_join(maker, NULL);
    const double seconds = now() - start;
    printf("whole run, with making pages on another core and making all durable: %.0f/s, "
           "index alone %.0f/s, %.0f per second of its CPU, all durable in %.1f s, "
           "%llu duplicates\n",
           (double)done / seconds, (double)done / all_busy, (double)done / cpu, prepares,
           (unsigned long long)duplicates);
    th_index_close(index);
    free(answers);
    th_buffer_done(&names);
    for (int i = 0; i < BATCHES; i++)
        th_buffer_done(&bench->entries[i]);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct option long_options[] = {
        { "pages", required_argument, NULL, 'p' },
        { "segment", required_argument, NULL, 's' },
        { "batch", required_argument, NULL, 'b' },
        { "preset", required_argument, NULL, 'm' },
        { "new", required_argument, NULL, 'n' },
        { "bits", required_argument, NULL, 'k' },
        { "dir", required_argument, NULL, 'd' },
        { NULL, 0, NULL, 0 },
    };
    struct bench bench = { .pages = 200000,
                           .segment = UINT64_MAX,
                           .batch = 64,
                           .share_new = .77,
                           .lock = PTHREAD_MUTEX_INITIALIZER,
                           .changed = PTHREAD_COND_INITIALIZER };
    const char *preset = "modern";
    char temporary[] = "/tmp/thresher-bench-index-XXXXXX";
    char *dir = NULL;
    uint32_t bits = 8;
    for (int c; (c = getopt_long(argc, argv, "", long_options, NULL)) != -1;) {
        const unsigned long long number = optarg ? strtoull(optarg, NULL, 10) : 0;
        switch (c) {
        case 'p':
            bench.pages = number;
            break;
        case 's':
            bench.segment = number;
            break;
        case 'b':
            bench.batch = (uint32_t)number;
            break;
        case 'm':
            preset = optarg;
            break;
        case 'n':
            bench.share_new = strtod(optarg, NULL);
            break;
        case 'k':
            bits = (uint32_t)number;
            break;
        case 'd':
            dir = optarg;
            break;
        default:
            return 2;
        }
    }
    th_error err = { .text = "" };
    const bool is_temporary = !dir;
    if (!dir && !(dir = mkdtemp(temporary)))
        return 1;
    bench.options = (th_index_options){ .dir = dir,
                                        .threshold = .8,
                                        .segment_pages = bench.segment,
                                        .keep_epochs = 1000000 };
    if (!bench.batch || !bench.pages ||
        th_index_scheme_init(&bench.options.scheme, th_minhash_find(preset), TH_SIGN_MAIN,
                             TH_SIGN_COUNT, bits, &err) != TH_OK) {
        (void)fprintf(stderr, "bench_index: %s\n", err.text);
        return 2;
    }
    printf("%s, %u keys a page, %zu bytes of signature kept\n", preset,
           bench.options.scheme.key_count, bench.options.scheme.signature_len);
    const int code = run(&bench);
    char command[512];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", dir);
    if (is_temporary && system(command) != 0) // NOLINT(cert-env33-c)
        return 1;
    return code;
}
