/* src/ingest/record_order.c: random lists of local archives and of single records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ingest/record_order.h"
#include "outcomes.h"

enum { MOST = 24, ROUNDS = 400 };

static void make_name(struct outcomes *all, char name[64])
{
    static const char *const archives[] = { "s3://b/a.warc.gz", "s3://b/a.warc",
                                            "https://h/a.warc", "s3://c/a.warc.gz" };
    const char *archive = archives[below(all, 4)];
    const uint32_t offset = below(all, 9);
    const uint32_t skip = below(all, 3);
    const uint32_t kind = below(all, 10);
    if (kind < 2)
        (void)snprintf(name, 64, "local-%u.warc", offset);
    else if (kind < 3)
        (void)snprintf(name, 64, "%s", archive);
    else if (kind < 6 && skip)
        (void)snprintf(name, 64, "%s#%u+%u", archive, offset, skip);
    else
        (void)snprintf(name, 64, "%s#%u,100", archive, offset);
}

/* The offset of a record in its name, or -1. */
static long offset_of(const char *name)
{
    const char *mark = strchr(name, '#');
    return mark ? strtol(mark + 1, NULL, 10) : -1;
}

static void one_digest_for_random_lists(void **state)
{
    struct outcomes all = { .chance = 5 };
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        char names[MOST][64];
        const char *paths[MOST], *before[MOST];
        th_input_list list = { .paths = paths, .count = below(&all, MOST + 1) };
        for (uint32_t i = 0; i < list.count; i++) {
            make_name(&all, names[i]);
            paths[i] = before[i] = names[i];
        }
        assert_int_equal(th_record_order(&list, NULL), TH_OK);
        for (uint32_t i = 0; i < list.count; i++) {
            note_text(&all, paths[i]);
            if (offset_of(before[i]) < 0)
                assert_ptr_equal(paths[i], before[i]); /* it stays in its place */
            if (i && offset_of(before[i]) >= 0 && offset_of(before[i - 1]) >= 0 &&
                strcspn(paths[i], "#") == strcspn(paths[i - 1], "#") &&
                strncmp(paths[i], paths[i - 1], strcspn(paths[i], "#")) == 0)
                assert_true(offset_of(paths[i]) >= offset_of(paths[i - 1]));
        }
    }
    expect_digest(&all, UINT64_C(0xC5B62F333BE22D26));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(one_digest_for_random_lists) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
