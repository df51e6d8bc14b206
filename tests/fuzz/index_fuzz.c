/*
 * The files of an index with any bytes. The first byte selects the part for the rest: an
 * entry, a journal, a sealed table, the states. Journals and tables are tried unchanged and
 * with correct checksums, because damage rarely passes the checksum.
 */
#include "fuzz_target.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "index/index_state.h"
#include "index/sealed_table.h"

enum { NUMBER = 7, JOURNAL_HEAD = 64, TABLE_HEAD = 4096 };

static th_index_scheme scheme;
static char path[] = "/tmp/thresher-fuzz-index-XXXXXX";

static void expect(bool holds)
{
    if (!holds)
        abort();
}

/* Reads all that an entry which passed its check points to. */
static uint64_t read_entry(const th_index_entry *entry)
{
    const th_view id = th_entry_id(&scheme, entry), url = th_entry_url(&scheme, entry);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < scheme.text_count; i++)
        sum += th_index_keys_in_common(&scheme, entry, entry, i);
    for (size_t i = 0; i < id.len; i++)
        sum += (unsigned char)id.data[i];
    for (size_t i = 0; i < url.len; i++)
        sum += (unsigned char)url.data[i];
    if (!(entry->flags & TH_ENTRY_SHORT)) {
        for (uint32_t i = 0; i < scheme.text_count; i++) {
            const uint8_t *signature = th_entry_signature(&scheme, entry, i);
            const th_index_likeness like = th_index_compare(
                &scheme, signature, entry->slots[i], signature, entry->slots[i]);
            expect(like.equal == scheme.preset.slots && like.jaccard == 1);
        }
    }
    return sum;
}

static void try_entry(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1); /* exact, so that a sanitizer sees its end */
    expect(copy != NULL);
    memcpy(copy, data, size);
    const th_index_entry *entry = (const void *)copy;
    if (th_index_entry_fits(&scheme, entry, size))
        (void)read_entry(entry);
    free(copy);
}

static void write_at(int fd, const void *bytes, size_t len, off_t offset)
{
    expect(pwrite(fd, bytes, len, offset) == (ssize_t)len);
}

static th_status visit(void *context, th_entry_ref ref, const th_index_entry *entry)
{
    uint64_t *count = context;
    expect(ref > 0);
    (void)read_entry(entry);
    ++*count;
    return TH_OK;
}

/* Sets the checksum of every run of bytes right that says how long an entry it is. */
static void set_checksums(uint8_t *data, size_t size, uint64_t seed)
{
    th_index_entry entry;
    for (size_t at = 0; size >= sizeof entry && at <= size - sizeof entry;) {
        memcpy(&entry, data + at, sizeof entry);
        if (entry.len < sizeof entry || entry.len > size - at || entry.len % 8) {
            at += 8;
            continue;
        }
        entry.checksum = XXH3_64bits_withSeed(data + at + 8, entry.len - 8,
                                              seed ^ (JOURNAL_HEAD + at));
        memcpy(data + at, &entry, sizeof entry.checksum);
        at += entry.len;
    }
}

static void try_journal(const uint8_t *data, size_t size)
{
    th_journal_head head = { .number = NUMBER,
                             .scheme = th_index_scheme_digest(&scheme) };
    th_journal *journal = NULL;
    uint64_t count = 0, damaged = 0;
    expect(th_journal_create(path, &head, &scheme, &journal, NULL) == TH_OK);
    th_journal_free(journal);
    uint8_t *copy = malloc(size ? size : 1);
    expect(copy != NULL);
    memcpy(copy, data, size);
    if (size && data[0] & 1)
        set_checksums(copy, size, (uint64_t)NUMBER << 48 ^ head.scheme);
    const int fd = open(path, O_WRONLY);
    expect(fd >= 0);
    write_at(fd, copy, size, JOURNAL_HEAD);
    (void)close(fd);
    free(copy);
    expect(th_journal_open(path, &head, &scheme, UINT64_MAX, true, &journal, NULL) ==
           TH_OK);
    expect(th_journal_walk(journal, visit, &count, &damaged) == TH_OK);
    expect(count || damaged || size < 8);
    th_journal_free(journal);
}

/* The head of a table of 1,000 keys, and whatever for a body. */
static void try_table(const uint8_t *data, size_t size)
{
    static const size_t body_at = 56, checksum_at = 64; /* in the head */
    th_sealed_head head = { .number = NUMBER, .journal_len = 4096 };
    th_slot_table slots = { 0 };
    th_sealed_table sealed;
    th_entry_ref refs[TH_BUCKET_MAX];
    uint8_t *file = NULL;
    expect(th_slot_table_reserve(&slots, 1000) == TH_OK);
    for (uint32_t i = 1; i <= 1000; i++)
        expect(
            th_slot_table_insert(&slots, (th_index_key)i * 0x9E3779B9u, (th_entry_ref)i));
    expect(th_sealed_table_write(path, &head, &slots, NULL) == TH_OK);
    th_slot_table_done(&slots);
    const int fd = open(path, O_RDWR);
    const off_t len = lseek(fd, 0, SEEK_END);
    expect(fd >= 0 && len > TABLE_HEAD && (file = malloc((size_t)len)));
    expect(pread(fd, file, (size_t)len, 0) == len);
    for (size_t i = TABLE_HEAD; size && i < (size_t)len; i++)
        file[i] = data[i % size];
    const uint64_t body = XXH3_64bits(file + TABLE_HEAD, (size_t)len - TABLE_HEAD);
    memcpy(file + body_at, &body, sizeof body);
    const uint64_t checksum = XXH3_64bits(file, checksum_at);
    memcpy(file + checksum_at, &checksum, sizeof checksum);
    write_at(fd, file, (size_t)len, 0);
    (void)close(fd);
    free(file);
    expect(th_sealed_table_open(path, &head, &sealed, NULL) == TH_OK);
    for (th_index_key key = 1; key < 64; key++)
        expect(th_slot_table_find(&sealed.table, key << 26, refs) <= TH_BUCKET_MAX);
    th_sealed_table_close(&sealed);
}

static void try_states(const uint8_t *data, size_t size)
{
    th_index_states states;
    const int fd = open(path, O_WRONLY | O_TRUNC | O_CREAT, 0600);
    expect(fd >= 0);
    write_at(fd, data, size, 0);
    (void)close(fd);
    expect(th_index_states_load(&states, path, NULL) == TH_DAMAGED);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const tries[])(const uint8_t *, size_t) = { try_entry, try_journal,
                                                              try_table, try_states };
    if (!scheme.preset.slots) {
        const int fd = mkstemp(path);
        expect(fd >= 0);
        (void)close(fd);
        expect(th_index_scheme_init(&scheme, th_minhash_find("modern"), TH_SIGN_DISTINCT,
                                    TH_SIGN_MAIN, 8, NULL) == TH_OK);
    }
    if (size)
        tries[data[0] % 4](data + 1, size - 1);
    (void)unlink(path);
    return 0;
}
