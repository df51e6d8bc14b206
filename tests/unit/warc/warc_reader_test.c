/*
 * The reader on one file per case of docs/warc.md (tests/data/warc, made by its make.py),
 * and properties of all of them.
 */
#include "warc/warc.h"
#include "warc/warc_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file, and the records of a reader: for each record the end of its id ("-" without
 * one), the length of its block and its diagnostics, then the diagnostics outside of records.
 * Then the number of diagnostics that are damage, and a digest. */
static const struct row {
    const char *file, *want;
    uint64_t damage;
    uint32_t outcomes; /* of `outcomes_are_known` */
} rows[] = {
    // clang-format off
    { "address_ends_in_version.warc",
      "1:59 2:59", 0, 0x2E5171B4 },
    { "bad_dates.warc",
      "1:59!date_format 2:59 3:59!date_format", 0, 0xB6F7A508 },
    { "blank_lines.warc",
      "1:59!terminator", 0, 0x839F272F },
    { "blanks_in_names.warc",
      "1:59 2:59", 0, 0x2900FCB5 },
    { "brackets.warc",
      "1:59!uri_angle_brackets!uri_space 2:59", 0, 0x373F5F5C },
    { "clipped_block.warc",
      "1:59 2:33!truncated_block", 1, 0x9E268265 },
    { "clipped_frame.warc.zst",
      "1:59 file!member_truncated", 1, 0 },
    { "clipped_gzip_header.warc.gz",
      "1:59 file!member_truncated", 1, 0x44E8ADCD },
    { "clipped_header.warc",
      "1:59 file!garbage_at_end file!header_eof", 2, 0x366EC91F },
    { "clipped_member.warc.gz",
      "1:59 2:3!member_truncated!truncated_block", 2, 0x24366A1C },
    { "clipped_trailer.warc.gz",
      "1:59 2:59!member_truncated", 1, 0xB5823EBD },
    { "crcrlf.warc",
      "1:59!crcrlf_line_ends 2:59!crcrlf_line_ends", 0, 0x61AD33AA },
    { "cut_before_blank_line.warc",
      "1:59 3:59!header_eof!garbage_before", 2, 0x7EFADFBF },
    { "cut_before_block.warc",
      "1:59 2:0!truncated_block 3:59 4:59", 1, 0x38B795E5 },
    { "cut_behind_warc.warc", /* its end is lost: the record within it counts */
      "1:0!truncated_block 2:59 3:59!garbage_before", 2, 0x32782770 },
    { "cut_by_three.warc",
      "1:59 2:56!truncated_block 3:59 4:59", 1, 0x02D82CF8 },
    { "cut_in_address.warc",
      "1:59 3:59!header_eof!garbage_before", 2, 0x62C65F7D },
    { "cut_in_block.warc",
      "1:59 2:363!truncated_block 3:59 4:59", 1, 0xCDA5D815 },
    { "cut_in_field_name.warc",
      "1:59 3:59!garbage_before", 1, 0xF6C0EA9F },
    { "cut_in_id.warc",
      "1:59 3:59!header_eof!garbage_before", 2, 0x2347B964 },
    { "cut_in_length.warc",
      "1:59 3:59!header_eof!garbage_before", 2, 0xA07274B8 },
    { "cut_in_raw_block.warc.zst",
      "1:59 3:59!member_damaged", 1, 0 },
    { "cut_in_stored_block.warc.gz",
      "1:59 2:1902!member_damaged!truncated_block 3:59 4:59", 2, 0xA528D6E5 },
    { "cut_in_stored_block_large.warc.gz",
      "1:59 2:3000!terminator_missing!member_damaged 3:6000!member_damaged!garbage_before 4:59", 2, 0xE8D3A59D },
    { "cut_in_version.warc",
      "1:59 3:59!garbage_before", 1, 0x3BF27237 },
    { "cut_length_far_away.warc",
      "1:33!truncated_block 2:59 3:59", 1, 0xD7D7D33B },
    { "cut_twice.warc",
      "1:59 2:43!truncated_block 3:43!truncated_block 4:59", 2, 0xDC514725 },
    { "damaged_block.warc.zst",
      "1:59 3:59!member_damaged!garbage_before", 2, 0 },
    { "damaged_block_header.warc.zst",
      "1:59 3:59!member_damaged", 1, 0 },
    { "damaged_checksum.warc.zst",
      "1:59 2:3000!member_damaged 3:59", 1, 0 },
    { "damaged_crc.warc.gz",
      "1:59 2:59!member_damaged 3:59", 1, 0x6E4DD417 },
    { "damaged_deflate_start.warc.gz",
      "1:59 3:59!member_damaged", 1, 0xF2BF9D2E },
    { "damaged_first_magic.warc.gz",
      "2:59!member_garbage 3:59", 1, 0xAF19FE75 },
    { "damaged_gzip_header.warc.gz",
      "1:59 3:59!member_garbage", 1, 0x34DAB03B },
    { "damaged_member.warc.gz",
      "1:59 2:3000!member_damaged 3:59", 1, 0xE067B965 },
    { "damaged_one_member.warc.gz",
      "1:3000 2:59!several_records_in_one_member!member_damaged", 1, 0x9297465A },
    { "dict_bad.warc.zst",
      "1:59!dict_bad", 1, 0 },
    { "dict_missing.warc.zst",
      "1:59 3:59!dict_missing", 1, 0 },
    { "dict_packed.warc.zst",
      "1:59 2:59 3:59", 0, 0 },
    { "dict_raw.warc.zst",
      "1:59 2:59 3:59", 0, 0 },
    { "dict_twice.warc.zst",
      "1:59 2:59 4:59 5:59", 0, 0 },
    { "dict_wrong.warc.zst",
      "3:59!dict_missing", 1, 0 },
    { "digests.warc",
      "0:3 1:3 2:3 3:3 4:3 5:3 6:3 7:3!block_digest_bad 8:3!block_digest_unknown_alg 9:3!block_digest_malformed 10:3!block_digest_malformed", 0, 0x0A2850FA },
    { "empty.warc",
      "", 0, 0x0 },
    { "empty_members.warc.gz",
      "1:59 2:59", 0, 0x159E9631 },
    { "extension_frames.warc.zst",
      "1:59 2:59", 0, 0 },
    { "folded.warc",
      "1:59!header_folded 2:59", 0, 0x053C94C6 },
    { "frame_alone.warc.zst",
      " file!dict_missing", 1, 0 },
    { "garbage_at_end.warc",
      "1:59 2:59 file!garbage_at_end", 1, 0x4B96E254 },
    { "garbage_at_start.warc",
      "1:59!garbage_before", 1, 0xCB955B3D },
    { "gzip_fields.warc.gz",
      "1:59 2:59", 0, 0x2278E1B8 },
    { "gzip_magic_at_start.warc.gz",
      "1:59!garbage_before 2:59", 1, 0x61FF7FC9 },
    { "gzip_of_gzip.warc.gz",
      "BAD_CONTAINER", 0, 0xD676670A },
    { "header_in_two_members.warc.gz",
      "1:59 2:59 3:59", 0, 0x02F83A2C },
    { "html.warc",
      " file!garbage_at_end file!not_warc", 2, 0x440D1C94 },
    { "isal_count_wraps.warc.gz",
      " file!member_damaged file!garbage_at_end file!not_warc", 3, 0x23E5A490 },
    { "junk_between.warc.gz",
      "1:59 2:59!member_garbage", 1, 0x0A2D7C06 },
    { "junk_between.warc.zst",
      "1:59 2:59!member_garbage", 1, 0 },
    { "length_2_63.warc",
      "1:59 2:63!truncated_block", 1, 0xED1386F6 },
    { "length_2_64.warc",
      "1:59 2:63!bad_content_length 3:59", 1, 0x5838A52F },
    { "length_absent.warc",
      "1:59 2:63!no_content_length 3:59", 1, 0x17BD1B57 },
    { "empty_after_damage.warc.gz", /* its empty stored block contains no member */
      "1:59 2:3110!member_damaged!truncated_block 3:59 5:59!member_damaged", 3, 0x3D61F6F5 },
    { "cut_at_stored_start.warc.gz", /* the next member is in its stored block, once */
      "2:59!member_damaged!garbage_before 3:59", 2, 0xA941DA40 },
    { "cut_before_stored_bytes.warc.gz", /* its stored block is not gzip in gzip */
      "2:59!member_damaged!garbage_before 3:59", 2, 0x33D2795D },
    { "inner_in_stored_block.warc.gz", /* record 4 is a part of record 2 */
      "1:959!terminator_missing!member_damaged 2:312!member_damaged!garbage_before 3:59", 2, 0xA6FE4FC9 },
    { "runs_into_stored_block.warc.gz", /* only the member of record 2 contains it */
      "1:59!member_damaged 2:59!member_damaged!garbage_before 3:59", 2, 0x8B3DD074 },
    { "damaged_crc_then_junk.warc.gz", /* record 1 is damaged */
      "1:59!member_damaged 2:59!member_damaged!garbage_before", 2, 0xCFB0D02E },
    { "two_cut_headers.warc", /* the first one ends in a value, the second one in a name */
      "1:59 3:59!header_eof!garbage_before", 2, 0xC00DD2FF },
    { "ends_at_blank_line.warc", /* the length ends before a blank line of record 2 */
      "1:5!truncated_block 2:59!header_eof!garbage_before 3:59", 3, 0x590A54D2 },
    { "ends_in_later_header.warc", /* the same in the header of record 3 */
      "1:201!truncated_block 2:59 3:59 5:59", 1, 0x69BCDA5E },
    { "frame_header_before_record.warc.zst", /* the frame is intact */
      "1:59 2:59!garbage_before", 1, 0 },
    { "noise_of_dictionary_frame.warc.zst", /* the noise ends in the next frame */
      "1:59 2:59!member_garbage 3:59", 1, 0 },
    { "noise_of_large_window.warc.zst", /* the same with a window that exceeds the limit */
      "1:59 2:359!member_garbage 3:59", 1, 0 },
    { "begins_with_colon.warc.gz", /* no ARC file */
      "2:59!member_garbage 3:59", 1, 0x74DC9EAD },
    { "magic_before_record.warc.zst",
      "1:68 2:59!several_records_in_one_member 3:59!several_records_in_one_member", 0, 0 },
    { "length_absent_no_line.warc", /* the next version line begins no line */
      "1:59 2:65!no_content_length 3:59", 1, 0x27491E49 },
    { "length_empty.warc",
      "1:59 2:63!bad_content_length 3:59", 1, 0xA3FA29A1 },
    { "length_signed.warc",
      "1:59 2:63!bad_content_length 3:63!bad_content_length 4:59", 2, 0xED9B1064 },
    { "length_tab.warc",
      "1:59 2:59", 0, 0xE27C2CA4 },
    { "length_too_large.warc",
      "1:63!truncated_block 2:59 3:59", 1, 0xC9DD52AA },
    { "length_too_small.warc",
      "1:20!terminator_missing 2:59!garbage_before", 1, 0xAED1F10C },
    { "length_too_small_lf.warc",
      "1:2!lf_line_ends!terminator_missing 2:2!garbage_before!lf_line_ends!terminator", 1, 0x323730BA },
    { "length_twice.warc",
      "1:59!dup 2:59", 0, 0xCF23062C },
    { "length_word.warc",
      "1:59 2:63!bad_content_length 3:59", 1, 0x1E81FD1C },
    { "length_wrong.arc",
      "-:77 -:9!terminator_missing -:59!garbage_before", 1, 0xFDFEF472 },
    { "lf_only.warc",
      "1:59!lf_line_ends!terminator 2:59!lf_line_ends!terminator", 0, 0xAE374F4E },
    { "lower_case.warc",
      "1:59!version_case 2:59", 0, 0x4D9B059B },
    { "lz4.warc",
      "BAD_CONTAINER", 0, 0x10EDE9E7 },
    { "no_blank_line.warc",
      "1:59 3:59!header_eof!garbage_before", 2, 0xC67BCDF8 },
    { "no_colon.warc",
      "1:59!header_no_colon 2:59", 1, 0xC54D889F },
    { "no_mandatory.warc",
      "-:3!no_type!no_record_id!no_date 2:59", 0, 0xC87E0C0F },
    { "not_utf8.warc",
      "1:59!header_not_utf8 2:59", 0, 0x73E14D0B },
    { "nothing.warc.gz",
      "", 0, 0xAB2ADE34 },
    { "nul_in_uri.warc",
      "1:59!header_nul 2:59", 0, 0xC06D6A93 },
    { "one_frame.warc.zst",
      "1:59 2:59!several_records_in_one_member 3:59!several_records_in_one_member", 0, 0 },
    { "one_member.warc.gz",
      "1:59 2:59!several_records_in_one_member 3:59!several_records_in_one_member", 0, 0x470891D9 },
    { "overrun_into_member.warc.gz",
      "1:63!truncated_block 2:59", 1, 0x3A87CB1F },
    { "record_in_two_frames.warc.zst",
      "1:59 2:59 3:59", 0, 0 },
    { "record_in_two_members.warc.gz",
      "1:59 2:59 3:59", 0, 0xB6F150E2 },
    { "repeated.warc",
      "1:59!dup 2:59", 0, 0x9B7745CD },
    { "terminator_lf.warc",
      "1:59!terminator 2:59", 0, 0xCAD25984 },
    { "terminator_none.warc",
      "1:59!terminator_missing 2:59!terminator_missing 3:59", 0, 0x045C9CBC },
    { "terminator_one.warc",
      "1:59!terminator 2:59", 0, 0x0AE686AD },
    { "terminator_three.warc",
      "1:59!terminator 2:59", 0, 0xA6CEAEB9 },
    { "three_frames.warc.zst",
      "1:59 2:59 3:59", 0, 0 },
    { "three_members.warc.gz",
      "1:59 2:59 3:59", 0, 0x4B9FFA90 },
    { "trailing_junk.warc.gz",
      "1:59 2:59 file!member_garbage", 1, 0x1E4D0A42 },
    { "two_records.arc",
      "-:77 -:59 -:59", 0, 0xDE1C504E },
    { "two_records.arc.gz",
      "-:77 -:59 -:59", 0, 0x7B66B049 },
    { "version_2.arc",
      "-:77 -:3 -:59", 0, 0x5104F5CE },
    { "version_line_at_start.warc.gz",
      "1:59!member_garbage 2:59", 1, 0x25DC2A06 },
    { "version_line_in_block.warc",
      "1:78 4:59", 0, 0xFA29E8DA },
    { "versions.warc",
      "0:59 1:59 2:59 3:59 4:59!version_unknown 5:59", 0, 0xDA2C686E },
    { "warc_in_stored_block_clipped.warc.gz",
      "1:59 2:2501!member_truncated!truncated_block", 2, 0x7EDD9FA7 },
    { "warc_in_warc.warc",
      "1:506 4:59", 0, 0x0A5A0515 },
    { "warc_in_warc_cut_terminator.warc",
      "1:506!terminator 4:59", 0, 0x6483106F },
    { "warc_in_warc_then_junk.warc",
      "1:506 4:59!garbage_before file!garbage_at_end", 2, 0x51E3760F },
    { "xz.warc",
      "BAD_CONTAINER", 0, 0x991E43BC },
    { "zero_length.warc",
      "1:0 2:0", 0, 0x883649E6 },
    { "zero_padding.warc.gz",
      "1:59 2:59 file!member_padding", 0, 0x3FF0343C },
    { "zeros_at_start.warc",
      "1:195!garbage_before 2:59", 1, 0xC95CF9D6 },
    { "zeros_between.warc",
      "1:59 2:59!garbage_before 3:59!garbage_before", 2, 0xCFD8E1C3 },
    { "zstd_magic_at_start.warc.zst",
      "1:59!garbage_before 2:59", 1, 0 },
    // clang-format on
};

/* A file in memory, of its exact size. */
static warc_view load(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/warc/%s", TH_DATA, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const long len = ftell(file);
    assert_true(len >= 0);
    rewind(file);
    char *data = malloc(len > 0 ? (size_t)len : 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, (size_t)len, file), len);
    fclose(file);
    return (warc_view){ data, (size_t)len };
}

static void unload(warc_view bytes)
{
    union {
        const char *data;
        void *memory;
    } view = { .data = bytes.data };
    free(view.memory);
}

static const struct trace_way at_once = { .step = SIZE_MAX };
static const struct trace_way byte_by_byte = { .step = 1, .is_pipe = true };

/* ---- what a reader makes of each file ---- */

static void add_diags(char *text, size_t capacity, const warc_record *record,
                      uint64_t *seen)
{
    for (size_t i = 0; i < warc_record_diag_count(record); i++) {
        const warc_diag_code code = warc_record_diag_at(record, i)->code;
        seen[code]++;
        const size_t len = strlen(text);
        snprintf(text + len, capacity - len, "!%s", warc_diag_name(code));
    }
}

static void add_record(char *text, size_t capacity, const warc_record *record)
{
    const warc_view id = warc_record_get(record, WARC_FIELD_RECORD_ID);
    size_t len = strlen(text);
    if (len > 0)
        text[len++] = ' ';
    if (id.data) {
        const char digits[3] = { id.data[id.len - 3], id.data[id.len - 2], 0 };
        snprintf(text + len, capacity - len, "%ld", strtol(digits, NULL, 10));
    } else {
        snprintf(text + len, capacity - len, "-");
    }
    len = strlen(text);
    snprintf(text + len, capacity - len, ":%" PRIu64, warc_record_block_len(record));
}

static void add_word(char *text, size_t capacity, const char *before, const char *word)
{
    const size_t len = strlen(text);
    snprintf(text + len, capacity - len, "%s%s%s", len > 0 || *before ? " " : "", before,
             word);
}

static void file_reads(void **state)
{
    const struct row *row = *state;
    const warc_view bytes = load(row->file);
    struct trickle trickle = { .bytes = bytes, .step = SIZE_MAX };
    warc_reader *reader = trace_open(&trickle, &at_once);
    warc_record *record = NULL;
    char got[1024] = "";
    uint64_t seen[WARC_DIAG_COUNT] = { 0 };
    warc_status status;
    while ((status = warc_reader_next(reader, &record, NULL)) == WARC_OK) {
        assert_int_equal(warc_reader_finish(reader, NULL), WARC_OK);
        add_record(got, sizeof got, record);
        add_diags(got, sizeof got, record, seen);
    }
    const warc_reader_stats *stats = warc_reader_get_stats(reader);
    for (int i = 0; i < WARC_DIAG_COUNT; i++)
        if (stats->diag_count[i] > seen[i])
            add_word(got, sizeof got, "file!", warc_diag_name((warc_diag_code)i));
    if (status != WARC_END)
        add_word(got, sizeof got, "", warc_status_name(status));
    assert_string_equal(got, row->want);
    assert_int_equal(stats->damage_count, row->damage);
    warc_reader_free(reader);
    unload(bytes);
}

/* ---- properties of every file ---- */

static void byte_by_byte_equals_at_once(void **state)
{
    const struct row *row = *state;
    const warc_view bytes = load(row->file);
    struct trace once, trickled;
    trace_all(&once, bytes, &at_once);
    trace_all(&trickled, bytes, &byte_by_byte);
    assert_string_equal(once.text, trickled.text);
    trace_done(&once);
    trace_done(&trickled);
    unload(bytes);
}

/* With a pause at any point, the records and the diagnostics are the same. */
static void paused_equals_at_once(void **state)
{
    static const struct trace_way ways[] = {
        { .step = SIZE_MAX, .pause_every = 1 },
        { .step = SIZE_MAX, .pause_every = 3 },
        { .step = SIZE_MAX, .is_slow = true },
        { .step = 4093, .pause_every = 2, .is_slow = true },
        { .step = 1, .is_pipe = true, .pause_every = 1, .is_slow = true },
    };
    const struct row *row = *state;
    const warc_view bytes = load(row->file);
    struct trace once;
    trace_all(&once, bytes, &at_once);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct trace paused;
        trace_all(&paused, bytes, &ways[i]);
        assert_string_equal(once.text, paused.text);
        assert_true(once.diags == paused.diags);
        assert_true(ways[i].pause_every != 1 || paused.pauses > 0);
        trace_done(&paused);
    }
    trace_done(&once);
    unload(bytes);
}

static void paused_seek_resumes(void **state)
{
    const struct trace_way step_by_step = { .step = 1000, .pause_every = 1 };
    const struct row *row = *state;
    const warc_view bytes = load(row->file);
    struct trace all, paused = { 0 };
    trace_all(&all, bytes, &at_once);
    trace_add(&paused, "");
    struct trickle steady_input = { .bytes = bytes, .step = SIZE_MAX };
    struct trickle input = { .bytes = bytes, .step = 1000, .is_slow = true };
    warc_reader *steady = trace_open(&steady_input, &at_once);
    warc_reader *pausing = trace_open_for(&paused, &input, &step_by_step);
    for (size_t n = all.count; n-- > 0;) {
        struct trace want = { 0 }, got = { 0 };
        trace_add(&want, "");
        trace_add(&got, "");
        /* A record that was given up leaks nothing. */
        (void)warc_reader_seek(pausing, &all.positions[all.count - 1 - n], NULL);
        assert_int_equal(trace_seek(steady, &all.positions[n]), WARC_OK);
        if (n % 2 == 0) /* else the following call continues it */
            assert_int_equal(trace_seek(pausing, &all.positions[n]), WARC_OK);
        else
            (void)warc_reader_seek(pausing, &all.positions[n], NULL);
        trace_rest(&want, steady, 2);
        trace_rest(&got, pausing, 2);
        assert_string_equal(got.text, want.text);
        trace_done(&want);
        trace_done(&got);
    }
    warc_reader_free(steady);
    warc_reader_free(pausing);
    trace_done(&paused);
    trace_done(&all);
    unload(bytes);
}

/* The part of a line that does not depend on the data before the record. */
static size_t fixed_len(const char *line)
{
    const size_t whole = strcspn(line, "\n");
    for (size_t i = 0; i + 1 < whole; i++) /* diagnostics begin at the first '@' word */
        if (line[i] == '@') {
            while (i > 0 && line[i] != ' ')
                i--;
            return i;
        }
    return whole;
}

static bool has_lead_in(const char *line)
{
    static const char *const words[] = { "garbage_before", "member_", "dict_",
                                         "header_eof", "damaged" };
    const size_t whole = strcspn(line, "\n");
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        const char *at = strstr(line, words[w]);
        if (at && (size_t)(at - line) < whole)
            return true;
    }
    return false;
}

static void assert_same_from(const struct trace *all, size_t n, const struct trace *rest)
{
    const char *want = all->text + all->lines[n];
    const char *got = rest->text + rest->lines[0];
    if (has_lead_in(want)) { /* the data before the record is not read again */
        const size_t len =
            fixed_len(got) < fixed_len(want) ? fixed_len(got) : fixed_len(want);
        assert_memory_equal(got, want, len);
        got += strcspn(got, "\n");
        want += strcspn(want, "\n");
    }
    assert_true(strlen(want) >= strlen(got));
    assert_memory_equal(got, want, strlen(got));
    assert_int_equal(rest->count, all->count - n);
}

static void seek_resumes(void **state)
{
    const struct row *row = *state;
    const warc_view bytes = load(row->file);
    struct trace all;
    trace_all(&all, bytes, &at_once);
    struct trickle shared_input = { .bytes = bytes, .step = SIZE_MAX };
    warc_reader *shared = trace_open(&shared_input, &at_once);
    for (size_t n = all.count;
         n-- > 0;) { /* backwards, with one reader and with fresh ones */
        struct trickle input = { .bytes = bytes, .step = SIZE_MAX };
        warc_reader *fresh = trace_open(&input, &at_once);
        warc_reader *readers[] = { shared, fresh };
        for (size_t r = 0; r < 2; r++) {
            struct trace rest = { 0 };
            trace_add(&rest, "");
            assert_int_equal(warc_reader_seek(readers[r], &all.positions[n], NULL),
                             WARC_OK);
            trace_rest(&rest, readers[r], SIZE_MAX);
            assert_true(rest.count > 0);
            assert_same_from(&all, n, &rest);
            trace_done(&rest);
        }
        warc_reader_free(fresh);
    }
    warc_reader_free(shared);
    trace_done(&all);
    unload(bytes);
}

static void every_prefix_ends(void **state)
{
    const struct row *row = *state;
    const warc_view bytes = load(row->file);
    const size_t step = bytes.len > 1000 ? bytes.len / 200 : 1;
    for (size_t len = 0; len < bytes.len; len += step) {
        char *copy = malloc(len > 0 ? len : 1);
        assert_non_null(copy);
        memcpy(copy, bytes.data, len);
        struct trace trace;
        trace_all(&trace, (warc_view){ copy, len }, &at_once);
        assert_true(trace.end == WARC_END || trace.end == WARC_BAD_CONTAINER);
        trace_done(&trace);
        free(copy);
    }
    unload(bytes);
}

/*
 * All outcomes of a file with a cut, with a changed byte, without a byte, and with one byte
 * more have one digest. A change of the reader that changes any of them shows here. Then
 * look at the change, and write the new digest into the row. zstd_outcomes_test.c has the
 * files of zstd.
 */
static void outcomes_are_known(void **state)
{
    const struct row *row = *state;
    if (strstr(row->file, ".zst")) {
        assert_int_equal(row->outcomes, 0);
        return;
    }
    const warc_view bytes = load(row->file);
    const uint32_t found = trace_outcomes(bytes);
    if (found != row->outcomes)
        fail_msg("%s: the digest of all outcomes is 0x%08" PRIX32 ", not 0x%08" PRIX32,
                 row->file, found, row->outcomes);
    unload(bytes);
}

/* ---- single claims ---- */

/* If any byte of a member is damaged, the records of the other members are complete.
 */
static void damage_costs_its_member(void **state)
{
    const warc_view bytes = load(*state);
    char *copy = malloc(bytes.len);
    assert_non_null(copy);
    for (size_t at = 0; at < bytes.len; at++) {
        memcpy(copy, bytes.data, bytes.len);
        copy[at] ^= 0x55;
        struct trace trace;
        trace_all(&trace, (warc_view){ copy, bytes.len }, &at_once);
        size_t whole = 0;
        for (size_t i = 0; i < trace.count; i++)
            whole += !has_lead_in(trace.text + trace.lines[i]) ||
                     strstr(trace.text + trace.lines[i], "block 59 ") != NULL;
        if (whole < 2)
            print_error("byte %zu damaged: %s\n", at, trace.text);
        assert_true(whole >= 2);
        trace_done(&trace);
    }
    free(copy);
    unload(bytes);
}

static void dictionary_from_elsewhere(void **state)
{
    (void)state;
    const warc_view bytes = load("frame_alone.warc.zst");
    const warc_view dictionary = load("frame_alone.dict");
    const struct trace_way way = { .step = SIZE_MAX, .dictionary = dictionary };
    struct trace trace;
    trace_all(&trace, bytes, &way);
    assert_int_equal(trace.count, 1);
    assert_int_equal(trace.damage, 0);
    trace_done(&trace);
    unload(bytes);
    unload(dictionary);
}

/* A dictionary that is as large as the limit is read. A larger one is skipped. */
static void a_dictionary_has_a_limit(void **state)
{
    (void)state;
    static const size_t steps[] = { 1, SIZE_MAX };
    const warc_view bytes = load("dict_raw.warc.zst");
    size_t len = 0; /* of the first frame */
    for (size_t i = 0; i < 4; i++)
        len |= (size_t)(unsigned char)bytes.data[4 + i] << 8 * i;
    for (size_t i = 0; i < 4; i++) {
        const bool is_less = i % 2;
        const struct trace_way way = { .step = steps[i / 2],
                                       .max_dictionary = len - is_less };
        struct trace trace;
        trace_all(&trace, bytes, &way);
        assert_int_equal(trace.count, is_less ? 0 : 3);
        assert_int_equal(trace.damage, is_less ? 4 : 0);
        if (is_less)
            assert_string_equal(trace.text, "END, 0 stray dict_missing=3 dict_bad=1");
        trace_done(&trace);
    }
    unload(bytes);
}

/* Bytes that begin as a dictionary, and then end too early. */
static void a_bad_dictionary_from_elsewhere(void **state)
{
    (void)state;
    const warc_view dictionary = load("frame_alone.dict");
    for (size_t len = 8; len < 64; len += 8) {
        warc_reader_options options;
        warc_reader *reader = NULL;
        warc_reader_options_init(&options);
        options.dictionary = (warc_view){ dictionary.data, len };
        char path[1024];
        snprintf(path, sizeof path, "%s/warc/frame_alone.warc.zst", TH_DATA);
        warc_record *record = NULL;
        warc_status status = warc_reader_open_path(path, &options, &reader, NULL);
        if (status == WARC_OK)
            status = warc_reader_next(reader, &record, NULL);
        assert_int_equal(status, WARC_BAD_ARGUMENT);
        warc_reader_free(reader);
    }
    unload(dictionary);
}

static warc_reader *open_file(const char *name, const warc_reader_options *options)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/warc/%s", TH_DATA, name);
    warc_reader *reader = NULL;
    assert_int_equal(warc_reader_open_path(path, options, &reader, NULL), WARC_OK);
    return reader;
}

static void assert_view(warc_view got, const char *want)
{
    assert_non_null(got.data);
    assert_int_equal(got.len, strlen(want));
    assert_memory_equal(got.data, want, got.len);
}

/* A block without following line ends is damaged, unless a record or the end follows. */
static void a_wrong_length_is_damage(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        bool is_damaged;
    } cases[] = {
        { "length_too_small.warc", true },
        { "cut_in_block.warc", false }, /* the first record is complete */
        { "terminator_none.warc", false },
        { "terminator_lf.warc", false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const warc_view bytes = load(cases[i].file);
        warc_reader *reader;
        warc_record *record;
        assert_int_equal(warc_reader_open_memory(bytes, NULL, &reader, NULL), WARC_OK);
        assert_int_equal(warc_reader_next(reader, &record, NULL), WARC_OK);
        assert_int_equal(warc_reader_finish(reader, NULL), WARC_OK);
        assert_int_equal(warc_record_is_damaged(record), cases[i].is_damaged);
        warc_reader_free(reader);
        unload(bytes);
    }
}

static void fields_are_found(void **state)
{
    (void)state;
    warc_reader *reader = open_file("folded.warc", NULL);
    warc_record *record = NULL;
    assert_int_equal(warc_reader_next(reader, &record, NULL), WARC_OK);
    assert_int_equal(warc_record_type(record), WARC_TYPE_RESPONSE);
    assert_view(warc_record_find(record, "x-LONG"), "one two three");
    assert_view(warc_record_find(record, "X-Empty"), "four");
    assert_view(warc_record_find(record, "X-None"), "");
    assert_null(warc_record_find(record, "X-Absent").data);
    assert_view(warc_record_get(record, WARC_FIELD_DATE), "2020-01-01T00:00:00Z");
    assert_true(warc_record_is_http(record));
    uint64_t length;
    assert_true(warc_record_content_length(record, &length));
    assert_int_equal(length, 59);
    assert_int_equal(warc_record_field_count(record), 8);
    assert_view(warc_record_field_at(record, 4).name, "X-Long");
    warc_reader_free(reader);

    reader = open_file("brackets.warc", NULL);
    assert_int_equal(warc_reader_next(reader, &record, NULL), WARC_OK);
    assert_view(warc_record_target_uri(record), "http://example.org/a b");
    warc_reader_free(reader);
}

static void arc_speaks_warc(void **state)
{
    (void)state;
    warc_reader *reader = open_file("version_2.arc", NULL);
    warc_record *record = NULL;
    assert_int_equal(warc_reader_next(reader, &record, NULL), WARC_OK);
    assert_true(warc_record_is_arc(record));
    assert_int_equal(warc_record_type(record), WARC_TYPE_WARCINFO);
    assert_int_equal(warc_reader_next(reader, &record, NULL), WARC_OK);
    assert_int_equal(warc_record_type(record), WARC_TYPE_RESPONSE);
    assert_view(warc_record_target_uri(record), "http://example.org/a b");
    assert_view(warc_record_get(record, WARC_FIELD_DATE), "2020-01-01T00:00:00Z");
    assert_view(warc_record_get(record, WARC_FIELD_IP_ADDRESS), "192.0.2.1");
    assert_view(warc_record_get(record, WARC_FIELD_IDENTIFIED_PAYLOAD_TYPE), "text/html");
    assert_true(warc_record_is_http(record));
    warc_reader_free(reader);
}

static void big_header_is_dropped(void **state)
{
    (void)state;
    warc_reader_options options;
    warc_reader_options_init(&options);
    options.max_header = 230; /* folded.warc has one of 246, then one of 190 */
    warc_reader *reader = open_file("folded.warc", &options);
    warc_record *record = NULL;
    assert_int_equal(warc_reader_next(reader, &record, NULL), WARC_OK);
    assert_int_equal(warc_record_position(record).offset, 309);
    const warc_reader_stats *stats = warc_reader_get_stats(reader);
    assert_int_equal(stats->diag_count[WARC_DIAG_HEADER_TOO_LARGE], 1);
    assert_int_equal(stats->dropped_headers, 1);
    assert_int_equal(warc_reader_next(reader, &record, NULL), WARC_END);
    warc_reader_free(reader);
}

/* 3 MiB without a line end after a version line: bounded, and the next record is found.
 */
static void endless_header_is_dropped(void **state)
{
    (void)state;
    static const char start[] = "WARC/1.0\r\nWARC-Type: ";
    static const char record_text[] = "\nWARC/1.0\nContent-Length: 1\n\nx\n\n";
    const size_t filler = 3 << 20;
    const size_t len = sizeof start - 1 + filler + sizeof record_text - 1;
    char *data = malloc(len);
    assert_non_null(data);
    memset(data, 'a', len);
    memcpy(data, start, sizeof start - 1);
    memcpy(data + len - (sizeof record_text - 1), record_text, sizeof record_text - 1);
    struct trace trace;
    trace_all(&trace, (warc_view){ data, len }, &at_once);
    assert_int_equal(trace.count, 1);
    assert_non_null(strstr(trace.text, "header_too_large"));
    trace_done(&trace);
    free(data);
}

static void fields_are_capped(void **state)
{
    (void)state;
    warc_reader_options options;
    warc_reader_options_init(&options);
    options.max_fields = 2;
    warc_reader *reader = open_file("three_members.warc.gz", &options);
    warc_record *record = NULL;
    assert_int_equal(warc_reader_next(reader, &record, NULL), WARC_OK);
    assert_int_equal(warc_record_field_count(record), 2);
    assert_int_equal(warc_record_diag_at(record, 0)->code, WARC_DIAG_TOO_MANY_FIELDS);
    uint64_t length; /* also searched after the cap, because the frame depends on it */
    assert_true(warc_record_content_length(record, &length));
    assert_int_equal(warc_reader_next(reader, &record, NULL), WARC_OK);
    warc_reader_free(reader);
}

static void read_equals_chunk(void **state)
{
    (void)state;
    struct trace pauses = { .pause_every = 1 };
    warc_reader_options options;
    warc_reader_options_init(&options);
    options.should_pause = trace_should_pause;
    options.pause_context = &pauses;
    warc_reader *reader = open_file("damaged_member.warc.gz", &options);
    warc_record *record = NULL;
    warc_status status;
    while ((status = warc_reader_next(reader, &record, NULL)) == WARC_PAUSED)
        ;
    assert_int_equal(status, WARC_OK);
    char buffer[7];
    char text[128] = "";
    size_t got, len = 0;
    do {
        status = warc_reader_read(reader, buffer, sizeof buffer, &got, NULL);
        memcpy(text + len, buffer, got); /* of a pause too */
        len += got;
    } while (status == WARC_OK || status == WARC_PAUSED);
    assert_int_equal(status, WARC_END);
    assert_int_equal(len, 59);
    assert_memory_equal(text + 45, "body number 1\n", 14);
    warc_reader_free(reader);
}

/* An input without end, of one byte. */
static warc_status endless_read(void *context, char *buffer, size_t capacity, size_t *got)
{
    memset(buffer, *(const char *)context, capacity);
    *got = capacity;
    return WARC_OK;
}

/* A record that never ends is left after this number of steps. */
static void endless_garbage_pauses(void **state)
{
    (void)state;
    static const char bytes[] = { 0, '\n', 'W', '\x1f', '\x28' };
    for (size_t i = 0; i < sizeof bytes; i++) {
        char byte = bytes[i];
        struct trace pauses = { .pause_every = 100 };
        const warc_input input = { &byte, endless_read, NULL, NULL };
        warc_reader_options options;
        warc_reader_options_init(&options);
        options.should_pause = trace_should_pause;
        options.pause_context = &pauses;
        warc_reader *reader = NULL;
        warc_record *record = NULL;
        assert_int_equal(warc_reader_open(&input, &options, &reader, NULL), WARC_OK);
        for (uint64_t n = 1; n <= 5; n++) {
            assert_int_equal(warc_reader_next(reader, &record, NULL), WARC_PAUSED);
            assert_int_equal(pauses.pauses, n);
        }
        assert_true(warc_reader_tell(reader) <= (uint64_t)600 * 400000);
        warc_reader_free(reader);
    }
}

/* Opening a FIFO does not wait for its writer, reading it does, and asks meanwhile. */
static void a_fifo_without_writer_pauses(void **state)
{
    (void)state;
    char folder[] = "/tmp/warc_reader_test.XXXXXX";
    char path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/fifo", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    struct trace pauses = { .pause_every = 2 };
    warc_reader_options options;
    warc_reader_options_init(&options);
    options.should_pause = trace_should_pause;
    options.pause_context = &pauses;
    warc_reader *reader = NULL;
    warc_record *record = NULL;
    assert_int_equal(warc_reader_open_path(path, &options, &reader, NULL), WARC_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(warc_reader_next(reader, &record, NULL), WARC_PAUSED);
    const int writer = open(path, O_WRONLY | O_NONBLOCK);
    assert_true(writer >= 0);
    assert_int_equal(warc_reader_next(reader, &record, NULL), WARC_PAUSED);
    static const char text[] = "WARC/1.1\r\nContent-Length: 0\r\n\r\n\r\n\r\n";
    assert_int_equal(write(writer, text, sizeof text - 1), sizeof text - 1);
    close(writer);
    warc_status status;
    while ((status = warc_reader_next(reader, &record, NULL)) == WARC_PAUSED)
        ;
    assert_int_equal(status, WARC_OK);
    warc_reader_free(reader);
    unlink(path);
    rmdir(folder);
}

static void a_pipe_cannot_seek(void **state)
{
    (void)state;
    const warc_view bytes = load("three_members.warc.gz");
    struct trickle trickle = { .bytes = bytes, .step = SIZE_MAX };
    warc_reader *reader = trace_open(&trickle, &byte_by_byte);
    const warc_position start = { 0 };
    assert_int_equal(warc_reader_seek(reader, &start, NULL), WARC_CANNOT_SEEK);
    warc_record *record = NULL;
    assert_int_equal(warc_reader_next(reader, &record, NULL),
                     WARC_OK); /* and continues */
    warc_reader_free(reader);
    unload(bytes);
}

static void index_numbers_reach_a_record(void **state)
{
    (void)state;
    warc_reader *reader = open_file("dict_raw.warc.zst", NULL);
    const warc_position place = { 648, 0, WARC_NO_OFFSET, WARC_NO_OFFSET };
    warc_record *record = NULL;
    assert_int_equal(warc_reader_seek(reader, &place, NULL), WARC_OK);
    assert_int_equal(warc_reader_next(reader, &record, NULL), WARC_OK);
    assert_view(warc_record_target_uri(record), "http://example.org/2");
    const warc_position beyond = { 1 << 20, 0, WARC_NO_OFFSET, WARC_NO_OFFSET };
    assert_int_equal(warc_reader_seek(reader, &beyond, NULL), WARC_OK);
    assert_int_equal(warc_reader_next(reader, &record, NULL), WARC_END);
    warc_reader_free(reader);
}

static void digests_are_checked(void **state)
{
    (void)state;
    warc_reader_options options;
    warc_reader_options_init(&options);
    options.verify_digests = true;
    warc_reader *reader = open_file("digests.warc", &options);
    warc_record *record = NULL;
    static const char *const want[] = { "ok",          "ok",        "ok",       "ok",
                                        "ok",          "ok",        "ok",       "bad",
                                        "unknown_alg", "malformed", "malformed" };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        assert_int_equal(warc_reader_next(reader, &record, NULL), WARC_OK);
        assert_int_equal(warc_reader_finish(reader, NULL), WARC_OK);
        assert_string_equal(warc_digest_result_name(warc_record_block_digest(record)),
                            want[i]);
    }
    warc_reader_free(reader);
}

static void bad_options_are_refused(void **state)
{
    (void)state;
    warc_reader_options options;
    warc_reader_options_init(&options);
    options.max_window_log = 99;
    warc_reader *reader = NULL;
    warc_error error;
    assert_int_equal(
        warc_reader_open_memory((warc_view){ "", 0 }, &options, &reader, &error),
        WARC_BAD_ARGUMENT);
    assert_null(reader);
    assert_int_equal(warc_reader_open_path("/nonexistent/x", NULL, &reader, &error),
                     WARC_IO);
    assert_non_null(strstr(error.text, "/nonexistent/x"));
    assert_int_equal(warc_reader_open_path("/", NULL, &reader, &error), WARC_IO);
}

static void options_of_other_sizes(void **state)
{
    (void)state;
    const warc_view nothing = { "", 0 };
    warc_reader *reader = NULL;
    struct {
        warc_reader_options now;
        char later[8];
    } options;
    memset(&options, 0x55, sizeof options);
    warc_reader_options_init_sized(&options.now, sizeof options); /* a newer program */
    assert_int_equal(options.now.size, sizeof options);
    assert_int_equal(options.now.max_fields, 16384);
    assert_int_equal(options.later[7], 0);
    assert_int_equal(warc_reader_open_memory(nothing, &options.now, &reader, NULL),
                     WARC_BAD_ARGUMENT);
    options.now.size = 0; /* as without a call */
    assert_int_equal(warc_reader_open_memory(nothing, &options.now, &reader, NULL),
                     WARC_BAD_ARGUMENT);
    assert_null(reader);

    /* An older program has a smaller struct, and no byte after it is written. */
    memset(&options, 0x55, sizeof options);
    const size_t less = offsetof(warc_reader_options, diag_context);
    warc_reader_options_init_sized(&options.now, less);
    assert_int_equal(((const char *)&options)[less], 0x55);
    assert_int_equal(options.now.size, less);
}

static warc_status failing_read(void *context, char *buffer, size_t capacity, size_t *got)
{
    struct trickle *trickle = context;
    if (trickle->at == trickle->bytes.len)
        return WARC_IO;
    return trickle_read(context, buffer, capacity, got);
}

/* After the records that came before it. */
static void an_io_error_stops(void **state)
{
    (void)state;
    const warc_view bytes = load("three_members.warc.gz");
    struct trickle trickle = { .bytes = bytes, .step = SIZE_MAX };
    const warc_input input = { &trickle, failing_read, NULL, NULL };
    warc_reader *reader = NULL;
    warc_record *record = NULL;
    warc_error error;
    assert_int_equal(warc_reader_open(&input, NULL, &reader, NULL), WARC_OK);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(warc_reader_next(reader, &record, &error), WARC_OK);
    assert_int_equal(warc_reader_next(reader, &record, &error), WARC_IO);
    assert_int_equal(warc_reader_next(reader, &record, &error), WARC_IO); /* and stays */
    assert_int_equal(error.status, WARC_IO);
    warc_reader_free(reader);
    unload(bytes);
}

enum { ROWS = sizeof rows / sizeof *rows, PROPERTIES = 7 };

static void *state_of(const void *constant)
{
    union {
        const void *constant;
        void *state;
    } view = { .constant = constant };
    return view.state;
}

int main(void)
{
    static const struct {
        const char *name;
        CMUnitTestFunction test;
    } properties[PROPERTIES] = {
        { "reads", file_reads },
        { "byte by byte", byte_by_byte_equals_at_once },
        { "paused", paused_equals_at_once },
        { "seek with pauses", paused_seek_resumes },
        { "seek", seek_resumes },
        { "prefixes", every_prefix_ends },
        { "outcomes", outcomes_are_known },
    };
    static const char gzip_members[] = "three_members.warc.gz";
    static const char zstd_frames[] = "three_frames.warc.zst";
    const struct CMUnitTest claims[] = {
        { "gzip: damage costs its member", damage_costs_its_member, NULL, NULL,
          state_of(gzip_members) },
        { "zstd: damage costs its frame", damage_costs_its_member, NULL, NULL,
          state_of(zstd_frames) },
        cmocka_unit_test(a_dictionary_has_a_limit),
        cmocka_unit_test(dictionary_from_elsewhere),
        cmocka_unit_test(a_bad_dictionary_from_elsewhere),
        cmocka_unit_test(a_wrong_length_is_damage),
        cmocka_unit_test(fields_are_found),
        cmocka_unit_test(arc_speaks_warc),
        cmocka_unit_test(big_header_is_dropped),
        cmocka_unit_test(endless_header_is_dropped),
        cmocka_unit_test(fields_are_capped),
        cmocka_unit_test(read_equals_chunk),
        cmocka_unit_test(endless_garbage_pauses),
        cmocka_unit_test(a_fifo_without_writer_pauses),
        cmocka_unit_test(a_pipe_cannot_seek),
        cmocka_unit_test(index_numbers_reach_a_record),
        cmocka_unit_test(digests_are_checked),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(options_of_other_sizes),
        cmocka_unit_test(an_io_error_stops),
    };
    static struct CMUnitTest tests[ROWS * PROPERTIES];
    static char names[ROWS * PROPERTIES][96];
    for (size_t i = 0; i < ROWS * PROPERTIES; i++) {
        const struct row *row = &rows[i / PROPERTIES];
        snprintf(names[i], sizeof names[i], "%s: %s", row->file,
                 properties[i % PROPERTIES].name);
        tests[i] = (struct CMUnitTest){ names[i], properties[i % PROPERTIES].test, NULL,
                                        NULL, state_of(row) };
    }
    const int failed = cmocka_run_group_tests_name("files", tests, NULL, NULL);
    return failed + cmocka_run_group_tests_name("claims", claims, NULL, NULL);
}
