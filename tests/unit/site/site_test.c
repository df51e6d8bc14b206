/* Counts each page of a site once, in any order, within limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "site_scene.h"

static const th_site_limits wide = { 1000, 1000, 1 };

static void counts_pages_once(void **state)
{
    static const struct site_page pages[] = {
        { 1, 11, { 100, 200, 300 } }, { 2, 12, { 100, 200 } },
        { 2, 13, { 100, 400 } },      /* fetched twice, changed: all that it showed */
        { 3, 11, { 100, 200, 300 } }, /* a mirror copy of the first */
        { 4, 13, { 500 } },           /* the text of the third: one page with 2 */
        { 5, 15, { 100 } },
    };
    th_buffer scratch = { 0 };
    (void)state;
    const th_site site = count_pages(NULL, pages, 6, &wide, &scratch);
    assert_int_equal(site.pages, 3);
    assert_int_equal(th_site_count(&site, 100), 3);
    assert_int_equal(th_site_count(&site, 200), 2);
    assert_int_equal(th_site_count(&site, 300), 1);
    assert_int_equal(th_site_count(&site, 400), 1);
    assert_int_equal(th_site_count(&site, 500), 1);
    assert_int_equal(th_site_count(&site, 600), 0);
    assert_true(th_site_has_page(&site, 4, 0) && th_site_has_page(&site, 0, 15));
    assert_false(th_site_has_page(&site, 6, 16));
    assert_int_equal(site.name.len, 7);
    assert_memory_equal(site.name.data, "a.large", 7);
    th_buffer_done(&scratch);
}

/* A segment counts at any position. A paragraph of the same bytes does not count. */
static void segments_count_at_any_place(void **state)
{
    const uint64_t top = 0xAB80 | 2 << 3, bottom = 0xAB80 | 3 << 3, other = 0xAC80;
    const struct site_page pages[] = {
        { 1, 11, { 0xAB00, top, bottom } },
        { 2, 12, { 0xAB00, top } },
        { 3, 13, { 0xAB00, bottom } },
        { 4, 14, { other } },
    };
    th_buffer scratch = { 0 };
    (void)state;
    const th_site site = count_pages(NULL, pages, 4, &wide, &scratch);
    assert_int_equal(th_site_count(&site, top), 2);
    assert_int_equal(th_site_count(&site, 0xAB00), 3);
    assert_int_equal(th_site_count_segment(&site, top), 4); /* no more than pages */
    assert_int_equal(th_site_count_segment(&site, 0xAB80), 4);
    assert_int_equal(th_site_count_segment(&site, other | 1), 1);
    assert_int_equal(th_site_count_segment(&site, 0xAD80), 0);
    th_buffer_done(&scratch);
}

/* Every order of the pages, and every split into two calls without a common page. */
static void order_does_not_matter(void **state)
{
    struct site_page pages[] = {
        { 1, 11, { 100, 200 } }, { 2, 12, { 100 } }, { 3, 12, { 300 } },
        { 4, 14, { 100, 200 } }, { 1, 15, { 400 } },
    };
    th_buffer first = { 0 };
    (void)state;
    (void)count_pages(NULL, pages, 5, &wide, &first);
    for (int turn = 0; turn < 120; turn++) {
        th_buffer scratch = { 0 };
        const int a = turn % 5, b = turn / 5 % 5;
        const struct site_page kept = pages[a];
        pages[a] = pages[b];
        pages[b] = kept;
        (void)count_pages(NULL, pages, 5, &wide, &scratch);
        assert_int_equal(scratch.len, first.len);
        assert_memory_equal(scratch.data, first.data, first.len);
        th_buffer_done(&scratch);
    }
    th_buffer_done(&first);
}

static void known_pages_are_passed_over(void **state)
{
    static const struct site_page before[] = { { 1, 11, { 100 } }, { 2, 12, { 100 } } };
    static const struct site_page after[] = { { 1, 21, { 100, 200 } },
                                              { 9, 12, { 100 } },
                                              { 3, 13, { 100, 200 } } };
    th_buffer rooms[2] = { { 0 }, { 0 } };
    (void)state;
    const th_site old = count_pages(NULL, before, 2, &wide, &rooms[0]);
    const th_site site = count_pages(&old, after, 3, &wide, &rooms[1]);
    assert_int_equal(site.pages, 3);
    assert_int_equal(th_site_count(&site, 100), 3);
    assert_int_equal(th_site_count(&site, 200), 1);
    assert_int_equal(site.number, 7);
    th_buffer_done(&rooms[0]);
    th_buffer_done(&rooms[1]);
}

/* A redesign: text of the old pages fades, and new text is on nearly all pages. */
static void counts_fade(void **state)
{
    const th_site_limits limits = { 16, 1000, 1 };
    th_buffer rooms[2] = { { 0 }, { 0 } };
    th_site site = { .pages = 0 };
    (void)state;
    for (uint32_t i = 0; i < 64; i++) {
        const struct site_page page = { i, 1000 + i, { i < 16 ? 100 : 200 } };
        th_buffer *scratch = &rooms[i % 2];
        th_buffer_reset(scratch);
        site = count_pages(i ? &site : NULL, &page, 1, &limits, scratch);
        assert_true(site.pages <= limits.pages);
        assert_true(th_site_count(&site, 100) <= site.pages);
    }
    assert_true(th_site_count(&site, 100) < 3);
    assert_true(th_site_count(&site, 200) * 4 >= site.pages * 3);
    th_buffer_done(&rooms[0]);
    th_buffer_done(&rooms[1]);
}

static void paragraphs_have_a_bound(void **state)
{
    static const struct site_page pages[] = { { 1, 11, { 1, 2, 3, 4, 5 } },
                                              { 2, 12, { 3, 4, 5 } },
                                              { 3, 13, { 5 } } };
    const th_site_limits two = { 100, 2, 1 }, min = { 100, 100, 2 };
    th_buffer scratch = { 0 };
    (void)state;
    th_site site = count_pages(NULL, pages, 3, &two, &scratch);
    assert_int_equal(site.hash_count, 2);
    assert_int_equal(th_site_count(&site, 5), 3);
    assert_int_equal(th_site_count(&site, 3), 2); /* of two with one count the smaller */
    th_buffer_reset(&scratch);
    site = count_pages(NULL, pages, 3, &min, &scratch);
    assert_int_equal(site.hash_count, 3);
    th_buffer_done(&scratch);
}

static void joins(void **state)
{
    static const struct site_page a[] = { { 1, 11, { 1, 2 } }, { 2, 12, { 1, 3 } } };
    static const struct site_page b[] = { { 2, 12, { 1, 3 } }, { 3, 13, { 1, 4 } } };
    th_buffer rooms[4] = { { 0 }, { 0 }, { 0 }, { 0 } };
    th_site joined;
    (void)state;
    const th_site left = count_pages(NULL, a, 2, &wide, &rooms[0]);
    const th_site right = count_pages(NULL, b, 2, &wide, &rooms[1]);
    assert_int_equal(th_site_join(&left, &right, &wide, &rooms[2]), TH_OK);
    assert_int_equal(th_site_join(&right, &left, &wide, &rooms[3]), TH_OK);
    assert_int_equal(rooms[2].len, rooms[3].len);
    assert_memory_equal(rooms[2].data, rooms[3].data, rooms[2].len);
    assert_int_equal(th_site_read(th_buffer_view(&rooms[2]), &joined, NULL), TH_OK);
    assert_int_equal(joined.pages, 3);
    assert_int_equal(th_site_count(&joined, 1), 3);
    assert_int_equal(th_site_count(&joined, 3), 1); /* on the page that both know */
    for (int i = 0; i < 4; i++)
        th_buffer_done(&rooms[i]);
}

/* Every byte that is changed and every cut is found. */
static void finds_damage(void **state)
{
    static const struct site_page pages[] = { { 1, 11, { 1, 2 } }, { 2, 12, { 1 } } };
    th_buffer scratch = { 0 };
    th_site site;
    (void)state;
    (void)count_pages(NULL, pages, 2, &wide, &scratch);
    for (size_t i = 0; i < scratch.len; i++) {
        scratch.data[i] = (char)(scratch.data[i] ^ 0x40);
        assert_int_equal(th_site_read(th_buffer_view(&scratch), &site, NULL), TH_DAMAGED);
        scratch.data[i] = (char)(scratch.data[i] ^ 0x40);
        assert_int_equal(th_site_read((th_view){ scratch.data, i }, &site, NULL),
                         TH_DAMAGED);
    }
    assert_int_equal(th_site_read(th_buffer_view(&scratch), &site, NULL), TH_OK);
    th_buffer_done(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_pages_once),
        cmocka_unit_test(segments_count_at_any_place),
        cmocka_unit_test(order_does_not_matter),
        cmocka_unit_test(known_pages_are_passed_over),
        cmocka_unit_test(counts_fade),
        cmocka_unit_test(paragraphs_have_a_bound),
        cmocka_unit_test(joins),
        cmocka_unit_test(finds_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
