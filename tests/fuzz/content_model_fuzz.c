/*
 * A content model with damage at any place is refused with a message, or read and
 * scores the same in every way. The checksum is corrected first to reach the other checks.
 */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "content/content_model_file.h"
#include "fuzz_target.h"

static void must(int holds)
{
    if (!holds)
        abort();
}

static void check(const char *data, size_t size)
{
    static th_content_model model;
    th_error err = { .text = "" };
    const th_status status = th_content_model_read((th_view){ data, size }, &small_schema,
                                                   "fuzz", &model, &err);
    must(status == TH_OK ||
         ((status == TH_USAGE || status == TH_DAMAGED) && err.text[0]));
    if (status != TH_OK)
        return;
    uint8_t planes[12][TH_ENSEMBLE_ROWS];
    const uint8_t *column[12];
    int32_t fast[TH_ENSEMBLE_ROWS], plain[TH_ENSEMBLE_ROWS], score = 0;
    uint16_t type[TH_PAGE_TYPE_COUNT];
    uint8_t value[12], group_of[12] = { 0 };
    for (size_t i = 0; i < 12; i++) {
        column[i] = planes[i];
        for (size_t row = 0; row < TH_ENSEMBLE_ROWS; row++)
            planes[i][row] = (uint8_t)(37 * i + 11 * row + (size_t)data[row % size]);
        value[i] = planes[i][5];
    }
    th_ensemble_score(&model.paragraph, column, TH_ENSEMBLE_ROWS, fast);
    th_ensemble_score_portable(&model.paragraph, column, TH_ENSEMBLE_ROWS, plain);
    must(memcmp(fast, plain, sizeof fast) == 0);
    th_ensemble_score_one(&model.paragraph, value, &score);
    must(score == fast[5]);
    int32_t reasons = 0;
    th_ensemble_means means;
    th_arena *arena = th_arena_new(0);
    must(arena != NULL);
    must(th_ensemble_means_make(&model.paragraph, arena, &means) == TH_OK);
    th_ensemble_explain(&means, value, group_of, &reasons);
    must(means.base + reasons == score);
    th_arena_free(arena);
    th_content_model_types(&model, value, type);
    uint32_t sum = 0;
    for (int i = 0; i < TH_PAGE_TYPE_COUNT; i++)
        sum += type[i];
    must(sum <= 65535 && sum > 65535 - TH_PAGE_TYPE_COUNT);
    uint16_t probability;
    th_content_model_calibrate(&model, type, &score, 1, &probability);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *mended = malloc(size + 8);
    must(mended != NULL);
    memcpy(mended, data, size);
    check(mended, size);
    uint64_t checksum = XXH3_64bits(mended, size);
    for (size_t i = 0; i < 8; i++, checksum >>= 8)
        mended[size + i] = (char)(checksum & 0xFF);
    check(mended, size + 8);
    free(mended);
    return 0;
}
