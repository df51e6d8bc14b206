/* `dedup`, its stages, and `eval duplicates` about random records: all that they print and
 * write, as a digest. Some files of the stages are damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "shortage.h"
#include "thresher/minhash.h"

enum { ROUNDS = 45, FAMILIES = 9, MOST_PARTS = 3 };

/* ---- records ---- */

/* A number that depends on all of its parts. */
static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t x = (a + 1) * 0x9E3779B97F4A7C15u ^ (b + 1) * 0xD1B54A32D192ED03u;
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    return x ^ x >> 32;
}

/* Slots of a page of a family: some of them are its own. */
static void make_slots(struct outcomes *all, const th_minhash_preset *preset,
                       uint64_t *slots)
{
    const uint32_t family = below(all, FAMILIES);
    const uint32_t own = below(all, 60);
    const uint64_t number = below(all, 1 << 20);
    for (uint32_t i = 0; i < preset->slots; i++) {
        const bool is_own = mix(number, i) % 100 < own;
        slots[i] = mix(is_own ? number : family, i);
        if (preset->slot_bits == 32)
            slots[i] &= UINT32_MAX;
    }
}

static void put_signature(struct outcomes *all, const th_minhash_preset *preset,
                          const char *text, th_buffer *out)
{
    uint64_t slots[TH_SLOTS_MAX];
    make_slots(all, preset, slots);
    th_buffer_printf(out, ",\"%s\":\"", text);
    const uint32_t count = below(all, 40) ? preset->slots : below(all, 3);
    for (uint32_t i = 0; i < count; i++)
        th_buffer_printf(out, "%0*" PRIx64, (int)preset->slot_bits / 4, slots[i]);
    th_buffer_append_char(out, '"');
}

static void put_text(struct outcomes *all, th_buffer *out)
{
    static const char *const lines[] = {
        "The river of stone is near the quiet market and the bridge.",
        "A letter was found in the winter.\\t\\u00e9",
        "Home",
        "the RIVER of stone is near the quiet market and the bridge",
        "",
        "All rights reserved by the quiet market of the river since the winter.",
    };
    th_buffer_append_text(out, ",\"text\":\"");
    for (uint32_t i = below(all, 5); i; i--)
        th_buffer_printf(out, "%s\\n", ONE(all, lines));
    th_buffer_append_char(out, '"');
}

/* Schema of a record, or a damaged line. */
static void put_odd_line(struct outcomes *all, th_buffer *out)
{
    static const char *const lines[] = {
        "",
        "{}",
        "[]",
        "{\"id\":\"r1\"",
        "{\"schema\":\"thresher/9\",\"id\":\"r1\"}",
        "{\"schema\":\"thresher/1\",\"url\":\"http://a.example/\"}",
        "{\"id\":5,\"url\":6,\"date\":7,\"digest\":8,\"minhash\":9}",
        "{\"id\":\"r2\",\"minhash\":{\"preset\":\"modern\",\"main\":\"xyz\"}}",
        "{\"id\":\"r3\",\"minhash\":{\"scheme\":\"other\",\"main\":\"00\"}}",
        "{\"id\":\"r4\",\"id\":\"r5\",\"date\":\"yesterday\"}",
        "{\"id\":\"\",\"digest\":{\"text\":\"00\"}}",
    };
    th_buffer_append_text(out, ONE(all, lines));
    th_buffer_append_text(out, below(all, 6) ? "\n" : "\r\n");
}

static void put_record(struct outcomes *all, const char *name, uint32_t number,
                       th_buffer *out)
{
    static const char *const texts[] = { "main", "content", "page", "distinct" };
    th_minhash_preset preset;
    assert_int_equal(th_minhash_parse(name, &preset, NULL), TH_OK);
    th_buffer_printf(out, "{\"schema\":\"thresher/1\",\"id\":\"r%" PRIu32 "\"", number);
    if (below(all, 5))
        th_buffer_printf(out, ",\"url\":\"http://a.example/%" PRIu32 "\"",
                         below(all, 30));
    if (below(all, 5))
        th_buffer_printf(out, ",\"date\":\"2026-01-01T00:00:%02" PRIu32 "Z\"",
                         below(all, 60));
    if (below(all, 12) == 0)
        th_buffer_append_text(out, ",\"http\":{\"status\":404}");
    if (below(all, 3))
        th_buffer_printf(out, ",\"digest\":{\"text\":\"%032" PRIx32 "\"}",
                         below(all, 20));
    if (below(all, 2))
        th_buffer_append_text(out, ",\"template_known\":true");
    put_text(all, out);
    if (below(all, 12)) {
        th_buffer_printf(out, ",\"minhash\":{\"preset\":\"%s\"", name);
        for (unsigned i = 0; i < 4; i++)
            if (below(all, 6))
                put_signature(all, &preset, texts[i], out);
        if (below(all, 8) == 0)
            th_buffer_printf(out, ",\"short\":[\"%s\"]", ONE(all, texts));
        th_buffer_append_char(out, '}');
    }
    th_buffer_append_text(out, "}\n");
}

static void write_records(struct outcomes *all, const char *path, const char *preset,
                          bool is_odd)
{
    th_buffer out = { 0 };
    for (uint32_t i = below(all, 50); i; i--) {
        if (is_odd && below(all, 12) == 0) {
            put_odd_line(all, &out);
            continue;
        }
        const bool is_other = is_odd && below(all, 90) == 0;
        put_record(all, is_other ? "paper" : preset, below(all, 300), &out);
    }
    if (out.len && below(all, 6) == 0)
        out.len--; /* the last line end */
    assert_false(out.has_failed);
    shortage_write(path, out.data ? out.data : "", out.len);
    th_buffer_done(&out);
}

/* Records that most pairs of write_pairs have. */
static void write_paired(struct outcomes *all, const char *preset)
{
    th_buffer out = { 0 };
    for (uint32_t i = 10 + below(all, 30); i; i--)
        put_record(all, preset, i, &out);
    assert_false(out.has_failed);
    shortage_write("u.jsonl", out.data, out.len);
    th_buffer_done(&out);
}

/* ---- shards of minhash-sig ---- */

static void put_number(th_buffer *out, uint64_t number, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        th_buffer_append_char(out, (char)(number >> 8 * i));
}

/* Signatures of pages in the order of a bucket's hashes, as datatrove writes them. */
static void write_buckets(struct outcomes *all, const th_minhash_preset *preset)
{
    enum { PAGES = 8 };
    static uint64_t slots[PAGES][TH_SLOTS_MAX];
    const uint32_t count = below(all, PAGES + 1);
    const uint32_t odd = below(all, 120);
    for (uint32_t i = 0; i < count; i++)
        make_slots(all, preset, slots[i]);
    for (uint32_t band = 0; band < preset->bands; band++) {
        char path[64];
        th_buffer out = { 0 };
        const uint32_t turn = below(all, PAGES);
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t page = (i + turn) % count;
            for (uint32_t k = 0; k < preset->rows; k++)
                put_number(&out, slots[page][band * preset->rows + k],
                           preset->slot_bits / 8);
            put_number(&out, odd == band && i == 1 ? 300 : page * 259, 4);
        }
        if (odd == preset->bands + band)
            out.len -= out.len ? 1 : 0;
        (void)snprintf(path, sizeof path, "sig/bucket_%03" PRIu32 "/00007.minhash.sig",
                       band);
        assert_false(out.has_failed);
        shortage_write(path, out.data ? out.data : "", out.len);
        th_buffer_done(&out);
    }
}

/* ---- damage ---- */

/* Reads ../NAME. Returns whether it exists. */
static bool read_file(const char *name, th_buffer *out)
{
    char path[64], bytes[4096];
    size_t got = 0;
    (void)snprintf(path, sizeof path, "../%s", name);
    FILE *in = fopen(path, "rb");
    if (!in)
        return false;
    while ((got = fread(bytes, 1, sizeof bytes, in)) > 0)
        th_buffer_append(out, bytes, got);
    assert_int_equal(fclose(in), 0);
    assert_false(out->has_failed);
    return true;
}

/* Cuts a file, or changes a bit. */
static void damage(struct outcomes *all, const char *name)
{
    th_buffer file = { 0 };
    const uint32_t kind = below(all, 4);
    if (!read_file(name, &file))
        return;
    const uint32_t at = file.len ? below(all, (uint32_t)file.len) : 0;
    if (kind == 0)
        file.len = at;
    else if (kind == 1)
        th_buffer_append_text(&file, "more");
    else if (file.len)
        file.data[at] ^= (char)(1 << below(all, 8));
    assert_false(file.has_failed);
    shortage_write(name, file.data ? file.data : "", file.len);
    th_buffer_done(&file);
}

/* ---- commands ---- */

static const char *const options[] = {
    "--by text",      "--by url",      "--unit paragraph",
    "--output pairs", "--output drop", "--threshold .6",
    "--threshold .3", "--fan-out 2",   "--memory 1M --temp .",
    "--sign main",    "--sign both",   "--sign either",
    "--report r",     "--max-line 1K", "-f parquet"
};
static const char *const inputs[] = { "../r.jsonl",
                                      "../r.jsonl ../s.jsonl",
                                      "../s.jsonl ../r.jsonl",
                                      "../t.jsonl ../r.jsonl",
                                      "../sig",
                                      "../sig ../t.jsonl",
                                      "../sig/bucket_000/00007.minhash.sig",
                                      "../sig/bucket_001/00007.minhash.sig" };
static const char *const files[] = { "a/shard",       "a/shard.records", "a/shard.places",
                                     "b/shard.ids",   "b/shard.keys",    "b/shard",
                                     "b/shard.places" };

static void add_options(struct outcomes *all, char *command, size_t size)
{
    for (uint32_t i = below(all, 4); i; i--) {
        const size_t len = strlen(command);
        (void)snprintf(command + len, size - len, " %s", ONE(all, options));
    }
}

static void run_at_random(struct outcomes *all)
{
    char command[512];
    const char *input = ONE(all, inputs);
    (void)snprintf(command, sizeof command, "dedup%s %s", below(all, 2) ? " -q" : "",
                   input);
    add_options(all, command, sizeof command);
    (void)strcat(command, below(all, 2) ? " -O o" : "");
    note_command(all, command, NULL);
}

static void partition(struct outcomes *all, const char *file, const char *shard,
                      const char *how, uint32_t parts)
{
    char command[256];
    (void)snprintf(command, sizeof command,
                   "dedup partition%s%s --parts %" PRIu32 " -O %s ../%s",
                   below(all, 2) ? " -q" : "", how, parts, shard, file);
    note_command(all, command, shard);
}

/* The edges go to the folder of the first shard. */
static void run_pairs(struct outcomes *all, const char *how, uint32_t parts)
{
    char command[256], name[32];
    for (uint32_t part = 0; part < parts; part++) {
        th_buffer edges = { 0 };
        (void)snprintf(command, sizeof command,
                       "dedup pairs%s%s --part %" PRIu32 "/%" PRIu32 " ../a ../b",
                       below(all, 2) ? " -q" : "", how, part, parts);
        note_command(all, command, NULL);
        if (below(all, 9) == 0) /* it is done */
            note_command(all, command, NULL);
        (void)snprintf(name, sizeof name, "a/edges-%05" PRIu32 "-of-%05" PRIu32, part,
                       parts);
        if (read_file(name, &edges))
            note_view(all, th_buffer_view(&edges));
        th_buffer_done(&edges);
    }
}

/* All stages of two files, some of them with other options than the stage before. */
static void run_stages(struct outcomes *all)
{
    static const char *const by[] = { "",
                                      "",
                                      "",
                                      " --by text",
                                      " --unit paragraph",
                                      " --sign either",
                                      " --memory 1M --temp ." };
    static const char *const how[] = { "", "", " --fan-out 2", " --threshold .3",
                                       " --output pairs" };
    static const char *const ends[] = { "", " --output drop", " --report r",
                                        " --output pairs", " -O o" };
    char command[256], name[32];
    const uint32_t parts = 1 + below(all, MOST_PARTS);
    const char *first = ONE(all, by);
    const char *pairs = ONE(all, how);
    partition(all, "r.jsonl", "a", first, parts);
    const char *file = below(all, 30) ? "s.jsonl" : "r.jsonl";
    const char *second = below(all, 15) ? first : ONE(all, by);
    const uint32_t count = below(all, 15) ? parts : 1 + below(all, MOST_PARTS);
    partition(all, file, "b", second, count);
    const bool is_damaged = below(all, 4) == 0;
    if (is_damaged)
        damage(all, ONE(all, files));
    run_pairs(all, pairs, parts);
    if (is_damaged && below(all, 2)) {
        (void)snprintf(name, sizeof name, "a/edges-00000-of-%05" PRIu32, parts);
        damage(all, name);
    }
    for (uint32_t i = 0; i < 3; i++) {
        const char *again = below(all, 8) ? pairs : ONE(all, how);
        const char *end = ONE(all, ends);
        (void)snprintf(command, sizeof command, "dedup components%s%s%s ../a ../b",
                       below(all, 2) ? " -q" : "", again, end);
        note_command(all, command, NULL);
    }
}

/* Pairs of records that are known to be duplicates, or not. */
static void write_pairs(struct outcomes *all)
{
    static const char *const families[] = { "news", "shop", "\xC3\xA9", "" };
    static const char *const lengths[] = { "short", "long" };
    static const char *const labels[] = { "dup", "distinct" };
    th_buffer out = { 0 };
    if (below(all, 2))
        th_buffer_append_text(&out, "record_id_a\trecord_id_b\tlabel\tfamily\tlength\n");
    for (uint32_t i = below(all, 40); i; i--) {
        const bool is_bare = below(all, 2) != 0;
        th_buffer_printf(&out, is_bare ? "r%" PRIu32 "\t" : "<r%" PRIu32 ">\t",
                         below(all, 40));
        th_buffer_printf(&out, "r%" PRIu32 "\t", below(all, 40));
        th_buffer_printf(&out, "%s\t", ONE(all, labels));
        th_buffer_printf(&out, "%s\t", ONE(all, families));
        th_buffer_append_text(&out, ONE(all, lengths));
        th_buffer_append_text(&out, below(all, 9) ? "\n" : "\tnote\tmore\r\n");
    }
    if (below(all, 20) == 0)
        th_buffer_append_text(&out, "r1\tr2\tmaybe\tnews\tshort\n");
    assert_false(out.has_failed);
    shortage_write("c/pairs.tsv", out.data ? out.data : "", out.len);
    th_buffer_done(&out);
}

static void judge_pairs(struct outcomes *all)
{
    static const char *const judged[] = { "../u.jsonl", "../u.jsonl",
                                          "../u.jsonl ../r.jsonl",
                                          "../t.jsonl ../nothing" };
    static const char *const forms[] = { "", " --json", " --markdown", " -q" };
    char command[128];
    const char *form = ONE(all, forms);
    (void)snprintf(command, sizeof command, "eval duplicates%s ../c %s", form,
                   ONE(all, judged));
    note_command(all, command, NULL);
}

static void outcomes_are_known(void **state)
{
    static const char *const presets[] = { "modern", "crawl", "paper", "datatrove",
                                           "textdedup" };
    (void)state;
    struct outcomes all = { .chance = 41 };
    th_minhash_preset datatrove;
    assert_int_equal(th_minhash_parse("datatrove", &datatrove, NULL), TH_OK);
    shortage_begin();
    shortage_folder("c");
    shortage_folder("sig");
    for (uint32_t band = 0; band < datatrove.bands; band++) {
        char name[32];
        (void)snprintf(name, sizeof name, "sig/bucket_%03" PRIu32, band);
        shortage_folder(name);
    }
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const char *preset = ONE(&all, presets);
        write_records(&all, "r.jsonl", preset, false);
        write_records(&all, "s.jsonl", preset, false);
        write_records(&all, "t.jsonl", below(&all, 3) ? preset : "datatrove", true);
        write_paired(&all, ONE(&all, presets));
        write_buckets(&all, &datatrove);
        write_pairs(&all);
        for (unsigned i = 0; i < 6; i++)
            run_at_random(&all);
        run_stages(&all);
        for (unsigned i = 0; i < 3; i++)
            judge_pairs(&all);
    }
    shortage_end();
    expect_digest(&all, UINT64_C(0x56BF80391A20478E));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(outcomes_are_known) };
    return cmocka_run_group_tests_name("dedup_command_outcomes", tests, NULL, NULL);
}
