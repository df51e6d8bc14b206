/* src/traffic/page_service.c: each request is answered once, with its own page, also when
 * options change and when the service is cancelled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "traffic/page_service.h"

enum { REQUESTS = 300, WORKERS = 3 };

/* Options that are freed when they are replaced, so that a sanitizer sees a late use. */
struct options {
    th_options page;
    th_work_options work;
};

struct request {
    th_page_request base; /* first */
    char url[64], html[128];
    atomic_int answers;
};

static struct options *new_options(bool wants_links)
{
    struct options *options = calloc(1, sizeof *options);
    assert_non_null(options);
    th_options_init(&options->page);
    options->page.text_format = "plain,markdown";
    options->page.text_links = wants_links;
    options->work = (th_work_options){ .page = &options->page,
                                       .format = &th_answer_format,
                                       .format_options = { .page = &options->page },
                                       .wants_pieces = true };
    return options;
}

static th_page_service *open_service(const struct options *options, unsigned workers)
{
    th_page_service *service = NULL;
    th_error err = { .text = "" };
    assert_int_equal(th_page_service_new(&options->work, workers, &service, &err), TH_OK);
    return service;
}

static void on_done(th_page_request *request)
{
    atomic_fetch_add(&((struct request *)(void *)request)->answers, 1);
}

static void prepare(struct request *request, int number)
{
    memset(request, 0, sizeof *request);
    (void)snprintf(request->url, sizeof request->url, "http://a.example/%d/", number);
    (void)snprintf(request->html, sizeof request->html,
                   "<p>Page %d has words, and <a href=next>a link of page %d</a>.</p>",
                   number, number);
    request->base.record = (th_record){ .kind = TH_RECORD_RESOURCE,
                                        .url = { request->url, strlen(request->url) },
                                        .content_type = TH_VIEW("text/html"),
                                        .block = { request->html, strlen(request->html) },
                                        .block_len = strlen(request->html),
                                        .answer_format = 2 };
    request->base.done = on_done;
}

static void wait_for(struct request *requests, int count)
{
    for (int i = 0; i < count; i++)
        while (!atomic_load(&requests[i].answers))
            th_sleep_ms(1);
}

/* @param links  1: the text must have its link; 0: must not; -1: either */
static void check_answer(struct request *request, int number, int links)
{
    char plain[128], linked[192];
    const th_view text = th_buffer_view(&request->base.out);
    (void)snprintf(plain, sizeof plain, "Page %d has words, and a link of page %d.\n",
                   number, number);
    (void)snprintf(linked, sizeof linked,
                   "Page %d has words, and [a link of page "
                   "%d](http://a.example/%d/next).\n",
                   number, number, number);
    const bool is_plain =
        text.len == strlen(plain) && !memcmp(text.data, plain, text.len);
    const bool is_linked =
        text.len == strlen(linked) && !memcmp(text.data, linked, text.len);
    assert_int_equal(atomic_load(&request->answers), 1);
    assert_int_equal(request->base.status, TH_OK);
    assert_true(links < 0 ? is_plain || is_linked : links ? is_linked : is_plain);
    th_buffer_done(&request->base.out);
}

static struct request *new_requests(void)
{
    struct request *requests = calloc(REQUESTS, sizeof *requests);
    assert_non_null(requests);
    for (int i = 0; i < REQUESTS; i++)
        prepare(&requests[i], i);
    return requests;
}

static void each_request_gets_its_page(void **state)
{
    struct options *options = new_options(true);
    struct request *requests = new_requests();
    th_page_service *service = open_service(options, WORKERS);
    (void)state;
    for (int i = 0; i < REQUESTS; i++)
        th_page_service_submit(service, &requests[i].base);
    wait_for(requests, REQUESTS);
    assert_true(th_page_service_busy(service) > 0);
    th_page_service_free(service);
    for (int i = 0; i < REQUESTS; i++)
        check_answer(&requests[i], i, 1);
    free(requests);
    free(options);
}

static void refusal_has_its_reason(void **state)
{
    struct options *options = new_options(false);
    struct request request;
    th_page_service *service = open_service(options, 1);
    (void)state;
    prepare(&request, 7);
    request.base.record.content_type = TH_VIEW("image/png");
    th_page_service_submit(service, &request.base);
    th_page_service_free(service); /* completes it */
    assert_int_equal(request.base.status, TH_NOT_HTML);
    assert_int_equal(request.base.out.len, strlen("media type 'image/png'"));
    assert_memory_equal(request.base.out.data, "media type 'image/png'",
                        request.base.out.len);
    th_buffer_done(&request.base.out);
    free(options);
}

static void options_change_between_pages(void **state)
{
    struct options *options = new_options(false);
    struct request *requests = new_requests();
    th_page_service *service = open_service(options, WORKERS);
    (void)state;
    for (int i = 0; i < REQUESTS; i++) {
        if (i % 50 == 49) {
            struct options *next = new_options(i / 50 % 2 == 0);
            th_page_service_use(service, &next->work);
            free(options);
            options = next;
        }
        th_page_service_submit(service, &requests[i].base);
    }
    wait_for(requests, REQUESTS);
    struct options *last = new_options(true);
    th_page_service_use(service, &last->work);
    free(options);
    for (int i = 0; i < REQUESTS; i++)
        check_answer(&requests[i], i, -1);
    prepare(&requests[0], 0);
    th_page_service_submit(service, &requests[0].base);
    th_page_service_free(service);
    check_answer(&requests[0], 0, 1);
    free(requests);
    free(last);
}

static void cancel_answers_all(void **state)
{
    struct options *options = new_options(true);
    struct request *requests = new_requests();
    th_page_service *service = open_service(options, 1);
    int interrupted = 0;
    (void)state;
    for (int i = 0; i < REQUESTS - 1; i++)
        th_page_service_submit(service, &requests[i].base);
    th_page_service_cancel(service);
    for (int i = 0; i < REQUESTS - 1; i++) {
        assert_int_equal(atomic_load(&requests[i].answers), 1);
        if (requests[i].base.status == TH_INTERRUPTED)
            interrupted++;
        else
            check_answer(&requests[i], i, 1);
    }
    assert_true(interrupted > 0); /* one worker cannot be that fast */
    th_page_service_submit(service, &requests[REQUESTS - 1].base);
    assert_int_equal(atomic_load(&requests[REQUESTS - 1].answers), 1);
    assert_int_equal(requests[REQUESTS - 1].base.status, TH_INTERRUPTED);
    th_page_service_free(service);
    free(requests);
    free(options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_request_gets_its_page),
        cmocka_unit_test(refusal_has_its_reason),
        cmocka_unit_test(options_change_between_pages),
        cmocka_unit_test(cancel_answers_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
