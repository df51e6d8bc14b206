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
    struct CMUnitTest tests[FILES + 1];
    for (size_t i = 0; i < FILES; i++) {
        const union {
            const void *constant;
            void *state;
        } row = { .constant = &files[i] };
        tests[i] =
            (struct CMUnitTest){ files[i], reading_survives, NULL, NULL, row.state };
    }
    tests[FILES] = (struct CMUnitTest){ "writing", writing_survives, NULL, NULL, NULL };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
