/* Workers return the error of the first failed piece, in any order of execution. */
#include <pthread.h>
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
    pthread_cond_t failed; /* a piece after bad_from has failed */
    uint64_t next;
    uint64_t bad_from; /* this and every later piece fails */
    bool has_others;   /* other workers, which take the next pieces */
    bool is_over;
    unsigned done;
    unsigned failures;
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
        pthread_mutex_lock(&pieces->lock);
        /* The first failure waits, so that another one is reported before it. */
        while (fails && *place == pieces->bad_from && pieces->has_others &&
               pieces->failures == 0)
            pthread_cond_wait(&pieces->failed, &pieces->lock);
        pieces->is_over |= fails;
        pieces->failures += fails;
        pthread_cond_signal(&pieces->failed);
        pieces->done++;
        pthread_mutex_unlock(&pieces->lock);
        if (fails)
            return th_fail(err, TH_IO, "piece %u", (unsigned)*place);
    }
}

static void all_pieces_are_done(void **state)
{
    (void)state;
    struct pieces pieces = { .lock = PTHREAD_MUTEX_INITIALIZER,
                             .failed = PTHREAD_COND_INITIALIZER,
                             .bad_from = PIECES };
    assert_int_equal(th_parallel_run(WORKERS, work, &pieces, NULL), TH_OK);
    assert_int_equal(pieces.done, PIECES);
}

static void the_first_bad_piece_is_told_however_they_run(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 50; round++) {
        struct pieces pieces = { .lock = PTHREAD_MUTEX_INITIALIZER,
                                 .failed = PTHREAD_COND_INITIALIZER,
                                 .has_others = true,
                                 .bad_from = 7 };
        th_error err = { 0 };
        assert_int_equal(th_parallel_run(WORKERS, work, &pieces, &err), TH_IO);
        assert_string_equal(err.text, "piece 7");
        assert_true(pieces.failures > 1);
    }
}

static void without_words_the_status_comes(void **state)
{
    (void)state;
    struct pieces pieces = { .lock = PTHREAD_MUTEX_INITIALIZER,
                             .failed = PTHREAD_COND_INITIALIZER,
                             .bad_from = 0 };
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
