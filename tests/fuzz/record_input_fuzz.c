/*
 * Any bytes as a file of records: JSON lines, WARC, WET, Parquet, and a shard of
 * signatures. A kind that makes its JSON itself makes valid JSON. A second read gives the
 * same records.
 *
 * Input: 's' and the bytes of each bucket of a shard; else a use (0 to 3) and the file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "dedup/record_input.h"
#include "fuzz_target.h"

enum { BUCKETS = 14, PATH_LEN = 128, RECORDS_MAX = 20000, LINE_MAX_LEN = 1 << 16 };

static void require(bool claim)
{
    if (!claim)
        abort();
}

static void write_file(const char *path, const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "wbe");
    require(file != NULL);
    if (size)
        require(fwrite(data, 1, size, file) == size);
    require(fclose(file) == 0);
}

/* Reads up to RECORDS_MAX records. Returns a hash of them and of the end. */
static uint64_t read_all(const char *path, th_record_use use)
{
    const th_record_input_options options = { .use = use, .max_line = LINE_MAX_LEN };
    th_record_input *input = NULL;
    th_error err = { .text = "" };
    th_record_line record = { .wants_text = use == TH_RECORD_TEXTS };
    uint64_t hash = 0;
    th_status status = th_record_input_open(path, &options, &input, &err);
    for (int i = 0; i < RECORDS_MAX && status == TH_OK; i++) {
        th_record_fault fault = TH_RECORD_NONE;
        th_view json = { NULL, 0 };
        char place[TH_PLACE_MAX];
        status = th_record_input_json(input, &json, &fault, &err);
        if (status != TH_OK)
            break;
        th_record_input_place(input, place);
        hash = XXH3_64bits_withSeed(place, strlen(place), hash + (uint64_t)fault);
        if (fault != TH_RECORD_NONE)
            continue;
        hash = XXH3_64bits_withSeed(json.data, json.len, hash);
        require(th_record_line_read(&record, json, &fault) == TH_OK);
        if (strncmp(place, "row", 3) == 0 || strncmp(place, "page", 4) == 0)
            require(fault != TH_RECORD_BAD_JSON);
    }
    require(status == TH_OK || status == TH_END || *err.text);
    th_record_input_free(input);
    th_record_line_done(&record);
    return hash + (uint64_t)status;
}

static void read_twice(const char *path, th_record_use use)
{
    const uint64_t first = read_all(path, use);
    require(read_all(path, use) == first);
}

static void read_shard(const char *folder, const uint8_t *data, size_t size)
{
    char path[PATH_LEN];
    for (int i = 0; i < BUCKETS; i++) {
        (void)snprintf(path, sizeof path, "%s/bucket_%03d", folder, i);
        (void)mkdir(path, 0700);
        (void)snprintf(path, sizeof path, "%s/bucket_%03d/00000.minhash.sig", folder, i);
        write_file(path, data, size);
    }
    (void)snprintf(path, sizeof path, "%s/bucket_000/00000.minhash.sig", folder);
    read_twice(path, TH_RECORD_SIGNATURES);
    for (int i = 0; i < BUCKETS; i++) {
        (void)snprintf(path, sizeof path, "%s/bucket_%03d/00000.minhash.sig", folder, i);
        (void)unlink(path);
        (void)snprintf(path, sizeof path, "%s/bucket_%03d", folder, i);
        (void)rmdir(path);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char folder[64], path[PATH_LEN];
    if (!size)
        return 0;
    (void)snprintf(folder, sizeof folder, "/dev/shm/thresher-input-%ld", (long)getpid());
    (void)mkdir(folder, 0700);
    (void)snprintf(path, sizeof path, "%s/file", folder);
    if (data[0] == 's') {
        read_shard(folder, data + 1, size - 1);
    } else {
        write_file(path, data + 1, size - 1);
        read_twice(path, (th_record_use)(data[0] % 4));
        (void)unlink(path);
    }
    (void)rmdir(folder);
    return 0;
}
