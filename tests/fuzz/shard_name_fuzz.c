/*
 * Any bytes as --shard and the variables of a scheduler, one per line, and as the marker
 * of an output: a shard is one of N, and a second round trip of a state writes the same
 * bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/shard.h"
#include "fuzz_target.h"

enum { STATE_MAX = 64 << 10 };

static void require(bool claim)
{
    if (!claim)
        abort();
}

static void check_shard(char *text)
{
    static const char *const names[] = {
        "SLURM_ARRAY_TASK_ID",    "SLURM_ARRAY_TASK_MIN",      "SLURM_ARRAY_TASK_STEP",
        "SLURM_ARRAY_TASK_COUNT", "AWS_BATCH_JOB_ARRAY_INDEX", "AWS_BATCH_JOB_ARRAY_SIZE",
        "JOB_COMPLETION_INDEX",
    };
    char *rest = NULL;
    const char *option = strtok_r(text, "\n", &rest);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = strtok_r(NULL, "\n", &rest);
        if (value && strcmp(value, "-") != 0)
            require(setenv(names[i], value, 1) == 0);
        else
            require(unsetenv(names[i]) == 0);
    }
    th_shard shard = { 7, 3 };
    th_error err = { .text = "" };
    const th_status status = th_shard_read("shard", option ? option : "", &shard, &err);
    require(status == TH_OK || status == TH_USAGE);
    if (status == TH_OK)
        require(shard.count >= 1 && shard.index < shard.count);
    else
        require(*err.text && shard.index == 7 && shard.count == 3);
}

static void write_file(const char *path, const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "wbe");
    require(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

static size_t read_file(const char *path, char out[STATE_MAX])
{
    FILE *file = fopen(path, "rbe");
    require(file != NULL);
    const size_t len = fread(out, 1, STATE_MAX, file);
    require(len < STATE_MAX && fclose(file) == 0);
    return len;
}

static void check_marker(const uint8_t *data, size_t size)
{
    static char output[64], marker[80];
    th_state then, again;
    bool found = false;
    if (!*output) {
        (void)snprintf(output, sizeof output, "/dev/shm/thresher-shard-%ld",
                       (long)getpid());
        (void)snprintf(marker, sizeof marker, "%s" TH_DONE_SUFFIX, output);
    }
    write_file(marker, data, size);
    const th_status status = th_state_load(&then, marker, &found, NULL);
    require(found && (status == TH_OK || status == TH_USAGE));
    if (status == TH_OK) {
        const th_job_identity same = then.job;
        th_job_identity other = then.job;
        other.options++;
        require(th_done_find(output, &same, &again, NULL) == TH_OK);
        require(th_done_find(output, &other, &again, NULL) == TH_USAGE);
        require(th_state_save(&then, marker, NULL) == TH_OK);
        char first[STATE_MAX], second[STATE_MAX];
        const size_t len = read_file(marker, first);
        require(th_state_load(&again, marker, &found, NULL) == TH_OK);
        require(th_state_save(&again, marker, NULL) == TH_OK);
        require(read_file(marker, second) == len && memcmp(first, second, len) == 0);
    }
    (void)unlink(marker);
    require(th_done_find(output, &then.job, &again, NULL) == TH_ABSENT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = strndup((const char *)data, size);
    require(text != NULL);
    check_shard(text);
    check_marker(data, size);
    free(text);
    return 0;
}
