/* src/index: all answers of random pages, with epochs, segments that expire, marks,
 * rewinds, and a new start, as a digest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "index_scene.h"
#include "outcomes.h"

enum { INDEXES = 7, STEPS = 90 };

struct walk {
    struct outcomes all;
    th_index_options options;
    th_index *index;
    uint64_t first_mark; /* random */
    uint64_t prepared, committed;
    int64_t now;
    uint32_t pages;
};

/* Notes how far a mark is from the first one, which is random. */
static void note_mark(struct walk *walk, uint64_t mark)
{
    const bool is_new = mark && mark - walk->first_mark > 1000;
    walk->first_mark = is_new ? mark : walk->first_mark;
    note_number(&walk->all, is_new ? UINT64_MAX : mark ? mark - walk->first_mark + 1 : 0);
}

static void note_facts(struct walk *walk)
{
    th_index_stats stats = { .segments = 0 };
    th_index_facts_get(walk->index, &stats);
    const uint64_t numbers[] = { stats.counts.pages,     stats.counts.duplicates,
                                 stats.counts.exact,     stats.counts.again,
                                 stats.counts.inserted,  stats.counts.renewed,
                                 stats.counts.unsigned_, stats.counts.capped,
                                 stats.counts.expired,   stats.counts.damaged,
                                 stats.counts.rebuilt,   stats.segments,
                                 stats.entries,          stats.memory_bytes,
                                 stats.journal_bytes,    stats.table_bytes };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        note_number(&walk->all, numbers[i]);
    note_mark(walk, th_index_mark(walk->index));
    note_number(&walk->all, th_index_knows(walk->index, walk->prepared));
    note_number(&walk->all, th_index_knows(walk->index, walk->committed));
}

static void look_up(struct walk *walk)
{
    enum { MOST = 12 };
    struct outcomes *all = &walk->all;
    th_buffer entries = { 0 }, names = { 0 };
    th_index_answer answers[MOST];
    const uint32_t count = 1 + below(all, MOST);
    for (uint32_t i = 0; i < count; i++) {
        char id[32];
        const uint32_t number =
            below(all, 12) ? walk->pages++ : below(all, walk->pages + 1);
        (void)snprintf(id, sizeof id, "page-%" PRIu32, number);
        walk->now += below(all, 5);
        index_scene_page page = { .id = id, .family = below(all, 60) };
        page.changed = below(all, below(all, 4) ? 30 : 60);
        page.is_short = below(all, 10) == 0;
        page.date = below(all, 15) ? walk->now : (int64_t)below(all, 3000);
        index_scene_append(&walk->options.scheme, &page, &entries);
    }
    assert_int_equal(th_index_look_up(walk->index, th_buffer_view(&entries), count,
                                      answers, &names, NULL),
                     TH_OK);
    for (uint32_t i = 0; i < count; i++) {
        const th_index_answer *answer = &answers[i];
        note_number(all, answer->is_duplicate);
        if (!answer->is_duplicate)
            continue;
        note_number(all, answer->equal);
        note_number(all, answer->keys_hit);
        note_number(all, (uint64_t)(answer->jaccard * 1e6 + .5));
        note_view(all, (th_view){ names.data + answer->of, answer->of_len });
        note_view(all, (th_view){ names.data + answer->url, answer->url_len });
    }
    th_buffer_done(&entries);
    th_buffer_done(&names);
}

static void rewind_to(struct walk *walk, uint64_t mark)
{
    th_error err = { .text = "" };
    const th_status status = th_index_rewind(walk->index, mark, &err);
    note_number(&walk->all, (uint64_t)status);
    if (status == TH_OK && th_index_mark(walk->index))
        walk->prepared = walk->committed = th_index_mark(walk->index);
}

static void step(struct walk *walk)
{
    struct outcomes *all = &walk->all;
    uint64_t mark = 0;
    switch (below(all, 12)) {
    case 0:
    case 1:
        assert_int_equal(th_index_prepare(walk->index, &mark, NULL), TH_OK);
        walk->prepared = mark;
        note_mark(walk, mark);
        break;
    case 2:
        th_index_commit(walk->index);
        walk->committed = walk->prepared;
        break;
    case 3:
        rewind_to(walk, below(all, 3) == 0   ? 0
                        : below(all, 2) == 0 ? walk->committed
                                             : walk->prepared);
        break;
    case 4:
        if (below(all, 2))
            break;
        th_index_close(walk->index);
        walk->index = index_scene_open(&walk->options);
        rewind_to(walk, below(all, 2) ? walk->prepared : 0);
        break;
    default:
        look_up(walk);
    }
    note_facts(walk);
}

static void answers_of_random_pages_are_known(void **state)
{
    (void)state;
    struct outcomes all = { .chance = 1 };
    for (uint32_t i = 0; i < INDEXES; i++) {
        char *dir = index_scene_folder();
        struct walk walk = { .all = all, .options = index_scene_options(dir) };
        const uint32_t kind = below(&walk.all, 3);
        walk.options.epoch_seconds = kind == 0 ? 0 : kind == 1 ? 50 : 400;
        walk.options.segment_pages = 3 + below(&walk.all, 60);
        walk.options.keep_epochs = below(&walk.all, 4);
        walk.options.threshold = .6 + .1 * (double)below(&walk.all, 4);
        walk.now = 1000;
        walk.index = index_scene_open(&walk.options);
        for (uint32_t k = 0; k < STEPS; k++)
            step(&walk);
        th_index_close(walk.index);
        index_scene_remove(dir);
        all = walk.all;
    }
    expect_digest(&all, 0x4A53E2E3B142DAF9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_of_random_pages_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
