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
    { "clipped_frame.warc.zst", 0x7F100775 },
    { "cut_in_raw_block.warc.zst", 0x9E590E3E },
    { "damaged_block.warc.zst", 0xB7EED8FC },
    { "damaged_block_header.warc.zst", 0xC9543B0A },
    { "damaged_checksum.warc.zst", 0xF2FBB471 },
    { "dict_bad.warc.zst", 0x5EBC9271 },
    { "dict_missing.warc.zst", 0xAAE39CDB },
    { "dict_packed.warc.zst", 0xE6349637 },
    { "dict_raw.warc.zst", 0xEFAB3BED },
    { "dict_twice.warc.zst", 0x60679B7E },
    { "dict_wrong.warc.zst", 0xADB18793 },
    { "extension_frames.warc.zst", 0x80129C58 },
    { "frame_alone.warc.zst", 0xDBC28B3A },
    { "junk_between.warc.zst", 0x780BF622 },
    { "frame_header_before_record.warc.zst", 0xF5E4B376 },
    { "noise_of_dictionary_frame.warc.zst", 0x0D096024 },
    { "noise_of_large_window.warc.zst", 0x9543B929 },
    { "magic_before_record.warc.zst", 0x76879CB2 },
    { "one_frame.warc.zst", 0x44937CF6 },
    { "record_in_two_frames.warc.zst", 0xC48E3D52 },
    { "three_frames.warc.zst", 0x39B00CD2 },
    { "zstd_magic_at_start.warc.zst", 0x15FEFF8E },
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
