/*
 * The n-th allocation fails, for n = 1, 2, ...: reader and writer return WARC_NOMEM and
 * leak nothing.
 */
#include "warc/warc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocation.h"

static const char *const files[] = {
    "three_members.warc.gz", "dict_packed.warc.zst", "damaged_first_magic.warc.gz",
    "two_records.arc",       "digests.warc",
};

static warc_status read_file(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/warc/%s", TH_DATA, name);
    warc_reader_options options;
    warc_reader_options_init(&options);
    options.verify_digests = true;
    warc_reader *reader = NULL;
    warc_record *record = NULL;
    warc_status status = warc_reader_open_path(path, &options, &reader, NULL);
    while (status == WARC_OK)
        status = warc_reader_next(reader, &record, NULL);
    warc_reader_free(reader);
    return status;
}

static void reading_survives(void **state)
{
    const char *const *name = *state;
    size_t n = 0;
    warc_status status;
    do {
        fail_allocation(++n);
        status = read_file(*name);
        assert_true(status == WARC_NOMEM || status == WARC_END);
    } while (status == WARC_NOMEM && n < 1000);
    fail_allocation(0);
    assert_true(n > 4 && n < 1000);
}

/* Reads all records of some bytes. Returns how often memory was allocated. */
static size_t read_records(warc_reader *reader, unsigned records)
{
    const size_t before = count_allocations();
    warc_record *record = NULL;
    unsigned count = 0;
    while (warc_reader_next(reader, &record, NULL) == WARC_OK)
        count++;
    assert_int_equal(count, records);
    return count_allocations() - before;
}

/* The memory of the first header is used for all headers that are not longer, also for a
 * reopened reader. */
static void memory_of_headers_is_used_again(void **state)
{
    enum { RECORDS = 200 };
    static const char one[] =
        "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: <a:b>\r\n"
        "WARC-Date: 2026-01-02T03:04:05Z\r\nContent-Length: 3\r\n\r\n"
        "abc\r\n\r\n";
    const size_t len = sizeof one - 1;
    char *bytes = malloc(len * RECORDS);
    (void)state;
    assert_non_null(bytes);
    for (size_t i = 0; i < RECORDS; i++)
        memcpy(bytes + i * len, one, len);
    warc_reader *reader = NULL;
    warc_reader_options options;
    warc_reader_options_init(&options);
    assert_int_equal(
        warc_reader_open_memory((warc_view){ bytes, len }, &options, &reader, NULL),
        WARC_OK);
    const size_t first = read_records(reader, 1);
    assert_true(first > 0);
    const size_t before = count_allocations();
    for (int again = 0; again < 2; again++) {
        assert_int_equal(
            warc_reader_reopen_memory(reader, (warc_view){ bytes, len * RECORDS }, NULL),
            WARC_OK);
        assert_int_equal(read_records(reader, RECORDS), 0);
    }
    /* To open the bytes again takes memory, but not for a header. */
    assert_true(count_allocations() - before < 2 * first + 2);
    warc_reader_free(reader);
    free(bytes);
}

static warc_status write_file(warc_packing packing, warc_buffer *buffer)
{
    static const char body[5000] = "text";
    const warc_output output = warc_output_to_buffer(buffer);
    warc_writer_options options;
    warc_writer_options_init(&options);
    options.packing = packing;
    const warc_derived about = { .refers_to = { "<urn:a>", 7 },
                                 .target_uri = { "b", 1 } };
    warc_writer *writer = NULL;
    warc_status status = warc_writer_new(&output, &options, &writer, NULL);
    if (status == WARC_OK)
        status = warc_writer_conversion(writer, &about, (warc_view){ body, sizeof body },
                                        NULL);
    warc_writer_free(writer);
    return status;
}

static void writing_survives(void **state)
{
    (void)state;
    for (int packing = WARC_PACK_PLAIN; packing <= WARC_PACK_ZSTD; packing++) {
        size_t n = 0;
        warc_status status;
        do {
            warc_buffer buffer = { 0 };
            fail_allocation(++n);
            status = write_file((warc_packing)packing, &buffer);
            fail_allocation(0);
            warc_buffer_done(&buffer);
            assert_true(status == WARC_NOMEM || status == WARC_OK);
        } while (status == WARC_NOMEM && n < 1000);
        assert_true(n > 4 && n < 1000);
    }
}

int main(void)
{
    enum { FILES = sizeof files / sizeof *files };
    struct CMUnitTest tests[FILES + 2];
    for (size_t i = 0; i < FILES; i++) {
        const union {
            const void *constant;
            void *state;
        } row = { .constant = &files[i] };
        tests[i] =
            (struct CMUnitTest){ files[i], reading_survives, NULL, NULL, row.state };
    }
    tests[FILES] = (struct CMUnitTest){ "writing", writing_survives, NULL, NULL, NULL };
    tests[FILES + 1] =
        (struct CMUnitTest)cmocka_unit_test(memory_of_headers_is_used_again);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
