/* `graph` about random records: all that it prints, as a digest. graph_outcomes has the
 * files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "shortage.h"

enum { ROUNDS = 40 };

static const char *const urls[] = { "http://a.example/",  "https://www.a.example/1",
                                    "http://b.example/2", "http://c.com:8080/?q",
                                    "mailto:a@b.example", "http://10.0.0.1/",
                                    "/relative",          "http://a.example/1" };
static const char *const odd[] = {
    "",
    "{",
    "[]",
    "{\"id\":\"r\"}",
    "{\"url\":5,\"links\":[]}",
    "{\"url\":\"http://b.example/3\",\"links\":[{\"url\":\"http://c.com/\"",
    "{\"url\":\"http://b.example/3\",\"links\":{\"url\":\"http://c.com/\"}}",
    "{\"url\":\"http://b.example/4\",\"links\":[5,{\"url\":null,\"label\":1},{}]}",
};

static void put_record(struct outcomes *all, bool has_links, th_buffer *out)
{
    th_buffer_printf(out, "{\"schema\":\"thresher/1\",\"url\":\"%s\"",
                     below(all, 9) ? urls[below(all, 4)] : ONE(all, urls));
    if (has_links && below(all, 9)) {
        th_buffer_append_text(out, ",\"links\":[");
        const uint32_t count = below(all, 9);
        for (uint32_t i = 0; i < count; i++) {
            th_buffer_printf(out, "%s{\"url\":\"%s\"", i ? "," : "", ONE(all, urls));
            if (below(all, 5))
                th_buffer_printf(out, ",\"label\":\"%s\"",
                                 below(all, 3) ? "content" : "boilerplate");
            th_buffer_append_char(out, '}');
        }
        th_buffer_append_char(out, ']');
    }
    th_buffer_append_text(out, "}\n");
}

static void write_records(struct outcomes *all, const char *name)
{
    th_buffer out = { 0 };
    const bool has_links = below(all, 8) != 0;
    const uint32_t oddity = below(all, 3) ? 0 : 1 + below(all, 3);
    for (uint32_t i = below(all, 60); i; i--) {
        if (oddity && below(all, 4) < oddity)
            th_buffer_printf(&out, "%s\n", ONE(all, odd));
        else
            put_record(all, has_links, &out);
    }
    assert_false(out.has_failed);
    shortage_write(name, out.data ? out.data : "", out.len);
    th_buffer_done(&out);
}

static void write_bias(struct outcomes *all)
{
    static const char *const lines[] = { "a.example",  "http://b.example/2",
                                         "not a host", "",
                                         "c.com",      "http://nowhere.example/" };
    th_buffer out = { 0 };
    for (uint32_t i = below(all, 5); i; i--)
        th_buffer_printf(&out, "%s\n", ONE(all, lines));
    assert_false(out.has_failed);
    shortage_write("bias", out.data ? out.data : "", out.len);
    th_buffer_done(&out);
}

static const char *const options[] = { "--level page",      "--level host",
                                       "--links content",   "--links boilerplate",
                                       "--bias ../bias",    "--alpha .5",
                                       "--weigh .25",       "--epsilon 1e-9",
                                       "--memory 1M",       "--temp .",
                                       "--max-line 1K",     "--bias ../nothing",
                                       "--bias ../r.jsonl", "-q" };
static const char *const inputs[] = { "../r.jsonl",
                                      "../r.jsonl ../s.jsonl",
                                      "../s.jsonl ../nothing",
                                      "../r.jsonl ../r.jsonl",
                                      "../bias",
                                      "" };

static void outcomes_are_known(void **state)
{
    (void)state;
    struct outcomes all = { .chance = 81 };
    char command[512];
    shortage_begin();
    shortage_folder("g");
    for (uint32_t round = 0; round < ROUNDS; round++) {
        write_records(&all, "r.jsonl");
        write_records(&all, "s.jsonl");
        write_bias(&all);
        for (unsigned i = 0; i < 6; i++) {
            int len = snprintf(command, sizeof command, "graph");
            for (uint32_t k = below(&all, 4); k; k--)
                len += snprintf(command + len, sizeof command - (size_t)len, " %s",
                                ONE(&all, options));
            const char *output = below(&all, 30) ? " -O ../g " : " ";
            const char *usual = inputs[below(&all, 2)];
            (void)snprintf(command + len, sizeof command - (size_t)len, "%s%s", output,
                           below(&all, 5) ? usual : ONE(&all, inputs));
            note_command(&all, command, NULL);
        }
    }
    shortage_end();
    expect_digest(&all, UINT64_C(0x0AC8BF9474203D3D));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(outcomes_are_known) };
    return cmocka_run_group_tests_name("graph_command_outcomes", tests, NULL, NULL);
}
