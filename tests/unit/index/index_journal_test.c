/* src/index/index_journal.c: entries come back, and no other journal's bytes. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "index/index_journal.h"
#include "index_scene.h"

enum {
    ENTRIES = 50,
    HEAD_LEN = 64,
    CHECKED_LEN = 40 /* of the head, with its checksum */
};

struct scene {
    char *dir, path[64];
    th_index_scheme scheme;
    th_journal_head head;
    th_buffer entries[ENTRIES];
    th_entry_ref refs[ENTRIES];
    th_journal *journal;
};

static const th_index_entry *entry_of(const struct scene *scene, int i)
{
    return (const th_index_entry *)(const void *)scene->entries[i].data;
}

static void open_scene(struct scene *scene)
{
    *scene = (struct scene){ .dir = index_scene_folder() };
    scene->scheme = index_scene_options(scene->dir).scheme;
    scene->head = (th_journal_head){ .number = 7, .epoch = 0, .scheme = 0x1234 };
    (void)snprintf(scene->path, sizeof scene->path, "%s/x/journal", scene->dir);
    for (int i = 0; i < ENTRIES; i++) {
        char id[40];
        /* ids of other lengths, and so entries of other lengths */
        (void)snprintf(id, sizeof id, "page-%.*s%d", i % 23, "......................", i);
        const index_scene_page page = {
            .id = id, .family = (uint32_t)i, .date = i, .is_short = i % 5 == 4
        };
        index_scene_append(&scene->scheme, &page, &scene->entries[i]);
    }
}

static void make_folder(const struct scene *scene)
{
    char folder[64];
    (void)snprintf(folder, sizeof folder, "%s/x", scene->dir);
    assert_int_equal(mkdir(folder, 0777), 0);
}

static void fill(struct scene *scene)
{
    assert_int_equal(th_journal_create(scene->path, &scene->head, &scene->scheme,
                                       &scene->journal, NULL),
                     TH_OK);
    for (int i = 0; i < ENTRIES; i++)
        assert_int_equal(
            th_journal_append(scene->journal, entry_of(scene, i), &scene->refs[i], NULL),
            TH_OK);
}

static void close_journal(struct scene *scene)
{
    th_journal_free(scene->journal);
    scene->journal = NULL;
}

/* A journal in a file, closed. */
static void open_written(struct scene *scene)
{
    open_scene(scene);
    make_folder(scene);
    fill(scene);
    assert_int_equal(th_journal_sync(scene->journal, NULL), TH_OK);
    close_journal(scene);
}

static void close_scene(struct scene *scene)
{
    close_journal(scene);
    for (int i = 0; i < ENTRIES; i++)
        th_buffer_done(&scene->entries[i]);
    index_scene_remove(scene->dir);
}

static th_status open_again(struct scene *scene, uint64_t limit, bool is_growing)
{
    return th_journal_open(scene->path, &scene->head, &scene->scheme, limit, is_growing,
                           &scene->journal, NULL);
}

static uint64_t file_len(const struct scene *scene)
{
    struct stat facts;
    assert_int_equal(stat(scene->path, &facts), 0);
    return (uint64_t)facts.st_size;
}

static void flip(const struct scene *scene, uint64_t at)
{
    char byte;
    const int fd = open(scene->path, O_RDWR);
    assert_true(fd >= 0);
    assert_int_equal(pread(fd, &byte, 1, (off_t)at), 1);
    byte ^= 0x10;
    assert_int_equal(pwrite(fd, &byte, 1, (off_t)at), 1);
    assert_int_equal(close(fd), 0);
}

/* An entry of the journal has the bytes that were appended, but the checksum. */
static bool is_same(const th_index_entry *have, const th_index_entry *want)
{
    const size_t skip = sizeof want->checksum;
    return have && have->len == want->len &&
           memcmp((const char *)have + skip, (const char *)want + skip,
                  want->len - skip) == 0;
}

struct walk {
    const struct scene *scene;
    int next, left_out, least, seen;
    th_status answer;
};

static th_status visit(void *context, th_entry_ref ref, const th_index_entry *entry)
{
    struct walk *walk = context;
    while (walk->next < walk->left_out && walk->next >= walk->least)
        walk->next++;
    assert_int_equal(ref, walk->scene->refs[walk->next]);
    assert_true(is_same(entry, entry_of(walk->scene, walk->next)));
    walk->next++;
    walk->seen++;
    return walk->answer;
}

/* Walks past all entries but [least, left_out). */
static void assert_has(const struct scene *scene, int count, int least, int left_out,
                       uint64_t want_damaged)
{
    struct walk walk = { scene, 0, left_out, least, 0, TH_OK };
    uint64_t damaged = 99;
    assert_int_equal(th_journal_walk(scene->journal, visit, &walk, &damaged), TH_OK);
    assert_int_equal(walk.seen, count);
    assert_int_equal(damaged, want_damaged);
    assert_int_equal(
        th_journal_walk(scene->journal, visit,
                        &(struct walk){ scene, 0, left_out, least, 0, TH_INTERRUPTED },
                        NULL),
        count ? TH_INTERRUPTED : TH_OK);
}

static void entries_come_back(void **state)
{
    (void)state;
    struct scene scene;
    uint64_t want = HEAD_LEN;
    open_scene(&scene);
    make_folder(&scene);
    fill(&scene);
    for (int i = 0; i < ENTRIES; i++) {
        assert_int_equal(scene.refs[i], want / 8);
        want += entry_of(&scene, i)->len;
        assert_true(
            is_same(th_journal_entry(scene.journal, scene.refs[i]), entry_of(&scene, i)));
    }
    assert_int_equal(th_journal_len(scene.journal), want);
    assert_has(&scene, ENTRIES, 0, 0, 0); /* from memory */
    assert_int_equal(file_len(&scene), HEAD_LEN);
    assert_int_equal(th_journal_sync(scene.journal, NULL), TH_OK);
    assert_int_equal(file_len(&scene), want);
    assert_has(&scene, ENTRIES, 0, 0, 0);
    assert_int_equal(th_journal_set_epoch(scene.journal, 33, NULL), TH_OK);
    th_journal_end(scene.journal);
    assert_has(&scene, ENTRIES, 0, 0, 0);
    assert_int_equal(th_journal_sync(scene.journal, NULL), TH_OK);
    close_journal(&scene);
    for (int is_growing = 0; is_growing < 2; is_growing++) {
        scene.head.epoch = 0;
        assert_int_equal(open_again(&scene, UINT64_MAX, is_growing != 0), TH_OK);
        assert_int_equal(scene.head.epoch, 33);
        assert_int_equal(th_journal_len(scene.journal), want);
        assert_has(&scene, ENTRIES, 0, 0, 0);
        assert_null(th_journal_entry(scene.journal, 0));
        assert_null(th_journal_entry(scene.journal, HEAD_LEN / 8 - 1));
        assert_null(th_journal_entry(scene.journal, scene.refs[1] + 1));
        assert_null(th_journal_entry(scene.journal, (th_entry_ref)(want / 8)));
        close_journal(&scene);
    }
    close_scene(&scene);
}

static void the_head_is_checked(void **state)
{
    (void)state;
    struct scene scene;
    open_written(&scene);
    const th_journal_head head = scene.head;
    scene.head.number++;
    assert_int_equal(open_again(&scene, UINT64_MAX, false), TH_DAMAGED);
    scene.head = head;
    scene.head.scheme++;
    assert_int_equal(open_again(&scene, UINT64_MAX, false), TH_DAMAGED);
    scene.head = head;
    for (uint64_t at = 0; at < CHECKED_LEN; at++) {
        flip(&scene, at);
        assert_int_equal(open_again(&scene, UINT64_MAX, true), TH_DAMAGED);
        flip(&scene, at);
    }
    assert_int_equal(open_again(&scene, UINT64_MAX, true), TH_OK);
    close_journal(&scene);
    assert_int_equal(truncate(scene.path, HEAD_LEN - 1), 0);
    assert_int_equal(open_again(&scene, UINT64_MAX, true), TH_DAMAGED);
    assert_int_equal(file_len(&scene), HEAD_LEN - 1);
    assert_int_equal(unlink(scene.path), 0);
    assert_int_equal(open_again(&scene, UINT64_MAX, true), TH_ABSENT);
    close_scene(&scene);
}

/* A journal counts up to its limit. A growing one is cut there. */
static void a_limit_cuts(void **state)
{
    (void)state;
    struct scene scene;
    open_written(&scene);
    const uint64_t whole = file_len(&scene), limit = (uint64_t)scene.refs[20] * 8;
    assert_int_equal(open_again(&scene, limit + 7, false), TH_OK);
    assert_int_equal(th_journal_len(scene.journal), limit);
    assert_has(&scene, 20, 0, 0, 0);
    assert_null(th_journal_entry(scene.journal, scene.refs[20]));
    close_journal(&scene);
    assert_int_equal(file_len(&scene), whole);
    assert_int_equal(open_again(&scene, limit, true), TH_OK);
    assert_int_equal(file_len(&scene), limit);
    /* and grows from there */
    th_entry_ref ref = 0;
    assert_int_equal(th_journal_append(scene.journal, entry_of(&scene, 20), &ref, NULL),
                     TH_OK);
    assert_int_equal(ref, scene.refs[20]);
    assert_int_equal(th_journal_sync(scene.journal, NULL), TH_OK);
    assert_has(&scene, 21, 0, 0, 0);
    close_journal(&scene);
    /* A limit within the head, and a file that ends within an entry. */
    assert_int_equal(truncate(scene.path, (off_t)limit + 13), 0);
    assert_int_equal(open_again(&scene, UINT64_MAX, false), TH_OK);
    assert_int_equal(th_journal_len(scene.journal), limit + 8);
    assert_has(&scene, 20, 0, 0, 1);
    close_journal(&scene);
    assert_int_equal(open_again(&scene, 8, true), TH_OK);
    assert_int_equal(th_journal_len(scene.journal), HEAD_LEN);
    assert_has(&scene, 0, 0, 0, 0);
    close_scene(&scene);
}

/* Only entries with a wrong byte are lost, wherever it is. */
static void a_damaged_entry_is_lost_alone(void **state)
{
    (void)state;
    static const int damaged[] = { 0, 4, 20, ENTRIES - 1 };
    struct scene scene;
    open_written(&scene);
    for (size_t k = 0; k < sizeof damaged / sizeof *damaged; k++) {
        const int i = damaged[k];
        const uint64_t start = (uint64_t)scene.refs[i] * 8;
        for (uint64_t at = start; at < start + entry_of(&scene, i)->len; at += 5) {
            flip(&scene, at);
            assert_int_equal(open_again(&scene, UINT64_MAX, false), TH_OK);
            assert_null(th_journal_entry(scene.journal, scene.refs[i]));
            assert_has(&scene, ENTRIES - 1, i, i + 1, 1);
            close_journal(&scene);
            flip(&scene, at);
        }
    }
    /* Two damaged entries are one place if they touch. */
    flip(&scene, (uint64_t)scene.refs[8] * 8 + 9);
    flip(&scene, (uint64_t)scene.refs[9] * 8 + 9);
    assert_int_equal(open_again(&scene, UINT64_MAX, false), TH_OK);
    assert_has(&scene, ENTRIES - 2, 8, 10, 1);
    close_journal(&scene);
    flip(&scene, (uint64_t)scene.refs[11] * 8 + 9);
    assert_int_equal(open_again(&scene, UINT64_MAX, false), TH_OK);
    uint64_t places = 0;
    struct walk walk = { &scene, 0, 0, 0, 0, TH_INTERRUPTED };
    assert_int_equal(th_journal_walk(scene.journal, visit, &walk, &places),
                     TH_INTERRUPTED);
    assert_int_equal(places, 0); /* the walk ended before them */
    close_scene(&scene);
}

/* Bytes of another segment's journal, or of another place, are not an entry. */
static void bytes_of_another_place_are_not_an_entry(void **state)
{
    (void)state;
    struct scene scene;
    open_written(&scene);
    char bytes[4096];
    const size_t len = entry_of(&scene, 4)->len; /* short pages have short entries */
    assert_int_equal(entry_of(&scene, 9)->len, len + 8);
    const int fd = open(scene.path, O_RDWR);
    assert_int_equal(pread(fd, bytes, len, (off_t)scene.refs[4] * 8), (ssize_t)len);
    assert_int_equal(pwrite(fd, bytes, len, (off_t)scene.refs[9] * 8), (ssize_t)len);
    assert_int_equal(close(fd), 0);
    assert_int_equal(open_again(&scene, UINT64_MAX, false), TH_OK);
    assert_null(th_journal_entry(scene.journal, scene.refs[9]));
    assert_has(&scene, ENTRIES - 1, 9, 10, 1);
    close_scene(&scene);
}

/* Without a file the entries stay in memory, until a sync can make it. */
static void the_file_is_made_later(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene);
    fill(&scene);
    assert_int_equal(th_journal_set_epoch(scene.journal, 5, NULL), TH_OK);
    assert_int_equal(th_journal_sync(scene.journal, NULL), TH_IO);
    assert_has(&scene, ENTRIES, 0, 0, 0);
    make_folder(&scene);
    assert_int_equal(th_journal_sync(scene.journal, NULL), TH_OK);
    assert_has(&scene, ENTRIES, 0, 0, 0);
    close_journal(&scene);
    assert_int_equal(open_again(&scene, UINT64_MAX, false), TH_OK);
    assert_int_equal(scene.head.epoch, 5);
    assert_has(&scene, ENTRIES, 0, 0, 0);
    close_scene(&scene);
}

/* Megabytes are written without a sync, and the mapping grows with the file. */
static void a_long_journal(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene);
    make_folder(&scene);
    fill(&scene);
    const uint32_t count = (9u << 20) / entry_of(&scene, 0)->len;
    th_entry_ref first = 0, ref = 0;
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(
            th_journal_append(scene.journal, entry_of(&scene, 0), &ref, NULL), TH_OK);
        first = i ? first : ref;
    }
    assert_true(file_len(&scene) > 7u << 20);
    assert_true(th_journal_len(scene.journal) - file_len(&scene) <= 1u << 20);
    assert_true(is_same(th_journal_entry(scene.journal, first), entry_of(&scene, 0)));
    assert_true(is_same(th_journal_entry(scene.journal, ref), entry_of(&scene, 0)));
    assert_int_equal(th_journal_sync(scene.journal, NULL), TH_OK);
    assert_true(is_same(th_journal_entry(scene.journal, ref), entry_of(&scene, 0)));
    assert_int_equal(file_len(&scene), th_journal_len(scene.journal));
    close_scene(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_come_back),
        cmocka_unit_test(the_head_is_checked),
        cmocka_unit_test(a_limit_cuts),
        cmocka_unit_test(a_damaged_entry_is_lost_alone),
        cmocka_unit_test(bytes_of_another_place_are_not_an_entry),
        cmocka_unit_test(the_file_is_made_later),
        cmocka_unit_test(a_long_journal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
