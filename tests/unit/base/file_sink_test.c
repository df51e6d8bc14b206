/* src/base/file_sink.c: a file is complete or absent, and resumed at a state's length. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file_sink.h"

static char folder[] = "/tmp/thresher-sink-XXXXXX";
static char path[128], part[128];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    (void)snprintf(path, sizeof path, "%s/out", folder);
    (void)snprintf(part, sizeof part, "%s/out" TH_PART_SUFFIX, folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    (void)unlink(path);
    (void)unlink(part);
    return rmdir(folder);
}

static int start_clean(void **state)
{
    (void)state;
    (void)unlink(path);
    (void)unlink(part);
    return 0;
}

static void holds(const char *file, const char *want)
{
    char got[256] = "";
    FILE *stream = fopen(file, "rb");
    assert_non_null(stream);
    got[fread(got, 1, sizeof got - 1, stream)] = '\0';
    (void)fclose(stream);
    assert_string_equal(got, want);
}

static void a_file_appears_when_it_is_whole(void **state)
{
    (void)state;
    th_file_sink *sink = NULL;
    assert_int_equal(th_file_sink_open(path, 0, &sink, NULL), TH_OK);
    assert_int_equal(th_file_sink_write(sink, TH_VIEW("one "), NULL), TH_OK);
    assert_int_equal(th_file_sink_write(sink, TH_VIEW("two"), NULL), TH_OK);
    assert_int_equal(th_file_sink_len(sink), 7);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(th_file_sink_finish(sink, NULL), TH_OK);
    th_file_sink_free(sink);
    holds(path, "one two");
    assert_int_equal(access(part, F_OK), -1);
}

/* To open the name again would cut what a shell redirected, and loses its place. */
static void a_descriptor_is_written_where_it_stands(void **state)
{
    (void)state;
    char name[64], beside[80];
    th_file_sink *sink = NULL;
    const int fd = open(path, O_RDWR | O_CREAT, 0666);
    assert_true(fd > 2);
    assert_int_equal(write(fd, "before ", 7), 7);
    (void)snprintf(name, sizeof name, "/dev/fd/%d", fd);
    (void)snprintf(beside, sizeof beside, "%s" TH_PART_SUFFIX, name);
    assert_true(th_file_sink_is_stream(name));
    assert_false(th_file_sink_is_stream(path));
    assert_false(th_file_sink_is_stream("/dev/fd/x"));
    assert_int_equal(th_file_sink_open(name, 0, &sink, NULL), TH_OK);
    assert_int_equal(th_file_sink_write(sink, TH_VIEW("after"), NULL), TH_OK);
    assert_int_equal(th_file_sink_finish(sink, NULL), TH_OK);
    th_file_sink_free(sink);
    assert_int_equal(write(fd, ".", 1), 1); /* it is still the caller's, and open */
    close(fd);
    holds(path, "before after.");
    assert_int_equal(access(beside, F_OK), -1);
    assert_int_equal(th_file_sink_open(name, 0, &sink, NULL), TH_IO);
}

static void an_unfinished_file_is_taken_up(void **state)
{
    (void)state;
    th_file_sink *sink = NULL;
    assert_int_equal(th_file_sink_open(path, 0, &sink, NULL), TH_OK);
    assert_int_equal(th_file_sink_write(sink, TH_VIEW("kept, lost"), NULL), TH_OK);
    th_file_sink_free(sink);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(th_file_sink_open(path, 6, &sink, NULL), TH_OK);
    assert_int_equal(th_file_sink_len(sink), 6);
    assert_int_equal(th_file_sink_write(sink, TH_VIEW("new"), NULL), TH_OK);
    assert_int_equal(th_file_sink_finish(sink, NULL), TH_OK);
    th_file_sink_free(sink);
    holds(path, "kept, new");
}

static void a_file_shorter_than_its_state_is_refused(void **state)
{
    (void)state;
    th_file_sink *sink = NULL;
    th_error err;
    assert_int_equal(th_file_sink_open(path, 0, &sink, NULL), TH_OK);
    assert_int_equal(th_file_sink_write(sink, TH_VIEW("abc"), NULL), TH_OK);
    th_file_sink_free(sink);
    sink = NULL;
    assert_int_equal(th_file_sink_open(path, 4, &sink, &err), TH_IO);
    assert_null(sink);
    assert_non_null(strstr(err.text, path));
}

/* Else the two would give a file that is neither's. */
static void one_sink_writes_a_file(void **state)
{
    (void)state;
    th_file_sink *sink = NULL, *second = NULL;
    th_error err;
    assert_int_equal(th_file_sink_open(path, 0, &sink, NULL), TH_OK);
    assert_int_equal(th_file_sink_write(sink, TH_VIEW("whole"), NULL), TH_OK);
    assert_int_equal(th_file_sink_open(path, 0, &second, &err), TH_IO);
    assert_null(second);
    assert_non_null(strstr(err.text, "another process"));
    assert_int_equal(th_file_sink_finish(sink, NULL), TH_OK);
    th_file_sink_free(sink);
    holds(path, "whole");
}

static void what_cannot_be_written_is_said(void **state)
{
    (void)state;
    th_file_sink *sink = NULL;
    th_error err;
    assert_int_equal(th_file_sink_open("/nowhere/at/all", 0, &sink, &err), TH_IO);
    assert_non_null(strstr(err.text, "/nowhere/at/all"));
    assert_int_equal(th_file_sink_open("/dev/full", 0, &sink, NULL), TH_OK);
    assert_int_equal(th_file_sink_write(sink, TH_VIEW("x"), &err), TH_NO_ROOM);
    assert_non_null(strstr(err.text, "/dev/full"));
    assert_int_equal(th_file_sink_write(sink, TH_VIEW("x"), &err), TH_IO);
    assert_non_null(strstr(err.text, "earlier write"));
    th_file_sink_free(sink);
    th_file_sink_free(NULL);
}

static void a_small_file_is_replaced_whole(void **state)
{
    (void)state;
    assert_int_equal(th_file_replace(path, TH_VIEW("first"), NULL), TH_OK);
    assert_int_equal(th_file_replace(path, TH_VIEW("2nd"), NULL), TH_OK);
    holds(path, "2nd");
    th_error err = { .text = "" };
    assert_int_equal(th_file_replace("/dev/full", TH_VIEW("x"), &err), TH_NO_ROOM);
    assert_non_null(strstr(err.text, "/dev/full"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_file_appears_when_it_is_whole, start_clean),
        cmocka_unit_test_setup(an_unfinished_file_is_taken_up, start_clean),
        cmocka_unit_test_setup(a_descriptor_is_written_where_it_stands, start_clean),
        cmocka_unit_test_setup(a_file_shorter_than_its_state_is_refused, start_clean),
        cmocka_unit_test_setup(one_sink_writes_a_file, start_clean),
        cmocka_unit_test_setup(what_cannot_be_written_is_said, start_clean),
        cmocka_unit_test_setup(a_small_file_is_replaced_whole, start_clean),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
