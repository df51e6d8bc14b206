/* The index: matches, forgetting, and crashes. */
#include "index/near_index.h"
#include "index/slot_table.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "index_scene.h"

/* Replaces the C library's function that allocates a table's blocks. */
static bool is_disk_full;

int posix_fallocate(int fd, off_t offset, off_t len)
{
    if (is_disk_full)
        return ENOSPC;
    return ftruncate(fd, offset + len) == 0 ? 0 : errno;
}

/* ---- helpers: one index in one folder ---- */

struct scene {
    char *dir;
    th_index_options options;
    th_index *index;
};

static int set_up(void **state)
{
    struct scene *scene = calloc(1, sizeof *scene);
    assert_non_null(scene);
    scene->dir = index_scene_folder();
    scene->options = index_scene_options(scene->dir);
    scene->index = index_scene_open(&scene->options);
    *state = scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *scene = *state;
    th_index_close(scene->index);
    index_scene_remove(scene->dir);
    free(scene);
    return 0;
}

static void reopen(struct scene *scene)
{
    th_index_close(scene->index);
    scene->index = index_scene_open(&scene->options);
}

static uint64_t prepare(struct scene *scene)
{
    uint64_t mark = 0;
    th_error err = { .text = "" };
    if (th_index_prepare(scene->index, &mark, &err) != TH_OK)
        fail_msg("%s", err.text);
    return mark;
}

static index_scene_page dated(const char *id, uint32_t family, uint32_t changed,
                              int64_t date)
{
    return (
        index_scene_page){ .id = id, .family = family, .changed = changed, .date = date };
}

static index_scene_page page(const char *id, uint32_t family, uint32_t changed)
{
    return dated(id, family, changed, 0);
}

static void expect_of(struct scene *scene, index_scene_page asked, const char *of)
{
    char *got = index_scene_ask(scene->index, &scene->options.scheme, &asked, NULL);
    assert_string_equal(got, of);
    free(got);
}

static th_index_counts counts(const struct scene *scene)
{
    th_index_stats facts;
    th_index_facts_get(scene->index, &facts);
    return facts.counts;
}

/* ---- what it finds ---- */

static void near_duplicates_meet_their_representative(void **state)
{
    struct scene *scene = *state;
    const th_index_scheme *scheme = &scene->options.scheme;
    th_index_answer answer;
    expect_of(scene, page("first", 1, 0), "");
    char *of = index_scene_ask(
        scene->index, scheme,
        &(index_scene_page){ .id = "second", .family = 1, .changed = 10 }, &answer);
    assert_string_equal(of, "first");
    free(of);
    assert_int_equal(answer.equal, 118);
    assert_int_equal(answer.keys_hit, 6); /* ten changes in ten bands of sixteen */
    assert_int_equal(answer.url_len, strlen("http://a.example/first"));
    /* 118 of 128 agree, some of them by chance: 2^-8. */
    assert_true(answer.jaccard > .9215 && answer.jaccard < .9219);
    /* Members of a cluster are not kept: this one is like the second alone. */
    expect_of(scene, page("third", 1, 15), "first");
    expect_of(scene, page("other", 2, 0), "");
    assert_int_equal(counts(scene).inserted, 2);
    assert_int_equal(counts(scene).duplicates, 2);
}

static void below_the_threshold_is_new(void **state)
{
    struct scene *scene = *state;
    expect_of(scene, page("first", 1, 0), "");
    expect_of(scene, page("far", 1, 15), "first");
    scene->options.threshold = .95;
    prepare(scene);
    reopen(scene);
    expect_of(scene, page("near", 1, 15), "");
    expect_of(scene, page("nearer", 1, 2), "first");
}

/* [CKP08 §5.2]: four of eight, however few bits of a slot are kept. */
static void four_of_eight_is_enough(void **state)
{
    struct scene *scene = *state;
    for (uint32_t bits = 8; bits <= 64; bits *= 2) {
        th_index_options options = scene->options;
        char *dir = index_scene_folder();
        options.dir = dir;
        options.threshold = .5;
        assert_int_equal(th_index_scheme_init(&options.scheme,
                                              th_minhash_find("paper-slots"),
                                              TH_SIGN_MAIN, TH_SIGN_COUNT, bits, NULL),
                         TH_OK);
        th_index *index = index_scene_open(&options);
        for (uint64_t equal = 3; equal < 6; equal++) {
            th_buffer entries = { 0 }, names = { 0 };
            th_index_answer answers[2];
            for (uint64_t which = 0; which < 2; which++) {
                uint64_t slots[8];
                for (uint64_t i = 0; i < 8; i++)
                    slots[i] = 0x0101010101010101u * (equal * 16 + i) ^
                               (i < equal ? 0 : which * UINT64_MAX);
                const char id[] = { 'a', (char)('0' + equal), (char)('0' + which), '\0' };
                const uint64_t digest[2] = { equal, which };
                const th_signature signature = { .slots = slots,
                                                 .slot_count = 8,
                                                 .shingle_count = 500 };
                const th_index_page made = { .id = { id, 3 },
                                             .date = TH_DATE_UNKNOWN,
                                             .signatures = { &signature },
                                             .digest = digest };
                assert_int_equal(th_index_entry_append(&options.scheme, &made, &entries),
                                 TH_OK);
            }
            assert_int_equal(th_index_look_up(index, th_buffer_view(&entries), 2, answers,
                                              &names, NULL),
                             TH_OK);
            assert_int_equal(answers[1].is_duplicate, equal >= 4);
            th_buffer_done(&entries);
            th_buffer_done(&names);
        }
        th_index_close(index);
        index_scene_remove(dir);
    }
}

/* A page of two texts: all slots of a text have its number. */
struct two_texts {
    const char *id;
    uint64_t own, main; /* main 0: absent */
    bool is_guess;
};

static void append_two(const th_index_scheme *scheme, const struct two_texts *page,
                       th_buffer *out)
{
    uint64_t own[128], main[128];
    for (uint64_t i = 0; i < 128; i++) {
        own[i] = (page->own * 0x01010101 + i * 0x01010100) & 0xFFFFFFFF;
        main[i] = (page->main * 0x01010101 + i * 0x01010100) & 0xFFFFFFFF;
    }
    const uint32_t slots = scheme->preset.slots;
    const uint64_t digest[2] = { page->own, page->main };
    const th_signature first = { own, .slot_count = slots, .shingle_count = 500 };
    const th_signature second = { page->main ? main : NULL,
                                  .slot_count = page->main ? slots : 0,
                                  .shingle_count = page->main ? 500 : 0 };
    const th_index_page made = { .id = { page->id, strlen(page->id) },
                                 .date = TH_DATE_UNKNOWN,
                                 .signatures = { &first, &second },
                                 .is_guess = page->is_guess,
                                 .digest = digest };
    assert_int_equal(th_index_entry_append(scheme, &made, out), TH_OK);
}

/* Two pages, one after the other, in a new index. */
static th_index_answer ask_two(const char *preset, const struct two_texts pages[2])
{
    th_index_answer answers[2];
    th_buffer entries = { 0 }, names = { 0 };
    char *dir = index_scene_folder();
    th_index_options options = index_scene_options(dir);
    assert_int_equal(th_index_scheme_init(&options.scheme, th_minhash_find(preset),
                                          TH_SIGN_DISTINCT, TH_SIGN_MAIN, 0, NULL),
                     TH_OK);
    th_index *index = index_scene_open(&options);
    append_two(&options.scheme, &pages[0], &entries);
    append_two(&options.scheme, &pages[1], &entries);
    const th_view both = th_buffer_view(&entries);
    for (size_t at = 0; at < both.len;) {
        const th_index_entry *entry = (const void *)(both.data + at);
        assert_true(th_index_entry_fits(&options.scheme, entry, both.len - at));
        at += entry->len;
    }
    assert_int_equal(th_index_look_up(index, both, 2, answers, &names, NULL), TH_OK);
    assert_false(answers[0].is_duplicate);
    th_buffer_done(&entries);
    th_buffer_done(&names);
    th_index_close(index);
    index_scene_remove(dir);
    return answers[1];
}

static void the_other_text_counts_where_the_first_is_a_guess(void **state)
{
    (void)state;
    static const char *const presets[] = { "modern", "paper" };
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
        for (unsigned guesses = 0; guesses < 4; guesses++) {
            const bool a = guesses & 1, b = guesses & 2;
            const struct two_texts mains[2] = { { "a", 1, 7, a }, { "b", 2, 7, b } };
            const struct two_texts owns[2] = { { "a", 3, 8, a }, { "b", 3, 9, b } };
            const struct two_texts crossed[2] = { { "a", 4, 5, a }, { "b", 5, 4, b } };
            const struct two_texts lone[2] = { { "a", 6, 0, a }, { "b", 2, 7, b } };
            assert_int_equal(ask_two(presets[i], mains).is_duplicate, guesses != 0);
            const th_index_answer answer = ask_two(presets[i], owns);
            assert_true(answer.is_duplicate);
            assert_true(answer.jaccard > .99);
            assert_false(ask_two(presets[i], crossed).is_duplicate);
            assert_false(ask_two(presets[i], lone).is_duplicate);
        }
    }
}

static void the_same_page_again_is_no_duplicate(void **state)
{
    struct scene *scene = *state;
    expect_of(scene, page("first", 1, 0), "");
    expect_of(scene, page("second", 1, 3), "first");
    expect_of(scene, page("first", 1, 0), "");
    expect_of(scene, page("second", 1, 3), "first");
    assert_int_equal(counts(scene).inserted, 1);
    assert_int_equal(counts(scene).again, 1);
}

static void more_slots_win_then_age_then_id(void **state)
{
    struct scene *scene = *state;
    scene->options.threshold = .99; /* so that all of them are representatives */
    reopen(scene);
    expect_of(scene, dated("m", 1, 4, 200), "");
    expect_of(scene, dated("k", 1, 6, 100), "");
    scene->options.threshold = .5;
    prepare(scene);
    reopen(scene);
    expect_of(scene, page("x", 1, 0), "m"); /* more in common beats age */
    scene->options.threshold = .999;
    prepare(scene);
    reopen(scene);
    /* Entries that differ only in date and id. Only replays of other threads of a
     * crawl can create them, here a threshold that is never reached. */
    scene->options.threshold = 1.1;
    reopen(scene);
    expect_of(scene, dated("p", 7, 0, 300), "");
    expect_of(scene, dated("q", 7, 0, 200), "");
    expect_of(scene, dated("o", 7, 0, 200), "");
    expect_of(scene, dated("a", 7, 0, TH_DATE_UNKNOWN), "");
    scene->options.threshold = .8;
    prepare(scene);
    reopen(scene);
    expect_of(scene, page("y", 7, 1), "o");
}

static void short_pages_meet_by_digest(void **state)
{
    struct scene *scene = *state;
    th_index_answer answer;
    expect_of(scene, (index_scene_page){ .id = "one", .family = 1, .is_short = true },
              "");
    expect_of(scene, (index_scene_page){ .id = "long", .family = 1 }, "");
    char *of = index_scene_ask(
        scene->index, &scene->options.scheme,
        &(index_scene_page){ .id = "two", .family = 1, .is_short = true }, &answer);
    assert_string_equal(of, "one");
    free(of);
    assert_true(answer.jaccard == 1 && answer.equal == 0 && answer.keys_hit == 1);
    expect_of(scene, (index_scene_page){ .id = "three", .family = 2, .is_short = true },
              "");
    assert_int_equal(counts(scene).exact, 1);
}

/* Signed by the library itself: sets, pairs and bands all find their like. */
static void every_preset_with_keys_can_be_indexed(void **state)
{
    struct scene *scene = *state;
    th_arena *arena = th_arena_new(0);
    for (size_t i = 0; th_minhash_presets[i]; i++) {
        const th_minhash_preset *preset = th_minhash_presets[i];
        th_index_options options = { .threshold = .5, .segment_pages = 100 };
        if (!preset->bands)
            continue;
        options.dir = index_scene_folder();
        assert_int_equal(th_index_scheme_init(&options.scheme, preset, TH_SIGN_MAIN,
                                              TH_SIGN_COUNT, 0, NULL),
                         TH_OK);
        th_index *index = index_scene_open(&options);
        th_minhash_signer *signer = NULL;
        assert_int_equal(th_minhash_signer_new(preset, &signer, NULL), TH_OK);
        /* The third is the first with other words at the end. The fourth has words for
         * only three windows of any preset. */
        static const char *const texts[] = {
            "a b c d e f g h i j k l m n o p q r s t u v w x y z aa bb cc dd ee ff gg",
            "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27",
            "a b c d e f g h i j k l m n o p q r s t u v w x y z aa bb cc dd ee ff hh",
            "one two three four five six seven eight",
            "one two three four five six seven eight",
        };
        static const char *const want[] = { "", "", "0", "", "3" };
        for (int n = 0; n < 5; n++) {
            th_signature signature = { 0 };
            const char id[] = { (char)('0' + n), 0 };
            const uint64_t digest[2] = { (uint64_t)n, 1 };
            assert_int_equal(th_minhash(signer, (th_view){ texts[n], strlen(texts[n]) },
                                        arena, &signature),
                             TH_OK);
            const th_index_page asked = { .id = { id, 1 },
                                          .date = TH_DATE_UNKNOWN,
                                          .signatures = { &signature },
                                          .digest = digest };
            th_buffer entry = { 0 }, names = { 0 };
            th_index_answer answer;
            assert_int_equal(th_index_entry_append(&options.scheme, &asked, &entry),
                             TH_OK);
            assert_int_equal(
                th_index_look_up(index, th_buffer_view(&entry), 1, &answer, &names, NULL),
                TH_OK);
            if (answer.of_len != strlen(want[n]) ||
                (answer.of_len && names.data[answer.of] != want[n][0]))
                fail_msg("%s: page %d", preset->name, n);
            assert_true(!answer.is_duplicate ||
                        (answer.keys_hit > 0 && answer.equal > 0 && answer.jaccard > .5));
            th_buffer_done(&entry);
            th_buffer_done(&names);
        }
        th_minhash_signer_free(signer);
        th_index_close(index);
        index_scene_remove((char *)(uintptr_t)options.dir);
    }
    th_arena_free(arena);
    (void)scene;
}

static void a_page_without_text_is_passed_over(void **state)
{
    struct scene *scene = *state;
    const th_signature none = { 0 };
    const th_index_page empty = { .id = TH_VIEW("empty"), .signatures = { &none } };
    th_buffer entries = { 0 }, names = { 0 };
    th_index_answer answers[2];
    assert_int_equal(th_index_entry_append(&scene->options.scheme, &empty, &entries),
                     TH_OK);
    assert_int_equal(th_index_entry_append(&scene->options.scheme, &empty, &entries),
                     TH_OK);
    assert_int_equal(th_index_look_up(scene->index, th_buffer_view(&entries), 2, answers,
                                      &names, NULL),
                     TH_OK);
    assert_false(answers[0].is_duplicate || answers[1].is_duplicate);
    assert_int_equal(counts(scene).unsigned_, 2);
    assert_int_equal(counts(scene).inserted, 0);
    th_buffer_done(&entries);
    th_buffer_done(&names);
}

static void a_full_bucket_takes_no_more(void **state)
{
    struct scene *scene = *state;
    scene->options.threshold = 1.1; /* all are new */
    reopen(scene);
    for (int i = 0; i < TH_BUCKET_MAX + 10; i++) {
        char id[16];
        (void)snprintf(id, sizeof id, "p%d", i);
        expect_of(scene, page(id, 5, 0), "");
    }
    assert_int_equal(counts(scene).capped, 10 * 16);
    /* A bucket that is full still answers. */
    scene->options.threshold = .8;
    prepare(scene);
    reopen(scene);
    expect_of(scene, page("later", 5, 1), "p0");
    assert_int_equal(counts(scene).capped, 10 * 16);
}

/* ---- what it forgets ---- */

static void fill(struct scene *scene, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        char id[16];
        (void)snprintf(id, sizeof id, "f%u", i);
        expect_of(scene, page(id, i, 0), "");
    }
}

static uint32_t segments(const struct scene *scene)
{
    th_index_stats facts;
    th_index_facts_get(scene->index, &facts);
    return facts.segments;
}

static void old_segments_expire_and_what_is_seen_stays(void **state)
{
    struct scene *scene = *state;
    scene->options.segment_pages = 10;
    scene->options.keep_epochs = 2;
    reopen(scene);
    fill(scene, 0, 31);
    assert_int_equal(segments(scene), 3); /* 0-9 is gone */
    assert_int_equal(counts(scene).expired, 1);
    expect_of(scene, page("again", 15, 2), "f15"); /* renewed */
    assert_int_equal(counts(scene).renewed, 1);
    expect_of(scene, page("gone", 5, 2), "");
    fill(scene, 100, 108); /* seals 30.., with f15's copy */
    fill(scene, 200, 209); /* 10-19 is gone */
    expect_of(scene, page("again2", 15, 3), "f15");
    expect_of(scene, page("gone2", 16, 2), "");
    const uint64_t mark = prepare(scene);
    th_index_commit(scene->index);
    char path[256];
    (void)snprintf(path, sizeof path, "%s/00000001.journal", scene->dir);
    assert_int_equal(access(path, F_OK), -1);
    reopen(scene);
    assert_int_equal(th_index_mark(scene->index), mark);
    expect_of(scene, page("again3", 15, 4), "f15");
    assert_int_equal(counts(scene).damaged, 0);
}

enum { DAY = 86400 };

static void days_pass_by_the_records_dates(void **state)
{
    struct scene *scene = *state;
    scene->options.epoch_seconds = DAY;
    scene->options.keep_epochs = 1;
    reopen(scene);
    int id = 0;
    for (int day = 100; day < 104; day++)
        for (int i = 0; i < 200; i++, id++) {
            char name[16];
            (void)snprintf(name, sizeof name, "d%d", id);
            /* Now and then somebody's clock is wrong. */
            const int64_t date =
                i % 20 == 7 ? (int64_t)DAY * 400000 : (int64_t)DAY * day + i;
            expect_of(scene, dated(name, (uint32_t)id, 0, date), "");
        }
    assert_int_equal(segments(scene), 2);
    assert_int_equal(counts(scene).expired, 2);
    expect_of(scene, dated("yesterday", 500, 1, (int64_t)DAY * 103), "d500");
    expect_of(scene, dated("before", 300, 1, (int64_t)DAY * 103), "");
}

/* Pages without text, of that day: they tell the time all the same. */
static void pass_over(struct scene *scene, int day)
{
    const th_signature none = { 0 };
    const th_index_page empty = { .id = TH_VIEW("empty"),
                                  .signatures = { &none },
                                  .date = (int64_t)DAY * day };
    th_buffer names = { 0 };
    for (int i = 0; i < 70; i++) {
        th_buffer entry = { 0 };
        th_index_answer answer;
        assert_int_equal(th_index_entry_append(&scene->options.scheme, &empty, &entry),
                         TH_OK);
        assert_int_equal(th_index_look_up(scene->index, th_buffer_view(&entry), 1,
                                          &answer, &names, NULL),
                         TH_OK);
        th_buffer_done(&entry);
    }
    th_buffer_done(&names);
}

/* The first day and the next one can pass while the growing segment is empty. */
static void a_day_passes_without_a_page_that_is_kept(void **state)
{
    struct scene *scene = *state;
    scene->options.epoch_seconds = DAY;
    scene->options.keep_epochs = 1;
    reopen(scene);
    pass_over(scene, 100);
    pass_over(scene, 102);
    expect_of(scene, dated("a", 1, 0, (int64_t)DAY * 102), "");
    pass_over(scene, 102); /* ends nothing */
    assert_int_equal(segments(scene), 1);
    pass_over(scene, 103);
    assert_int_equal(segments(scene), 2);
    assert_int_equal(counts(scene).expired, 0);
    pass_over(scene, 104);
    assert_int_equal(counts(scene).expired, 1);
    expect_of(scene, dated("b", 1, 1, (int64_t)DAY * 104), "");
}

/* Also where it is every third page, for long. */
static void a_minority_moves_no_clock(void **state)
{
    struct scene *scene = *state;
    scene->options.epoch_seconds = DAY;
    scene->options.keep_epochs = 1;
    reopen(scene);
    for (uint32_t i = 0; i < 900; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "m%u", i);
        const int64_t day = i >= 100 && i % 3 == 0 ? 4000 : 100;
        expect_of(scene, dated(name, i, 0, day * DAY), "");
    }
    assert_int_equal(segments(scene), 1);
    expect_of(scene, dated("kept", 0, 1, (int64_t)DAY * 100), "m0");
}

/* ---- what survives ---- */

/* A stream of pages, many alike, the same for the same seed. */
static index_scene_page stream_page(uint32_t number, char id[16])
{
    const uint32_t a = number * 2654435761u >> 8;
    (void)snprintf(id, 16, "s%u", number);
    return (index_scene_page){ .id = id,
                               .family = a % 97,
                               .changed = a / 97 % 30,
                               .date = (int64_t)(a / 5000 % 7),
                               .is_short = a % 11 == 0 };
}

static void ask_stream(struct scene *scene, uint32_t from, uint32_t to, th_buffer *out)
{
    for (uint32_t i = from; i < to; i++) {
        char id[16];
        th_index_answer answer;
        const index_scene_page asked = stream_page(i, id);
        char *of = index_scene_ask(scene->index, &scene->options.scheme, &asked, &answer);
        th_buffer_printf(out, "%s %s %u %.6f\n", id, of, answer.keys_hit, answer.jaccard);
        free(of);
    }
}

static void same_answers_whatever_the_batches(void **state)
{
    struct scene *scene = *state;
    th_buffer one = { 0 }, many = { 0 }, entries = { 0 }, names = { 0 };
    enum { PAGES = 400 };
    static th_index_answer answers[PAGES];
    scene->options.segment_pages = 20;
    reopen(scene);
    ask_stream(scene, 0, PAGES, &one);
    th_index_close(scene->index);
    index_scene_remove(scene->dir);
    scene->dir = index_scene_folder();
    scene->options.dir = scene->dir;
    scene->index = index_scene_open(&scene->options);
    for (uint32_t i = 0; i < PAGES; i++) {
        char id[16];
        const index_scene_page asked = stream_page(i, id);
        index_scene_append(&scene->options.scheme, &asked, &entries);
    }
    assert_int_equal(th_index_look_up(scene->index, th_buffer_view(&entries), PAGES,
                                      answers, &names, NULL),
                     TH_OK);
    for (uint32_t i = 0; i < PAGES; i++)
        th_buffer_printf(&many, "s%u %.*s %u %.6f\n", i, (int)answers[i].of_len,
                         names.data + answers[i].of, answers[i].keys_hit,
                         answers[i].jaccard);
    assert_int_equal(one.len, many.len);
    assert_memory_equal(one.data, many.data, one.len);
    th_buffer_done(&one);
    th_buffer_done(&many);
    th_buffer_done(&entries);
    th_buffer_done(&names);
}

/* Interrupted at many points, with marks prepared and possibly acknowledged: the answers
 * equal a run without interruption. */
static void interrupted_equals_uninterrupted(void **state)
{
    struct scene *scene = *state;
    enum { PAGES = 600, STEP = 23 };
    th_buffer whole = { 0 }, parted = { 0 };
    scene->options.segment_pages = 15;
    scene->options.keep_epochs = 2;
    reopen(scene);
    ask_stream(scene, 0, PAGES, &whole);
    th_index_close(scene->index);
    index_scene_remove(scene->dir);
    scene->dir = index_scene_folder();
    scene->options.dir = scene->dir;
    scene->index = index_scene_open(&scene->options);

    /* Data of the reader of the answers: bytes, and the mark stored with them. */
    uint64_t acknowledged = prepare(scene);
    size_t got = 0;
    for (uint32_t at = 0, turn = 0; at < PAGES; turn++) {
        const uint32_t end = at + STEP < PAGES ? at + STEP : PAGES;
        ask_stream(scene, at, end, &parted);
        const uint64_t mark = turn % 3 ? prepare(scene) : 0;
        if (turn % 3 == 2) {
            acknowledged = mark;
            got = parted.len;
            at = end;
        }
        if (turn % 3 == 2 && turn % 2)
            th_index_commit(scene->index);
        if (turn % 8 < 6) /* a crash; else an abort that the process survives */
            reopen(scene);
        assert_int_equal(th_index_rewind(scene->index, acknowledged, NULL), TH_OK);
        parted.len = got;
    }
    assert_int_equal(whole.len, parted.len);
    assert_memory_equal(whole.data, parted.data, whole.len);
    assert_int_equal(counts(scene).damaged, 0);
    th_buffer_done(&whole);
    th_buffer_done(&parted);
}

static void what_was_not_prepared_has_no_effect(void **state)
{
    struct scene *scene = *state;
    expect_of(scene, page("kept", 1, 0), "");
    prepare(scene);
    expect_of(scene, page("lost", 2, 0), "");
    reopen(scene);
    expect_of(scene, page("a", 2, 1), "");
    expect_of(scene, page("b", 1, 1), "kept");
}

/* ---- damage ---- */

static char *path_of(const struct scene *scene, const char *name)
{
    static char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", scene->dir, name);
    return path;
}

static char *read_whole(const char *path, size_t *len)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *len = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*len + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *len, file), *len);
    (void)fclose(file);
    return bytes;
}

static void write_whole(const char *path, const char *bytes, size_t len)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    (void)fclose(file);
}

/* A file of the index is damaged at each of many offsets, by truncation or a flipped bit. The
 * index opens, counts the damage, and an answer is either right or missing. */
static void survives(struct scene *scene, const char *name, size_t step)
{
    size_t len;
    scene->options.accepts_damage = true;
    char *path = strdup(path_of(scene, name));
    char *good = read_whole(path, &len);
    for (size_t at = 0; at < len; at += step) {
        char *bad = malloc(len);
        assert_non_null(bad);
        memcpy(bad, good, len);
        bad[at] = (char)(bad[at] ^ 1 << at % 8);
        for (int is_flip = 0; is_flip < 2; is_flip++) {
            write_whole(path, bad, is_flip ? len : at);
            scene->index = index_scene_open(&scene->options);
            const uint64_t damaged = counts(scene).damaged,
                           rebuilt = counts(scene).rebuilt;
            uint32_t found = 0;
            for (uint32_t i = 0; i < 8; i++) {
                char want[16];
                (void)snprintf(want, sizeof want, "f%u", i);
                char *of = index_scene_ask(
                    scene->index, &scene->options.scheme,
                    &(index_scene_page){ .id = "asks", .family = i, .changed = 2 }, NULL);
                assert_true(!*of || strcmp(of, want) == 0 || strcmp(of, "asks") == 0);
                found += strcmp(of, want) == 0;
                free(of);
            }
            /* Nothing is lost without a word. */
            assert_true(found == 8 || damaged + counts(scene).damaged + rebuilt > 0);
            assert_in_range(damaged, 0, 8);
            assert_in_range(rebuilt, 0, 8);
            th_index_close(scene->index);
        }
        free(bad);
    }
    write_whole(path, good, len);
    free(good);
    free(path);
}

static void make_two_segments(struct scene *scene)
{
    scene->options.segment_pages = 4;
    reopen(scene);
    fill(scene, 0, 8); /* 4 sealed, 4 growing */
    prepare(scene);
    th_index_commit(scene->index);
    th_index_close(scene->index);
}

static void a_torn_growing_journal_is_found(void **state)
{
    struct scene *scene = *state;
    make_two_segments(scene);
    survives(scene, "00000002.journal", 7);
    scene->index = index_scene_open(&scene->options);
}

static void a_torn_sealed_journal_is_found(void **state)
{
    struct scene *scene = *state;
    make_two_segments(scene);
    survives(scene, "00000001.journal", 41);
    scene->index = index_scene_open(&scene->options);
}

static void a_torn_table_is_made_again(void **state)
{
    struct scene *scene = *state;
    make_two_segments(scene);
    /* Head and filter byte by byte, then a place in each page. */
    survives(scene, "00000001.table", 997);
    scene->index = index_scene_open(&scene->options);
    expect_of(scene, page("asks", 2, 2), "f2");
}

/* While the index is open, the last entry of its file changes so that it claims more bytes
 * than the file has. Such bytes are not read: the page behind the mapping does not exist. */
static void an_entry_does_not_exceed_its_file(void **state)
{
    struct scene *scene = *state;
    enum { HEAD = 64, PAGES = 1000 };
    th_index_entry entry;
    size_t len, at = HEAD;
    char id[16];
    scene->options.accepts_damage = true;
    for (uint32_t i = 1; i <= PAGES; i++) {
        (void)snprintf(id, sizeof id, "page-%u", i);
        expect_of(scene, page(id, i, 0), "");
    }
    prepare(scene);
    reopen(scene);
    char *path = strdup(path_of(scene, "00000001.journal"));
    char *good = read_whole(path, &len);
    for (size_t next = at; next < len; next += entry.len) {
        memcpy(&entry, good + next, sizeof entry);
        at = next;
    }
    assert_int_equal(at + entry.len, len);
    assert_true(at > 2 * UINT16_MAX);
    const size_t more = 2 * (size_t)UINT16_MAX - ((size_t)entry.id_len + entry.url_len);
    entry.id_len = entry.url_len = UINT16_MAX;
    entry.len += (uint32_t)(more & ~(size_t)7);
    for (unsigned i = 0; i < 2; i++, entry.len += 8) { /* one of them is the right sum */
        const int file = open(path, O_WRONLY);
        assert_true(file >= 0);
        assert_int_equal(pwrite(file, &entry, sizeof entry, (off_t)at), sizeof entry);
        (void)close(file);
        expect_of(scene, page("second", PAGES, 10), "");
        assert_true(counts(scene).damaged > 0);
        write_whole(path, good, len);
        reopen(scene);
    }
    expect_of(scene, page("third", PAGES, 10), id);
    free(good);
    free(path);
}

/* Lost pages are an error, and the next start finds the same damage. */
static void damage_is_refused_unless_accepted(void **state)
{
    static const char *const names[] = { "state", "00000001.journal",
                                         "00000002.journal" };
    struct scene *scene = *state;
    make_two_segments(scene);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t len, left;
        char *good = read_whole(path_of(scene, names[i]), &len);
        write_whole(path_of(scene, names[i]), good, len / 2);
        for (int start = 0; start < 2; start++) {
            th_index *index = NULL;
            th_error err = { .text = "" };
            assert_int_equal(th_index_open(&scene->options, &index, &err), TH_DAMAGED);
            assert_null(index);
            assert_non_null(strstr(err.text, "index.repair"));
            free(read_whole(path_of(scene, names[i]), &left));
            assert_int_equal(left, len / 2);
        }
        write_whole(path_of(scene, names[i]), good, len);
        free(good);
    }
    scene->index = index_scene_open(&scene->options);
    assert_int_equal(counts(scene).damaged, 0);
    expect_of(scene, page("a", 1, 2), "f1");
    expect_of(scene, page("b", 6, 2), "f6");
}

/* While the index is open, an entry of its file is damaged. The look-up that needs it
 * and each later one fail, unless damage is accepted. */
static void an_entry_lost_meanwhile_is_refused(void **state)
{
    enum { HEAD = 64 };
    static const uint32_t none = 0;
    struct scene *scene = *state;
    size_t len;
    for (uint32_t i = 0; i < 20; i++) {
        char id[16];
        (void)snprintf(id, sizeof id, "page-%u", i);
        expect_of(scene, page(id, i, 0), "");
    }
    prepare(scene);
    for (int accepts = 0; accepts < 2; accepts++) {
        scene->options.accepts_damage = accepts;
        reopen(scene);
        char *path = path_of(scene, "00000001.journal");
        char *good = read_whole(path, &len);
        const int file = open(path, O_WRONLY);
        assert_true(file >= 0);
        assert_int_equal(
            pwrite(file, &none, sizeof none, HEAD + (off_t)offsetof(th_index_entry, len)),
            sizeof none); /* of page-0 */
        for (uint32_t family = 5; family-- > 3;)
            expect_of(scene, page("intact", family, 10),
                      family == 4 ? "page-4" : "page-3");
        for (uint32_t family = 0; family < 3; family++) { /* the first one meets it */
            const index_scene_page asked = page("asks", family, 10);
            th_buffer entries = { 0 }, names = { 0 };
            th_index_answer answer;
            th_error err = { .text = "" };
            index_scene_append(&scene->options.scheme, &asked, &entries);
            const th_status status = th_index_look_up(
                scene->index, th_buffer_view(&entries), 1, &answer, &names, &err);
            assert_int_equal(status, accepts ? TH_OK : TH_DAMAGED);
            assert_int_equal(counts(scene).damaged > 0, true);
            assert_int_equal(strstr(err.text, "index.repair") != NULL,
                             !accepts && !family);
            th_buffer_done(&entries);
            th_buffer_done(&names);
        }
        assert_int_equal(pwrite(file, good + HEAD + offsetof(th_index_entry, len),
                                sizeof none, HEAD + (off_t)offsetof(th_index_entry, len)),
                         sizeof none);
        (void)close(file);
        free(good);
    }
}

static void a_damaged_state_costs_nothing_that_is_whole(void **state)
{
    struct scene *scene = *state;
    make_two_segments(scene);
    scene->options.accepts_damage = true;
    size_t len;
    char *good = read_whole(path_of(scene, "state"), &len);
    for (size_t at = 0; at < len; at += 5) {
        write_whole(path_of(scene, "state"), good, at);
        scene->index = index_scene_open(&scene->options);
        assert_true(counts(scene).damaged > 0);
        expect_of(scene, page("a", 1, 2), "f1");
        expect_of(scene, page("b", 6, 2), "f6");
        th_index_close(scene->index);
    }
    free(good);
    scene->index = index_scene_open(&scene->options);
}

/* A state of the index that no output has. The state of the output is used. */
static void a_lost_state_takes_any_mark(void **state)
{
    struct scene *scene = *state;
    make_two_segments(scene);
    scene->options.accepts_damage = true;
    for (int is_gone = 0; is_gone < 2; is_gone++) {
        write_whole(path_of(scene, "state"), "bad", 3);
        if (is_gone)
            assert_int_equal(unlink(path_of(scene, "state")), 0);
        scene->index = index_scene_open(&scene->options);
        assert_int_equal(counts(scene).damaged, 1);
        assert_false(th_index_knows(scene->index, 123456789));
        assert_int_equal(th_index_rewind(scene->index, 123456789, NULL), TH_OK);
        expect_of(scene, page("a", 1, 2), "f1");
        expect_of(scene, page("b", 6, 2), "f6");
        expect_of(scene, page(is_gone ? "new2" : "new1", 77u + (unsigned)is_gone, 0), "");
        const uint64_t mark = prepare(scene);
        /* Interrupted before the output stored the mark, so it names its old mark again. */
        reopen(scene);
        assert_true(th_index_knows(scene->index, mark));
        assert_int_equal(th_index_rewind(scene->index, 123456789, NULL), TH_OK);
        expect_of(scene, page("c", 77u + (unsigned)is_gone, 1), "");
        const uint64_t next = prepare(scene);
        th_index_commit(scene->index);
        reopen(scene);
        assert_int_equal(th_index_rewind(scene->index, next, NULL), TH_OK);
        prepare(scene);
        th_index_commit(scene->index);
        fill(scene, 300u + (unsigned)is_gone, 301u + (unsigned)is_gone);
        prepare(scene);
        th_index_commit(scene->index);
        assert_int_equal(th_index_rewind(scene->index, 123456789, NULL), TH_USAGE);
        th_index_close(scene->index);
    }
    scene->index = index_scene_open(&scene->options);
}

/* ---- a full disk ---- */

static void same_while_the_disk_is_full(void **state)
{
    struct scene *scene = *state;
    scene->options.segment_pages = 10;
    th_buffer want = { 0 }, got = { 0 };
    char *other = index_scene_folder(), *dir = scene->dir;
    scene->options.dir = other;
    reopen(scene);
    ask_stream(scene, 0, 300, &want);
    scene->options.dir = dir;
    reopen(scene);
    ask_stream(scene, 0, 50, &got);
    prepare(scene);
    is_disk_full = true;
    uint64_t mark;
    th_error err = { .text = "" };
    ask_stream(scene, 50, 150, &got);
    assert_int_equal(th_index_prepare(scene->index, &mark, &err), TH_NO_ROOM);
    assert_non_null(strstr(err.text, ".table"));
    ask_stream(scene, 150, 200, &got);
    is_disk_full = false;
    prepare(scene);
    th_index_commit(scene->index);
    reopen(scene);
    assert_int_equal(counts(scene).damaged + counts(scene).rebuilt, 0);
    ask_stream(scene, 200, 300, &got);
    th_buffer_append(&want, "", 1);
    th_buffer_append(&got, "", 1);
    assert_string_equal(got.data, want.data);
    th_buffer_done(&want);
    th_buffer_done(&got);
    index_scene_remove(other);
}

/* A folder has the name of the next journal. The disk is not full, and the message says
 * so. */
static void a_journal_that_cannot_be_made_waits(void **state)
{
    struct scene *scene = *state;
    scene->options.segment_pages = 4;
    reopen(scene);
    assert_int_equal(mkdir(path_of(scene, "00000002.journal"), 0777), 0);
    fill(scene, 0, 6);
    uint64_t mark;
    th_error err = { .text = "" };
    assert_int_equal(th_index_prepare(scene->index, &mark, &err), TH_IO);
    assert_non_null(strstr(err.text, "00000002.journal"));
    expect_of(scene, page("a", 5, 1), "f5");
    assert_int_equal(rmdir(path_of(scene, "00000002.journal")), 0);
    prepare(scene);
    th_index_commit(scene->index);
    reopen(scene);
    expect_of(scene, page("b", 1, 2), "f1");
    expect_of(scene, page("c", 5, 2), "f5");
    assert_int_equal(counts(scene).damaged, 0);
}

/* A table lost while there is no room for another. */
static void a_table_that_cannot_be_made_again_is_kept_in_memory(void **state)
{
    struct scene *scene = *state;
    make_two_segments(scene);
    assert_int_equal(unlink(path_of(scene, "00000001.table")), 0);
    is_disk_full = true;
    scene->index = index_scene_open(&scene->options);
    expect_of(scene, page("a", 1, 2), "f1");
    assert_int_equal(counts(scene).renewed, 1);
    is_disk_full = false;
    prepare(scene);
    th_index_commit(scene->index);
    reopen(scene);
    assert_int_equal(counts(scene).rebuilt, 1); /* the one before */
    expect_of(scene, page("b", 2, 2), "f2");
}

static size_t open_files(void)
{
    size_t count = 0;
    DIR *dir = opendir("/proc/self/fd");
    assert_non_null(dir);
    while (readdir(dir))
        count++;
    (void)closedir(dir);
    return count;
}

/* However many segments there are. */
static void sealed_segments_hold_no_files(void **state)
{
    struct scene *scene = *state;
    scene->options.segment_pages = 2;
    scene->options.keep_epochs = 1000;
    reopen(scene);
    const size_t before = open_files();
    fill(scene, 0, 101);
    assert_int_equal(segments(scene), 51);
    assert_int_equal(open_files(), before);
    prepare(scene);
    reopen(scene);
    assert_int_equal(segments(scene), 51);
    assert_int_equal(open_files(), before);
}

/* ---- what it refuses ---- */

static void refused(const th_index_options *options, const char *word)
{
    th_index *index = NULL;
    th_error err = { .text = "" };
    assert_int_equal(th_index_open(options, &index, &err), TH_USAGE);
    if (!strstr(err.text, word))
        fail_msg("'%s' is not in: %s", word, err.text);
}

static void another_scheme_is_refused(void **state)
{
    struct scene *scene = *state;
    th_index_close(scene->index);
    scene->index = NULL;
    th_index_options other = scene->options;
    assert_int_equal(th_index_scheme_init(&other.scheme, th_minhash_find("crawl"),
                                          TH_SIGN_MAIN, TH_SIGN_COUNT, 8, NULL),
                     TH_OK);
    refused(&other, "preset = modern");
    other = scene->options;
    other.scheme.texts[0] = TH_SIGN_PAGE;
    refused(&other, "text = main");
    assert_int_equal(th_index_scheme_init(&other.scheme, th_minhash_find("modern"),
                                          TH_SIGN_MAIN, TH_SIGN_PAGE, 8, NULL),
                     TH_OK);
    refused(&other, "'text = main,page'");
    assert_int_equal(th_index_scheme_init(&other.scheme, th_minhash_find("modern"),
                                          TH_SIGN_MAIN, TH_SIGN_COUNT, 0, NULL),
                     TH_OK);
    refused(&other, "kept_bits = 8");
    th_error err = { .text = "" };
    assert_int_equal(
        th_index_scheme_init(&other.scheme, NULL, TH_SIGN_MAIN, TH_SIGN_COUNT, 0, &err),
        TH_USAGE);
}

/* Files that only look like an index's are somebody's. */
static void a_folder_of_others_is_refused(void **state)
{
    struct scene *scene = *state;
    static const char *const names[] = { "state", "00000001.journal" };
    th_index_options options = scene->options;
    for (size_t i = 0; i < 2; i++) {
        size_t len;
        char *dir = index_scene_folder(), path[512];
        options.dir = dir;
        (void)snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        assert_true(mkdir(dir, 0777) == 0 || errno == EEXIST);
        write_whole(path, "precious", 8);
        refused(&options, "is not an index");
        char *left = read_whole(path, &len);
        assert_memory_equal(left, "precious", 8);
        free(left);
        index_scene_remove(dir);
    }
    options = scene->options;
    assert_int_equal(unlink(path_of(scene, "scheme")), 0);
    th_index_close(scene->index);
    scene->index = NULL;
    refused(&options, "scheme");
}

static void a_second_process_is_refused(void **state)
{
    struct scene *scene = *state;
    refused(&scene->options, "another process");
}

static void a_mark_that_is_unknown_is_refused(void **state)
{
    struct scene *scene = *state;
    const uint64_t mark = prepare(scene);
    assert_int_equal(th_index_rewind(scene->index, mark + 1, NULL), TH_USAGE);
    assert_int_equal(th_index_rewind(scene->index, mark, NULL), TH_OK);
}

/* A commit that is only in memory is written at the end, so the mark need not be
 * named. */
static void an_orderly_end_notes_what_is_committed(void **state)
{
    struct scene *scene = *state;
    expect_of(scene, page("first", 1, 0), "");
    prepare(scene);
    th_index_commit(scene->index);
    expect_of(scene, page("second", 2, 0), "");
    const uint64_t mark = prepare(scene);
    th_index_commit(scene->index);
    reopen(scene);
    assert_int_equal(th_index_rewind(scene->index, 0, NULL), TH_OK);
    assert_int_equal(th_index_mark(scene->index), mark);
    expect_of(scene, page("a", 2, 1), "second");
}

/* Prepared and not committed: rewound to the previous state, even if it is empty. */
static void without_a_mark_the_committed_state_holds(void **state)
{
    struct scene *scene = *state;
    expect_of(scene, page("first", 1, 0), "");
    const uint64_t mark = prepare(scene);
    assert_true(th_index_knows(scene->index, mark));
    reopen(scene);
    assert_true(th_index_knows(scene->index, mark));
    assert_false(th_index_knows(scene->index, mark + 1));
    assert_false(th_index_knows(scene->index, 0));
    assert_int_equal(th_index_rewind(scene->index, 0, NULL), TH_OK);
    assert_false(th_index_knows(scene->index, mark));
    expect_of(scene, page("a", 1, 1), "");
}

/* A mark of one index says nothing to another. */
static void marks_of_two_indexes_differ(void **state)
{
    struct scene *scene = *state;
    th_index_options options = scene->options;
    char *dir = index_scene_folder();
    options.dir = dir;
    th_index *other = index_scene_open(&options);
    uint64_t mark = 0;
    assert_int_equal(th_index_prepare(other, &mark, NULL), TH_OK);
    assert_true(mark > 0);
    assert_false(prepare(scene) == mark);
    assert_false(th_index_knows(scene->index, mark));
    th_index_close(other);
    index_scene_remove(dir);
}

int main(void)
{
#define IN_SCENE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        IN_SCENE(near_duplicates_meet_their_representative),
        IN_SCENE(below_the_threshold_is_new),
        IN_SCENE(an_orderly_end_notes_what_is_committed),
        IN_SCENE(without_a_mark_the_committed_state_holds),
        IN_SCENE(marks_of_two_indexes_differ),
        IN_SCENE(the_same_page_again_is_no_duplicate),
        IN_SCENE(more_slots_win_then_age_then_id),
        IN_SCENE(short_pages_meet_by_digest),
        IN_SCENE(every_preset_with_keys_can_be_indexed),
        IN_SCENE(a_page_without_text_is_passed_over),
        IN_SCENE(a_full_bucket_takes_no_more),
        IN_SCENE(old_segments_expire_and_what_is_seen_stays),
        IN_SCENE(days_pass_by_the_records_dates),
        IN_SCENE(a_day_passes_without_a_page_that_is_kept),
        IN_SCENE(same_answers_whatever_the_batches),
        IN_SCENE(interrupted_equals_uninterrupted),
        IN_SCENE(what_was_not_prepared_has_no_effect),
        IN_SCENE(a_torn_growing_journal_is_found),
        IN_SCENE(a_torn_sealed_journal_is_found),
        IN_SCENE(a_torn_table_is_made_again),
        IN_SCENE(an_entry_does_not_exceed_its_file),
        IN_SCENE(damage_is_refused_unless_accepted),
        IN_SCENE(an_entry_lost_meanwhile_is_refused),
        IN_SCENE(a_damaged_state_costs_nothing_that_is_whole),
        IN_SCENE(four_of_eight_is_enough),
        IN_SCENE(the_other_text_counts_where_the_first_is_a_guess),
        IN_SCENE(a_minority_moves_no_clock),
        IN_SCENE(a_lost_state_takes_any_mark),
        IN_SCENE(same_while_the_disk_is_full),
        IN_SCENE(a_journal_that_cannot_be_made_waits),
        IN_SCENE(a_table_that_cannot_be_made_again_is_kept_in_memory),
        IN_SCENE(sealed_segments_hold_no_files),
        IN_SCENE(a_folder_of_others_is_refused),
        IN_SCENE(another_scheme_is_refused),
        IN_SCENE(a_second_process_is_refused),
        IN_SCENE(a_mark_that_is_unknown_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
