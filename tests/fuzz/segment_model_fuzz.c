/*
 * A model's text with damage at any place is refused with a message, or read, and
 * its own text is then read as the same model. The checksum is corrected first to reach the
 * other checks.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "fuzz_target.h"
#include "lab/segment/lab_segmenters.h"
#include "lab/train/model_text.h"
#include "segment/segment_model.h"

static void must(int holds)
{
    if (!holds)
        abort();
}

static void check(const char *data, size_t size)
{
    th_segment_model model, again;
    th_error err = { .text = "" };
    th_buffer text = { 0 };
    const th_status status = th_segment_model_read(
        (th_view){ data, size }, th_lab_segmenters, NULL, "fuzz", &model, &err);
    must(status == TH_OK || (status == TH_USAGE && err.text[0]));
    if (status != TH_OK)
        return;
    th_model_text_write(&model, &text);
    must(th_segment_model_read(th_buffer_view(&text), th_lab_segmenters, model.features,
                               "fuzz", &again, &err) == TH_OK);
    must(memcmp(&model.final, &again.final, sizeof model.final) == 0);
    must(memcmp(model.folds, again.folds, sizeof model.folds) == 0);
    must(strcmp(model.corpora, again.corpora) == 0 && model.seed == again.seed);
    th_buffer_done(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *mended = malloc(size + 32);
    must(mended != NULL);
    memcpy(mended, data, size);
    check(mended, size);
    const int len = snprintf(mended + size, 32, "checksum %016" PRIx64 "\n",
                             (uint64_t)XXH3_64bits(mended, size));
    check(mended, size + (size_t)len);
    free(mended);
    return 0;
}
