/* `compare` about random files of records, with records that are changed, moved, missing,
 * repeated, and damaged: all that it prints, as a digest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "shortage.h"

enum { ROUNDS = 120, MOST = 40, WINDOW = 1024 };

static const char *const values[] = { "1",         "1.0",  "\"a\"",         "\"\\u0061\"",
                                      "null",      "true", "[1,2]",         "[1, 2]",
                                      "{\"x\":1}", "{ }",  "\"\xC3\xA9|b\"" };
static const char *const names[] = { "title", "text",    "quality", "minhash",
                                     "a|b",   "\\u0061", "source" };
static const char *const odd[] = {
    "",      "{}",         "[1]",           "{\"id\":\"r1\"",
    "words", "{\"id\":5}", "{\"id\":\"\"}", "{\"id\":\"r2\",\"a\":}"
};

static void put_members(struct outcomes *all, th_buffer *out)
{
    for (uint32_t i = below(all, 5); i; i--) {
        th_buffer_printf(out, ",\"%s\":", ONE(all, names));
        if (below(all, 3)) {
            th_buffer_append_text(out, ONE(all, values));
            continue;
        }
        th_buffer_printf(out, "{\"%s\":", ONE(all, names));
        th_buffer_printf(out, "%s, \"y\" : ", ONE(all, values));
        th_buffer_printf(out, "%s}", ONE(all, values));
    }
}

static void put_record(struct outcomes *all, uint32_t number, th_buffer *out)
{
    static const char *const keys[] = { "\"id\":\"r", "\"id\":\"r", "\"id\":\"r",
                                        "\"url\":\"http://a.example/",
                                        "\"schema\":\"thresher/1\", \"id\" : \"r" };
    th_buffer_printf(out, "{%s", ONE(all, keys));
    th_buffer_printf(out, "%" PRIu32 "\"", number);
    put_members(all, out);
    th_buffer_append_text(out, "}");
}

/* A file, and a copy of it with differences of a few kinds. */
static void write_files(struct outcomes *all)
{
    th_buffer lines[MOST] = { { 0 } }, old = { 0 }, new = { 0 };
    const uint32_t count = below(all, MOST);
    const uint32_t kinds = below(all, 64);
    for (uint32_t i = 0; i < count; i++) {
        put_record(all, below(all, 30) ? i : below(all, MOST), &lines[i]);
        const bool is_odd = kinds & 1 && below(all, 12) == 0;
        if (is_odd)
            th_buffer_printf(&old, "%s\n", ONE(all, odd));
        th_buffer_append_view(&old, th_buffer_view(&lines[i]));
        th_buffer_append_char(&old, '\n');
    }
    for (uint32_t i = 0; kinds & 2 && i + 1 < count; i++) {
        const uint32_t other = below(all, count);
        const th_buffer moved = lines[i];
        lines[i] = lines[other];
        lines[other] = moved;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (kinds & 4 && below(all, 6) == 0)
            continue;
        if (kinds & 8 && below(all, 3) == 0)
            put_record(all, i, &new);
        else
            th_buffer_append_view(&new, th_buffer_view(&lines[i]));
        th_buffer_append_char(&new, '\n');
        if (kinds & 16 && below(all, 9) == 0)
            th_buffer_printf(&new, "%s\n", ONE(all, odd));
    }
    if (new.len && kinds & 32)
        new.len--;
    assert_false(old.has_failed || new.has_failed);
    shortage_write("old.jsonl", old.data ? old.data : "", old.len);
    shortage_write("new.jsonl", new.data ? new.data : "", new.len);
    for (uint32_t i = 0; i < count; i++)
        th_buffer_done(&lines[i]);
    th_buffer_done(&old);
    th_buffer_done(&new);
}

/* A record that is as far from its place as the command permits, or farther. The others are
 * only in one file, so that all of them wait. */
static void write_far(uint32_t distance)
{
    th_buffer old = { 0 }, new = { 0 };
    th_buffer_append_text(&old, "{\"id\":\"first\",\"a\":1}\n");
    for (uint32_t i = 0; i < 2 * WINDOW; i++) {
        if (i == distance)
            th_buffer_append_text(&new, "{\"id\":\"first\",\"a\":2}\n");
        th_buffer_printf(&old, "{\"id\":\"old%" PRIu32 "\"}\n", i);
        th_buffer_printf(&new, "{\"id\":\"new%" PRIu32 "\"}\n", i);
    }
    assert_false(old.has_failed || new.has_failed);
    shortage_write("old.jsonl", old.data, old.len);
    shortage_write("new.jsonl", new.data, new.len);
    th_buffer_done(&old);
    th_buffer_done(&new);
}

/* A record with more fields than are counted by name. */
static void write_fields(void)
{
    enum { FIELDS = 600 };
    th_buffer old = { 0 };
    static const char new[] = "{\"id\":\"r\",\"f3\":4}\n";
    th_buffer_append_text(&old, "{\"id\":\"r\"");
    for (uint32_t i = 0; i < FIELDS; i++)
        th_buffer_printf(&old, ",\"f%" PRIu32 "\":%" PRIu32, i, i);
    th_buffer_append_text(&old, "}\n");
    assert_false(old.has_failed);
    shortage_write("old.jsonl", old.data, old.len);
    shortage_write("new.jsonl", new, sizeof new - 1);
    th_buffer_done(&old);
}

static void outcomes_are_known(void **state)
{
    static const char *const commands[] = { "compare ../old.jsonl ../new.jsonl",
                                            "compare --json ../old.jsonl ../new.jsonl",
                                            "compare --json ../new.jsonl ../old.jsonl",
                                            "compare ../new.jsonl ../new.jsonl",
                                            "compare ../nothing ../new.jsonl",
                                            "compare ../new.jsonl",
                                            "compare --no ../new.jsonl ../old.jsonl" };
    (void)state;
    struct outcomes all = { .chance = 95 };
    shortage_begin();
    for (uint32_t round = 0; round < ROUNDS; round++) {
        write_files(&all);
        for (unsigned i = 0; i < 3; i++)
            note_command(&all, ONE(&all, commands), NULL);
    }
    for (uint32_t distance = WINDOW - 2; distance <= WINDOW + 2; distance++) {
        write_far(distance);
        note_command(&all, commands[1], NULL);
        note_command(&all, commands[2], NULL);
    }
    write_fields();
    note_command(&all, commands[1], NULL);
    note_command(&all, commands[2], NULL);
    shortage_end();
    expect_digest(&all, UINT64_C(0x8026BFB3C0EC24A5));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(outcomes_are_known) };
    return cmocka_run_group_tests_name("compare_command_outcomes", tests, NULL, NULL);
}
