/* Files whose reads and writes transfer only a part of the bytes, or are interrupted:
 * the results equal the results of complete calls. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file_sink.h"
#include "base/scratch_file.h"
#include "ingest/spool_scene.h"
#include "parquet/parquet_file.h"
#include "spool/spool_claims.h"
#include "spool/spool_digest.h"
#include "spool/spool_id.h"
#include "spool/spool_ledger.h"

#include "outcomes.h"
#include "parquet/packed_text.h"

enum { BYTES = 300000, ENTRIES = 40 };

static struct outcomes all;
static bool is_short; /* the calls below are */

/* ---- calls ---- */

/* Returns how many of `len` bytes a call transfers; 0 if it is interrupted. */
static size_t part_of(size_t len)
{
    const uint32_t kind = is_short && len ? below(&all, 4) : 3;
    if (kind == 3)
        return len;
    return kind == 0 ? 0 : 1 + below(&all, (uint32_t)len);
}

#define SHORT_CALL(call, parameters, arguments)                                          \
    ssize_t __real_##call parameters;                                                    \
    ssize_t __wrap_##call parameters;                                                    \
    ssize_t __wrap_##call parameters                                                     \
    {                                                                                    \
        const size_t part = part_of(len);                                                \
        if (!part && len) {                                                              \
            errno = EINTR;                                                               \
            return -1;                                                                   \
        }                                                                                \
        len = part;                                                                      \
        return __real_##call arguments;                                                  \
    }

SHORT_CALL(read, (int fd, void *bytes, size_t len), (fd, bytes, len))
SHORT_CALL(write, (int fd, const void *bytes, size_t len), (fd, bytes, len))
SHORT_CALL(pread, (int fd, void *bytes, size_t len, off_t at), (fd, bytes, len, at))
SHORT_CALL(pwrite, (int fd, const void *bytes, size_t len, off_t at),
           (fd, bytes, len, at))

/* ---- files ---- */

static char folder[] = "/tmp/thresher-short-XXXXXX";
static char path[64];
static char bytes[BYTES];

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    (void)snprintf(path, sizeof path, "%s/file", folder);
    for (size_t i = 0; i < BYTES; i++)
        bytes[i] = (char)below(&all, 256);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    (void)unlink(path);
    return rmdir(folder);
}

static void expect_file(const char *want, size_t len)
{
    static char found[BYTES + 1];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(found, 1, sizeof found, file), len);
    assert_memory_equal(found, want, len);
    (void)fclose(file);
}

static void a_sink_has_all_bytes(void **state)
{
    th_file_sink *sink = NULL;
    uint64_t sums[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        is_short = i;
        assert_int_equal(th_file_sink_open(path, 0, &sink, NULL), TH_OK);
        assert_int_equal(th_file_sink_write(sink, (th_view){ bytes, 7 }, NULL), TH_OK);
        assert_int_equal(
            th_file_sink_write(sink, (th_view){ bytes + 7, BYTES - 7 }, NULL), TH_OK);
        assert_int_equal(th_file_sink_len(sink), BYTES);
        assert_int_equal(th_file_sink_sum(sink, BYTES - 5, &sums[i], NULL), TH_OK);
        assert_int_equal(th_file_sink_finish(sink, NULL), TH_OK);
        th_file_sink_free(sink);
        is_short = false;
        expect_file(bytes, BYTES);
    }
    assert_int_equal(sums[0], sums[1]);
    is_short = true;
    assert_int_equal(th_file_replace(path, (th_view){ bytes, 5000 }, NULL), TH_OK);
    is_short = false;
    expect_file(bytes, 5000);
}

static void a_scratch_file_gives_its_bytes(void **state)
{
    static char found[BYTES];
    th_scratch_file *file = NULL;
    (void)state;
    is_short = true;
    assert_int_equal(th_scratch_open(folder, &file, NULL), TH_OK);
    for (size_t at = 0, len; at < BYTES; at += len) {
        const size_t want = 1 + below(&all, 90000);
        len = want < BYTES - at ? want : BYTES - at;
        assert_int_equal(th_scratch_append(file, bytes + at, len, NULL), TH_OK);
        assert_int_equal(th_scratch_len(file), at + len);
        const size_t from = below(&all, (uint32_t)(at + len));
        const size_t count = at + len - from;
        assert_int_equal(th_scratch_read(file, from, found, count, NULL), TH_OK);
        assert_memory_equal(found, bytes + from, count);
    }
    is_short = false;
    th_scratch_free(file);
}

static bool never_pauses(void *context)
{
    (void)context;
    return false;
}

static void an_identity_is_of_all_bytes(void **state)
{
    th_spool_id ids[2];
    uint64_t checks[2], digests[2][2];
    (void)state;
    assert_int_equal(th_file_replace(path, (th_view){ bytes, BYTES }, NULL), TH_OK);
    for (int i = 0; i < 2; i++) {
        th_spool_id now = { .size = 0 };
        th_spool_digest *digest = th_spool_digest_new();
        const int fd = open(path, O_RDONLY);
        assert_true(fd >= 0 && digest);
        is_short = i;
        memset(&ids[i], 0, sizeof ids[i]);
        assert_true(th_spool_id_compute(fd, &ids[i]));
        assert_true(th_spool_id_check(fd, 200000, &checks[i]));
        th_spool_digest_begin(digest);
        assert_int_equal(
            th_spool_digest_step(digest, fd, BYTES, never_pauses, NULL, digests[i]),
            TH_OK);
        ids[i].written_ns--; /* so that it reads */
        assert_int_equal(th_spool_id_relate(fd, &ids[i], 200000, checks[0], &now),
                         TH_SPOOL_CONTINUED);
        is_short = false;
        th_spool_digest_free(digest);
        (void)close(fd);
    }
    assert_memory_equal(&ids[0], &ids[1], sizeof *ids);
    assert_int_equal(checks[0], checks[1]);
    assert_memory_equal(digests[0], digests[1], sizeof *digests);
}

static th_spool_ledger *open_ledger(const char *at)
{
    const th_spool_ledger_options options = { .path = at, .keep = 1000 };
    th_spool_ledger *ledger = NULL;
    assert_int_equal(th_spool_ledger_open(&options, &ledger, NULL), TH_OK);
    return ledger;
}

static void a_ledger_has_all_lines(void **state)
{
    struct scene scene;
    th_spool_entry entries[ENTRIES];
    (void)state;
    scene_begin(&scene);
    is_short = true;
    th_spool_ledger *ledger = open_ledger(scene.ledger);
    for (unsigned i = 0; i < ENTRIES; i++) {
        entries[i] = (th_spool_entry){ .id = { .device = 1, .inode = i + 1, .size = i },
                                       .state = TH_SPOOL_DONE,
                                       .records = below(&all, 1000) };
        (void)snprintf(entries[i].name, sizeof entries[i].name, "file %u.warc", i);
        assert_int_equal(
            th_spool_ledger_commit(ledger, &entries[i], 1, TH_VIEW("note"), NULL), TH_OK);
    }
    th_spool_ledger_close(ledger);
    ledger = open_ledger(scene.ledger);
    is_short = false;
    assert_int_equal(th_spool_ledger_damaged(ledger), 0);
    assert_int_equal(th_spool_ledger_count(ledger), ENTRIES);
    for (unsigned i = 0; i < ENTRIES; i++) {
        th_spool_entry found;
        assert_true(th_spool_ledger_find(ledger, &entries[i].id, &found));
        assert_int_equal(found.records, entries[i].records);
        assert_string_equal(found.name, entries[i].name);
    }
    th_spool_ledger_close(ledger);
    scene_end(&scene);
}

/* The list is written by complete calls. */
static void a_list_of_claims_is_read(void **state)
{
    const int dir_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    (void)state;
    assert_true(dir_fd >= 0);
    for (unsigned i = 0; i < 20; i++) {
        bool is_sole = i > 0;
        is_short = i > 0;
        const int claims = th_spool_claims_open(dir_fd, "host /a/ledger", &is_sole);
        is_short = false;
        assert_true(claims >= 0);
        assert_int_equal(is_sole, i > 0); /* the first one is not in it before */
        (void)close(claims);
    }
    assert_int_equal(unlinkat(dir_fd, ".thresher.claims", 0), 0);
    (void)close(dir_fd);
}

/* A row of the table: {"id": "ROW"}. */
static void add_row(th_parquet_file *file, unsigned row)
{
    char text[32];
    th_buffer packed = { 0 };
    (void)snprintf(text, sizeof text, "{\"id\":\"%u\"}", row);
    pack_text(text, &packed);
    assert_int_equal(th_parquet_add(file, th_buffer_view(&packed), NULL), TH_OK);
    assert_int_equal(th_parquet_settle(file, NULL), TH_OK);
    th_buffer_done(&packed);
}

/* Writes a table, with an interruption after row 30 if its reader's calls are short. */
static void write_table(bool is_continued)
{
    static const th_parquet_field fields[] = { { 0, "id", TH_PARQUET_TEXT, false } };
    const th_parquet_options options = { .fields = fields,
                                         .field_count = 1,
                                         .codec = TH_PARQUET_ZSTD,
                                         .row_group = 1,
                                         .created_by = "test" };
    char part[80];
    th_file_sink *sink = NULL;
    th_parquet_file *file = NULL;
    (void)snprintf(part, sizeof part, "%s" TH_PART_SUFFIX, path);
    assert_int_equal(th_file_sink_open(path, 0, &sink, NULL), TH_OK);
    assert_int_equal(th_parquet_open(&options, sink, part, &file, NULL), TH_OK);
    for (unsigned i = 0; i < 60; i++) {
        if (i == 30 && is_continued) {
            const uint64_t len = th_file_sink_len(sink);
            assert_true(th_parquet_is_settled(file));
            th_parquet_free(file);
            th_file_sink_free(sink);
            is_short = true;
            assert_int_equal(th_file_sink_open(path, len, &sink, NULL), TH_OK);
            assert_int_equal(th_parquet_open(&options, sink, part, &file, NULL), TH_OK);
        }
        add_row(file, i);
    }
    assert_int_equal(th_parquet_finish(file, NULL), TH_OK);
    assert_int_equal(th_file_sink_finish(sink, NULL), TH_OK);
    is_short = false;
    th_parquet_free(file);
    th_file_sink_free(sink);
}

static void a_table_is_continued(void **state)
{
    static char table[BYTES];
    (void)state;
    write_table(false);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t len = fread(table, 1, sizeof table, file);
    (void)fclose(file);
    write_table(true);
    expect_file(table, len);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sink_has_all_bytes),
        cmocka_unit_test(a_scratch_file_gives_its_bytes),
        cmocka_unit_test(an_identity_is_of_all_bytes),
        cmocka_unit_test(a_ledger_has_all_lines),
        cmocka_unit_test(a_list_of_claims_is_read),
        cmocka_unit_test(a_table_is_continued),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
