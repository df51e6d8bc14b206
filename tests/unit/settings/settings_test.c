/* src/settings/settings.c, settings_check.c, option_table.c and state.c: text to values
 * and back. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "kafka/kafka_conf.h"

#include "app/state.h"
#include "settings/settings.h"

/* clang-format off */
static const struct row {
    const char *key, *in;
    th_status want;
    const char *out; /* as printed afterwards */
} rows[] = {
    { "max-body", "8388608", TH_OK, "8M" },
    { "max-body", "3K", TH_OK, "3K" },
    { "max-body", "2000", TH_OK, "2000" },
    { "dedup.memory", "2g", TH_OK, "2G" },
    { "max-body", "-1", TH_USAGE, NULL },
    { "max-body", "", TH_USAGE, NULL },
    { "max-body", "8X", TH_USAGE, NULL },
    { "max-body", "8KK", TH_USAGE, NULL },
    { "max-body", "99999999999999999999", TH_USAGE, NULL },
    { "max-body", "18446744073709551615G", TH_USAGE, NULL },
    { "jobs", "4294967296", TH_USAGE, NULL },
    { "jobs", "12", TH_OK, "12" },
    { "kafka.session-ms", "0", TH_USAGE, NULL },
    { "files.roll-bytes", "0", TH_USAGE, NULL },
    { "dedup.threshold", "7", TH_USAGE, NULL },
    { "kafka.max-message", "9G", TH_USAGE, NULL },
    { "kafka.max-message", "4294968296", TH_USAGE, NULL }, /* 1000 in 32 bits */
    { "theta-max", "0.5", TH_OK, "0.5" },
    { "theta-max", "inf", TH_OK, "inf" },
    { "theta-max", "much", TH_USAGE, NULL },
    { "theta-max", "nan", TH_USAGE, NULL },
    { "index.threshold", "nan", TH_USAGE, NULL },
    { "index.threshold", "inf", TH_USAGE, NULL },
    { "index.threshold", "-NAN(1)", TH_USAGE, NULL },
    { "dedup.threshold", "NaN", TH_USAGE, NULL },
    { "resume", "yes", TH_OK, "yes" },
    { "resume", "off", TH_OK, "no" },
    { "resume", "maybe", TH_USAGE, NULL },
    { "emit", "links,blocks", TH_OK, "blocks,links" },
    { "emit", "none", TH_OK, "none" },
    { "emit", "all", TH_OK, "full_text,segments,blocks,links,html,paragraphs,languages,signals,posts,rights,structured,paragraph_languages" },
    { "emit", "links,words", TH_USAGE, NULL },
    { "format", "warc", TH_OK, "warc" },
    { "format", "csv", TH_USAGE, NULL },
    { "output", "out/", TH_OK, "out/" },
    { "nonsense", "1", TH_USAGE, NULL },
};
/* clang-format on */

static void row_holds(void **state)
{
    const struct row *row = *state;
    th_settings settings;
    th_error err = { .text = "" };
    th_buffer out = { 0 };
    assert_int_equal(th_settings_init(&settings, NULL), TH_OK);
    assert_int_equal(th_settings_set(&settings, row->key, row->in, &err), row->want);
    if (row->want == TH_OK) {
        th_settings_print(&settings, th_option_find(row->key), &out);
        th_buffer_append_char(&out, '\0');
        assert_string_equal(out.data, row->out);
    } else {
        assert_non_null(strstr(err.text, row->key)); /* the message names the option */
    }
    th_buffer_done(&out);
    th_settings_done(&settings);
}

static void every_default_is_valid_and_prints_back(void **state)
{
    (void)state;
    th_settings settings;
    assert_int_equal(th_settings_init(&settings, NULL), TH_OK);
    assert_int_equal(th_settings_check(&settings, NULL), TH_OK);
    for (const th_option *option = th_option_table; option->key; option++) {
        th_buffer before = { 0 };
        th_buffer after = { 0 };
        th_settings_print(&settings, option, &before);
        th_buffer_append_char(&before, '\0');
        assert_int_equal(th_settings_set(&settings, option->key, before.data, NULL),
                         TH_OK);
        th_settings_print(&settings, option, &after);
        th_buffer_append_char(&after, '\0');
        assert_string_equal(before.data, after.data);
        th_buffer_done(&before);
        th_buffer_done(&after);
    }
    th_settings_done(&settings);
}

static bool is_taken(const th_option *option, const char *text)
{
    th_settings settings;
    th_error err = { .text = "" };
    assert_int_equal(th_settings_init(&settings, NULL), TH_OK);
    const th_status status = th_settings_set(&settings, option->key, text, &err);
    th_settings_done(&settings);
    assert_true(status == TH_OK || status == TH_USAGE);
    assert_true(status == TH_OK || strstr(err.text, option->key));
    return status == TH_OK;
}

static bool is_whole_taken(const th_option *option, uint64_t number)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    return is_taken(option, text);
}

static bool is_real_taken(const th_option *option, double number)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%.17g", number);
    return is_taken(option, text);
}

/* Options of a part that is left out take their defaults alone. */
static bool is_built(const th_option *option)
{
    return th_kafka_is_built || strncmp(option->section, "kafka", 5) != 0;
}

/* Each row: both ends are taken and nothing beyond them, and the default is between. */
static void numbers_end_at_their_ranges(void **state)
{
    (void)state;
    for (const th_option *option = th_option_table; option->key; option++) {
        const bool is_real = option->type == TH_OPTION_REAL;
        const bool is_whole =
            option->type == TH_OPTION_SIZE || option->type == TH_OPTION_NUMBER;
        if (!is_real && !is_whole)
            continue;
        print_message("%s: %g .. %g\n", option->key, option->low, option->high);
        assert_true(option->low < option->high);
        assert_true(option->low <= option->standard && option->standard <= option->high);
        if (is_real) {
            assert_false(is_taken(option, "nan"));
            assert_true(is_real_taken(option, option->low));
            assert_true(is_real_taken(option, option->high));
            assert_true(isinf(option->low) || !is_real_taken(option, option->low - 0.01));
            assert_true(isinf(option->high) ||
                        !is_real_taken(option, option->high + 0.01));
            continue;
        }
        assert_true(option->low >= 0);
        assert_true(option->type == TH_OPTION_SIZE || option->high <= UINT32_MAX);
        const uint64_t low = (uint64_t)option->low, high = (uint64_t)option->high;
        if (!is_built(option))
            continue;
        assert_true(is_whole_taken(option, low));
        assert_true(is_whole_taken(option, high));
        assert_false(low ? is_whole_taken(option, low - 1) : is_taken(option, "-1"));
        assert_false(is_whole_taken(option, high + 1));
        assert_false(is_whole_taken(option, UINT64_MAX));
    }
}

/* A text's default is one of the names, if it has names. */
static void names_are_the_owners(void **state)
{
    (void)state;
    for (const th_option *option = th_option_table; option->key; option++) {
        const th_names *names = option->names;
        if (!names || !is_built(option))
            continue;
        assert_non_null(names->at(names->table, 0));
        for (size_t i = 0; names->at(names->table, i); i++)
            assert_true(is_taken(option, names->at(names->table, i)));
        assert_false(is_taken(option, "no-such-name"));
    }
}

/* Files that are refused: the line number, and the message. */
/* clang-format off */
static const struct bad_file {
    const char *text;
    unsigned line;
    const char *why;
} bad_files[] = {
    { "[kafka]\nbrokers = b\nlibrdkafka.sasl.mechanims = PLAIN\n", 3, "librdkafka.sasl.mechanims: No such configuration property: \"sasl.mechanims\"; did you mean 'sasl.mechanisms'?" },
    { "[kafka]\nlibrdkafka.nonsense = 1\n", 2, "librdkafka.nonsense: No such" },
    { "[kafka]\n\nlibrdkafka.producer.linger.ms = many\n", 3, "librdkafka.linger.ms: Invalid value" },
    { "[kafka]\nlibrdkafka.consumer.check.crcs = maybe\n", 2, "librdkafka.check.crcs: Expected bool" },
    { "[kafka]\nlibrdkafka.consumer.group.id = g\n", 2, "set the option 'kafka.group' instead" },
    { "[kafka]\nlibrdkafka.partition.assignment.strategy = cooperative-sticky\n", 2, "is not supported" },
    { "[kafka]\nsession-ms = 0\n", 2, "kafka.session-ms: '0' is out of range" },
    { "[files]\n; a\nroll-bytes = 0\n", 3, "files.roll-bytes: '0' is out of range" },
    { "[dedup]\nthreshold = 7\n", 2, "dedup.threshold: '7' is out of range (expected 0 to 1)" },
    { "[kafka]\nmax-message = 9G\n", 2, "kafka.max-message: '9G' is out of range" },
    { "[spool]\npath = a\n[kafka]\nbrokers = b\n\ntopics = c\n", 6, "more than one input" },
    { "[files]\npath = a\n[kafka]\nbrokers = b\nrecords-topic = c\n", 5, "more than one output" },
    { "[kafka]\ntopics = c\n", 2, "no brokers" },
    { "[index]\npath = a\nbits = 9\n", 3, "index.bits is 9" },
    { "[index]\npath = a\n[run]\nformat = warc\n", 4, "cannot be combined with format warc" },
    { "[run]\nformat = minhash-sig\n[files]\npath = a\n", 2, "format minhash-sig is available only in run" },
    { "[run]\nresume = yes\n", 2, "resume needs --output" },
    { "[sketch]\nminhash = md5\n", 2, "md5" },
    { "[text]\nsegmenter = best\n", 2, "unknown segmenter 'best'" },
    { "[text]\n\nstrictness = sloppy\n", 3, "strictness is 'sloppy'" },
    { "[filter]\nurls =\nsince = yesterday\n", 3, "filter.since: 'yesterday' is not a date" },
    { "[filter]\nuntil = 20\n", 2, "filter.until: '20' is not a date (expected YYYY, YYYY-MM," },
    { "[filter]\nsince = 2025\nstatus = 200,2x2\n", 3, "filter.status: '2x2' is not a status" },
    { "[daemon]\ndelivery = exactly-once\n[kafka]\nbrokers = a\nrecords-topic = b\n", 2, "set transactional-id" },
    { "[kafka]\nbrokers = a\nrecords-topic = b\nbands-topic = c\nbands-bits = 3\n", 5, "expected 0, 4 or 8" },
    { "[kafka]\nbrokers = a\nrecords-topic = b\nbands-topic = c\nbands-bits = 4\nbands-signed = yes\n", 6, "bands-signed cannot be combined with bands-bits, because it sends complete signatures" },
    { "[sketch]\nminhash = paper\n[kafka]\nbrokers = a\nrecords-topic = b\nbands-topic = c\nbands-bits = 4\n", 7, "kafka.bands-bits: preset 'paper' does not have aligned slots; use paper-slots" },
    { "[kafka]\nbrokers = a\nrecords-topic = b\ntombstones = 410 x\n", 4, "kafka.tombstones: 'x' is not valid (expected an HTTP status or 'null')" },
    { "[spool]\npath = d\n[kafka]\nbrokers = a\ntombstones = null\n[files]\npath = e\n", 5, "tombstones needs records-topic" },
    { "[kafka]\nbrokers = a\nrecords-topic = b\nkey = id\ntombstones = null\n", 5, "tombstones needs key url or input, because each capture has its own id" },
    { "[run\njobs = 2\n", 1, "invalid line" },
    { "[files]\npath = a\nedges = yes\n", 3, "edges need an index" },
    { "[run]\nno line\njobs = 999\n", 2, "invalid line (expected [section], key = value or a comment)" },
    { "[run]\njobs = 999\nno line\n", 2, "jobs: '999' is out of range" },
    { "[kafka]\nsesion-ms = 4\n", 2, "did you mean 'session-ms'?" },
    { "[text]\nclassifer = x\n", 2, "did you mean 'classifier'?" },
    { "[run]\nnonsense = 1\n", 2, "nonsense" },
    { "[run]\nw-max = 60\n", 2, "belongs in section [text]" },
};
/* clang-format on */

static void files_are_refused_by_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_files / sizeof *bad_files; i++) {
        char path[] = "/tmp/thresher-conf-XXXXXX", want[64];
        th_settings settings;
        th_error err = { .text = "" };
        if (!th_kafka_is_built && strstr(bad_files[i].text, "[kafka]"))
            continue; /* refused before, and for that */
        FILE *file = fdopen(mkstemp(path), "w");
        assert_non_null(file);
        fputs(bad_files[i].text, file);
        (void)fclose(file);
        assert_int_equal(th_settings_init(&settings, NULL), TH_OK);
        th_status status = th_settings_load(&settings, path, NULL, &err);
        if (status == TH_OK)
            status = th_settings_check(&settings, &err);
        if (status == TH_OK)
            status = th_settings_check_daemon(&settings, false, &err);
        if (status == TH_OK)
            status = th_settings_load_filter(&settings, &err);
        (void)unlink(path);
        print_message("%s\n", err.text);
        assert_int_equal(status, TH_USAGE);
        (void)snprintf(want, sizeof want, "%s:%u: ", path, bad_files[i].line);
        assert_memory_equal(err.text, want, strlen(want));
        assert_non_null(strstr(err.text, bad_files[i].why));
        th_settings_done(&settings);
    }
}

/* Errors on the command line after the file are not errors of the file. */
static void the_command_line_has_no_line(void **state)
{
    (void)state;
    char path[] = "/tmp/thresher-conf-XXXXXX";
    th_settings settings;
    th_error err = { .text = "" };
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    fputs("[index]\nbits = 16\n", file);
    (void)fclose(file);
    assert_int_equal(th_settings_init(&settings, NULL), TH_OK);
    assert_int_equal(th_settings_load(&settings, path, NULL, &err), TH_OK);
    assert_int_equal(th_settings_check(&settings, &err), TH_OK);
    assert_int_equal(th_settings_set(&settings, "index.bits", "9", &err), TH_OK);
    assert_int_equal(th_settings_check(&settings, &err), TH_USAGE);
    assert_memory_equal(err.text, "index.bits is 9", 15);
    th_settings_done(&settings);
    (void)unlink(path);
}

static void keys_and_letters_are_used_once(void **state)
{
    (void)state;
    for (const th_option *a = th_option_table; a->key; a++) {
        assert_true(strlen(a->help) > 10);
        assert_int_equal(a->common & ~a->commands, 0);
        assert_ptr_equal(th_option_find(a->key), a);
        for (const th_option *b = a + 1; b->key; b++)
            assert_false(a->letter && a->letter == b->letter &&
                         (a->commands & b->commands));
    }
}

static void the_command_line_beats_the_file(void **state)
{
    (void)state;
    char path[] = "/tmp/thresher-conf-XXXXXX";
    const int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");
    assert_non_null(file);
    (void)fputs("[run]\njobs = 3\n; a comment\n[limits]\nmax-body = 1M\n", file);
    (void)fclose(file);
    char *argv[] = { "run", "-j", "7",        "in.warc", "-c",
                     path,  "-o", "w-max=60", "--quiet", NULL };
    th_settings settings;
    int first = 0;
    assert_int_equal(th_settings_init(&settings, NULL), TH_OK);
    assert_int_equal(th_settings_parse(&settings, TH_FOR_RUN, 9, argv, &first, NULL),
                     TH_OK);
    assert_int_equal(settings.jobs, 7);
    assert_int_equal(settings.page.max_body, 1 << 20);
    assert_int_equal(settings.page.w_max, 60);
    assert_true(settings.quiet);
    assert_int_equal(first, 8);
    assert_string_equal(argv[first], "in.warc");
    th_settings_done(&settings);
    (void)unlink(path);
}

static th_state sample_state(void)
{
    th_state sample = { .job = { UINT64_MAX, 1, 2 },
                        .next = { .input = 3,
                                  .offset = 12345678901,
                                  .skip = 7,
                                  .uoffset = 99,
                                  .dict_offset = UINT64_MAX },
                        .done_len = 8,
                        .pages_len = 1,
                        .side_len = { 2 },
                        .source = { .bytes_read = 5, .damaged = 6, .unreadable = 1 } };
    sample.counts.read = 10;
    sample.counts.emitted = 4;
    sample.counts.refused[TH_NOT_HTML] = 6;
    sample.counts.flagged[2] = 3;
    return sample;
}

static void an_earlier_name_sets_the_same_option(void **state)
{
    (void)state;
    for (const th_option_alias *alias = th_option_aliases; alias->old_key; alias++) {
        const th_option *option = th_option_find(alias->key);
        assert_non_null(option);
        assert_string_equal(option->key, alias->key);
        assert_ptr_equal(th_option_find(alias->old_key), option);
        assert_true(option->type != TH_OPTION_LIST && option->type != TH_OPTION_SWITCH);
    }
    th_settings settings;
    assert_int_equal(th_settings_init(&settings, NULL), TH_OK);
    assert_int_equal(th_settings_set(&settings, "sites.least", "7", NULL), TH_OK);
    assert_int_equal(settings.sites.min, 7);
    th_settings_done(&settings);
}

static void a_state_comes_back_or_is_refused(void **state)
{
    (void)state;
    char path[] = "/tmp/thresher-state-XXXXXX";
    (void)close(mkstemp(path));
    const th_state want = sample_state();
    th_state got;
    bool found = false;
    assert_int_equal(th_state_save(&want, path, NULL), TH_OK);
    assert_int_equal(th_state_load(&got, path, &found, NULL), TH_OK);
    assert_true(found);
    assert_memory_equal(&got, &want, sizeof got);
    /* Cut anywhere it is refused with the file's name, never believed. */
    FILE *file = fopen(path, "rb");
    char text[4096];
    const size_t len = fread(text, 1, sizeof text, file);
    (void)fclose(file);
    for (size_t cut = 0; cut + 1 < len; cut++) {
        th_error err = { .text = "" };
        file = fopen(path, "wb");
        (void)fwrite(text, 1, cut, file);
        (void)fclose(file);
        assert_int_equal(th_state_load(&got, path, &found, &err), TH_USAGE);
        assert_non_null(strstr(err.text, path));
    }
    (void)unlink(path);
    assert_int_equal(th_state_load(&got, path, &found, NULL), TH_OK);
    assert_false(found);
}

enum { ROWS = sizeof rows / sizeof *rows };

int main(void)
{
    enum { OTHERS = 8 };
    struct CMUnitTest tests[ROWS + OTHERS] = {
        cmocka_unit_test(every_default_is_valid_and_prints_back),
        cmocka_unit_test(numbers_end_at_their_ranges),
        cmocka_unit_test(names_are_the_owners),
        cmocka_unit_test(files_are_refused_by_line),
        cmocka_unit_test(the_command_line_has_no_line),
        cmocka_unit_test(keys_and_letters_are_used_once),
        cmocka_unit_test(the_command_line_beats_the_file),
        cmocka_unit_test(an_earlier_name_sets_the_same_option),
        cmocka_unit_test(a_state_comes_back_or_is_refused),
    };
    for (size_t i = 0; i < ROWS; i++)
        tests[i + OTHERS] = (struct CMUnitTest){ .name = rows[i].in,
                                                 .test_func = row_holds,
                                                 .initial_state = (void *)&rows[i] };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
