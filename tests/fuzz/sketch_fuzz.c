/*
 * Any text: normalised text is its own normal form, and the fast kernels give the bits of
 * the plain ones.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/unicode.h"
#include "fuzz_target.h"
#include "sketch/kernel_affine.h"
#include "thresher/minhash.h"

static void hold(int claim)
{
    if (!claim)
        abort();
}

/* The bytes of the input as base hashes. */
static void kernels_agree(const uint8_t *data, size_t size)
{
    th_kernel *const fast[] = { th_affine32, th_affine64 };
    th_kernel *const plain[] = { th_affine32_portable, th_affine64_portable };
    th_permutation_draw *const draw[] = { th_permutations_affine32,
                                          th_permutations_affine64 };
    const size_t count = size / sizeof(uint64_t);
    const uint32_t room = size ? 1 + data[0] % TH_SLOTS_MAX : 1;
    uint64_t *hashes = malloc(count * sizeof *hashes + 1);
    hold(hashes != NULL);
    memcpy(hashes, data, count * sizeof *hashes);
    for (int i = 0; i < 2; i++) {
        th_permutations table;
        uint64_t a[TH_SLOTS_MAX], b[TH_SLOTS_MAX];
        draw[i](&table, 1, room);
        th_sketch x = { &table, a, room, 0 }, y = { &table, b, room, 0 };
        fast[i](&x, hashes, count);
        plain[i](&y, hashes, count);
        hold(x.filled == room && y.filled == room);
        hold(memcmp(a, b, room * sizeof *a) == 0);
    }
    free(hashes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kernels_agree(data, size);
    const size_t len = th_utf8_valid((const char *)data, size);
    char *text = malloc(len + 1);
    th_arena *arena = th_arena_new(0);
    hold(text && arena);
    memcpy(text, data, len);
    const th_view once = th_normalise((th_view){ text, len }, arena);
    const th_view twice = th_normalise(once, arena);
    hold(once.len == twice.len && memcmp(once.data, twice.data, once.len) == 0);
    hold(th_utf8_valid(once.data, once.len) == once.len);
    for (size_t i = 0; th_minhash_presets[i]; i++) {
        th_signature signature = { NULL, 0, 0 };
        const th_status status =
            th_minhash(th_minhash_presets[i], once, arena, &signature);
        hold(status == (once.len ? TH_OK : TH_EMPTY));
        hold(th_minhash_similarity(th_minhash_presets[i], &signature, &signature) ==
             (once.len ? 1.0 : 0.0));
    }
    th_arena_free(arena);
    free(text);
    return 0;
}
