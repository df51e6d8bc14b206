/* src/log/log.c and log_text.c: lines byte by byte, hostile bytes, the limit on repeats,
 * several threads. */
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "log/log.h"
#include "log/log_text.h"
#include "write/json_line.h"

#define BYTES(literal)                                                                   \
    {                                                                                    \
        "" literal, sizeof(literal) - 1                                                  \
    }

/* 2026-11-21T23:44:52.120Z */
static const uint64_t wall_zero = UINT64_C(1795304692120);

static th_log_time test_time(void *context)
{
    const uint64_t *const ms = context;
    return (th_log_time){ wall_zero + *ms, *ms };
}

/* A log into memory, and its clock. */
struct fixture {
    int fd;
    uint64_t ms;
    th_log *log;
};

static void open_fixture(struct fixture *fixture, th_log_format format, bool in_journal)
{
    char stream[64];
    struct stat stat;
    *fixture = (struct fixture){ .fd = memfd_create("log", 0) };
    assert_true(fixture->fd >= 0);
    assert_int_equal(fstat(fixture->fd, &stat), 0);
    snprintf(stream, sizeof stream, "%" PRIuMAX ":%" PRIuMAX, (uintmax_t)stat.st_dev,
             (uintmax_t)stat.st_ino + (in_journal ? 0 : 1));
    setenv("JOURNAL_STREAM", stream, 1);
    const th_log_options options = { .fd = fixture->fd,
                                     .format = format,
                                     .level = TH_LOG_INFO,
                                     .now = test_time,
                                     .now_context = &fixture->ms };
    assert_int_equal(th_log_open(&options, &fixture->log, NULL), TH_OK);
}

/* All that was written, with a NUL; the caller frees it. */
static char *close_fixture(struct fixture *fixture)
{
    th_log_close(fixture->log);
    const off_t len = lseek(fixture->fd, 0, SEEK_END);
    char *const text = malloc((size_t)len + 1);
    assert_non_null(text);
    assert_int_equal(pread(fixture->fd, text, (size_t)len, 0), len);
    text[len] = '\0';
    close(fixture->fd);
    unsetenv("JOURNAL_STREAM");
    return text;
}

/* ---- lines ---- */

#define TIME "time=2026-11-21T23:44:52.120Z "

/* clang-format off */
static const struct value_row {
    const char *name;
    th_view in;
    const char *logfmt, *json;
} value_rows[] = {
    { "bare", BYTES("/in/a.warc"), "/in/a.warc", "\"/in/a.warc\"" },
    { "empty", BYTES(""), "\"\"", "\"\"" },
    { "absent", { NULL, 0 }, "\"\"", "\"\"" },
    { "blank", BYTES("a b"), "\"a b\"", "\"a b\"" },
    { "another pair", BYTES("x level=error"), "\"x level=error\"", "\"x level=error\"" },
    { "equal sign", BYTES("a=b"), "\"a=b\"", "\"a=b\"" },
    { "quote and backslash", BYTES("\"\\"), "\"\\\"\\\\\"", "\"\\\"\\\\\"" },
    { "line forged", BYTES("a\nlevel=error"), "\"a\\nlevel=error\"", "\"a\\nlevel=error\"" },
    { "priority forged", BYTES("\r\n<0>a"), "\"\\r\\n<0>a\"", "\"\\r\\n<0>a\"" },
    { "terminal escape", BYTES("\x1b[2J"), "\"\\x1b[2J\"", "\"\\u001B[2J\"" },
    { "nul", BYTES("a\0b"), "\"a\\x00b\"", "\"a\\u0000b\"" },
    { "delete", BYTES("\x7f"), "\"\\x7f\"", "\"\\\\x7f\"" },
    { "bad bytes", BYTES("caf\xe9\xff"), "\"caf\\xe9\\xff\"", "\"caf\\\\xe9\\\\xff\"" },
    { "overlong slash", BYTES("\xc0\xaf"), "\"\\xc0\\xaf\"", "\"\\\\xc0\\\\xaf\"" },
    { "surrogate", BYTES("\xed\xa0\x80"), "\"\\xed\\xa0\\x80\"", "\"\\\\xed\\\\xa0\\\\x80\"" },
    { "umlaut", BYTES("\u00e4"), "\"\u00e4\"", "\"\u00e4\"" },
    { "c1 control", BYTES("\xc2\x9b" "2J"), "\"\\u009b2J\"", "\"\\\\u009b2J\"" },
    { "turned around", BYTES("a\u202eb"), "\"a\\u202eb\"", "\"a\\\\u202eb\"" },
    { "line separator", BYTES("\u2028"), "\"\\u2028\"", "\"\\\\u2028\"" },
    { "tag character", BYTES("\U000e0041"), "\"\\U000e0041\"", "\"\\\\U000e0041\"" },
};
/* clang-format on */

static void value_holds(void **state)
{
    const struct value_row *const row = *state;
    char *const exact = row->in.data ? malloc(row->in.len ? row->in.len : 1) : NULL;
    char want[512];
    if (exact)
        memcpy(exact, row->in.data, row->in.len);
    for (int is_json = 0; is_json < 2; is_json++) {
        struct fixture fixture;
        open_fixture(&fixture, is_json ? TH_LOG_JSON : TH_LOG_LOGFMT, false);
        th_log_event(fixture.log, TH_LOG_WARNING, "x",
                     TH_LOG_FIELDS(th_log_view("v", (th_view){ exact, row->in.len }),
                                   th_log_uint("n", 7)));
        char *const text = close_fixture(&fixture);
        if (is_json)
            snprintf(want, sizeof want,
                     "{\"time\":\"2026-11-21T23:44:52.120Z\",\"level\":\"warning\","
                     "\"event\":\"x\",\"v\":%s,\"n\":7}\n",
                     row->json);
        else
            snprintf(want, sizeof want, TIME "level=warning event=x v=%s n=7\n",
                     row->logfmt);
        assert_string_equal(text, want);
        if (is_json)
            assert_true(json_line_is_valid((th_view){ text, strlen(text) }));
        free(text);
    }
    free(exact);
}

static void numbers_are_shown(void **state)
{
    struct fixture fixture;
    (void)state;
    open_fixture(&fixture, TH_LOG_LOGFMT, false);
    th_log_event(fixture.log, TH_LOG_ERROR, "n",
                 TH_LOG_FIELDS(th_log_uint("u", UINT64_MAX), th_log_seconds("s", 1.2345),
                               th_log_seconds("m", -1), th_log_string("t", NULL)));
    char *const text = close_fixture(&fixture);
    assert_string_equal(text, TIME "level=error event=n u=18446744073709551615 s=1.235 "
                                   "m=0.000 t=\"\"\n");
    free(text);
}

static void journal_gets_priorities(void **state)
{
    static const char *const want[] = {
        "<3>level=error event=e\n<5>level=notice event=n path=a\n",
        "<3>{\"level\":\"error\",\"event\":\"e\"}\n"
        "<5>{\"level\":\"notice\",\"event\":\"n\",\"path\":\"a\"}\n"
    };
    (void)state;
    for (int is_json = 0; is_json < 2; is_json++) {
        struct fixture fixture;
        open_fixture(&fixture, is_json ? TH_LOG_JSON : TH_LOG_LOGFMT, true);
        th_log_event(fixture.log, TH_LOG_ERROR, "e", NULL);
        th_log_event(fixture.log, TH_LOG_NOTICE, "n",
                     TH_LOG_FIELDS(th_log_string("path", "a")));
        char *const text = close_fixture(&fixture);
        assert_string_equal(text, want[is_json]);
        free(text);
    }
}

static void levels_are_kept(void **state)
{
    struct fixture fixture;
    (void)state;
    open_fixture(&fixture, TH_LOG_LOGFMT, true);
    th_log_event(fixture.log, TH_LOG_DEBUG, "a", NULL);
    th_log_set_level(fixture.log, TH_LOG_DEBUG);
    th_log_event(fixture.log, TH_LOG_DEBUG, "b", NULL);
    th_log_set_level(fixture.log, TH_LOG_ERROR);
    th_log_event(fixture.log, TH_LOG_WARNING, "c", NULL);
    th_log_event(NULL, TH_LOG_ERROR, "d", NULL);
    char *const text = close_fixture(&fixture);
    assert_string_equal(text, "<7>level=debug event=b\n");
    free(text);
}

/* ---- cutting ---- */

/* For any bytes, the text shown is printable UTF-8, bounded, and cut at the
 * limit. */
static void any_bytes_hold(void **state)
{
    uint32_t seed = 1;
    (void)state;
    for (unsigned round = 0; round < 20000; round++) {
        char shown[TH_LOG_TEXT_MAX];
        const size_t len = round % 600;
        unsigned char *const bytes = malloc(len ? len : 1);
        for (size_t i = 0; i < len; i++) {
            seed = seed * 1664525 + 1013904223;
            bytes[i] = (unsigned char)(round % 3 ? seed >> 24 : 0x80 | seed >> 26);
        }
        const size_t used =
            th_log_text((th_view){ (const char *)bytes, len }, true, shown);
        assert_true(used <= sizeof shown);
        for (size_t i = 0; i < used; i++) {
            assert_true((unsigned char)shown[i] >= ' ' && shown[i] != 0x7f);
            if (shown[i] == '\\')
                i++; /* what it escapes */
            else
                assert_true(shown[i] != '"');
        }
        if (len > TH_LOG_TEXT_SHOWN)
            assert_memory_equal(shown + used - 3, "...", 3);
        free(bytes);
    }
}

static void cut_is_between_characters(void **state)
{
    char text[TH_LOG_TEXT_SHOWN + 4], shown[TH_LOG_TEXT_MAX];
    (void)state;
    for (size_t before = 0; before < 4; before++) {
        /* a euro sign of three bytes over the border, `before` of them within it */
        memset(text, 'a', sizeof text);
        for (size_t i = 0; i < 3; i++)
            text[TH_LOG_TEXT_SHOWN - before + i] = "\u20ac"[i];
        const size_t used = th_log_text((th_view){ text, sizeof text }, true, shown);
        const size_t kept = before == 3 ? TH_LOG_TEXT_SHOWN : TH_LOG_TEXT_SHOWN - before;
        assert_int_equal(used, kept + 3);
        assert_memory_equal(shown, text, kept);
        assert_memory_equal(shown + kept, "...", 3);
    }
    assert_int_equal(th_log_text((th_view){ text, TH_LOG_TEXT_SHOWN }, true, shown),
                     TH_LOG_TEXT_SHOWN);
}

/* The longest line there can be: in one piece, and its buffer need not grow. */
static void longest_line_is_whole(void **state)
{
    char hostile[1000];
    (void)state;
    memset(hostile, 1, sizeof hostile);
    const th_log_field field = th_log_view("key", (th_view){ hostile, sizeof hostile });
    for (int is_json = 0; is_json < 2; is_json++) {
        th_log_field fields[TH_LOG_FIELDS_MAX + 5];
        char names[TH_LOG_FIELDS_MAX + 4][8];
        for (unsigned i = 0; i < TH_LOG_FIELDS_MAX + 4; i++) {
            snprintf(names[i], sizeof names[i], "k%u", i);
            fields[i] = field;
            fields[i].key = names[i];
        }
        fields[TH_LOG_FIELDS_MAX + 4] = (th_log_field){ .key = NULL };
        struct fixture fixture;
        open_fixture(&fixture, is_json ? TH_LOG_JSON : TH_LOG_LOGFMT, false);
        th_log_event(fixture.log, TH_LOG_ERROR, "long", fields);
        char *const text = close_fixture(&fixture);
        const char *const end = strchr(text, '\n');
        assert_non_null(end);
        assert_true(end[1] == '\0');
        assert_non_null(strstr(text, "k15"));
        assert_null(strstr(text, "k16"));
        if (is_json)
            assert_true(json_line_is_valid((th_view){ text, strlen(text) }));
        free(text);
    }
}

/* ---- the limit ---- */

static void repeats_are_counted(void **state)
{
    static const char line[] = "<4>level=warning event=again\n";
    struct fixture fixture;
    (void)state;
    open_fixture(&fixture, TH_LOG_LOGFMT, true);
    for (unsigned i = 0; i < TH_LOG_BURST + 3; i++) {
        th_log_event(fixture.log, TH_LOG_WARNING, "again", NULL);
        fixture.ms += 1;
    }
    th_log_event(fixture.log, TH_LOG_INFO, "other", NULL); /* has a separate window */
    th_log_tick(fixture.log);                              /* not over yet */
    fixture.ms = TH_LOG_WINDOW_MS;
    th_log_event(fixture.log, TH_LOG_WARNING, "again",
                 TH_LOG_FIELDS(th_log_uint("n", 1)));
    for (unsigned i = 0; i < TH_LOG_BURST; i++) /* one of them too many */
        th_log_event(fixture.log, TH_LOG_WARNING, "again", NULL);
    fixture.ms += TH_LOG_WINDOW_MS - 1;
    th_log_tick(fixture.log);
    fixture.ms += 1;
    th_log_tick(fixture.log);
    th_log_tick(fixture.log);
    for (unsigned i = 0; i < TH_LOG_BURST + 2; i++)
        th_log_event(fixture.log, TH_LOG_ERROR, "again", NULL);
    char *const text = close_fixture(&fixture);
    char want[4096];
    size_t len = 0;
    for (unsigned i = 0; i < TH_LOG_BURST; i++)
        len += (size_t)snprintf(want + len, sizeof want - len, "%s", line);
    len += (size_t)snprintf(want + len, sizeof want - len, "%s",
                            "<6>level=info event=other\n"
                            "<4>level=warning event=again n=1 suppressed=3\n");
    for (unsigned i = 1; i < TH_LOG_BURST; i++)
        len += (size_t)snprintf(want + len, sizeof want - len, "%s", line);
    len += (size_t)snprintf(want + len, sizeof want - len, "%s",
                            "<4>level=warning event=again suppressed=1\n");
    for (unsigned i = 0; i < TH_LOG_BURST; i++)
        len += (size_t)snprintf(want + len, sizeof want - len, "%s",
                                "<3>level=error event=again\n");
    snprintf(want + len, sizeof want - len, "%s", /* told at the end */
             "<3>level=error event=again suppressed=2\n");
    assert_string_equal(text, want);
    free(text);
}

static void too_many_names_share_a_window(void **state)
{
    static char names[TH_LOG_EVENTS_MAX + 20][12];
    struct fixture fixture;
    (void)state;
    open_fixture(&fixture, TH_LOG_LOGFMT, true);
    for (unsigned i = 0; i < TH_LOG_EVENTS_MAX + 20; i++) {
        snprintf(names[i], sizeof names[i], "e%u", i);
        th_log_event(fixture.log, TH_LOG_INFO, names[i], NULL);
    }
    char *const text = close_fixture(&fixture);
    unsigned lines = 0;
    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    assert_int_equal(lines, TH_LOG_EVENTS_MAX + TH_LOG_BURST + 1);
    assert_non_null(strstr(text, "event=other suppressed=15\n"));
    free(text);
}

/* ---- threads ---- */

enum { THREADS = 4, EVENTS = 500 };

static void *write_events(void *context)
{
    for (unsigned i = 0; i < EVENTS; i++) {
        th_log_event(
            context, TH_LOG_INFO, "thread",
            TH_LOG_FIELDS(th_log_string("text", "some words"), th_log_uint("number", i)));
        th_log_tick(context);
    }
    return NULL;
}

/* Lines are complete, and written + suppressed = all. */
static void threads_do_not_mix(void **state)
{
    pthread_t threads[THREADS];
    struct fixture fixture;
    (void)state;
    open_fixture(&fixture, TH_LOG_JSON, false);
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, write_events, fixture.log), 0);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    char *const text = close_fixture(&fixture);
    unsigned lines = 0;
    for (const char *line = text; *line;) {
        const size_t len = (size_t)(strchr(line, '\n') - line) + 1;
        assert_true(json_line_is_valid((th_view){ line, len }));
        line += len;
        lines++;
    }
    assert_int_equal(lines, TH_LOG_BURST + 1);
    assert_non_null(strstr(text, "\"suppressed\":1995}"));
    free(text);
}

enum { VALUE_ROWS = sizeof value_rows / sizeof *value_rows };

int main(void)
{
    static struct CMUnitTest tests[VALUE_ROWS + 10];
    size_t count = 0;
    for (; count < VALUE_ROWS; count++)
        tests[count] = (struct CMUnitTest){ value_rows[count].name, value_holds, NULL,
                                            NULL, (void *)&value_rows[count] };
    const struct CMUnitTest properties[] = {
        cmocka_unit_test(numbers_are_shown),
        cmocka_unit_test(journal_gets_priorities),
        cmocka_unit_test(levels_are_kept),
        cmocka_unit_test(any_bytes_hold),
        cmocka_unit_test(cut_is_between_characters),
        cmocka_unit_test(longest_line_is_whole),
        cmocka_unit_test(repeats_are_counted),
        cmocka_unit_test(too_many_names_share_a_window),
        cmocka_unit_test(threads_do_not_mix),
    };
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++)
        tests[count++] = properties[i];
    return _cmocka_run_group_tests("log", tests, count, NULL, NULL);
}
