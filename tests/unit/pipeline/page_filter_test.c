/* Records that filters accept, and the names of their refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "pipeline/id_list.h"
#include "pipeline/page_filter.h"

static const th_filter_settings nothing = {
    .status = "",
    .media = "",
    .language = "",
    .urls = "",
    .not_urls = "",
    .not_ids = "",
    .since = "",
    .until = "",
    .detected = "",
    .suffix = "",
    .page_type = "",
    .rights = "",
};

static th_page_filter *make(th_filter_settings settings)
{
    th_page_filter *filter = NULL;
    th_error err = { .text = "" };
    assert_int_equal(th_page_filter_new(&settings, &filter, &err), TH_OK);
    assert_non_null(filter);
    return filter;
}

static void write_file(char path[32], const char *text)
{
    (void)strcpy(path, "/tmp/page_filter.XXXXXX");
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, strlen(text)), (ssize_t)strlen(text));
    (void)close(descriptor);
}

static th_view view_of(const char *text)
{
    return text ? (th_view){ text, strlen(text) } : (th_view){ NULL, 0 };
}

static th_status of_id(const th_page_filter *filter, th_record record)
{
    th_error err = { .text = "" };
    return th_page_filter_record(filter, &record, &err);
}

static th_status of_record(const th_page_filter *filter, const char *url,
                           const char *date)
{
    th_error err = { .text = "" };
    const th_record record = { .url = view_of(url), .date = view_of(date) };
    const th_status status = th_page_filter_record(filter, &record, &err);
    assert_int_equal(err.text[0] != '\0', status != TH_OK);
    return status;
}

static void nothing_asked_for_is_no_filter(void **state)
{
    (void)state;
    th_page_filter *filter = NULL;
    assert_int_equal(th_page_filter_new(&nothing, &filter, NULL), TH_OK);
    assert_null(filter);
    assert_int_equal(of_record(NULL, "http://a/", NULL), TH_OK);
    assert_int_equal(th_page_filter_head(NULL, 404, view_of("x/y"), NULL), TH_OK);
}

static const char patterns[] =
    "# a remark\n\n Example.COM \r\nb.test\nhttps://c.test/news/*\n*sport*last"
    "\nhttp://e.test/*aab\nhttp://f.test/*b*bb\nhttp://g.test/**x*";

static void urls_by_patterns(void **state)
{
    (void)state;
    static const struct {
        const char *url;
        bool fits;
    } rows[] = {
        { "http://example.com/", true },
        { "https://WWW.Example.com:8080/x", true },
        { "http://user@example.com?x", true },
        { "http://notexample.com/", false },
        { "http://example.com.evil.test/", false },
        { "http://evil.test/?example.com", false },
        { "http://example.com@evil.test/", false },
        { "http://a.b.test/x", true },
        { "https://c.test/news/today", true },
        { "https://c.test/news", false },
        { "https://c.test/", false },
        { "http://d.test/sport/at/last", true },
        { "http://d.test/sport/at/last/", false },
        { "http://e.test/aab", true }, /* the star takes nothing, or as much as needed */
        { "http://e.test/aaab", true },
        { "http://e.test/aabaab", true },
        { "http://e.test/ab", false },
        { "http://e.test/aabc", false },
        { "http://f.test/abbb", true },
        { "http://f.test/bcbb", true },
        { "http://f.test/bb", false },
        { "http://g.test/x", true },
        { "http://g.test/", false },
        { "", false },
        { NULL, false },
        { "example.com", false },
    };
    char path[32];
    write_file(path, patterns);
    th_filter_settings only = nothing, none = nothing;
    only.urls = none.not_urls = path;
    th_page_filter *kept = make(only), *dropped = make(none);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(of_record(kept, rows[i].url, NULL),
                         rows[i].fits ? TH_OK : TH_FILTER_URL);
        assert_int_equal(of_record(dropped, rows[i].url, NULL),
                         rows[i].fits ? TH_FILTER_URL : TH_OK);
    }
    assert_true(th_page_filter_checksum(kept) != 0);
    th_page_filter_free(kept);
    th_page_filter_free(dropped);
    (void)unlink(path);
}

static void a_long_file_is_read_whole(void **state)
{
    (void)state;
    enum { HOSTS = 12000, LINE = 24 };
    char path[32], *text = calloc(HOSTS, LINE), *end = text;
    assert_non_null(text);
    for (int i = 0; i < HOSTS; i++)
        end += snprintf(end, LINE, "host%d.test\n", i);
    write_file(path, text);
    th_filter_settings only = nothing;
    only.urls = path;
    th_page_filter *filter = make(only);
    for (int i = 0; i < HOSTS; i += 97) {
        char url[64];
        (void)snprintf(url, sizeof url, "http://host%d.test/", i);
        assert_int_equal(of_record(filter, url, NULL), TH_OK);
    }
    assert_int_equal(of_record(filter, "http://host12000.test/", NULL), TH_FILTER_URL);
    th_page_filter_free(filter);
    free(text);
    (void)unlink(path);
}

static void ids_of_a_file_are_omitted(void **state)
{
    (void)state;
    char path[32], other[32], long_line[TH_ID_LIST_LINE + 100];
    write_file(path, "<urn:uuid:b>\r\n\n  <urn:uuid:a>\na.warc.gz@7+3\nno-end");
    write_file(other, "no-end\na.warc.gz@7+3\n<urn:uuid:a>\n<urn:uuid:b>\n");
    const struct {
        th_record record;
        bool is_listed;
    } rows[] = {
        { { .id = TH_VIEW("<urn:uuid:a>") }, true },
        { { .id = TH_VIEW("<urn:uuid:b>") }, true },
        { { .id = TH_VIEW("no-end") }, true },
        { { .id = TH_VIEW("<urn:uuid:c>") }, false },
        { { .id = TH_VIEW("") }, false },
        { { .position = { .file = TH_VIEW("a.warc.gz"), .offset = 7, .skip = 3 } },
          true },
        { { .position = { .file = TH_VIEW("a.warc.gz"), .offset = 7 } }, false },
    };
    th_filter_settings settings = nothing;
    settings.not_ids = path;
    th_page_filter *filter = make(settings);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(of_id(filter, rows[i].record),
                         rows[i].is_listed ? TH_FILTER_ID : TH_OK);
    settings.not_ids = other;
    th_page_filter *same = make(settings);
    assert_true(th_page_filter_checksum(filter) == th_page_filter_checksum(same));
    th_page_filter_free(filter);
    th_page_filter_free(same);

    memset(long_line, 'x', sizeof long_line);
    long_line[sizeof long_line - 1] = '\0';
    (void)unlink(path);
    write_file(path, long_line);
    settings.not_ids = path;
    assert_int_equal(th_page_filter_new(&settings, &filter, NULL), TH_USAGE);
    settings.not_ids = "/nowhere/ids";
    assert_int_equal(th_page_filter_new(&settings, &filter, NULL), TH_IO);
    (void)unlink(path);
    (void)unlink(other);
}

static void dates(void **state)
{
    (void)state;
    th_filter_settings settings = nothing;
    settings.since = "2025-03";
    settings.until = "2025-12-18";
    th_page_filter *filter = make(settings);
    assert_int_equal(of_record(filter, "x", "2025-03-01T00:00:00Z"), TH_OK);
    assert_int_equal(of_record(filter, "x", "2025-12-17T23:59:59Z"), TH_OK);
    assert_int_equal(of_record(filter, "x", "2025-02-28T23:59:59Z"), TH_FILTER_DATE);
    assert_int_equal(of_record(filter, "x", "2025-12-18T00:00:00Z"), TH_FILTER_DATE);
    assert_int_equal(of_record(filter, "x", NULL), TH_FILTER_DATE);
    th_page_filter_free(filter);
}

static void status_and_media(void **state)
{
    (void)state;
    th_filter_settings settings = nothing;
    settings.status = "200, 3xx";
    settings.media = "text/html,application/xhtml+xml";
    th_page_filter *filter = make(settings);
    const th_view html = TH_VIEW("Text/HTML"), pdf = TH_VIEW("application/pdf"),
                  none = { NULL, 0 };
    assert_int_equal(th_page_filter_head(filter, 200, html, NULL), TH_OK);
    assert_int_equal(th_page_filter_head(filter, 399, none, NULL), TH_OK);
    assert_int_equal(th_page_filter_head(filter, 0, none, NULL), TH_OK);
    assert_int_equal(th_page_filter_head(filter, 201, html, NULL), TH_FILTER_STATUS);
    assert_int_equal(th_page_filter_head(filter, 404, html, NULL), TH_FILTER_STATUS);
    assert_int_equal(th_page_filter_head(filter, 999, html, NULL), TH_FILTER_STATUS);
    assert_int_equal(th_page_filter_head(filter, 200, pdf, NULL), TH_FILTER_MEDIA);
    th_page_filter_free(filter);
}

static void all_statuses(void **state)
{
    (void)state;
    th_filter_settings settings = nothing;
    settings.status = "200, ALL";
    th_page_filter *filter = make(settings);
    static const int statuses[] = { 0, 100, 200, 404, 599, 600, 999 };
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        assert_int_equal(
            th_page_filter_head(filter, statuses[i], (th_view){ NULL, 0 }, NULL), TH_OK);
    th_page_filter_free(filter);
}

static void language_and_words(void **state)
{
    (void)state;
    th_filter_settings settings = nothing;
    settings.language = "en,de-AT,none";
    settings.min_words = 10;
    settings.max_words = 20;
    th_page_filter *filter = make(settings);
    static const struct {
        const char *language;
        th_status want;
    } rows[] = { { "en", TH_OK },
                 { "EN-gb", TH_OK },
                 { "eng", TH_FILTER_LANGUAGE },
                 { "de", TH_FILTER_LANGUAGE },
                 { "de-AT", TH_OK },
                 { NULL, TH_OK },
                 { "fr", TH_FILTER_LANGUAGE } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        th_page page = { .metadata.language = view_of(rows[i].language) };
        assert_int_equal(th_page_filter_language(filter, &page, NULL), rows[i].want);
    }
    for (uint32_t words = 8; words < 23; words++) {
        th_page page = { .content_tokens = words };
        assert_int_equal(th_page_filter_words(filter, &page, NULL),
                         words >= 10 && words <= 20 ? TH_OK : TH_FILTER_WORDS);
    }
    th_page_filter_free(filter);
}

static void wrong_settings_are_refused(void **state)
{
    (void)state;
    static const char *const statuses[] = { "2x", "600", "20", "abc", "200;300", "099" };
    static const char *const dates[] = { "25",          "2025-1x",
                                         "18.12.2025",  "2025-12-18T10:00:00Zx",
                                         "2025-1",      "2025-13-01",
                                         "2025-02-29",  "2025-",
                                         "2025-01-1",   "2025-01-01T24:00:00Z",
                                         "2025-01-01T", "2025-01-01T10" };
    static const char *const right_dates[] = { "2025",
                                               "2025-01",
                                               "2024-02-29",
                                               "2025-12-18T10:00",
                                               "2025-12-18T10:00:00",
                                               "2025-12-18T10:00:00Z" };
    th_page_filter *filter = NULL;
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        th_filter_settings settings = nothing;
        th_error err = { .text = "" };
        settings.status = statuses[i];
        assert_int_equal(th_page_filter_new(&settings, &filter, &err), TH_USAGE);
        assert_non_null(strstr(err.text, "filter.status"));
        assert_null(filter);
    }
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++) {
        th_filter_settings settings = nothing;
        settings.since = dates[i];
        assert_int_equal(th_page_filter_new(&settings, &filter, NULL), TH_USAGE);
    }
    for (size_t i = 0; i < sizeof right_dates / sizeof *right_dates; i++) {
        th_filter_settings settings = nothing;
        settings.until = right_dates[i];
        th_page_filter_free(make(settings));
    }
    th_filter_settings settings = nothing;
    settings.urls = "/nowhere/at/all";
    assert_int_equal(th_page_filter_new(&settings, &filter, NULL), TH_ABSENT);
}

static void suffixes_are_those_of_the_list(void **state)
{
    (void)state;
    th_filter_settings settings = nothing;
    settings.suffix = "co.uk, GITHUB.io";
    th_page_filter *filter = make(settings);
    assert_int_equal(of_record(filter, "https://www.a.CO.UK/x", NULL), TH_OK);
    assert_int_equal(of_record(filter, "http://me.github.io:80/", NULL), TH_OK);
    assert_int_equal(of_record(filter, "http://a.uk/", NULL), TH_FILTER_URL);
    assert_int_equal(of_record(filter, "http://a.org.uk/", NULL), TH_FILTER_URL);
    assert_int_equal(of_record(filter, "http://192.0.2.1/", NULL), TH_FILTER_URL);
    assert_int_equal(of_record(filter, NULL, NULL), TH_FILTER_URL);
    th_page_filter_free(filter);
}

static void types_and_quality_are_the_classifiers(void **state)
{
    (void)state;
    th_learned learned = { .page_type = "article", .quality = UINT16_MAX / 2 };
    th_page page = { .learned = &learned };
    th_filter_settings settings = nothing;
    settings.page_type = "forum,article";
    settings.min_quality = .4;
    th_page_filter *filter = make(settings);
    assert_int_equal(th_page_filter_learned(NULL, &page, NULL), TH_OK);
    assert_int_equal(th_page_filter_learned(filter, &page, NULL), TH_OK);
    learned.quality = UINT16_MAX / 3;
    assert_int_equal(th_page_filter_learned(filter, &page, NULL), TH_FILTER_QUALITY);
    learned.page_type = "listing";
    assert_int_equal(th_page_filter_learned(filter, &page, NULL), TH_FILTER_PAGE_TYPE);
    page.learned = NULL;
    assert_int_equal(th_page_filter_learned(filter, &page, NULL), TH_FILTER_PAGE_TYPE);
    th_page_filter_free(filter);
    settings.page_type = "artikel";
    assert_int_equal(th_page_filter_new(&settings, &filter, NULL), TH_USAGE);
}

/* A statement, an item of filter.rights, and whether the page is dropped. */
static void rights_are_those_that_are_stated(void **state)
{
    (void)state;
    /* clang-format off */
    static const struct row { const char *signal, *agent, *value, *item; bool is_dropped; } rows[] = {
        { "robots", NULL, "noindex, NoAI", "noai", true },
        { "robots", NULL, "noindex, noai", "noimageai,noindex", true },
        { "robots", NULL, "noindex, noaix", "noai", false },
        { "robots", "mybot", "noai", "noai", true },
        { "robots", "otherbot", "noai", "noai", false },
        { "license", NULL, "noai", "noai", false },
        { "license", NULL, "https://l/", "license", true },
        { "rsl", NULL, "https://l/", "license", false },
        { "tdm-reservation", NULL, "1", "tdm-reservation", true },
        { "tdm-reservation", NULL, "0", "tdm-reservation", false },
        { "content-usage", NULL, "search=y, train-ai = N", "train-ai=n", true },
        { "content-signal", NULL, "ai-train=no", "ai-train=no", true },
        { "content-usage", NULL, "train-ai=n", "train-ai=y", false },
        { "content-usage", NULL, "train-ai=no", "train-ai=n", false },
        { "robots.txt", NULL, "disallow: /a", "robots.txt", true },
        { "robots.txt", "mybot", "unreachable", "robots.txt", true },
        { "robots.txt", NULL, "allow: /a", "robots.txt", false },
    };
    /* clang-format on */
    th_filter_settings settings = nothing;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        th_right right = { .signal = rows[i].signal,
                           .from = "http",
                           .agent = view_of(rows[i].agent),
                           .value = view_of(rows[i].value) };
        const th_page page = { .rights = &right, .right_count = 1 };
        settings.rights = rows[i].item;
        th_page_filter *filter = make(settings);
        assert_int_equal(th_page_filter_rights(filter, &page, "MyBot", NULL),
                         rows[i].is_dropped ? TH_FILTER_RIGHTS : TH_OK);
        if (rows[i].agent)
            assert_int_equal(th_page_filter_rights(filter, &page, NULL, NULL), TH_OK);
        assert_int_equal(th_page_filter_rights(NULL, &page, NULL, NULL), TH_OK);
        th_page_filter_free(filter);
    }
    static const char *const wrong[] = { "noia", "=n", "train-ai=", "noai,x" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        th_page_filter *filter = NULL;
        settings.rights = wrong[i];
        assert_int_equal(th_page_filter_new(&settings, &filter, NULL), TH_USAGE);
    }
}

static void detected_languages_are_those_that_are_sure(void **state)
{
    (void)state;
    th_languages found = { .of = { { .tag = "zh-Hant", .percent = 80 } },
                           .count = 1,
                           .is_sure = 1 };
    th_page page = { .languages = &found };
    th_filter_settings settings = nothing;
    settings.detected = "en,zh,none";
    settings.min_share = .8;
    th_page_filter *filter = make(settings);
    assert_int_equal(th_page_filter_detected(NULL, &page, NULL), TH_OK);
    assert_int_equal(th_page_filter_detected(filter, &page, NULL), TH_OK);
    found.of[0].percent = 79;
    assert_int_equal(th_page_filter_detected(filter, &page, NULL), TH_FILTER_DETECTED);
    found.of[0] = (th_language){ .tag = "de", .percent = 99 };
    assert_int_equal(th_page_filter_detected(filter, &page, NULL), TH_FILTER_DETECTED);
    found.is_sure = 0; /* it counts as none */
    assert_int_equal(th_page_filter_detected(filter, &page, NULL), TH_OK);
    page.languages = NULL;
    assert_int_equal(th_page_filter_detected(filter, &page, NULL), TH_OK);
    th_page_filter_free(filter);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_asked_for_is_no_filter),
        cmocka_unit_test(urls_by_patterns),
        cmocka_unit_test(a_long_file_is_read_whole),
        cmocka_unit_test(ids_of_a_file_are_omitted),
        cmocka_unit_test(dates),
        cmocka_unit_test(status_and_media),
        cmocka_unit_test(all_statuses),
        cmocka_unit_test(language_and_words),
        cmocka_unit_test(wrong_settings_are_refused),
        cmocka_unit_test(suffixes_are_those_of_the_list),
        cmocka_unit_test(types_and_quality_are_the_classifiers),
        cmocka_unit_test(detected_languages_are_those_that_are_sure),
        cmocka_unit_test(rights_are_those_that_are_stated),
    };
    return cmocka_run_group_tests_name("page_filter", tests, NULL, NULL);
}
