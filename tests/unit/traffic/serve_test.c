/* src/traffic/serve.c and pool.c: order, durability before acknowledgement, blocks,
 * aborts, drains. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "index/index_scene.h"
#include "traffic/serve.h"

enum { RECORDS = 2000, PER_BATCH = 7 };

/* Numbered pages. Stores which were dispatched, finished and acknowledged. */
struct made_source {
    th_stream_source base;
    uint32_t next, done, acknowledged, epoch;
    uint32_t rewinds;
    uint32_t lose_at;    /* record before which the partitions are lost, once; 0: never */
    uint32_t give_up_at; /* the same, with a settling before; 0: never */
    th_status settled;   /* what the settling returned */
    uint32_t full_each, asked; /* every n-th acknowledgement finds no room; 0: never */
};

/* As when partitions go to another member and come back. */
static void begin_epoch(struct made_source *source)
{
    source->next = source->done = source->acknowledged;
    source->epoch++;
}

static void rebalance(struct made_source *source)
{
    if (source->give_up_at && source->next >= source->give_up_at) {
        source->give_up_at = 0;
        source->settled = source->base.settle(source->base.settle_context, 1000);
        begin_epoch(source);
    }
    if (source->lose_at && source->next >= source->lose_at) {
        source->lose_at = 0;
        begin_epoch(source);
    }
}

static th_status poll_made(th_stream_source *base, bool may_read, int timeout_ms,
                           th_batch *batch, th_error *err)
{
    struct made_source *source = (struct made_source *)base;
    (void)err;
    rebalance(source);
    if (!may_read || source->next == RECORDS) {
        (void)usleep(timeout_ms > 0 ? 1000 : 0);
        return TH_NOT_YET;
    }
    batch->epoch = source->epoch;
    while (batch->record_count < PER_BATCH && source->next < RECORDS) {
        char text[128];
        const int len = snprintf(text, sizeof text, "<p>page number %u says little</p>",
                                 source->next);
        batch->records[batch->record_count++] = (th_record){
            .kind = source->next % 10 == 9 ? TH_RECORD_OTHER : TH_RECORD_RESOURCE,
            .content_type = TH_VIEW("text/html"),
            .block = th_arena_copy(batch->arena, (th_view){ text, (size_t)len }),
            .block_len = source->next,
        };
        source->next++;
    }
    batch->next.offset = source->next;
    return TH_OK;
}

static void done_made(th_stream_source *base, const th_batch *batch)
{
    struct made_source *source = (struct made_source *)base;
    assert_int_equal(batch->records[0].block_len, source->done); /* in order, no gap */
    source->done = (uint32_t)batch->next.offset;
}

static th_status token_made(th_stream_source *base, uint64_t mark, th_commit_token *out,
                            th_error *err)
{
    const struct made_source *source = (struct made_source *)base;
    (void)err;
    *out = (th_commit_token){ .epoch = source->epoch, .mark = mark };
    return TH_OK;
}

static th_status acknowledge_made(th_stream_source *base, const th_commit_token *token,
                                  th_view note, th_error *err)
{
    struct made_source *source = (struct made_source *)base;
    (void)err;
    assert_int_equal(token->epoch, source->epoch);
    assert_string_equal(note.data, "a note");
    if (source->full_each && ++source->asked % source->full_each == 0)
        return TH_NO_ROOM;
    source->acknowledged = source->done;
    return TH_OK;
}

static th_status rewind_made(th_stream_source *base, th_error *err)
{
    struct made_source *source = (struct made_source *)base;
    (void)err;
    source->next = source->done = source->acknowledged;
    source->epoch++;
    source->rewinds++;
    return TH_OK;
}

static uint32_t epoch_made(const th_stream_source *base)
{
    return ((const struct made_source *)base)->epoch;
}

static void facts_made(th_stream_source *base, th_source_stats *out)
{
    (void)base;
    *out = (th_source_stats){ .is_assigned = true };
}

/* Stages numbers of records; a flush may be blocked or aborted by plan. */
struct made_sink {
    th_stream_sink base;
    uint32_t staged[RECORDS + PER_BATCH], staged_count;
    uint32_t durable[RECORDS + PER_BATCH], durable_count;
    uint32_t flushes;
    uint32_t block_each, abort_each; /* every n-th flush; 0 = never */
    uint32_t fail_at;
    bool has_no_broker; /* recovering waits */
    bool is_frozen;     /* flushing waits */
};

static th_status put_made(th_stream_sink *base, const th_work_result *result,
                          th_error *err)
{
    struct made_sink *sink = (struct made_sink *)base;
    (void)err;
    for (uint32_t i = 0; i < result->batch->record_count; i++)
        sink->staged[sink->staged_count++] =
            (uint32_t)result->batch->records[i].block_len;
    return TH_OK;
}

static th_status flush_made(th_stream_sink *base, const th_commit_token *token,
                            th_view *note, th_error *err)
{
    struct made_sink *sink = (struct made_sink *)base;
    (void)token;
    *note = TH_VIEW("a note");
    sink->flushes++;
    if (sink->flushes == sink->fail_at)
        return th_fail(err, TH_IO, "made to fail");
    while (sink->is_frozen && th_deadline_wait_ms(&base->deadline, 1) > 0)
        (void)usleep(1000);
    if (sink->is_frozen)
        return TH_BLOCKED;
    if (sink->block_each && sink->flushes % sink->block_each == 0)
        return TH_BLOCKED;
    if (sink->abort_each && sink->flushes % sink->abort_each == 0) {
        sink->staged_count = 0;
        return TH_ABORTED;
    }
    memcpy(sink->durable + sink->durable_count, sink->staged,
           sink->staged_count * sizeof *sink->staged);
    sink->durable_count += sink->staged_count;
    sink->staged_count = 0;
    return TH_OK;
}

static th_status conclude_made(th_stream_sink *base, th_status acknowledged,
                               th_error *err)
{
    (void)base, (void)err;
    return acknowledged == TH_NO_ROOM ? TH_BLOCKED : acknowledged;
}

static void drop_made(th_stream_sink *base)
{
    ((struct made_sink *)base)->staged_count = 0;
}

static th_status recover_made(th_stream_sink *base, th_stream_source *source,
                              th_error *err)
{
    const struct made_sink *sink = (const struct made_sink *)base;
    (void)source, (void)err;
    while (sink->has_no_broker && th_deadline_wait_ms(&base->deadline, 1) > 0)
        (void)usleep(1000);
    return sink->has_no_broker ? TH_INTERRUPTED : TH_OK;
}

static void tick_made(th_stream_sink *base)
{
    (void)base;
}

static void sink_facts_made(const th_stream_sink *base, th_sink_stats *out)
{
    const struct made_sink *sink = (const struct made_sink *)base;
    *out = (th_sink_stats){ 0 };
    if (sink->is_frozen)
        (void)snprintf(out->unready, sizeof out->unready, "made to wait");
}

/* A whole daemon of made parts. */
struct made {
    struct made_source source;
    struct made_sink sink;
    uint32_t stop_at;  /* durable records at which to stop */
    uint32_t flush_ms; /* 0: 1 */
    uint32_t reload_each, turns;
    uint32_t drain_ms; /* 0: 60000 */
    uint32_t asked;    /* number of queries whether to stop */
    bool stops_at_once;
    bool was_told; /* /readyz had the sink's reason while it waited */
    bool was_blocked;
    bool was_ready;      /* the source counted as assigned */
    th_index *index;     /* NULL: none */
    bool lifts_limit;    /* on the length of files, once the daemon has noticed it */
    struct rlimit limit; /* as it was before */
    th_work_options work[2];
    th_serve_stats last;
};

static bool stop_made(void *context)
{
    struct made *made = context;
    if (made->stops_at_once)
        return ++made->asked > 20;
    return made->sink.durable_count >= made->stop_at;
}

static const th_work_options *reload_made(void *context)
{
    struct made *made = context;
    made->turns++;
    if (!made->reload_each || made->turns % made->reload_each)
        return NULL;
    return &made->work[made->turns / made->reload_each % 2];
}

static void observe_made(void *context, const th_serve_stats *facts)
{
    struct made *made = context;
    const uint64_t refused = th_counts_refused(&facts->counts);
    assert_int_equal(facts->received, facts->counts.emitted + refused + facts->in_flight);
    assert_true(made->source.acknowledged <= made->sink.durable_count);
    made->was_told = made->was_told || facts->sink.unready[0];
    made->was_blocked = made->was_blocked || facts->is_blocked;
    made->was_ready = made->was_ready || facts->source.is_assigned;
    if (made->was_blocked && made->lifts_limit)
        (void)setrlimit(RLIMIT_FSIZE, &made->limit);
    made->last = *facts;
}

static th_status run(struct made *made, unsigned workers, th_error *err)
{
    static th_options opt;
    th_options_init(&opt);
    for (int i = 0; i < 2; i++)
        made->work[i] = (th_work_options){ .page = &opt,
                                           .format = th_format_find("jsonl"),
                                           .index = made->index,
                                           .format_options = { .page = &opt } };
    static const th_stream_source_verbs source_verbs = { .name = "made",
                                                         .poll = poll_made,
                                                         .done = done_made,
                                                         .token = token_made,
                                                         .acknowledge = acknowledge_made,
                                                         .rewind = rewind_made,
                                                         .epoch = epoch_made,
                                                         .facts = facts_made };
    static const th_stream_sink_verbs sink_verbs = { .name = "made",
                                                     .put = put_made,
                                                     .flush = flush_made,
                                                     .conclude = conclude_made,
                                                     .drop = drop_made,
                                                     .recover = recover_made,
                                                     .tick = tick_made,
                                                     .facts = sink_facts_made };
    made->source.base.verbs = &source_verbs;
    made->sink.base.verbs = &sink_verbs;
    const th_serve_options options = { .workers = workers,
                                       .flush_ms = made->flush_ms ? made->flush_ms : 1,
                                       .flush_results = 50,
                                       .flush_bytes = 1 << 20,
                                       .drain_ms =
                                           made->drain_ms ? made->drain_ms : 60000 };
    const th_serve_hooks hooks = { .context = made,
                                   .should_stop = stop_made,
                                   .reload = reload_made,
                                   .observe = observe_made };
    return th_serve(&made->source.base, &made->sink.base, &made->work[0], &options,
                    &hooks, err);
}

static void every_record_once_in_order(const struct made *made, uint32_t at_least)
{
    assert_true(made->sink.durable_count >= at_least);
    for (uint32_t i = 0; i < made->sink.durable_count; i++)
        assert_int_equal(made->sink.durable[i], i);
    assert_int_equal(made->source.acknowledged, made->sink.durable_count);
}

static void all_is_durable_once(void **state)
{
    (void)state;
    for (unsigned workers = 1; workers <= 4; workers++) {
        struct made made = { .stop_at = RECORDS };
        assert_int_equal(run(&made, workers, NULL), TH_OK);
        every_record_once_in_order(&made, RECORDS);
        assert_int_equal(made.last.counts.refused[TH_NOT_A_PAGE], RECORDS / 10);
        assert_int_equal(made.last.in_flight, 0);
    }
}

static void a_blocked_output_pauses_and_goes_on(void **state)
{
    (void)state;
    struct made made = { .stop_at = 300, .sink.block_each = 4 };
    assert_int_equal(run(&made, 2, NULL), TH_OK);
    every_record_once_in_order(&made, 300);
}

/* Durable records wait for their acknowledgement, and are not repeated. */
static void an_acknowledgement_without_room_is_repeated(void **state)
{
    (void)state;
    struct made made = { .stop_at = 300, .source.full_each = 3 };
    assert_int_equal(run(&made, 2, NULL), TH_OK);
    every_record_once_in_order(&made, 300);
    assert_int_equal(made.last.voided, 0);
    assert_true(made.source.asked > made.last.flushes);
}

static void an_abort_gives_all_again(void **state)
{
    (void)state;
    struct made made = { .stop_at = RECORDS, .sink.abort_each = 3 };
    assert_int_equal(run(&made, 3, NULL), TH_OK);
    every_record_once_in_order(&made, RECORDS);
    assert_true(made.source.rewinds > 5);
    assert_true(made.last.voided > 0);
}

static void a_stop_drains(void **state)
{
    (void)state;
    for (uint32_t at = 1; at < 400; at += 66) {
        struct made made = { .stop_at = at };
        assert_int_equal(run(&made, 2, NULL), TH_OK);
        /* Records read before are finished, and nothing is left. */
        every_record_once_in_order(&made, at);
        assert_int_equal(made.source.next, made.sink.durable_count);
    }
}

static void a_reload_loses_nothing(void **state)
{
    (void)state;
    struct made made = { .stop_at = RECORDS, .reload_each = 5 };
    assert_int_equal(run(&made, 2, NULL), TH_OK);
    every_record_once_in_order(&made, RECORDS);
}

static void lost_partitions_are_void(void **state)
{
    (void)state;
    for (uint32_t at = 100; at < 1500; at += 311) {
        struct made made = { .stop_at = RECORDS, .flush_ms = 200, .source.lose_at = at };
        assert_int_equal(run(&made, 2, NULL), TH_OK);
        every_record_once_in_order(&made, RECORDS);
        assert_int_equal(made.last.received, RECORDS);
        assert_int_equal(made.last.counts.emitted + th_counts_refused(&made.last.counts),
                         RECORDS);
    }
}

static void a_rebalance_settles_first(void **state)
{
    (void)state;
    struct made made = { .stop_at = RECORDS, .source.give_up_at = 700 };
    assert_int_equal(run(&made, 2, NULL), TH_OK);
    every_record_once_in_order(&made, RECORDS);
    assert_int_equal(made.source.settled, TH_OK);
    assert_int_equal(made.last.voided, 0);
}

/* The source does not report it, so the daemon must check it. */
static void a_settling_that_fails_ends_it(void **state)
{
    (void)state;
    struct made made = { .stop_at = RECORDS, .source.give_up_at = 7, .sink.fail_at = 1 };
    th_error err;
    assert_int_equal(run(&made, 2, &err), TH_IO);
    assert_string_equal(err.text, "made to fail");
    assert_int_equal(made.sink.durable_count, 0);
}

static void an_output_that_fails_ends_it(void **state)
{
    (void)state;
    struct made made = { .stop_at = RECORDS, .sink.fail_at = 3 };
    th_error err;
    assert_int_equal(run(&made, 2, &err), TH_IO);
    assert_string_equal(err.text, "made to fail");
    assert_true(made.source.acknowledged <= made.sink.durable_count);
}

/* An output that does not return: the drain time is kept, the unsettled records are
 * reported, and monitoring was informed meanwhile. */
static void an_end_in_time_says_what_is_left(void **state)
{
    (void)state;
    struct made made = { .stops_at_once = true, .drain_ms = 100, .sink.is_frozen = true };
    th_error err = { .text = "" };
    assert_int_equal(run(&made, 2, &err), TH_TIMED_OUT);
    assert_non_null(strstr(err.text, "records were not completed in 100 ms"));
    assert_non_null(strstr(err.text, "made to wait"));
    assert_int_equal(made.sink.durable_count, 0);
    assert_int_equal(made.source.acknowledged, 0);
    assert_true(made.was_told);
}

/* Nothing was read, so nothing is left. */
static void a_stop_is_heard_at_the_start(void **state)
{
    (void)state;
    struct made made = { .stops_at_once = true, .sink.has_no_broker = true };
    assert_int_equal(run(&made, 1, NULL), TH_OK);
    assert_int_equal(made.source.next, 0);
    assert_true(made.asked > 0);
    assert_false(made.was_ready); /* nothing is read before the sink has recovered */
}

/* Runs with an index and a limit on file sizes: the effect of a full disk, with another
 * errno. */
static th_status run_without_capacity(struct made *made, th_error *err)
{
    char *dir = index_scene_folder();
    const th_index_options options = index_scene_options(dir);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &made->limit), 0);
    struct rlimit none = made->limit;
    none.rlim_cur = 100;
    (void)signal(SIGXFSZ, SIG_IGN);
    made->index = index_scene_open(&options);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    const th_status status = run(made, 2, err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &made->limit), 0);
    th_index_close(made->index);
    index_scene_remove(dir);
    return status;
}

static void an_index_without_room_pauses_and_goes_on(void **state)
{
    (void)state;
    struct made made = { .stop_at = 300, .lifts_limit = true };
    assert_int_equal(run_without_capacity(&made, NULL), TH_OK);
    assert_true(made.was_blocked);
    every_record_once_in_order(&made, 300);
    assert_int_equal(made.last.voided, 0);
}

static void an_index_that_never_has_room_ends_in_time(void **state)
{
    (void)state;
    struct made made = { .stops_at_once = true, .drain_ms = 100 };
    th_error err = { .text = "" };
    assert_int_equal(run_without_capacity(&made, &err), TH_TIMED_OUT);
    assert_int_equal(made.sink.durable_count, 0);
    assert_int_equal(made.source.acknowledged, 0);
}

/* No room will ever help here: the daemon ends and says why. */
static void an_index_that_cannot_be_written_ends_it(void **state)
{
    (void)state;
    char *dir = index_scene_folder(), path[256];
    const th_index_options options = index_scene_options(dir);
    struct made made = { .stop_at = RECORDS, .index = index_scene_open(&options) };
    th_error err = { .text = "" };
    (void)snprintf(path, sizeof path, "%s/state.part", dir);
    assert_int_equal(mkdir(path, 0777), 0);
    assert_int_equal(run(&made, 2, &err), TH_IO);
    assert_non_null(strstr(err.text, "state.part"));
    assert_int_equal(made.sink.durable_count, 0);
    th_index_close(made.index);
    index_scene_remove(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_is_durable_once),
        cmocka_unit_test(a_blocked_output_pauses_and_goes_on),
        cmocka_unit_test(an_acknowledgement_without_room_is_repeated),
        cmocka_unit_test(an_abort_gives_all_again),
        cmocka_unit_test(a_stop_drains),
        cmocka_unit_test(a_reload_loses_nothing),
        cmocka_unit_test(lost_partitions_are_void),
        cmocka_unit_test(a_rebalance_settles_first),
        cmocka_unit_test(a_settling_that_fails_ends_it),
        cmocka_unit_test(an_output_that_fails_ends_it),
        cmocka_unit_test(an_end_in_time_says_what_is_left),
        cmocka_unit_test(a_stop_is_heard_at_the_start),
        cmocka_unit_test(an_index_without_room_pauses_and_goes_on),
        cmocka_unit_test(an_index_that_never_has_room_ends_in_time),
        cmocka_unit_test(an_index_that_cannot_be_written_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
