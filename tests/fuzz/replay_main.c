/* Runs files through a fuzz target, for CTest and for debugging. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "fuzz_target.h"

/* The input is an exact-size heap copy, so that a sanitizer sees one byte read too far.
 */
static int replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 1;
    }
    (void)fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    (void)fseek(file, 0, SEEK_SET);
    uint8_t *data = malloc(size > 0 ? (size_t)size : 1);
    const int is_read =
        data && size >= 0 && fread(data, 1, (size_t)size, file) == (size_t)size;
    if (is_read)
        (void)LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
    (void)fclose(file);
    return !is_read;
}

static int replay_folder(const char *path)
{
    struct dirent **entries = NULL;
    int failed = 0;
    const int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char name[4096];
        if (entries[i]->d_name[0] != '.') {
            (void)snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
            failed |= replay(name);
        }
        free(entries[i]);
    }
    free(entries);
    printf("%d inputs replayed\n", count - 2);
    return failed || count <= 2; /* a target without seeds tests nothing */
}

int main(int argc, char **argv)
{
    int failed = argc < 2;
    for (int i = 1; i < argc; i++) {
        struct stat facts;
        const int is_folder = stat(argv[i], &facts) == 0 && S_ISDIR(facts.st_mode);
        failed |= is_folder ? replay_folder(argv[i]) : replay(argv[i]);
    }
    return failed;
}
