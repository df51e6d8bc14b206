/* Loads the library of a wheel as Python does, and extracts a page in a thread with the
 * stack that Alpine's Python gives a thread. Then it checks that threads leave no memory.
 * wheel_musl.sh compiles it.
 * usage: wheel_load LIBRARY PAGE.html */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { STACK = 1 << 20, MAX_PAGE = 1 << 20 };
enum { ROUNDS = 100, THREADS = 4, MAX_GROWTH_KB = 8192 };

static void *library;
static char html[MAX_PAGE];
static size_t html_len;

static void *function(const char *name)
{
    void *found = dlsym(library, name);
    if (!found) {
        printf("%s\n", dlerror());
        exit(1);
    }
    return found;
}

/* Prints the record unless `quiet`. Returns NULL if the page was extracted. */
static void *extract(void *quiet)
{
    void *(*make)(const char *const *, char *, size_t);
    const char *(*take)(void *, const char *, size_t, const char *, const char *,
                        const char **, size_t *);
    void (*release)(void *);
    *(void **)&make = function("thresher_extractor_new");
    *(void **)&take = function("thresher_extract");
    *(void **)&release = function("thresher_extractor_free");
    char error[200] = "";
    const char *const no_options[] = { NULL };
    void *extractor = make(no_options, error, sizeof error);
    if (!extractor) {
        printf("%s\n", error);
        exit(1);
    }
    const char *text = NULL;
    size_t len = 0;
    const char *refused =
        take(extractor, html, html_len, "https://example.org/", "", &text, &len);
    if (!quiet)
        printf("%s%.*s\n", refused, (int)len, text);
    const int result = *refused || !strstr(text, "\"text\":");
    release(extractor);
    return result ? library : NULL;
}

/* Extracts the page in `count` threads at once. Returns whether all succeeded. */
static bool extract_in_threads(int count, void *quiet)
{
    pthread_attr_t attributes;
    pthread_t threads[THREADS];
    bool succeeded = pthread_attr_init(&attributes) == 0 &&
                     pthread_attr_setstacksize(&attributes, STACK) == 0;
    for (int i = 0; i < count; i++)
        if (pthread_create(&threads[i], &attributes, extract, quiet) != 0)
            exit(1);
    for (int i = 0; i < count; i++) {
        void *failed = NULL;
        succeeded &= pthread_join(threads[i], &failed) == 0 && !failed;
    }
    (void)pthread_attr_destroy(&attributes);
    return succeeded;
}

/* Returns the largest resident size so far. */
static long peak_kb(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss : 0;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    library = dlopen(argv[1], RTLD_NOW);
    if (!library) {
        printf("%s\n", dlerror());
        return 1;
    }
    FILE *file = fopen(argv[2], "rb");
    if (!file)
        return 1;
    html_len = fread(html, 1, sizeof html, file);
    (void)fclose(file);
    if (!extract_in_threads(1, NULL))
        return 1;
    long first = 0;
    for (int i = 0; i < ROUNDS; i++) {
        if (!extract_in_threads(THREADS, library))
            return 1;
        if (i == ROUNDS / 10)
            first = peak_kb();
    }
    const long growth = peak_kb() - first;
    fprintf(stderr, "%d threads: peak memory %ld kB, growth %ld kB\n", ROUNDS * THREADS,
            peak_kb(), growth);
    return growth > MAX_GROWTH_KB;
}
