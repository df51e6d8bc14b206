/* Progress of a spool as rows. See the header. */
#include "spool/spool_rows.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/array.h"

enum {
    MAX_WITHDRAWN = 10000,
    MAX_KEY = 80, /* bytes of a key: at most four numbers of 16 digits */
    MIN_SLOTS = 64
};

struct th_spool_row_key {
    uint64_t device, inode;
    uint64_t size, head; /* in an earlier version's key */
    int64_t written_ns;
    uint64_t tail;
    bool is_old;
    bool is_void; /* cancelled */
};

void th_spool_rows_done(th_spool_rows *rows)
{
    free(rows->keys);
    free(rows->slots);
    *rows = (th_spool_rows){ .keys = NULL };
}

static void write_key(const struct th_spool_row_key *key, th_buffer *out)
{
    th_buffer_printf(out, "%llx-%llx", (unsigned long long)key->device,
                     (unsigned long long)key->inode);
    if (key->is_old)
        th_buffer_printf(out, "-%llx-%llx", (unsigned long long)key->size,
                         (unsigned long long)key->head);
}

static struct th_spool_row_key key_of(const th_spool_id *id, bool is_old)
{
    return (struct th_spool_row_key){ .device = id->device,
                                      .inode = id->inode,
                                      .size = id->size,
                                      .head = id->head,
                                      .written_ns = id->written_ns,
                                      .tail = id->tail,
                                      .is_old = is_old };
}

void th_spool_row_write(const th_spool_entry *entry, th_buffer *out)
{
    const struct th_spool_row_key key = key_of(&entry->id, false);
    write_key(&key, out);
    th_buffer_append_char(out, '\t');
    th_spool_id_write(&entry->id, out);
    th_buffer_append_char(out, ' ');
    th_spool_entry_write(entry, out);
    th_buffer_append_char(out, '\n');
}

/* Numbers of a key: one more than its dashes. */
static size_t count_numbers(th_view key)
{
    size_t count = 1;
    for (size_t i = 0; i < key.len; i++)
        count += key.data[i] == '-';
    return count;
}

bool th_spool_row_read(th_view key, th_view value, th_spool_entry *entry, bool *is_old)
{
    if (!key.data || !value.data)
        return false;
    *is_old = count_numbers(key) == 4;
    if (*is_old)
        return th_spool_id_read(key, &entry->id) && th_spool_entry_read(value, entry);
    const char *end = memchr(value.data, ' ', value.len);
    if (count_numbers(key) != 2 || !end)
        return false;
    const size_t len = (size_t)(end - value.data);
    return th_spool_id_read((th_view){ value.data, len }, &entry->id) &&
           th_spool_entry_read((th_view){ end + 1, value.len - len - 1 }, entry);
}

/* ---- keys to withdraw ---- */

static bool is_same_key(const struct th_spool_row_key *a,
                        const struct th_spool_row_key *b)
{
    return a->device == b->device && a->inode == b->inode && a->is_old == b->is_old &&
           (!a->is_old || (a->size == b->size && a->head == b->head));
}

/* Returns the slot of a key, or the free slot where it belongs. */
static uint32_t *slot_of(const th_spool_rows *rows, const struct th_spool_row_key *key)
{
    const uint64_t numbers[4] = { key->device, key->inode, key->is_old ? key->size : 0,
                                  key->is_old ? key->head : 0 };
    size_t at = (size_t)XXH3_64bits(numbers, sizeof numbers) & (rows->slot_count - 1);
    while (rows->slots[at] && !is_same_key(&rows->keys[rows->slots[at] - 1], key))
        at = (at + 1) & (rows->slot_count - 1);
    return &rows->slots[at];
}

/* The last of several equal keys counts. */
static void index_key(th_spool_rows *rows, size_t index)
{
    uint32_t *slot = slot_of(rows, &rows->keys[index]);
    if (*slot)
        rows->keys[*slot - 1].is_void = true;
    *slot = (uint32_t)(index + 1);
}

static void drop_index(th_spool_rows *rows)
{
    free(rows->slots);
    rows->slots = NULL;
    rows->slot_count = 0;
}

/* Makes the index, at least twice as large as the keys. False if out of memory, or if
 * there are too many keys. */
static bool make_index(th_spool_rows *rows)
{
    size_t count = MIN_SLOTS;
    while (count < 2 * rows->capacity)
        count *= 2;
    drop_index(rows);
    rows->slots = count < UINT32_MAX ? calloc(count, sizeof *rows->slots) : NULL;
    if (!rows->slots)
        return false;
    rows->slot_count = count;
    for (size_t i = 0; i < rows->count; i++)
        index_key(rows, i);
    return true;
}

static bool read_key(th_view text, struct th_spool_row_key *key)
{
    char whole[MAX_KEY + sizeof "-0-0"];
    th_spool_id id;
    const size_t count = count_numbers(text);
    if (!text.data || text.len > MAX_KEY || (count != 2 && count != 4))
        return false;
    memcpy(whole, text.data, text.len);
    memcpy(whole + text.len, "-0-0", sizeof "-0-0");
    const size_t len = text.len + (count == 2 ? strlen("-0-0") : 0);
    if (!th_spool_id_read((th_view){ whole, len }, &id))
        return false;
    *key = key_of(&id, count == 4);
    return true;
}

/* Without memory for the index, the row is withdrawn again: this changes nothing. */
void th_spool_rows_cancel(th_spool_rows *rows, th_view key)
{
    struct th_spool_row_key wanted;
    if (rows->count == 0 || !read_key(key, &wanted) ||
        (!rows->slots && !make_index(rows)))
        return;
    const uint32_t *slot = slot_of(rows, &wanted);
    if (*slot)
        rows->keys[*slot - 1].is_void = true;
}

/* Removes cancelled keys, and the index. */
static void remove_void(th_spool_rows *rows)
{
    size_t kept = 0;
    for (size_t i = 0; i < rows->count; i++)
        if (!rows->keys[i].is_void)
            rows->keys[kept++] = rows->keys[i];
    rows->count = kept;
    drop_index(rows);
    if (kept == 0)
        th_spool_rows_done(rows);
}

bool th_spool_rows_withdraw(th_spool_rows *rows, const th_spool_id *id, bool is_old)
{
    const size_t capacity = rows->capacity;
    if (!TH_HAS_CAPACITY(rows->keys, rows->count, rows->capacity))
        return false;
    if (rows->capacity > capacity && rows->slots && !make_index(rows))
        drop_index(rows);
    rows->keys[rows->count++] = key_of(id, is_old);
    if (rows->slots)
        index_key(rows, rows->count - 1);
    return true;
}

/* Whether the inode has gone to another file, whose row has the same key. */
static bool is_taken(const struct th_spool_row_key *key, const th_spool_ledger *ledger)
{
    const th_spool_id inode = { .device = key->device, .inode = key->inode };
    th_spool_entry entry;
    return !key->is_old && th_spool_ledger_find(ledger, &inode, &entry) &&
           (entry.state == TH_SPOOL_ACTIVE || entry.id.size != key->size ||
            entry.id.head != key->head || entry.id.tail != key->tail ||
            entry.id.written_ns != key->written_ns);
}

void th_spool_rows_write(th_spool_rows *rows, const th_spool_ledger *ledger,
                         th_buffer *out)
{
    if (rows->slots)
        remove_void(rows);
    rows->sent = rows->count < MAX_WITHDRAWN ? rows->count : MAX_WITHDRAWN;
    for (size_t i = 0; i < rows->sent; i++) {
        if (is_taken(&rows->keys[i], ledger))
            continue;
        write_key(&rows->keys[i], out);
        th_buffer_append_text(out, "\t\n");
    }
}

void th_spool_rows_sent(th_spool_rows *rows)
{
    rows->count -= rows->sent;
    if (rows->sent > 0)
        memmove(rows->keys, rows->keys + rows->sent, rows->count * sizeof *rows->keys);
    rows->sent = 0;
    if (rows->count == 0)
        th_spool_rows_done(rows); /* after a start there may have been many */
}
