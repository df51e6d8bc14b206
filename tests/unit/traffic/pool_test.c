/* src/traffic/pool.c: results in the order of submission, and the statistics. */
#include "traffic/pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"

enum { WORKERS = 3, BATCHES = 500, WAIT_MS = 60000 };

static void results_come_in_order(void **state)
{
    (void)state;
    th_options page;
    th_pool *pool = NULL;
    th_pool_stats stats;
    th_error err = { .text = "" };
    th_work_result *result = NULL;
    th_options_init(&page);
    const th_work_options options = { .page = &page,
                                      .format = &th_answer_format,
                                      .format_options = { .page = &page },
                                      .wants_pieces = true };
    const int64_t start = th_now_ms();
    assert_int_equal(th_pool_new(&options, WORKERS, &pool, &err), TH_OK);
    assert_int_equal(th_pool_pop(pool, 0, &result, &err), TH_TIMED_OUT);
    uint32_t submitted = 0;
    for (uint32_t popped = 0; popped < BATCHES; popped++) {
        th_batch *batch;
        while (submitted < BATCHES && (batch = th_pool_batch(pool))) {
            batch->record_count = submitted % 3;
            for (uint32_t i = 0; i < batch->record_count; i++)
                batch->records[i] = (th_record){ .kind = TH_RECORD_RESOURCE,
                                                 .url = TH_VIEW("http://a.example/"),
                                                 .content_type = TH_VIEW("text/html"),
                                                 .block = TH_VIEW("<p>text"),
                                                 .block_len = 7 };
            th_pool_submit(pool);
            submitted++;
        }
        th_pool_facts_get(pool, &stats);
        assert_int_equal(stats.workers, WORKERS);
        assert_int_equal(stats.in_flight, submitted - popped);
        assert_true(stats.in_flight <= stats.limit);
        assert_int_equal(th_pool_pop(pool, WAIT_MS, &result, &err), TH_OK);
        assert_int_equal(result->batch->record_count, popped % 3);
        assert_int_equal(result->counts.read, popped % 3);
        th_pool_release(pool);
    }
    th_pool_facts_get(pool, &stats);
    assert_int_equal(stats.in_flight, 0);
    assert_int_equal(stats.in_flight_records, 0);
    const double elapsed = (double)(th_now_ms() - start + 1) / 1000;
    assert_true(stats.busy_seconds > 0 && stats.busy_seconds <= WORKERS * elapsed);
    th_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(results_come_in_order) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
