/* Workers return the error of the first failed piece, in any order of execution. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "eval/parallel.h"

enum { PIECES = 200, WORKERS = 4 };

struct pieces {
    pthread_mutex_t lock;
    uint64_t next;
    uint64_t bad_from; /* this and every later piece fails */
    bool is_over;
    unsigned done;
};

static th_status work(void *context, uint64_t *place, th_error *err)
{
    struct pieces *pieces = context;
    for (;;) {
        pthread_mutex_lock(&pieces->lock);
        const bool has_more = !pieces->is_over && pieces->next < PIECES;
        *place = has_more ? pieces->next++ : PIECES;
        pthread_mutex_unlock(&pieces->lock);
        if (!has_more)
            return TH_OK;
        const bool fails = *place >= pieces->bad_from;
        /* The first failure is slow, so the next ones are reported before it. */
        for (unsigned i = 0; fails && *place == pieces->bad_from && i < 100; i++)
            sched_yield();
        pthread_mutex_lock(&pieces->lock);
        pieces->is_over |= fails;
        pieces->done++;
        pthread_mutex_unlock(&pieces->lock);
        if (fails)
            return th_fail(err, TH_IO, "piece %u", (unsigned)*place);
    }
}

static void all_pieces_are_done(void **state)
{
    (void)state;
    struct pieces pieces = { .lock = PTHREAD_MUTEX_INITIALIZER, .bad_from = PIECES };
    assert_int_equal(th_parallel_run(WORKERS, work, &pieces, NULL), TH_OK);
    assert_int_equal(pieces.done, PIECES);
}

static void the_first_bad_piece_is_told_however_they_run(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 200; round++) {
        struct pieces pieces = { .lock = PTHREAD_MUTEX_INITIALIZER, .bad_from = 7 };
        th_error err = { 0 };
        assert_int_equal(th_parallel_run(WORKERS, work, &pieces, &err), TH_IO);
        assert_string_equal(err.text, "piece 7");
    }
}

static void without_words_the_status_comes(void **state)
{
    (void)state;
    struct pieces pieces = { .lock = PTHREAD_MUTEX_INITIALIZER, .bad_from = 0 };
    assert_int_equal(th_parallel_run(1, work, &pieces, NULL), TH_IO);
    assert_int_equal(pieces.done, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_pieces_are_done),
        cmocka_unit_test(the_first_bad_piece_is_told_however_they_run),
        cmocka_unit_test(without_words_the_status_comes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
