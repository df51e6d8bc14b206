/* src/parse/streamed.c: streamed content at its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "parse/streamed.h"

#define PLACE(ID) "<!--$?--><template id=\"" ID "\"></template>wait<!--/$-->"
#define CONTENT(ID, TEXT) "<div hidden id=\"" ID "\">" TEXT "</div>"

/* clang-format off */
static const struct row {
    const char *name, *html, *want; /* NULL: nothing moves */
} rows[] = {
    { "at its place", "a" PLACE("B:0") "b" CONTENT("S:0", "<p>c</p>") "d", "a<!--$?--><p>c</p><!--/$-->bd" },
    { "in another one", PLACE("B:0") CONTENT("S:0", "x" PLACE("B:1") "y") CONTENT("S:1", "z"), "<!--$?-->x<!--$?-->z<!--/$-->y<!--/$-->" },
    { "a place of the other kind", "<template id=\"P:0\"></template>a" CONTENT("S:0", "b"), "ba" },
    { "no content", "a" PLACE("B:0") "b", NULL },
    { "no place", "a" CONTENT("S:0", "b") "c", NULL },
    { "another number", PLACE("B:0") CONTENT("S:1", "b"), NULL },
    { "neither", "<p>a", NULL },
    { "nothing", "", NULL },
};
/* clang-format on */

static void row_holds(void **state)
{
    const struct row *row = *state;
    th_arena *arena = th_arena_new(0);
    th_view out = { NULL, 0 };
    assert_non_null(arena);
    const th_status status =
        th_streamed_settle((th_view){ row->html, strlen(row->html) }, arena, &out);
    assert_int_equal(status, row->want ? TH_OK : TH_ABSENT);
    if (row->want) {
        assert_int_equal(out.len, strlen(row->want));
        assert_memory_equal(out.data, row->want, out.len);
    }
    th_arena_free(arena);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
