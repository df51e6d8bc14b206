/* src/dedup/record_locations.c: every record's location, queried in any order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "dedup/record_locations.h"

enum { INPUTS = 40, RECORDS = 30000 };

/* Some inputs have no record. */
static unsigned input_of(unsigned number)
{
    return number / 1000 + (number > 5000 ? 3 : 0);
}

static void places_are_found(void **state)
{
    (void)state;
    char paths[INPUTS][8];
    th_record_locations *places = NULL;
    assert_int_equal(th_record_locations_new("", &places, NULL), TH_OK);
    for (unsigned i = 0; i < INPUTS; i++)
        (void)snprintf(paths[i], sizeof paths[i], "in%u", i);
    for (unsigned i = 0; i < RECORDS; i++) {
        char place[24];
        (void)snprintf(place, sizeof place, "line %u", i);
        assert_int_equal(th_record_locations_add(places, paths[input_of(i)], place, NULL),
                         TH_OK);
    }
    for (unsigned step = 0; step < RECORDS; step++) {
        const unsigned i = step * 7919 % RECORDS;
        char seen[TH_FULL_PLACE_MAX], wanted[40];
        (void)snprintf(wanted, sizeof wanted, "in%u: line %u", input_of(i), i);
        assert_int_equal(th_record_locations_text(places, i, seen, NULL), TH_OK);
        assert_string_equal(seen, wanted);
    }
    th_record_locations_free(places);
}

static void no_folder_is_told(void **state)
{
    (void)state;
    th_record_locations *places = NULL;
    assert_int_equal(th_record_locations_new("/no/such/folder", &places, NULL), TH_IO);
    th_record_locations_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_found),
        cmocka_unit_test(no_folder_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
