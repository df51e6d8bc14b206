/* src/daemon/restart_options.c: a changed option is kept and named, or taken over. */
#include "daemon/restart_options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Changes a value, and returns its bytes. */
static size_t change(th_settings *settings, const th_option *option)
{
    char *at = (char *)settings + option->offset;
    static const char *const other = "another value";
    const double real = 7.25;
    switch (option->type) {
    case TH_OPTION_SIZE:
        at[0] ^= 1;
        return sizeof(uint64_t);
    case TH_OPTION_NUMBER:
    case TH_OPTION_SET:
        at[0] ^= 1;
        return sizeof(uint32_t);
    case TH_OPTION_REAL:
        memcpy(at, &real, sizeof real);
        return sizeof real;
    case TH_OPTION_SWITCH:
        at[0] ^= 1;
        return sizeof(uint8_t);
    case TH_OPTION_TEXT:
    case TH_OPTION_LIST:
    default:
        memcpy(at, &other, sizeof other);
        return sizeof other;
    }
}

/* Each option alone. Options of pages can change without a restart. */
static void a_changed_option_is_kept_or_taken_over(void **state)
{
    (void)state;
    static th_settings running, next, was;
    unsigned kept[TH_OPTION_SET + 1] = { 0 }, taken = 0;
    th_buffer names = { 0 };
    assert_int_equal(th_settings_init(&running, NULL), TH_OK);
    for (const th_option *option = th_option_table; option->key; option++) {
        next = running;
        const size_t len = change(&next, option);
        was = next;
        th_buffer_reset(&names);
        th_settings_keep_running(&next, &running, &names);
        th_buffer_append_char(&names, '\0');
        if (memcmp(&next, &running, sizeof next) == 0) {
            assert_string_equal(names.data, option->key);
            kept[option->type]++;
        } else {
            assert_string_equal(names.data, "");
            assert_memory_equal((char *)&next + option->offset,
                                (char *)&was + option->offset, len);
            taken++;
        }
    }
    for (unsigned type = 0; type <= TH_OPTION_SET; type++)
        if (type != TH_OPTION_REAL && type != TH_OPTION_SET)
            assert_true(kept[type] > 0);
    assert_true(taken > 20);
    th_buffer_done(&names);
    th_settings_done(&running);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_changed_option_is_kept_or_taken_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
