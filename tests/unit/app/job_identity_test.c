/* src/app/job_identity.c: options that make another job, and options that do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "app/job_identity.h"
#include "content/content_model.h"
#include "segment/segment_model.h"

static th_job_identity identity_of(const th_settings *settings)
{
    static const th_input_list inputs = { .count = 0 };
    th_job_identity identity;
    assert_int_equal(th_job_identify(settings, &inputs, &identity), TH_OK);
    return identity;
}

/* Sets an option in settings that are the defaults else, and compares. */
static th_status with_option(const char *key, const char *value)
{
    th_settings plain, changed;
    th_error err = { .text = "" };
    assert_int_equal(th_settings_init(&plain, NULL), TH_OK);
    assert_int_equal(th_settings_init(&changed, NULL), TH_OK);
    assert_int_equal(th_settings_set(&changed, key, value, &err), TH_OK);
    const th_job_identity then = identity_of(&plain), now = identity_of(&changed);
    const th_status status = th_job_identity_compare(&then, &now, "x.state", &err);
    th_settings_done(&plain);
    th_settings_done(&changed);
    return status;
}

static void options_that_change_bytes(void **state)
{
    (void)state;
    assert_int_equal(with_option("max-depth", "99"), TH_USAGE);
    assert_int_equal(with_option("strictness", "wide"), TH_USAGE);
    assert_int_equal(with_option("jobs", "7"), TH_OK);
    assert_int_equal(with_option("output", "elsewhere/"), TH_OK);
}

/* A file of the same name may hold another model by the time of --resume. */
static void models_count_by_what_they_hold(void **state)
{
    static const th_content_model content[] = { { .checksum = 1 }, { .checksum = 2 } };
    static const th_segment_model segment[] = { { .checksum = 1 }, { .checksum = 2 } };
    th_settings settings;
    th_error err = { .text = "" };
    (void)state;
    assert_int_equal(th_settings_init(&settings, NULL), TH_OK);
    settings.page.content_model = &content[0];
    settings.page.segment_model = &segment[0];
    const th_job_identity then = identity_of(&settings);
    th_job_identity now = identity_of(&settings);
    assert_int_equal(th_job_identity_compare(&then, &now, "x.state", &err), TH_OK);
    settings.page.content_model = &content[1];
    now = identity_of(&settings);
    assert_int_equal(th_job_identity_compare(&then, &now, "x.state", &err), TH_USAGE);
    settings.page.content_model = &content[0];
    settings.page.segment_model = &segment[1];
    now = identity_of(&settings);
    assert_int_equal(th_job_identity_compare(&then, &now, "x.state", &err), TH_USAGE);
    th_settings_done(&settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_that_change_bytes),
        cmocka_unit_test(models_count_by_what_they_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
