/* The search for posts by known marks is done once for a page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "content/thread.h"

/* A page without elements, so that a search finds nothing. */
struct sample {
    th_page page;
    uint32_t class_set_of[1];
};

static th_page *empty_page(struct sample *sample)
{
    *sample = (struct sample){ 0 };
    sample->page.class_set_of = sample->class_set_of;
    sample->page.arena = th_arena_new(1 << 20);
    assert_non_null(sample->page.arena);
    return &sample->page;
}

/* A search that was done before is not repeated: its result is the thread of the page. */
static void takes_the_known_thread(void **state)
{
    (void)state;
    struct sample sample;
    th_page *page = empty_page(&sample);
    th_post post = { .author = TH_VIEW("Ada"), .published = TH_VIEW("2020-01-01") };
    th_thread known = {
        .found_by = "xenforo", .posts = &post, .count = 1, .is_known = 1
    };
    page->known_thread = &known;
    page->known_state = TH_KNOWN_THREAD_SEARCHED;
    assert_int_equal(th_thread_known(page), TH_OK);
    assert_ptr_equal(page->known_thread, &known);
    assert_int_equal(th_thread_page(page), TH_OK);
    assert_ptr_equal(page->thread, &known);
    th_arena_free(page->arena);
}

/* A page without signs of a thread is marked, and not searched. */
static void remembers_that_there_is_no_sign(void **state)
{
    (void)state;
    struct sample sample;
    th_page *page = empty_page(&sample);
    assert_int_equal(page->known_state, TH_KNOWN_THREAD_UNASKED);
    assert_int_equal(th_thread_known(page), TH_OK);
    assert_int_equal(page->known_state, TH_KNOWN_THREAD_NO_SIGN);
    assert_int_equal(th_thread_page(page), TH_OK);
    assert_null(page->thread);
    th_arena_free(page->arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_the_known_thread),
        cmocka_unit_test(remembers_that_there_is_no_sign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
