/* Statements about rights in tags, JSON-LD and HTTP heads: rows that are kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "parse/http/http_rights.h"
#include "parse/metadata/page_rights.h"

/*
 * A page is a list of lines, as in metadata_test.c: "meta|name=robots|content=noai" is a
 * tag, "json:..." a text, "http:..." a field of the head. A row that is wanted is a line
 * "signal from agent value of", with "-" for absent.
 */
static const struct row {
    const char *name, *page, *want;
} rows[] = {
    /* clang-format off */
    { "nothing", "meta|name=robots\nmeta|name=description|content=noai\nlink|rel=next|href=/a\na|href=/a", "" },

    { "robots", "meta|name= Robots |content= noindex, NoAI ", "robots meta - noindex, NoAI -\n" },
    { "x-robots-tag as http-equiv", "meta|http-equiv=X-Robots-Tag|content=noimageai", "robots meta - noimageai -\n" },
    { "a robot's name", "meta|name=GoogleBot-News|content=nosnippet,index", "robots meta googlebot-news nosnippet,index -\n" },
    { "a robot without bot in its name", "meta|name=Google-Extended|content=none", "robots meta google-extended none -\n" },
    { "a robot's name without a directive", "meta|name=botify-site-verification|content=x4\nmeta|name=bot|content=", "" },
    { "a directive without a robot's name", "meta|name=audience|content=all", "" },
    { "equal statements", "meta|name=robots|content=noai\nmeta|name=robots|content=noai", "robots meta - noai -\n" },

    { "text and data mining", "meta|name=tdm-reservation|content=1\nmeta|name=tdm-policy|content=/p.json",
      "tdm-reservation meta - 1 -\ntdm-policy meta - http://a.example/p.json -\n" },

    { "licenses", "link|rel=license|href=l1\na|rel=nofollow LICENSE|href=/l2\narea|rel=license|href=/l3",
      "license link - http://a.example/b/l1 -\nlicense a - http://a.example/l2 -\nlicense a - http://a.example/l3 -\n" },
    { "licenses of vocabularies",
      "link|itemprop=license|href=/m\nmeta|itemprop=license|content=M\na|property=cc:license|href=/r\na|rel=dct:license|href=/s\nmeta|property=schema:license|content=P\nmeta|name=DC.license|content=D",
      "license microdata - http://a.example/m -\nlicense microdata - M -\nlicense rdfa - http://a.example/r -\nlicense rdfa - http://a.example/s -\n"
      "license rdfa - P -\nlicense meta - D -\n" },
    { "other words", "a|rel=licenses|href=/a\na|property=mylicense|href=/a\nlink|rel=license", "" },
    { "Creative Commons", "a|href=HTTPS://CreativeCommons.org/licenses/by/4.0/\na|href=//www.creativecommons.org/publicdomain/zero/1.0/\na|href=https://creativecommons.org/about",
      "license a - HTTPS://CreativeCommons.org/licenses/by/4.0/ -\nlicense a - http://www.creativecommons.org/publicdomain/zero/1.0/ -\n" },
    { "RSL", "link|rel=license|type=application/rsl+xml; v=1|href=/rsl.xml", "rsl link - http://a.example/rsl.xml -\n" },

    { "JSON-LD", "json:{\"@type\":\"Article\",\"license\":\"https://l/\"}", "license json-ld - https://l/ Article\n" },
    { "JSON-LD: the type follows", "json:{\"license\":\"https:\\/\\/l/\",\"@type\":[\"Article\",\"B\"]}", "license json-ld - https://l/ Article\n" },
    { "JSON-LD: of a picture", "json:[{\"@type\":\"A\",\"image\":{\"@type\":\"ImageObject\",\"schema:license\":\"i\"},\"license\":\"a\"}]",
      "license json-ld - i ImageObject\nlicense json-ld - a A\n" },
    { "JSON-LD: as objects", "json:{\"@type\":\"A\",\"license\":[{\"@type\":\"CreativeWork\",\"name\":\"n\",\"url\":\"u\"},{\"@id\":\"i\"},{\"name\":\"n\"},\"t\"]}",
      "license json-ld - u A\nlicense json-ld - i A\nlicense json-ld - n A\nlicense json-ld - t A\n" },
    { "JSON-LD: without a type", "json:{\"license\":\"l\"}", "license json-ld - l -\n" },
    { "JSON-LD: until its grammar is broken", "json:[{\"license\":\"l\"},{\"license\":\"m\",", "license json-ld - l -\n" },
    { "JSON-LD: a text about it", "json:{\"name\":\"license\",\"x\":{\"url\":\"u\"}}", "" },

    { "X-Robots-Tag", "http:x-robots-tag: noindex", "robots http - noindex -\n" },
    { "X-Robots-Tag of agents", "http:X-Robots-Tag: noarchive, googlebot: nofollow, noai , other_bot : none",
      "robots http - noarchive -\nrobots http googlebot nofollow, noai -\nrobots http other_bot none -\n" },
    { "X-Robots-Tag: no agent", "http:X-Robots-Tag: noai, 1bot: noindex, : none, two words: x",
      "robots http - noai, 1bot: noindex, : none, two words: x -\n" },
    { "X-Robots-Tag with values", "http:X-Robots-Tag: max-snippet: 20, unavailable_after: Fri, 25 Jun 2027 15:00:00 PST",
      "robots http - max-snippet: 20, unavailable_after: Fri, 25 Jun 2027 15:00:00 PST -\n" },
    { "header fields", "http:TDM-Reservation: 1\nhttp:tdm-policy: /p\nhttp:Content-Usage: train-ai=n\nhttp:Content-Signal: ai-train=no",
      "tdm-reservation http - 1 -\ntdm-policy http - http://a.example/p -\ncontent-usage http - train-ai=n -\ncontent-signal http - ai-train=no -\n" },
    { "Link", "http:Link: </a,b>; rel=next, </l>; title=\"a, b\"; rel=\"x license\", </r>; rel=license; type=\"application/rsl+xml\"",
      "license http - http://a.example/l -\nrsl http - http://a.example/r -\n" },
    { "Link without an end", "http:Link: </l; rel=license", "" },
    /* clang-format on */
};

static th_tag tag_of(const char *name, size_t len)
{
    static const struct {
        const char *name;
        th_tag tag;
    } tags[] = { { "meta", TH_TAG_META },
                 { "link", TH_TAG_LINK },
                 { "a", TH_TAG_A },
                 { "area", TH_TAG_AREA } };
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        if (strlen(tags[i].name) == len && memcmp(name, tags[i].name, len) == 0)
            return tags[i].tag;
    fail_msg("unknown tag %s", name);
    return TH_TAG_OTHER;
}

static void take_tag(th_page_rights *rights, const char *line, size_t len)
{
    th_attribute attrs[8];
    size_t count = 0, at = strcspn(line, "|\n");
    const th_tag tag = tag_of(line, at);
    while (at < len) {
        const char *const name = line + ++at;
        const char *const equals = strchr(name, '=');
        if (!equals || equals > line + len ||
            memchr(name, '|', (size_t)(equals - name))) {
            at += strcspn(name, "|\n");
            continue;
        }
        const size_t value_len = strcspn(equals + 1, "|\n");
        attrs[count++] = (th_attribute){ { name, (size_t)(equals - name) },
                                         { equals + 1, value_len } };
        at = (size_t)(equals + 1 + value_len - line);
    }
    th_page_rights_tag(rights, TH_VIEW("http://a.example/b/c"), tag, attrs, count);
}

static void take_line(th_page_rights *rights, const char *line, size_t len)
{
    char head[1024];
    if (strncmp(line, "json:", 5) == 0) {
        th_page_rights_json(rights, (th_view){ line + 5, len - 5 });
    } else if (strncmp(line, "http:", 5) == 0) {
        const int head_len = snprintf(
            head, sizeof head, "HTTP/1.1 200 OK\r\n%.*s\r\n\r\n", (int)len - 5, line + 5);
        th_http_rights((th_view){ head, (size_t)head_len },
                       TH_VIEW("http://a.example/b/c"), &rights->list);
    } else {
        take_tag(rights, line, len);
    }
}

static int print_view(char *out, size_t capacity, th_view view, char end)
{
    return snprintf(out, capacity, "%.*s%c", view.data ? (int)view.len : 1,
                    view.data ? view.data : "-", end);
}

static void row_holds(void **state)
{
    const struct row *row = *state;
    th_arena *arena = th_arena_new(0);
    th_page_rights rights;
    char got[2048] = "";
    size_t len = 0;
    th_page_rights_begin(&rights, arena);
    for (const char *line = row->page; *line;) {
        const size_t line_len = strcspn(line, "\n");
        take_line(&rights, line, line_len);
        line += line_len + (line[line_len] == '\n');
    }
    assert_false(rights.list.has_failed);
    assert_int_equal(rights.list.flags, 0);
    for (uint32_t i = 0; i < rights.list.count; i++) {
        const th_right *right = &rights.list.rows[i];
        len += (size_t)snprintf(got + len, sizeof got - len, "%s %s ", right->signal,
                                right->from);
        len += (size_t)print_view(got + len, sizeof got - len, right->agent, ' ');
        len += (size_t)print_view(got + len, sizeof got - len, right->value, ' ');
        len += (size_t)print_view(got + len, sizeof got - len, right->of, '\n');
    }
    assert_string_equal(got, row->want);
    th_arena_free(arena);
}

/* Values and rows over a limit are cut, and the page is flagged. */
static void limits_hold(void **state)
{
    (void)state;
    th_arena *arena = th_arena_new(0);
    th_rights rights = { .arena = arena };
    char value[TH_RIGHT_VALUE_MAX + 2];
    memset(value, 'a', sizeof value);
    memcpy(value + TH_RIGHT_VALUE_MAX - 1, "\xC3\xA9", 2); /* across the limit */
    const th_right row = { .signal = "license",
                           .from = "a",
                           .value = { value, sizeof value } };
    th_rights_add(&rights, &row);
    assert_int_equal(rights.count, 1);
    assert_int_equal(rights.rows[0].value.len, TH_RIGHT_VALUE_MAX - 1);
    assert_int_equal(rights.flags, TH_FLAG_RIGHTS_CUT);
    rights.flags = 0;
    for (unsigned i = 0; i < TH_RIGHTS_MAX + 5; i++) {
        const int len = snprintf(value, sizeof value, "%u", i);
        const th_right next = { .signal = "license",
                                .from = "a",
                                .value = { value, (size_t)len } };
        th_rights_add(&rights, &next);
    }
    assert_int_equal(rights.count, TH_RIGHTS_MAX);
    assert_int_equal(rights.flags, TH_FLAG_RIGHTS_CUT);
    th_arena_free(arena);
}

static void without_memory_it_fails(void **state)
{
    (void)state;
    th_arena *arena = th_arena_new(16);
    th_rights rights = { .arena = arena };
    th_rights_add(&rights,
                  &(th_right){ .signal = "license", .from = "a", .value = TH_VIEW("x") });
    assert_true(rights.has_failed);
    assert_int_equal(rights.count, 0);
    th_arena_free(arena);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS + 2];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(limits_hold);
    tests[ROWS + 1] = (struct CMUnitTest)cmocka_unit_test(without_memory_it_fails);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
