/*
 * Any text: normalized text is its own normal form, the fast kernels equal the portable
 * ones, and the name of a preset returns the same preset.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/unicode.h"
#include "fuzz_target.h"
#include "sketch/kernel_affine.h"
#include "sketch/kernel_modular.h"
#include "thresher/minhash.h"

static void hold(int claim)
{
    if (!claim)
        abort();
}

/* The bytes of the input as base hashes. */
static void kernels_agree(const uint8_t *data, size_t size)
{
    th_kernel *const fast[] = { th_affine32, th_affine64, th_modular32, th_modular64 };
    th_kernel *const plain[] = { th_affine32_portable, th_affine64_portable,
                                 th_modular32_portable, th_modular64_portable };
    th_permutation_draw *const draw[] = { th_permutations_affine32,
                                          th_permutations_affine64,
                                          th_permutations_interleaved,
                                          th_permutations_sequential };
    const size_t count = size / sizeof(uint64_t);
    const uint32_t capacity = size ? 1 + data[0] : 1;
    uint64_t *hashes = malloc(count * sizeof *hashes + 1);
    hold(hashes != NULL);
    memcpy(hashes, data, count * sizeof *hashes);
    for (int i = 0; i < 4; i++) {
        th_permutations table;
        uint64_t a[TH_SLOTS_MAX], b[TH_SLOTS_MAX];
        draw[i](&table, 1, capacity);
        th_sketch x = { &table, a, capacity, 0 }, y = { &table, b, capacity, 0 };
        fast[i](&x, hashes, count);
        plain[i](&y, hashes, count);
        hold(x.filled == capacity && y.filled == capacity);
        hold(memcmp(a, b, capacity * sizeof *a) == 0);
    }
    free(hashes);
}

/* The input as the words of a preset. */
static void words_come_back(const uint8_t *data, size_t size)
{
    char words[256] = "", printed[TH_MINHASH_NAME_MAX];
    memcpy(words, data, size < sizeof words ? size : sizeof words - 1);
    th_minhash_preset preset, again;
    th_error err = { .text = "" };
    const th_status status = th_minhash_parse(words, &preset, &err);
    hold(status == TH_OK || status == TH_NOT_WANTED ||
         (status == TH_USAGE && err.text[0]));
    if (status != TH_OK)
        return;
    th_minhash_print(&preset, printed);
    hold(th_minhash_parse(printed, &again, NULL) == TH_OK);
    hold(th_minhash_check_same(&preset, "a", &again, "b", NULL) == TH_OK);
    hold(preset.bands == again.bands && preset.rows == again.rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kernels_agree(data, size);
    words_come_back(data, size);
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
        th_signature signature = { .slots = NULL };
        th_minhash_signer *signer = NULL;
        hold(th_minhash_signer_new(th_minhash_presets[i], &signer, NULL) == TH_OK);
        const th_status status = th_minhash(signer, once, arena, &signature);
        th_minhash_signer_free(signer);
        hold(status == (once.len ? TH_OK : TH_NO_TOKEN));
        hold(th_minhash_similarity(th_minhash_presets[i], &signature, &signature) ==
             (once.len ? 1.0 : 0.0));
    }
    th_arena_free(arena);
    free(text);
    return 0;
}
