/* A memory returns to its committed state, after a failure, and when partitions are revoked
 * while records are in progress. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sys/stat.h>
#include <unistd.h>

#include "site/site_memory.h"

enum { EPOCH = 2, SITE = 5, EVERYWHERE = 0x1100 };

struct scene {
    char dir[64];
    uint64_t journal_bytes;
    th_site_memory *memory;
    unsigned warnings;
    char warning[400];
};

static void hear(void *context, const char *text)
{
    struct scene *scene = context;
    scene->warnings++;
    (void)snprintf(scene->warning, sizeof scene->warning, "%s", text);
}

static void open_memory(struct scene *scene)
{
    const th_site_memory_options options = { .dir = scene->dir,
                                             .limits = { 100, 100, 1 },
                                             .epoch = EPOCH,
                                             .memory = 1 << 20,
                                             .journal_bytes = scene->journal_bytes,
                                             .warn = hear,
                                             .warn_context = scene };
    assert_int_equal(th_site_memory_open(&options, &scene->memory, NULL), TH_OK);
}

static void remove_folder(struct scene *scene)
{
    char command[128];
    th_site_memory_close(scene->memory);
    (void)snprintf(command, sizeof command, "rm -rf '%s'", scene->dir);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c)
}

static int set_up(void **state)
{
    struct scene *scene = calloc(1, sizeof *scene);
    assert_non_null(scene);
    (void)snprintf(scene->dir, sizeof scene->dir, "/tmp/thresher-memory-XXXXXX");
    assert_non_null(mkdtemp(scene->dir));
    scene->journal_bytes = 1 << 20;
    open_memory(scene);
    assert_int_equal(th_site_memory_rewind(scene->memory, 0, NULL, NULL), TH_OK);
    *state = scene;
    return 0;
}

static int tear_down(void **state)
{
    remove_folder(*state);
    free(*state);
    return 0;
}

/* Content of a page of the site: a paragraph of all pages, and a unique one. */
static void make_entry(uint64_t number, th_buffer *out)
{
    const th_site_entry entry = { .site = SITE,
                                  .when = number + 1,
                                  .url = (uint32_t)number,
                                  .text = (uint32_t)number,
                                  .hash_count = 2,
                                  .name_len = 3 };
    const uint64_t hashes[2] = { EVERYWHERE, EVERYWHERE + (number + 1) * 0x100 };
    th_buffer_append(out, (const char *)&entry, sizeof entry);
    th_buffer_append(out, (const char *)hashes, sizeof hashes);
    th_buffer_append(out, "a.b\0\0\0\0\0", 8);
}

/* Works on records; keeps the first `kept` of them, as the thread that commits does. */
static void work(struct scene *scene, const th_site_turn *turn, uint32_t count,
                 uint32_t kept)
{
    for (uint32_t i = 0; i < count; i++) {
        th_buffer entry = { 0 };
        make_entry(turn->first + i, &entry);
        const th_view bytes = th_buffer_view(&entry);
        assert_int_equal(th_site_memory_note(scene->memory, turn, 1, bytes), TH_OK);
        if (i < kept)
            assert_int_equal(th_site_memory_keep(scene->memory, 1, bytes, NULL), TH_OK);
        th_buffer_done(&entry);
    }
}

static uint64_t prepare(struct scene *scene, uint64_t other)
{
    uint64_t mark = 0;
    assert_int_equal(th_site_memory_prepare(scene->memory, other, &mark, NULL), TH_OK);
    assert_true(mark);
    return mark;
}

/* Pages that are known of the site; every one of them has the paragraph of all. */
static uint32_t known_pages(const struct scene *scene)
{
    const th_site_lookup *lookup = th_site_memory_lookup(scene->memory);
    const th_site_name name = { .number = SITE };
    th_site site = { .pages = 0 };
    lookup->hold(lookup->context, true);
    const th_status status = lookup->find(lookup->context, &name, &site);
    if (status == TH_OK)
        assert_int_equal(th_site_count(&site, EVERYWHERE), site.pages);
    lookup->hold(lookup->context, false);
    assert_true(status == TH_OK || status == TH_ABSENT);
    return status == TH_OK ? site.pages : 0;
}

static void goes_back_to_what_was_committed(void **state)
{
    struct scene *scene = *state;
    uint64_t other = 0;
    const th_site_turn first = th_site_memory_take(scene->memory, 4);
    work(scene, &first, 4, 4);
    const uint64_t committed = prepare(scene, 71);
    th_site_memory_commit(scene->memory);
    assert_int_equal(known_pages(scene), 4);

    /* Prepared, worked on, taken: none of it was committed. */
    const th_site_turn second = th_site_memory_take(scene->memory, 4);
    work(scene, &second, 4, 4);
    const uint64_t prepared = prepare(scene, 72);
    const th_site_turn third = th_site_memory_take(scene->memory, 4);
    work(scene, &third, 3, 0);
    assert_int_equal(known_pages(scene), 10);
    assert_true(th_site_memory_has_open_turns(scene->memory));
    assert_int_equal(th_site_memory_rewind(scene->memory, 0, &other, NULL), TH_OK);
    assert_int_equal(other, 71);
    assert_int_equal(known_pages(scene), 4);
    assert_int_equal(th_site_memory_mark(scene->memory), committed);
    assert_false(th_site_memory_has_open_turns(scene->memory));
    assert_false(th_site_memory_knows(scene->memory, prepared + 1));

    /* A worker's result from before the restart is discarded. */
    th_buffer late = { 0 };
    make_entry(third.first + 3, &late);
    assert_int_equal(th_site_memory_note(scene->memory, &third, 1, th_buffer_view(&late)),
                     TH_OK);
    assert_int_equal(th_site_memory_wait(scene->memory, &third, third.first + 3), TH_OK);
    th_buffer_done(&late);
    assert_int_equal(known_pages(scene), 4);

    /* The records are repeated, and count once. */
    const th_site_turn again = th_site_memory_take(scene->memory, 8);
    assert_int_equal(again.first, second.first);
    work(scene, &again, 8, 8);
    assert_int_equal(known_pages(scene), 12);
}

static void a_mark_that_the_output_has_leads_to_it(void **state)
{
    struct scene *scene = *state;
    uint64_t other = 0;
    const th_site_turn first = th_site_memory_take(scene->memory, 4);
    work(scene, &first, 4, 4);
    (void)prepare(scene, 1);
    th_site_memory_commit(scene->memory);
    const th_site_turn second = th_site_memory_take(scene->memory, 2);
    work(scene, &second, 2, 2);
    const uint64_t prepared = prepare(scene, 2);
    /* Killed between the output's commit and the memory's own. */
    th_site_memory_close(scene->memory);
    open_memory(scene);
    assert_true(th_site_memory_knows(scene->memory, prepared));
    assert_int_equal(th_site_memory_rewind(scene->memory, prepared, &other, NULL), TH_OK);
    assert_int_equal(other, 2);
    assert_int_equal(known_pages(scene), 6);
    assert_int_equal(th_site_memory_rewind(scene->memory, prepared + 9, NULL, NULL),
                     TH_USAGE);
    /* Data after the output's last record ends there, and the next run starts there. */
    th_site_memory_close(scene->memory);
    open_memory(scene);
    assert_int_equal(th_site_memory_rewind(scene->memory, 0, &other, NULL), TH_OK);
    assert_int_equal(other, 2);
    assert_int_equal(known_pages(scene), 6);
}

static void half_an_epoch_is_not_known_yet(void **state)
{
    struct scene *scene = *state;
    const th_site_turn turn = th_site_memory_take(scene->memory, 3);
    work(scene, &turn, 3, 3);
    assert_int_equal(known_pages(scene), 2);
    (void)prepare(scene, 0);
    th_site_memory_commit(scene->memory);
    assert_int_equal(th_site_memory_rewind(scene->memory, 0, NULL, NULL), TH_OK);
    assert_int_equal(known_pages(scene), 2);
    const th_site_turn next = th_site_memory_take(scene->memory, 1);
    assert_int_equal(next.first, 3);
    work(scene, &next, 1, 1);
    assert_int_equal(known_pages(scene), 4);
}

/* Reads a file of the memory's folder. @return its bytes, owned by the caller */
static char *read_file(const char *path, size_t *len)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *len = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*len);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *len, file), *len);
    (void)fclose(file);
    return bytes;
}

static void write_file(const char *path, const char *bytes, size_t len)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    (void)fclose(file);
}

static void expect_damage(struct scene *scene)
{
    th_error err = { .text = "" };
    th_site_memory_close(scene->memory);
    open_memory(scene);
    assert_int_equal(th_site_memory_rewind(scene->memory, 0, NULL, &err), TH_DAMAGED);
    assert_non_null(strstr(err.text, "/journal-"));
}

/* Each wrong byte of the journal, and each part of it, is named as damage. */
static void a_damaged_journal_is_refused(void **state)
{
    struct scene *scene = *state;
    char path[128];
    size_t len = 0;
    const th_site_turn turn = th_site_memory_take(scene->memory, 6);
    work(scene, &turn, 6, 6);
    (void)prepare(scene, 0);
    th_site_memory_commit(scene->memory);
    (void)snprintf(path, sizeof path, "%s/journal-%020d", scene->dir, 0);
    char *bytes = read_file(path, &len);
    assert_true(len > 6 * sizeof(th_site_entry));
    for (size_t at = 0; at < len; at++) {
        const char good = bytes[at];
        bytes[at] = (char)(good ^ 1 << at % 8);
        write_file(path, bytes, len);
        expect_damage(scene);
        bytes[at] = good;
        if (at % 5 == 0) {
            write_file(path, bytes, at);
            expect_damage(scene);
        }
    }
    write_file(path, bytes, len);
    th_site_memory_close(scene->memory);
    open_memory(scene);
    assert_int_equal(th_site_memory_rewind(scene->memory, 0, NULL, NULL), TH_OK);
    assert_int_equal(known_pages(scene), 6);
    free(bytes);
}

/* Counts the files of the folder whose names begin with a word, and their least number. */
static unsigned files(const struct scene *scene, const char *word, unsigned *least)
{
    char pattern[128];
    glob_t found;
    (void)snprintf(pattern, sizeof pattern, "%s/%s-*", scene->dir, word);
    const int result = glob(pattern, 0, NULL, &found);
    assert_true(result == 0 || result == GLOB_NOMATCH);
    const unsigned count = result == 0 ? (unsigned)found.gl_pathc : 0;
    *least = count ? (unsigned)strtoul(strrchr(found.gl_pathv[0], '-') + 1, NULL, 10) : 0;
    if (result == 0)
        globfree(&found);
    return count;
}

/* Each epoch makes a snapshot. Older files than the last committed snapshot are removed,
 * and the others suffice for a restart. */
static void old_snapshots_are_removed(void **state)
{
    struct scene *scene = *state;
    th_site_memory_close(scene->memory);
    scene->journal_bytes = 1;
    open_memory(scene);
    assert_int_equal(th_site_memory_rewind(scene->memory, 0, NULL, NULL), TH_OK);
    unsigned least = 0;
    for (uint32_t i = 1; i <= 12; i++) {
        const th_site_turn turn = th_site_memory_take(scene->memory, EPOCH);
        work(scene, &turn, EPOCH, EPOCH);
        (void)prepare(scene, 0);
        th_site_memory_commit(scene->memory);
        /* the last one, and the one before it, to which a rewind may lead */
        assert_int_equal(files(scene, "sites", &least), i == 1 ? 1 : 2);
        assert_int_equal(least, i == 1 ? EPOCH : (i - 1) * EPOCH);
        assert_in_range(files(scene, "journal", &least), 2, 3);
        assert_true(least + 4 * EPOCH >= i * EPOCH);
        assert_int_equal(known_pages(scene), i * EPOCH);
        if (i % 5 == 0) {
            th_site_memory_close(scene->memory);
            open_memory(scene);
            assert_int_equal(th_site_memory_rewind(scene->memory, 0, NULL, NULL), TH_OK);
            assert_int_equal(known_pages(scene), i * EPOCH);
        }
    }
}

/* ---- files that cannot be written ---- */

/* A folder in the place of a file. */
static void block(const struct scene *scene, const char *name, char path[128])
{
    (void)snprintf(path, 128, "%s/%s", scene->dir, name);
    assert_int_equal(mkdir(path, 0777), 0);
}

static void a_state_that_cannot_be_saved(void **state)
{
    struct scene *scene = *state;
    char path[128];
    uint64_t mark = 0, other = 0;
    th_error err = { .text = "" };
    block(scene, "state.part", path);
    const th_site_turn first = th_site_memory_take(scene->memory, 2);
    work(scene, &first, 2, 2);
    assert_int_equal(th_site_memory_prepare(scene->memory, 7, &mark, &err), TH_IO);
    assert_non_null(strstr(err.text, "/state.part': Is a directory"));
    assert_int_equal(rmdir(path), 0);
    char saved[128];
    (void)snprintf(saved, sizeof saved, "%s/state", scene->dir);
    (void)unlink(saved);
    const uint64_t committed = prepare(scene, 7); /* as if it had not been tried */
    assert_int_equal(access(saved, F_OK), 0);
    th_site_memory_commit(scene->memory);

    const th_site_turn second = th_site_memory_take(scene->memory, 2);
    work(scene, &second, 2, 2);
    assert_true(prepare(scene, 8) == committed + 1);
    block(scene, "state.part", path);
    assert_int_equal(th_site_memory_rewind(scene->memory, committed, &other, &err),
                     TH_IO);
    assert_int_equal(th_site_memory_prepare(scene->memory, 9, &mark, &err), TH_IO);
    assert_string_equal(err.text, "an earlier operation on the site memory failed");
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(th_site_memory_rewind(scene->memory, committed, &other, &err),
                     TH_OK);
    assert_int_equal(other, 7);
    assert_int_equal(known_pages(scene), 2);
    assert_int_equal(scene->warnings, 0);
    const th_site_turn again = th_site_memory_take(scene->memory, 2);
    assert_int_equal(again.first, second.first);
    work(scene, &again, 2, 2);
    assert_true(prepare(scene, 10) == committed + 1);
}

static void reopen(struct scene *scene, uint64_t journal_bytes)
{
    th_site_memory_close(scene->memory);
    scene->journal_bytes = journal_bytes;
    open_memory(scene);
    assert_int_equal(th_site_memory_rewind(scene->memory, 0, NULL, NULL), TH_OK);
}

/* The journal has all that a snapshot would have. */
static void a_snapshot_that_cannot_be_written(void **state)
{
    struct scene *scene = *state;
    char path[128];
    reopen(scene, 1);
    block(scene, "sites-00000000000000000002", path);
    const th_site_turn turn = th_site_memory_take(scene->memory, 2);
    work(scene, &turn, 2, 2);
    assert_int_equal(scene->warnings, 1);
    assert_non_null(strstr(scene->warning, "/sites-00000000000000000002"));
    assert_int_equal(known_pages(scene), 2);
    assert_int_equal(rmdir(path), 0);
    (void)prepare(scene, 0);
    th_site_memory_commit(scene->memory);
    reopen(scene, 1);
    assert_int_equal(known_pages(scene), 2);
    assert_int_equal(scene->warnings, 1);
}

static void a_snapshot_after_the_mark_is_removed(void **state)
{
    struct scene *scene = *state;
    unsigned least = 0;
    reopen(scene, 1);
    for (unsigned i = 0; i < 2; i++) {
        const th_site_turn turn = th_site_memory_take(scene->memory, 2);
        work(scene, &turn, 2, 2);
        if (i == 0) {
            (void)prepare(scene, 0);
            th_site_memory_commit(scene->memory);
        }
    }
    assert_int_equal(files(scene, "sites", &least), 2);
    assert_int_equal(th_site_memory_rewind(scene->memory, 0, NULL, NULL), TH_OK);
    assert_int_equal(files(scene, "sites", &least), 1);
    assert_int_equal(least, 2);
    assert_int_equal(known_pages(scene), 2);
}

static void a_journal_that_cannot_continue_ends_it(void **state)
{
    struct scene *scene = *state;
    char path[128];
    uint64_t mark = 0;
    th_error err = { .text = "" };
    reopen(scene, 1);
    block(scene, "journal-00000000000000000002", path);
    const th_site_turn turn = th_site_memory_take(scene->memory, 2);
    work(scene, &turn, 2, 2);
    (void)prepare(scene, 0);
    th_site_memory_commit(scene->memory);
    assert_int_equal(scene->warnings, 1);
    assert_non_null(
        strstr(scene->warning, "/journal-00000000000000000002': Is a directory"));
    const th_site_turn next = th_site_memory_take(scene->memory, 2);
    work(scene, &next, 2, 2);
    assert_int_equal(th_site_memory_prepare(scene->memory, 1, &mark, &err), TH_IO);
    assert_string_equal(err.text, "an earlier operation on the site memory failed");
    assert_int_equal(rmdir(path), 0);
    reopen(scene, 1);
    assert_int_equal(known_pages(scene), 2);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(goes_back_to_what_was_committed, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_mark_that_the_output_has_leads_to_it, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(half_an_epoch_is_not_known_yet, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_damaged_journal_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(old_snapshots_are_removed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_state_that_cannot_be_saved, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_snapshot_that_cannot_be_written, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_snapshot_after_the_mark_is_removed, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_journal_that_cannot_continue_ends_it, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
