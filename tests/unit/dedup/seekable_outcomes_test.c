/* src/dedup/seekable_file.c: the end of random files, and records found in whole, changed
 * and foreign files, as a digest. The frames are not compressed, so that their bytes do not
 * depend on the version of zstd. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "dedup/seekable_file.h"
#include "outcomes.h"

enum { ROUNDS = 150, MOST_FRAMES = 12, IDS = 30 };

static char path[] = "/tmp/thresher-seekable-XXXXXX";

static int make_file(void **state)
{
    (void)state;
    const int fd = mkstemp(path);
    return fd >= 0 ? close(fd) : -1;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static void write_file(const th_buffer *bytes)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    if (bytes->len)
        assert_int_equal(fwrite(bytes->data, 1, bytes->len, out), bytes->len);
    assert_int_equal(fclose(out), 0);
}

static void put_number(th_buffer *out, uint64_t number, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        th_buffer_append_char(out, (char)(number >> 8 * i));
}

/* ---- frames ---- */

static void put_lines(struct outcomes *all, th_buffer *out)
{
    static const char *const odd[] = { "", "{}", "not JSON", "{\"id\":5}",
                                       "{\"schema\":\"thresher/9\",\"id\":\"r1\"}" };
    for (uint32_t i = below(all, 5); i; i--) {
        if (below(all, 12) == 0)
            th_buffer_append_text(out, odd[below(all, 5)]);
        else
            th_buffer_printf(out, "{\"schema\":\"thresher/1\",\"id\":\"r%" PRIu32 "\"}",
                             below(all, IDS));
        if (i > 1 || below(all, 9))
            th_buffer_append_char(out, '\n');
    }
}

/* A frame of one block that is stored as it is. Without its size if has_no_size. */
static void put_frame(const th_buffer *text, bool has_no_size, th_buffer *out)
{
    const uint32_t len = (uint32_t)text->len;
    put_number(out, UINT32_C(0xFD2FB528), 4);
    if (has_no_size) {
        put_number(out, 0, 1);
        put_number(out, 0x50, 1); /* window of 1 MiB */
    } else if (len < 256) {
        put_number(out, 0x20, 1);
        put_number(out, len, 1);
    } else {
        put_number(out, 0x60, 1);
        put_number(out, len - 256, 2);
    }
    put_number(out, len << 3 | 1, 3);
    th_buffer_append(out, text->data ? text->data : "", len);
}

/* The frames of a file, and the entries of a table. */
struct frames {
    th_buffer bytes, text;
    uint32_t stored[MOST_FRAMES], lens[MOST_FRAMES], count;
};

static void make_frames(struct outcomes *all, struct frames *frames)
{
    th_buffer_reset(&frames->bytes);
    frames->count = below(all, MOST_FRAMES + 1);
    const bool is_odd = below(all, 30) == 0;
    for (uint32_t i = 0; i < frames->count; i++) {
        const size_t before = frames->bytes.len;
        th_buffer_reset(&frames->text);
        put_lines(all, &frames->text);
        put_frame(&frames->text, is_odd && below(all, 4) == 0, &frames->bytes);
        frames->stored[i] = (uint32_t)(frames->bytes.len - before);
        frames->lens[i] = (uint32_t)frames->text.len;
    }
    assert_false(frames->bytes.has_failed || frames->text.has_failed);
}

/* ---- the end of a file ---- */

static th_status take_bytes(void *context, th_view bytes, th_error *err)
{
    (void)err;
    th_buffer_append_view(context, bytes);
    return TH_OK;
}

static th_status take_no_bytes(void *context, th_view bytes, th_error *err)
{
    (void)context;
    (void)bytes;
    return th_fail(err, TH_IO, "the disk is full");
}

/* Another writer's table, with checksums if has_sums, and no index. */
static void put_foreign_table(const struct frames *frames, bool has_sums, th_buffer *out)
{
    const uint32_t entry = has_sums ? 12 : 8;
    put_number(out, UINT32_C(0x184D2A5E), 4);
    put_number(out, frames->count * entry + 9, 4);
    for (uint32_t i = 0; i < frames->count; i++) {
        put_number(out, frames->stored[i], 4);
        put_number(out, frames->lens[i], 4);
        if (has_sums)
            put_number(out, i * 7919, 4);
    }
    put_number(out, frames->count, 4);
    put_number(out, has_sums ? 0x80 : 0, 1);
    put_number(out, UINT32_C(0x8F92EAB1), 4);
}

/* ---- finding ---- */

static th_status note_found(void *context, th_view line, th_error *err)
{
    struct outcomes *all = context;
    note_line(all, "  %.*s", (int)line.len, line.data);
    return below(all, 60) ? TH_OK : th_fail(err, TH_INTERRUPTED, "enough");
}

/* Without the path, which is random. */
static const char *words_of(const th_error *err)
{
    const char *name = strstr(err->text, path);
    return name ? name + strlen(path) : err->text;
}

static void find_records(struct outcomes *all)
{
    th_seekable_file *file = NULL;
    th_error err = { .text = "" };
    const th_status status = th_seekable_open(path, &file, &err);
    note_line(all, "open: %d: %s", status, words_of(&err));
    for (uint32_t i = 0; i < 6 && status == TH_OK; i++) {
        char id[16];
        uint64_t count = 0;
        err.text[0] = '\0';
        (void)snprintf(id, sizeof id, "r%" PRIu32, below(all, IDS + 2));
        const th_status got = th_seekable_get(file, (th_view){ id, strlen(id) },
                                              note_found, all, &count, &err);
        note_line(all, "get %s: %d: %" PRIu64 " %s", id, got, count, words_of(&err));
    }
    th_seekable_free(file);
}

/* Cuts the file, adds bytes, or changes a bit, often near its end. */
static void damage(struct outcomes *all, th_buffer *bytes)
{
    const uint32_t len = (uint32_t)bytes->len;
    const uint32_t kind = below(all, 6);
    const uint32_t last = len < 60 || below(all, 3) == 0 ? len : 60;
    const uint32_t at = last ? len - 1 - below(all, last) : 0;
    if (kind == 0)
        bytes->len = at;
    else if (kind == 1)
        th_buffer_append_text(bytes, "more");
    else if (len)
        bytes->data[at] = (char)(bytes->data[at] ^ 1 << below(all, 8));
}

/* Changes an item of the index: its frame, or its place among items of the same hash.
 * @param at  where the index begins */
static void spoil_index(struct outcomes *all, th_buffer *bytes, size_t at)
{
    enum { HEAD = 8 + 8 + 8, ITEM = 8 + 4, FRAME = 8 };
    if (bytes->len < at + HEAD)
        return;
    const uint32_t count = (unsigned char)bytes->data[at + 16];
    char *const items = bytes->data + at + HEAD;
    const bool is_swap = below(all, 2) != 0;
    for (uint32_t i = 0; is_swap && i + 1 < count; i++) {
        char *const item = items + (size_t)i * ITEM;
        if (memcmp(item, item + ITEM, FRAME) != 0)
            continue;
        char kept[ITEM];
        memcpy(kept, item, ITEM);
        memcpy(item, item + ITEM, ITEM);
        memcpy(item + ITEM, kept, ITEM);
    }
    if (!is_swap && count)
        items[(size_t)below(all, count) * ITEM + FRAME] = (char)below(all, MOST_FRAMES);
}

static void files_are_known(void **state)
{
    (void)state;
    struct outcomes all = { .chance = 71 };
    struct frames frames = { .count = 0 };
    th_buffer end = { 0 }, whole = { 0 };
    for (uint32_t round = 0; round < ROUNDS; round++) {
        th_error err = { .text = "" };
        make_frames(&all, &frames);
        write_file(&frames.bytes);
        th_buffer_reset(&end);
        const uint64_t less = below(&all, 12) ? 0 : 1 + below(&all, 9);
        const uint64_t len = frames.bytes.len < less ? 0 : frames.bytes.len - less;
        const bool is_full = below(&all, 20) == 0;
        const th_status status = th_seekable_end(
            path, len, "", is_full ? take_no_bytes : take_bytes, &end, &err);
        note_line(&all, "%" PRIu32 " frames of %zu bytes: %d: %s", frames.count,
                  frames.bytes.len, status, words_of(&err));
        note_view(&all, th_buffer_view(&end));
        for (unsigned i = 0; i < 8; i++) {
            th_buffer_reset(&whole);
            th_buffer_append_view(&whole, th_buffer_view(&frames.bytes));
            const bool is_own = below(&all, 3) != 0;
            if (is_own)
                th_buffer_append_view(&whole, th_buffer_view(&end));
            else
                put_foreign_table(&frames, below(&all, 2) != 0, &whole);
            if (i > 1 && i < 4 && is_own)
                spoil_index(&all, &whole, frames.bytes.len);
            else if (i > 1)
                damage(&all, &whole);
            assert_false(whole.has_failed);
            write_file(&whole);
            find_records(&all);
        }
    }
    th_buffer_done(&frames.bytes);
    th_buffer_done(&frames.text);
    th_buffer_done(&end);
    th_buffer_done(&whole);
    expect_digest(&all, UINT64_C(0x40814C6AAAF37537));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(files_are_known) };
    return cmocka_run_group_tests_name("seekable_outcomes", tests, make_file,
                                       remove_file);
}
