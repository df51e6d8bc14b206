/* Lines of a corpus to several workers: every line once, in the order of the file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "eval/corpus_feed.h"

static const char path[] = "corpus_feed_test.tmp";

/* Writes the numbers from `first` on, one a line. */
static void write_numbers(unsigned first, unsigned count)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    for (unsigned i = 0; i < count; i++)
        fprintf(file, "%u\n", first + i);
    assert_int_equal(fclose(file), 0);
}

/* workers that keeps the number on each line, and may fail at one of them. */
struct workers {
    th_corpus_feed feed;
    unsigned fails_at; /* number of a line; 0: never */
};

static th_status work(void *context, uint64_t *place, th_error *err)
{
    struct workers *workers = context;
    th_corpus_line line = { .number = 0 };
    th_status status = TH_OK;
    while (status == TH_OK) {
        status = th_corpus_feed_next(&workers->feed, &line, err);
        *place = line.number + (status != TH_OK);
        if (status != TH_OK)
            continue;
        th_buffer_append_char(&line.text, '\0');
        pthread_mutex_lock(&workers->feed.lock);
        ((unsigned *)workers->feed.pages)[line.page] =
            (unsigned)strtoul(line.text.data, NULL, 10);
        pthread_mutex_unlock(&workers->feed.lock);
        if (line.number == workers->fails_at)
            status = th_fail(err, TH_IO, "line %u", workers->fails_at);
    }
    if (status != TH_END)
        th_corpus_feed_stop(&workers->feed);
    th_buffer_done(&line.text);
    return status == TH_END ? TH_OK : status;
}

static struct workers workers_of(const th_eval_request *request)
{
    return (
        struct workers){ .feed = { .request = request, .page_size = sizeof(unsigned) } };
}

/* Two consecutive corpora, with more pages than the capacity of the first table. */
static void each_page_is_kept_in_order(void **state)
{
    const th_eval_request request = { .workers = 4 };
    struct workers workers = workers_of(&request);
    th_error err = { .text = "" };
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        write_numbers(1000 * i, 1000);
        assert_int_equal(th_corpus_feed_run(&workers.feed, path, work, &workers, &err),
                         TH_OK);
    }
    assert_int_equal(workers.feed.page_count, 2000);
    for (unsigned i = 0; i < 2000; i++)
        assert_int_equal(((unsigned *)workers.feed.pages)[i], i);
    free(workers.feed.pages);
}

static void a_failure_ends_the_corpus(void **state)
{
    const th_eval_request request = { .workers = 4 };
    struct workers workers = workers_of(&request);
    th_error err = { .text = "" };
    (void)state;
    workers.fails_at = 7;
    write_numbers(1, 100000);
    assert_int_equal(th_corpus_feed_run(&workers.feed, path, work, &workers, &err),
                     TH_IO);
    assert_string_equal(err.text, "line 7");
    assert_true(workers.feed.page_count >= 7 && workers.feed.page_count < 100000);
    free(workers.feed.pages);
}

static void a_stop_interrupts(void **state)
{
    const atomic_int stop = 1;
    const th_eval_request request = { .workers = 2, .stop = &stop };
    struct workers workers = workers_of(&request);
    th_error err = { .text = "" };
    (void)state;
    write_numbers(1, 3);
    assert_int_equal(th_corpus_feed_run(&workers.feed, path, work, &workers, &err),
                     TH_INTERRUPTED);
    assert_int_equal(workers.feed.page_count, 0);
    free(workers.feed.pages);
}

static void a_corpus_has_a_page(void **state)
{
    const th_eval_request request = { .workers = 2 };
    struct workers workers = workers_of(&request);
    th_error err = { .text = "" };
    (void)state;
    write_numbers(1, 0);
    assert_int_equal(th_corpus_feed_run(&workers.feed, path, work, &workers, &err),
                     TH_USAGE);
    assert_string_equal(err.text, "'corpus_feed_test.tmp' contains no page");
    free(workers.feed.pages);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_page_is_kept_in_order),
        cmocka_unit_test(a_failure_ends_the_corpus),
        cmocka_unit_test(a_stop_interrupts),
        cmocka_unit_test(a_corpus_has_a_page),
    };
    return cmocka_run_group_tests(tests, NULL, remove_file);
}
