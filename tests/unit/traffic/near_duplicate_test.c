/* src/traffic/near_duplicate.c: the right records have the matches of the index, and
 * pieces have the right location of each record. */
#include "traffic/near_duplicate.h"
#include "traffic/work.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "index/index_scene.h"
#include "write/record_field.h"
#include "write/record_paths.h"

enum { RECORDS = 7 };

/* Words enough for many windows; pages of one letter have the same. */
static th_view make_block(th_arena *arena, char letter, uint32_t nav)
{
    th_buffer text = { 0 };
    th_buffer_printf(&text,
                     "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
                     "<ul><li><a href=/%u>link %u</a></ul><p>",
                     nav, nav);
    for (int i = 0; i < 80; i++)
        th_buffer_printf(&text, "%c%d is what it says, ", letter, i * i);
    const th_view block = th_arena_copy(arena, th_buffer_view(&text));
    th_buffer_done(&text);
    return block;
}

/* Pages a, b, a again, a non-page, b again, c, a again. */
static void fill_batch(th_batch *batch)
{
    static const char letters[] = "abaXbca";
    static const char *const ids[RECORDS] = { "<0>", "<1>", "<2>", "<3>",
                                              "<4>", "<5>", "<6>" };
    batch->record_count = RECORDS;
    for (uint32_t i = 0; i < RECORDS; i++)
        batch->records[i] = (th_record){
            .kind = letters[i] == 'X' ? TH_RECORD_OTHER : TH_RECORD_RESPONSE,
            .id = { ids[i], strlen(ids[i]) },
            .url = TH_VIEW("http://a.example/"),
            .is_http = true,
            .block = make_block(batch->arena, letters[i], i),
        };
}

/* The record has the members of near_duplicate that the table of fields has. */
static void has_all_members(const record_paths *found)
{
    for (uint32_t i = 0; i < th_record_field_count; i++)
        if (strncmp(th_record_fields[i].path, "near_duplicate", 14) == 0)
            assert_true(record_paths_have(found, th_record_fields[i].path));
}

static void each_record_says_what_it_is_like(void **state)
{
    static const char *const want[RECORDS] = { "", "", "<0>", NULL, "<1>", "", "<0>" };
    (void)state;
    char *dir = index_scene_folder();
    const th_index_options index_options = index_scene_options(dir);
    th_index *index = index_scene_open(&index_options);
    th_options page;
    th_options_init(&page);
    const th_work_options options = { .page = &page,
                                      .format = th_format_find("jsonl"),
                                      .format_options = { .page = &page },
                                      .index = index,
                                      .wants_edges = true,
                                      .wants_pieces = true,
                                      .wants_rejects = true };
    th_batch batch = { .arena = th_arena_new(0) };
    th_work_buffers buffers = { .pages = { 0 } };
    th_work_result result;
    fill_batch(&batch);
    th_worker *worker = th_worker_new(&options);
    assert_non_null(worker);
    assert_int_equal(th_work(worker, &batch, NULL, &buffers, &result, NULL), TH_OK);
    assert_int_equal(th_near_duplicate_settle(&result, NULL), TH_OK);
    assert_int_equal(result.counts.duplicates, 3);
    size_t end = 0;
    record_paths paths = { .count = 0 };
    for (uint32_t i = 0; i < RECORDS; i++) {
        const th_piece *piece = &result.pieces[i];
        assert_int_equal(piece->record, i);
        assert_int_equal(piece->status == TH_OK, want[i] != NULL);
        if (!want[i])
            continue;
        assert_int_equal(piece->start, end); /* consecutive, without gaps */
        end += piece->len;
        record_paths_add(&paths,
                         (th_view){ result.pages.data + piece->start, piece->len });
        char *line = strndup(result.pages.data + piece->start, piece->len);
        char part[64], id[16];
        (void)snprintf(id, sizeof id, "\"id\":\"<%u>\"", i);
        (void)snprintf(part, sizeof part, ",\"near_duplicate\":{\"of\":\"%s\",", want[i]);
        assert_memory_equal(line, "{\"schema\"", 9);
        assert_string_equal(line + piece->len - 2, "}\n");
        assert_non_null(strstr(line, id));
        assert_int_equal(strstr(line, "near_duplicate") != NULL, *want[i] != '\0');
        assert_true(!*want[i] || strstr(line, part));
        free(line);
    }
    assert_int_equal(end, result.pages.len);
    has_all_members(&paths);
    size_t lines = 0;
    for (size_t i = 0; i < result.edges.len; i++)
        lines += result.edges.data[i] == '\n';
    assert_int_equal(lines, 3);
    assert_int_equal(result.edge_count, lines);
    for (size_t i = 0, at = 0; i < result.edge_count; i++) {
        const th_edge *edge = &result.edge_rows[i];
        char of[128];
        (void)snprintf(of, sizeof of, "\"of\":\"%.*s\"", (int)edge->of_len,
                       result.names.data + edge->of);
        assert_int_equal(edge->start, at);
        at += edge->len;
        assert_int_equal(result.edges.data[at - 1], '\n');
        assert_non_null(
            memmem(result.edges.data + edge->start, edge->len, of, strlen(of)));
    }
    th_worker_free(worker);
    th_work_buffers_done(&buffers);
    th_arena_free(batch.arena);
    th_index_close(index);
    index_scene_remove(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_record_says_what_it_is_like),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
