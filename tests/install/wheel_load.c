/* Loads the library of a wheel as Python does, and extracts a page in a thread with the
 * stack that Alpine's Python gives a thread. wheel_musl.sh compiles it.
 * usage: wheel_load LIBRARY PAGE.html */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STACK = 1 << 20, MAX_PAGE = 1 << 20 };

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

static void *extract(void *unused)
{
    (void)unused;
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
    printf("%s%.*s\n", refused, (int)len, text);
    const int result = *refused || !strstr(text, "\"text\":");
    release(extractor);
    return result ? library : NULL;
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
    pthread_attr_t attributes;
    pthread_t thread;
    void *failed = NULL;
    if (pthread_attr_init(&attributes) != 0 ||
        pthread_attr_setstacksize(&attributes, STACK) != 0 ||
        pthread_create(&thread, &attributes, extract, NULL) != 0 ||
        pthread_join(thread, &failed) != 0)
        return 1;
    return failed != NULL;
}
