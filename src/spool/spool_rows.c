/* Progress of a spool as rows. See the header. */
#include "spool/spool_rows.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_WITHDRAWN = 10000 };

struct th_spool_row_key {
    uint64_t device, inode;
    uint64_t size, head; /* in an earlier version's key */
    int64_t written_ns;
    uint64_t tail;
    bool is_old;
};

void th_spool_rows_done(th_spool_rows *rows)
{
    free(rows->keys);
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

bool th_spool_rows_withdraw(th_spool_rows *rows, const th_spool_id *id, bool is_old)
{
    if (rows->count == rows->capacity) {
        const size_t capacity = rows->capacity ? rows->capacity * 2 : 64;
        struct th_spool_row_key *keys = realloc(rows->keys, capacity * sizeof *keys);
        if (!keys)
            return false;
        rows->keys = keys;
        rows->capacity = capacity;
    }
    rows->keys[rows->count++] = key_of(id, is_old);
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
