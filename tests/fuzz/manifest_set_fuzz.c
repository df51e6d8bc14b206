/*
 * Any bytes as NAME.manifest.json: the set reads or refuses it, and prints what it read
 * as sums and as a description.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/manifest_set.h"
#include "fuzz_target.h"

static char folder[] = "/tmp/thresher-manifest-XXXXXX";
static const char name[] = "a.jsonl.manifest.json";
static int at = -1;

static void remove_folder(void)
{
    (void)unlinkat(at, name, 0);
    (void)rmdir(folder);
}

static void make_folder(void)
{
    if (at >= 0)
        return;
    if (!mkdtemp(folder) || (at = open(folder, O_DIRECTORY | O_CLOEXEC)) < 0 ||
        atexit(remove_folder) != 0 || !freopen("/dev/null", "w", stdout))
        abort();
}

static void write_manifest(const uint8_t *data, size_t size)
{
    const int fd = openat(at, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || (size && write(fd, data, size) != (ssize_t)size) || close(fd) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const th_data_set about = { .name = "fuzz", .date = "2026-01-02" };
    make_folder();
    write_manifest(data, size);
    th_error error = { .text = "" };
    th_manifest_set *set = th_manifest_set_new();
    if (!set)
        abort();
    const th_status status = th_manifest_set_add(set, folder, &error);
    if (status != TH_OK && (status != TH_USAGE || !*error.text))
        abort();
    if (status == TH_OK && (th_manifest_set_sums(set, &error) == TH_NOMEM ||
                            th_manifest_set_croissant(set, &about, &error) == TH_NOMEM))
        abort();
    th_manifest_set_free(set);
    return 0;
}
