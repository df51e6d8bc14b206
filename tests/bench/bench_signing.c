/*
 * bench_signing [--rounds N]
 *
 * Computes the signatures of a text of 1,000 shingles with every preset, and folds its
 * hashes with the kernels of the processor and their portable equivalents, N rounds of all
 * in turn, so that a drifting machine affects all equally. Prints best and median
 * microseconds of each, and the ratios. tests/bench/signing_peers.py compares with datasketch.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sketch/kernel_affine.h"
#include "sketch/kernel_modular.h"
#include "sketch/scheme.h"
#include "thresher/minhash.h"
#include "thresher/version.h"

enum {
    SHINGLES = 1000,
    REPEATS = 20, /* of one measurement: the clock is coarse, a text is not */
    MAX_ROUNDS = 1001,
    MAX_ROWS = 24,
};

/* One thing that is measured. */
struct row {
    char name[48];
    th_minhash_signer *signer; /* signs the text; or, where NULL: */
    th_kernel *kernel;         /* folds hashes into k slots */
    const th_permutations *table;
    uint32_t slots;
    double us[MAX_ROUNDS];
};

struct bench {
    struct row rows[MAX_ROWS];
    size_t row_count;
    char text[SHINGLES * 16];
    size_t text_len;
    uint64_t hashes[SHINGLES];
    uint64_t checksum;
};

static double now_us(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

static void die(const char *what)
{
    fprintf(stderr, "bench_signing: %s\n", what);
    exit(2);
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* Words of 2 to 9 letters: shingles of five have 31 bytes on average, as in English. */
static void make_text(struct bench *bench, uint32_t shingle)
{
    uint64_t state = 1;
    for (uint32_t token = 0; token < SHINGLES + shingle - 1; token++) {
        if (token)
            bench->text[bench->text_len++] = ' ';
        for (uint64_t left = 2 + next_random(&state) % 8; left; left--)
            bench->text[bench->text_len++] = (char)('a' + next_random(&state) % 26);
    }
    for (uint32_t i = 0; i < SHINGLES; i++)
        bench->hashes[i] = next_random(&state) << 33 ^ next_random(&state) << 12 ^ i;
}

static struct row *add_row(struct bench *bench, const char *name)
{
    if (bench->row_count == MAX_ROWS)
        die("more rows than room");
    struct row *row = &bench->rows[bench->row_count++];
    (void)snprintf(row->name, sizeof row->name, "%s", name);
    return row;
}

static void add_kernels(struct bench *bench, const char *name, uint32_t slots,
                        th_permutation_draw *draw, th_kernel *fast, th_kernel *portable)
{
    char full[48];
    th_permutations *table = malloc(sizeof *table);
    if (!table)
        die("no memory");
    draw(table, 1, slots);
    for (int i = 0; i < 2; i++) {
        (void)snprintf(full, sizeof full, "%s k=%u %s", name, slots,
                       i ? "portable" : "fast");
        struct row *row = add_row(bench, full);
        row->kernel = i ? portable : fast;
        row->table = table;
        row->slots = slots;
    }
}

static void measure(struct bench *bench, struct row *row, int round)
{
    th_arena *arena = th_arena_new(0);
    uint64_t slots[TH_SLOTS_MAX];
    const double start = now_us();
    for (int i = 0; i < REPEATS; i++) {
        if (row->signer) {
            th_signature signature;
            if (th_minhash(row->signer, (th_view){ bench->text, bench->text_len }, arena,
                           &signature) != TH_OK)
                die("cannot sign");
            bench->checksum += signature.slots[0];
        } else {
            th_sketch sketch = { .table = row->table,
                                 .slots = slots,
                                 .capacity = row->slots };
            row->kernel(&sketch, bench->hashes, SHINGLES);
            bench->checksum += slots[0];
        }
    }
    row->us[round] = (now_us() - start) / REPEATS;
    th_arena_free(arena);
}

static int order(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_figures(struct bench *bench, int rounds)
{
    printf("%-34s %9s %9s   us for %d shingles\n", "", "best", "median", SHINGLES);
    for (size_t i = 0; i < bench->row_count; i++) {
        struct row *row = &bench->rows[i];
        qsort(row->us, (size_t)rounds, sizeof *row->us, order);
        printf("%-34s %9.2f %9.2f", row->name, row->us[0], row->us[rounds / 2]);
        if (strstr(row->name, " portable"))
            printf("   fast is %.2f times as fast",
                   row->us[rounds / 2] / row[-1].us[rounds / 2]);
        printf("\n");
    }
    printf("%d rounds of %d, checksum %016" PRIx64 ", %s\n", rounds, REPEATS,
           bench->checksum, TH_SOFTWARE);
}

int main(int argc, char **argv)
{
    static struct bench bench;
    int rounds = 51;
    if (argc == 3 && strcmp(argv[1], "--rounds") == 0)
        rounds = atoi(argv[2]);
    else if (argc != 1)
        rounds = 0;
    if (rounds < 1 || rounds >= MAX_ROUNDS) {
        fputs("usage: bench_signing [--rounds 1..1000]\n", stderr);
        return 2;
    }
    make_text(&bench, 5);
    for (size_t i = 0; th_minhash_presets[i]; i++) {
        struct row *row = add_row(&bench, th_minhash_presets[i]->name);
        if (th_minhash_signer_new(th_minhash_presets[i], &row->signer, NULL) != TH_OK)
            die("no memory");
    }
    add_kernels(&bench, "affine32", 128, th_permutations_affine32, th_affine32,
                th_affine32_portable);
    add_kernels(&bench, "affine64", 112, th_permutations_affine64, th_affine64,
                th_affine64_portable);
    add_kernels(&bench, "modular32", 128, th_permutations_interleaved, th_modular32,
                th_modular32_portable);
    add_kernels(&bench, "modular64", 112, th_permutations_sequential, th_modular64,
                th_modular64_portable);
    for (int round = -1; round < rounds; round++) /* the first is the warm-up */
        for (size_t i = 0; i < bench.row_count; i++)
            measure(&bench, &bench.rows[i], round < 0 ? 0 : round);
    print_figures(&bench, rounds);
    for (size_t i = 0; i < bench.row_count; i++) {
        th_minhash_signer_free(bench.rows[i].signer);
        if (bench.rows[i].table && strstr(bench.rows[i].name, " fast"))
            free((void *)(uintptr_t)bench.rows[i].table);
    }
    return 0;
}
