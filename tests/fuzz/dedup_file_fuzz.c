/*
 * Any bytes as files of the deduplication stages: the edges of a range, and a shard with
 * its records, locations, ids and keys. The checksums are corrected, so the content after
 * them is reached. It is read completely, or refused.
 *
 * Input: 'e' and the file without its tail for edges; for a shard 's', then the length of
 * each of its files except the last, u16, and the concatenated files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "dedup/edge_file.h"
#include "dedup/shard_set.h"
#include "fuzz_target.h"

static const char *const names[] = { "shard", "shard.records", "shard.places",
                                     "shard.ids", "shard.keys" };
enum { FILES = sizeof names / sizeof *names, HEADS = 2 * (FILES - 1) };

static void require(bool claim)
{
    if (!claim)
        abort();
}

static const char *folder(void)
{
    static char path[64];
    if (!*path) {
        (void)snprintf(path, sizeof path, "/dev/shm/thresher-dedup-%ld", (long)getpid());
        (void)mkdir(path, 0700);
    }
    return path;
}

static void path_of(const char *name, char out[128])
{
    (void)snprintf(out, 128, "%s/%s", folder(), name);
}

static void write_file(const char *name, th_view bytes, const void *tail, size_t len)
{
    char path[128];
    path_of(name, path);
    FILE *file = fopen(path, "wbe");
    require(file != NULL);
    if (bytes.len)
        require(fwrite(bytes.data, 1, bytes.len, file) == bytes.len);
    if (len)
        require(fwrite(tail, 1, len, file) == len);
    require(fclose(file) == 0);
}

static void remove_all(void)
{
    char path[128];
    for (size_t i = 0; i < FILES; i++) {
        path_of(names[i], path);
        (void)unlink(path);
    }
    path_of("edges", path);
    (void)unlink(path);
    (void)rmdir(folder());
}

static void read_edges(th_view bytes)
{
    th_edge_reader *reader = NULL;
    th_error err = { .text = "" };
    char path[128];
    uint64_t tail[2] = { 0, 0 };
    if (bytes.len > sizeof(th_edge_head))
        tail[0] = (bytes.len - sizeof(th_edge_head)) / (2 * sizeof(uint32_t));
    XXH3_state_t *sum = XXH3_createState();
    require(sum != NULL);
    (void)XXH3_64bits_reset(sum);
    (void)XXH3_64bits_update(sum, bytes.data, bytes.len);
    (void)XXH3_64bits_update(sum, &tail[0], sizeof tail[0]);
    tail[1] = XXH3_64bits_digest(sum);
    (void)XXH3_freeState(sum);
    write_file("edges", bytes, tail, sizeof tail);
    path_of("edges", path);
    th_status status = th_edge_reader_new(path, &reader, &err);
    require(status == TH_OK || (status == TH_DAMAGED && *err.text));
    const uint64_t count = status == TH_OK ? th_edge_reader_count(reader) : 0;
    uint64_t given = 0;
    while (status == TH_OK) {
        uint32_t a = 0, b = 0;
        status = th_edge_reader_next(reader, &a, &b, &err);
        if (status == TH_OK)
            require(++given <= count && a != b &&
                    a < th_edge_reader_head(reader)->records &&
                    b < th_edge_reader_head(reader)->records);
    }
    require(status == TH_DAMAGED || (status == TH_END && given == count));
    if (reader)
        th_edge_reader_free(reader);
}

static void merge(th_shard_set *set, int part)
{
    th_shard_merge *items = NULL;
    th_error err = { .text = "" };
    uint64_t key = 0, before = 0, count = 0;
    uint32_t number = 0;
    th_status status = th_shard_merge_new(set, part, folder(), 1 << 16, &items, &err);
    const uint64_t all = status == TH_OK ? th_shard_merge_count(items) : 0;
    while (status == TH_OK) {
        status = th_shard_merge_next(items, &key, &number, &err);
        if (status != TH_OK)
            break;
        require(key >= before && number < set->records && ++count <= all);
        before = key;
    }
    require(status == TH_END || status == TH_DAMAGED || status == TH_IO);
    th_shard_merge_free(items);
}

static void read_shard(th_view bytes)
{
    th_shard_set set = { .count = 0 };
    th_error err = { .text = "" };
    const unsigned char *heads = (const unsigned char *)bytes.data;
    if (bytes.len < HEADS)
        return;
    size_t at = HEADS;
    for (size_t i = 0; i < FILES; i++) {
        size_t len = bytes.len - at;
        if (i < FILES - 1 && (size_t)(heads[2 * i] | heads[2 * i + 1] << 8) < len)
            len = (size_t)(heads[2 * i] | heads[2 * i + 1] << 8);
        const uint64_t sum = XXH3_64bits(bytes.data + at, len);
        write_file(names[i], (th_view){ bytes.data + at, len }, &sum,
                   i == 0 ? sizeof sum : 0);
        at += len;
    }
    th_status status = th_shard_set_add(&set, folder(), &err);
    require(status == TH_OK || status == TH_DAMAGED);
    if (status == TH_OK)
        status = th_shard_set_close(&set, 0, &err);
    if (status == TH_OK) {
        th_shard_record record;
        for (uint32_t i = 0; i < set.records && i < 64 && status == TH_OK; i++)
            status = th_shard_set_get(&set, i, &record, &err);
        require(status == TH_OK || status == TH_DAMAGED || status == TH_IO);
        for (uint32_t part = 0; part < set.parts && part < 4; part++)
            merge(&set, (int)part);
        merge(&set, TH_MERGE_IDS);
    }
    th_shard_set_done(&set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool is_named;
    if (!is_named)
        (void)atexit(remove_all);
    is_named = true;
    (void)folder();
    if (size && data[0] == 'e')
        read_edges((th_view){ (const char *)data + 1, size - 1 });
    else if (size && data[0] == 's')
        read_shard((th_view){ (const char *)data + 1, size - 1 });
    return 0;
}
