/* src/ingest/batch_builder.c: batches, and resuming at any border between them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ingest/batch_builder.h"

#include <fcntl.h>
#include <unistd.h>

#include "ingest/spool_scene.h"

enum { RECORDS = 300 };

/* Reads from `start` to the end, appends every id, and checks each batch. */
static th_status read_on(const char *path, int fd, const th_checkpoint *start,
                         uint64_t max_record, th_buffer *ids, th_checkpoint *places,
                         unsigned *place_count)
{
    const th_batch_builder_options options = { .max_record = max_record };
    th_batch_builder builder;
    warc_error error;
    th_batch *batch = calloc(1, sizeof *batch);
    assert_non_null(batch);
    batch->arena = th_arena_new(0);
    th_status status = th_batch_builder_open(&builder, path, fd, &options, &error);
    if (status == TH_OK && start)
        status = th_batch_builder_seek(&builder, start, &error);
    if (status == TH_OK)
        status = th_batch_builder_next(&builder, &error);
    while (status == TH_OK) {
        th_arena_reset(batch->arena);
        batch->record_count = 0;
        status = th_batch_builder_fill(&builder, TH_VIEW("a name"), batch, &error);
        assert_true(status != TH_OK || batch->record_count == TH_BATCH_RECORDS);
        for (uint32_t i = 0; i < batch->record_count; i++) {
            const th_record *record = &batch->records[i];
            assert_int_equal(record->kind, TH_RECORD_RESPONSE);
            assert_true(record->block.len <= max_record);
            assert_int_equal(record->flags, record->block_len > max_record
                                                ? TH_FLAG_RECORD_TRUNCATED
                                                : 0);
            assert_int_equal(record->position.file.len, strlen("a name"));
            th_buffer_append_view(ids, record->id);
            th_buffer_append_char(ids, '\n');
        }
        if (status == TH_OK && places)
            th_batch_builder_place(&builder, &places[(*place_count)++]);
    }
    th_batch_builder_close(&builder);
    th_arena_free(batch->arena);
    free(batch);
    return status;
}

static void reads_on_at_any_border(void **state)
{
    (void)state;
    struct scene scene;
    char path[SCENE_PATH];
    th_checkpoint places[RECORDS];
    unsigned count = 0;
    th_buffer all = { 0 };
    scene_begin(&scene);
    scene_archive(&scene, "a.warc", "a", RECORDS);
    scene_path(&scene, "a.warc", path);
    assert_int_equal(read_on(path, -1, NULL, 1000, &all, places, &count), TH_END);
    assert_int_equal(count, RECORDS / TH_BATCH_RECORDS);
    const int fd = open(path, O_RDONLY);
    for (unsigned i = 0; i < count; i++) {
        th_buffer tail = { 0 };
        /* By descriptor too. */
        assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
        assert_int_equal(
            read_on(i % 2 ? path : NULL, fd, &places[i], 1000, &tail, NULL, NULL),
            TH_END);
        assert_true(tail.len < all.len);
        assert_memory_equal(tail.data, all.data + all.len - tail.len, tail.len);
        th_buffer_done(&tail);
    }
    (void)close(fd);
    th_buffer_done(&all);
    scene_end(&scene);
}

static void long_blocks_are_cut(void **state)
{
    (void)state;
    struct scene scene;
    char path[SCENE_PATH];
    th_buffer ids = { 0 };
    scene_begin(&scene);
    scene_archive(&scene, "a.warc", "a", 10);
    assert_int_equal(
        read_on(scene_path(&scene, "a.warc", path), -1, NULL, 20, &ids, NULL, NULL),
        TH_END);
    assert_int_equal(ids.len, 10 * strlen("a-0\n"));
    th_buffer_done(&ids);
    scene_end(&scene);
}

static void what_is_no_archive(void **state)
{
    (void)state;
    struct scene scene;
    char path[SCENE_PATH];
    th_buffer ids = { 0 };
    scene_begin(&scene);
    assert_int_equal(
        read_on(scene_path(&scene, "none", path), -1, NULL, 20, &ids, NULL, NULL), TH_IO);
    scene_write(&scene, "empty", TH_VIEW(""));
    assert_int_equal(
        read_on(scene_path(&scene, "empty", path), -1, NULL, 20, &ids, NULL, NULL),
        TH_END);
    scene_write(&scene, "text", TH_VIEW("no archive at all\n"));
    assert_int_equal(
        read_on(scene_path(&scene, "text", path), -1, NULL, 20, &ids, NULL, NULL),
        TH_END);
    assert_int_equal(ids.len, 0);
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_on_at_any_border),
        cmocka_unit_test(long_blocks_are_cut),
        cmocka_unit_test(what_is_no_archive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
