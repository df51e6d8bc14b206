/* Outcomes of damaged files of zstd, as in warc_reader_test.c. The version of zstd decides
 * how much of a damaged frame is read: skipped with another one. */
#include "warc/warc.h"
#include "warc/warc_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <zstd.h>

enum { ZSTD_OF_DIGESTS = 10504, SKIPPED = 77, FILE_MOST = 1 << 20 };

static const struct row {
    const char *file;
    uint32_t outcomes;
} rows[] = {
    { "clipped_frame.warc.zst", 0x14B452EE },
    { "cut_in_raw_block.warc.zst", 0x6423A983 },
    { "damaged_block.warc.zst", 0x9929628A },
    { "damaged_block_header.warc.zst", 0x7C1DA749 },
    { "damaged_checksum.warc.zst", 0x90D3CA14 },
    { "dict_bad.warc.zst", 0xE19CF26D },
    { "dict_missing.warc.zst", 0x15F478BF },
    { "dict_packed.warc.zst", 0xA27B49B4 },
    { "dict_raw.warc.zst", 0xD887054F },
    { "dict_twice.warc.zst", 0xE6DA0C19 },
    { "dict_wrong.warc.zst", 0x90F5673E },
    { "extension_frames.warc.zst", 0x9EEE5461 },
    { "frame_alone.warc.zst", 0xDBC28B3A },
    { "junk_between.warc.zst", 0x6503BD55 },
    { "frame_header_before_record.warc.zst", 0xFBF4908F },
    { "noise_of_dictionary_frame.warc.zst", 0xF8A78F6D },
    { "noise_of_large_window.warc.zst", 0x756C093D },
    { "magic_before_record.warc.zst", 0x4B378EB0 },
    { "one_frame.warc.zst", 0x0A8AE6EA },
    { "record_in_two_frames.warc.zst", 0xDB0790F9 },
    { "three_frames.warc.zst", 0x000AED65 },
    { "zstd_magic_at_start.warc.zst", 0xA1D00C66 },
};

static void outcomes_are_known(void **state)
{
    const struct row *row = *state;
    char path[1024];
    char *data = malloc(FILE_MOST);
    assert_non_null(data);
    (void)snprintf(path, sizeof path, "%s/warc/%s", TH_DATA, row->file);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t len = fread(data, 1, FILE_MOST, file);
    (void)fclose(file);
    const uint32_t found = trace_outcomes((warc_view){ data, len });
    if (found != row->outcomes)
        fail_msg("%s: the digest of all outcomes is 0x%08" PRIX32 ", not 0x%08" PRIX32,
                 row->file, found, row->outcomes);
    free(data);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS];
    if (ZSTD_versionNumber() != ZSTD_OF_DIGESTS)
        return SKIPPED;
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].file, outcomes_are_known, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
