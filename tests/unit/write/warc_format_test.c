/* src/write/warc_format.c: its output, read by libwarc. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <warc/warc.h>

#include "json_line.h"
#include "sample_page.h"
#include "write/format.h"

#define TEXT "Gr\u00fc\u00dfe, K\u00f6ln\nThe \"key\" is \U0001D11E, a\\b."

static const struct row {
    const char *name;
    th_compression compression;
    warc_container container;
} rows[] = {
    { "plain", TH_PLAIN, WARC_CONTAINER_PLAIN },
    { "gzip", TH_GZIP, WARC_CONTAINER_GZIP },
    { "zstd", TH_ZSTD, WARC_CONTAINER_ZSTD },
};

/* An archive that is being read, and the block of the record last read. */
struct archive {
    warc_reader *reader;
    warc_record *record;
    th_buffer block;
};

static void open_archive(struct archive *archive, th_view bytes)
{
    warc_reader_options options;
    warc_reader_options_init(&options);
    options.verify_digests = true;
    *archive = (struct archive){ 0 };
    assert_int_equal(warc_reader_open_memory((warc_view){ bytes.data, bytes.len },
                                             &options, &archive->reader, NULL),
                     WARC_OK);
}

static void close_archive(struct archive *archive)
{
    warc_reader_free(archive->reader);
    th_buffer_done(&archive->block);
}

/* Reads the next record whole. @return false at the end */
static bool next_record(struct archive *archive)
{
    const warc_status status = warc_reader_next(archive->reader, &archive->record, NULL);
    if (status == WARC_END)
        return false;
    assert_int_equal(status, WARC_OK);
    th_buffer_reset(&archive->block);
    warc_view chunk;
    while (warc_reader_chunk(archive->reader, &chunk, NULL) == WARC_OK)
        th_buffer_append(&archive->block, chunk.data, chunk.len);
    assert_int_equal(warc_reader_finish(archive->reader, NULL), WARC_OK);
    assert_false(warc_record_is_damaged(archive->record));
    return true;
}

static void assert_field(const struct archive *archive, warc_field field,
                         const char *want)
{
    const warc_view value = warc_record_get(archive->record, field);
    assert_non_null(value.data);
    assert_int_equal(value.len, strlen(want));
    assert_memory_equal(value.data, want, value.len);
}

static void assert_block(const struct archive *archive, const char *want)
{
    assert_int_equal(archive->block.len, strlen(want));
    assert_memory_equal(archive->block.data, want, archive->block.len);
}

/* The id of the record, as an exact copy to compare with. */
static void copy_id(const struct archive *archive, char id[WARC_ID_SIZE])
{
    const warc_view value = warc_record_get(archive->record, WARC_FIELD_RECORD_ID);
    assert_int_equal(value.len, WARC_ID_SIZE - 1);
    assert_memory_equal(value.data, "<urn:uuid:", 10);
    memcpy(id, value.data, value.len);
    id[value.len] = '\0';
}

static void assert_about_source(const struct archive *archive)
{
    assert_field(archive, WARC_FIELD_TARGET_URI, "http://a.example/page");
    assert_field(archive, WARC_FIELD_DATE, "2024-05-06T07:08:09Z");
    assert_field(archive, WARC_FIELD_REFERS_TO,
                 "<urn:uuid:00000000-0000-4000-8000-000000000001>");
    assert_int_equal(warc_record_block_digest(archive->record), WARC_DIGEST_OK);
}

static void reads_back(void **state)
{
    const struct row *row = *state;
    sample_page s;
    sample_page_init(&s);
    const th_format_options opt = { &s.opt, row->compression, "thresher/test" };
    const th_format *format = th_format_find("warc");
    assert_true(format->is_compressing);
    th_buffer out = { 0 };
    assert_int_equal(format->start(&opt, TH_VIEW("/home/me/a\n.warc.gz"), &out), TH_OK);
    assert_int_equal(format->page(&opt, &s.annotated, &out), TH_OK);

    struct archive archive;
    char info[WARC_ID_SIZE], conversion[WARC_ID_SIZE], metadata[WARC_ID_SIZE];
    open_archive(&archive, th_buffer_view(&out));
    assert_true(next_record(&archive));
    assert_int_equal(warc_record_type(archive.record), WARC_TYPE_WARCINFO);
    assert_block(&archive, "software: thresher/test\r\nformat: WARC File Format 1.1\r\n"
                           "isPartOf: a%0A.warc.gz\r\n");
    copy_id(&archive, info);

    assert_true(next_record(&archive));
    assert_int_equal(warc_record_type(archive.record), WARC_TYPE_CONVERSION);
    assert_about_source(&archive);
    assert_field(&archive, WARC_FIELD_CONTENT_TYPE, "text/plain");
    assert_int_equal(archive.block.len, sizeof TEXT - 1);
    assert_memory_equal(archive.block.data, TEXT, sizeof TEXT - 1);
    copy_id(&archive, conversion);

    assert_true(next_record(&archive));
    assert_int_equal(warc_record_type(archive.record), WARC_TYPE_METADATA);
    assert_about_source(&archive);
    assert_field(&archive, WARC_FIELD_CONTENT_TYPE, "application/json");
    assert_true(json_line_is_valid(th_buffer_view(&archive.block)));
    assert_null(memmem(archive.block.data, archive.block.len, "\"text\":", 7));
    assert_non_null(memmem(archive.block.data, archive.block.len, "\"segments\":[{", 13));
    assert_non_null(memmem(archive.block.data, archive.block.len, "\"blocks\":[{", 11));
    copy_id(&archive, metadata);

    assert_false(next_record(&archive));
    const warc_reader_stats *stats = warc_reader_get_stats(archive.reader);
    assert_int_equal(stats->container, row->container);
    assert_int_equal(stats->damage_count, 0);
    if (row->compression != TH_PLAIN)
        assert_int_equal(stats->members, 3);
    assert_string_not_equal(info, conversion);
    assert_string_not_equal(conversion, metadata);
    close_archive(&archive);
    th_buffer_done(&out);
    sample_page_done(&s);
}

static void same_page_same_bytes(void **state)
{
    const struct row *row = *state;
    th_buffer out = { 0 };
    size_t half = 0;
    for (int i = 0; i < 2; i++) {
        sample_page s;
        sample_page_init(&s);
        const th_format_options opt = { &s.opt, row->compression, "thresher/test" };
        half = out.len;
        assert_int_equal(th_format_find("warc")->page(&opt, &s.annotated, &out), TH_OK);
        sample_page_done(&s);
    }
    assert_int_equal(out.len, 2 * half);
    assert_memory_equal(out.data, out.data + half, half);
    th_buffer_done(&out);
}

/* A WET file: the title's line first. A page without content has no record. */
static void wet_has_conversions_alone(void **state)
{
    (void)state;
    sample_page s;
    sample_page_init(&s);
    const th_format_options opt = { &s.opt, TH_PLAIN, "thresher/test" };
    const th_format *format = th_format_find("wet");
    th_buffer out = { 0 };
    s.page.metadata.title = TH_VIEW("A title");
    assert_int_equal(format->page(&opt, &s.annotated, &out), TH_OK);
    memset(s.paragraph_label_of, TH_BOILERPLATE, sizeof s.paragraph_label_of);
    assert_int_equal(format->page(&opt, &s.annotated, &out), TH_OK);
    struct archive archive;
    open_archive(&archive, th_buffer_view(&out));
    assert_true(next_record(&archive));
    assert_int_equal(warc_record_type(archive.record), WARC_TYPE_CONVERSION);
    assert_about_source(&archive);
    assert_block(&archive, "A title\n" TEXT);
    assert_false(next_record(&archive));
    close_archive(&archive);
    th_buffer_reset(&out);
    assert_int_equal(th_format_find("warc")->page(&opt, &s.annotated, &out), TH_OK);
    open_archive(&archive, th_buffer_view(&out));
    assert_true(next_record(&archive));
    assert_int_equal(warc_record_type(archive.record), WARC_TYPE_METADATA);
    assert_false(next_record(&archive));
    close_archive(&archive);
    th_buffer_done(&out);
    sample_page_done(&s);
}

/* Writes the sample's page and gives its two records' ids. */
static void ids_of(const sample_page *s, char conversion[WARC_ID_SIZE],
                   char metadata[WARC_ID_SIZE], bool has_source_id)
{
    const th_format_options opt = { &s->opt, TH_PLAIN, "thresher/test" };
    th_buffer out = { 0 };
    assert_int_equal(th_format_find("warc")->page(&opt, &s->annotated, &out), TH_OK);
    struct archive archive;
    open_archive(&archive, th_buffer_view(&out));
    assert_true(next_record(&archive));
    copy_id(&archive, conversion);
    const warc_view refers_to = warc_record_get(archive.record, WARC_FIELD_REFERS_TO);
    assert_int_equal(refers_to.data != NULL, has_source_id);
    assert_true(next_record(&archive));
    copy_id(&archive, metadata);
    assert_false(next_record(&archive));
    assert_int_equal(warc_reader_get_stats(archive.reader)->damage_count, 0);
    close_archive(&archive);
    th_buffer_done(&out);
}

/* Records without an id get theirs from their place, each its own. */
static void place_stands_for_a_missing_id(void **state)
{
    (void)state;
    char ids[3][2][WARC_ID_SIZE];
    for (uint64_t i = 0; i < 3; i++) {
        sample_page s;
        sample_page_init(&s);
        s.record.id = (th_view){ NULL, 0 };
        s.record.position.offset = i % 2;
        s.record.position.skip = i / 2;
        ids_of(&s, ids[i][0], ids[i][1], false);
        assert_string_not_equal(ids[i][0], ids[i][1]);
        sample_page_done(&s);
    }
    assert_string_not_equal(ids[0][0], ids[1][0]);
    assert_string_not_equal(ids[0][0], ids[2][0]);
}

/* Header values that would break a header cost the field, never the page. */
static void hostile_values_stay_out_of_headers(void **state)
{
    (void)state;
    static const th_view hostile[] = {
        { "a\r\nWARC-Type: response", 23 },
        { "a\nb", 3 },
        { "\0", 1 },
        { "\r", 1 },
        { "a\tb", 3 },
        { "\x7f", 1 },
        { "caf\xe9", 4 },
        { "", 0 },
        { " ", 1 },
    };
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        sample_page s;
        sample_page_init(&s);
        th_view *string;
        for (unsigned k = 0; (string = sample_page_string(&s, k)); k++)
            *string = hostile[i];
        const th_format_options opt = { &s.opt, TH_PLAIN, "thresher/test" };
        th_buffer out = { 0 };
        assert_int_equal(th_format_find("warc")->start(&opt, hostile[i], &out), TH_OK);
        assert_int_equal(th_format_find("warc")->page(&opt, &s.annotated, &out), TH_OK);
        struct archive archive;
        open_archive(&archive, th_buffer_view(&out));
        assert_true(next_record(&archive));
        assert_int_equal(warc_record_type(archive.record), WARC_TYPE_WARCINFO);
        assert_true(next_record(&archive));
        assert_int_equal(warc_record_type(archive.record), WARC_TYPE_CONVERSION);
        assert_true(next_record(&archive));
        assert_int_equal(warc_record_type(archive.record), WARC_TYPE_METADATA);
        assert_false(next_record(&archive));
        assert_int_equal(warc_reader_get_stats(archive.reader)->damage_count, 0);
        close_archive(&archive);
        th_buffer_done(&out);
        sample_page_done(&s);
    }
}

static void several_sources_are_not_named(void **state)
{
    (void)state;
    sample_page s;
    sample_page_init(&s);
    const th_format_options opt = { &s.opt, TH_PLAIN, "thresher/test" };
    th_buffer out = { 0 };
    const th_view absent = { NULL, 0 };
    assert_int_equal(th_format_find("warc")->start(&opt, absent, &out), TH_OK);
    struct archive archive;
    open_archive(&archive, th_buffer_view(&out));
    assert_true(next_record(&archive));
    assert_block(&archive, "software: thresher/test\r\nformat: WARC File Format 1.1\r\n");
    assert_false(next_record(&archive));
    close_archive(&archive);
    th_buffer_done(&out);
    sample_page_done(&s);
}

static void a_full_arena_costs_the_page(void **state)
{
    (void)state;
    sample_page s;
    sample_page_init(&s);
    th_arena_free(s.page.arena);
    s.page.arena = th_arena_new(1);
    const th_format_options opt = { &s.opt, TH_PLAIN, "thresher/test" };
    th_buffer out = { 0 };
    assert_int_equal(th_format_find("warc")->page(&opt, &s.annotated, &out),
                     TH_TOO_LARGE);
    assert_int_equal(out.len, 0);
    th_buffer_done(&out);
    sample_page_done(&s);
}

enum { ROWS = sizeof rows / sizeof *rows };

int main(void)
{
    static struct CMUnitTest tests[2 * ROWS + 5];
    size_t n = 0;
    for (size_t i = 0; i < ROWS; i++) {
        void *const row = (void *)&rows[i];
        tests[n++] = (struct CMUnitTest){ rows[i].name, reads_back, NULL, NULL, row };
        tests[n++] = (struct CMUnitTest){ "same page, same bytes", same_page_same_bytes,
                                          NULL, NULL, row };
    }
    const struct CMUnitTest properties[] = {
        cmocka_unit_test(place_stands_for_a_missing_id),
        cmocka_unit_test(wet_has_conversions_alone),
        cmocka_unit_test(hostile_values_stay_out_of_headers),
        cmocka_unit_test(several_sources_are_not_named),
        cmocka_unit_test(a_full_arena_costs_the_page),
    };
    memcpy(tests + n, properties, sizeof properties);
    return cmocka_run_group_tests_name("warc_format", tests, NULL, NULL);
}
