/*
 * Each epoch is a separate table: keys to the records that came under them in it. So an
 * epoch is forgotten as a whole. A lookup searches each epoch, the oldest one first.
 *
 * Times are not trusted. A message moves the newest epoch by at most one, so that a wrong
 * clock forgets only one epoch. If the first clock was wrong, a run of messages that are
 * all late starts the epochs again.
 */
#include "dedup/pairing_table.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/order.h"
#include "dedup/pair_line.h"
#include "dedup/record_date.h"
#include "page/band_schema.h"
#include "sketch/digest_key.h"
#include "thresher/arena.h"

enum {
    SLOTS_FIRST = 256,
    KEYS_MOST = TH_BANDS_MAX + 1,
    ROOM = TH_SLOTS_MAX,
    LATE_MOST = 1000, /* messages in a row */
};

/* A record of an epoch, followed by its id, its URL and its row. */
struct record {
    uint64_t id_hash, date;
    uint32_t id_len, url_len, row_len;
    bool has_url;
    char bytes[];
};

struct entry {
    struct record *record;
    struct entry *next; /* that came later under the same key */
};

struct bucket {
    uint64_t key;
    struct entry *first, *last; /* NULL: the slot is free */
};

struct epoch {
    int64_t number;
    th_arena *arena;
    struct bucket *buckets; /* open addressing, a power of two, at most half full */
    size_t bucket_capacity, bucket_count;
    struct record **records; /* the same, by their ids */
    size_t record_capacity, record_count;
    size_t bytes;
};

/* A record as it is compared. */
struct side {
    th_paired who;
    uint64_t date;
    th_signed_row row;
    uint64_t slots[2 * ROOM];
    uint64_t keys[KEYS_MOST]; /* in ascending order */
    size_t key_count;
};

struct th_pairing_table {
    th_pairing_options options;
    th_signature_params params;
    th_record_line line;
    struct epoch **epochs; /* oldest first */
    uint32_t epoch_count;
    uint32_t late;      /* consecutive late messages */
    struct entry **met; /* room for fan_out */
    struct side sides[2];
    uint64_t scratch[ROOM];
    unsigned char row[sizeof(th_signed_head) + ROOM * sizeof(uint64_t)];
    size_t row_len;
    th_buffer out;
    th_pairing_counts counts;
};

const char *th_pairing_fault_name(th_pairing_fault fault)
{
    static const char *const names[] = {
#define X(symbol, name, text) name,
        TH_PAIRING_FAULT_LIST(X)
#undef X
    };
    return names[fault];
}

const char *th_pairing_fault_text(th_pairing_fault fault)
{
    static const char *const texts[] = {
#define X(symbol, name, text) text,
        TH_PAIRING_FAULT_LIST(X)
#undef X
    };
    return texts[fault];
}

/* ---- keys ---- */

/* Returns a band key as one number, the same on every machine. */
static uint64_t key_number(const uint8_t key[TH_BAND_KEY_LEN])
{
    uint64_t hash;
    memcpy(&hash, key + 1, sizeof hash);
    return be64toh(hash) ^ (key[0] + 1u) * UINT64_C(0x9E3779B97F4A7C15);
}

/* Reads all keys of a row, as its sender made them. */
static void find_keys(const th_pairing_table *table, struct side *side)
{
    const th_signature_params *params = &table->params;
    uint8_t bytes[TH_BANDS_MAX * TH_BAND_KEY_LEN], digest[TH_BAND_KEY_LEN];
    const uint32_t bands =
        params->is_known
            ? th_minhash_bands(&params->preset, &side->row.signatures[0], bytes)
            : 0;
    side->key_count = 0;
    for (uint32_t i = 0; i < bands; i++)
        side->keys[side->key_count++] = key_number(bytes + (size_t)i * TH_BAND_KEY_LEN);
    if (side->row.head.has_digest) {
        th_digest_key(side->row.head.digest[0], digest);
        side->keys[side->key_count++] = key_number(digest);
    }
    qsort(side->keys, side->key_count, sizeof *side->keys, th_order_uint64);
}

static bool has_key(const struct side *side, uint64_t key)
{
    return bsearch(&key, side->keys, side->key_count, sizeof key, th_order_uint64) !=
           NULL;
}

/* Whether this key is the smallest that the two have in common, so that it writes the
 * pair. */
static bool is_least_in_common(const struct side *a, const struct side *b, uint64_t key)
{
    size_t i = 0, j = 0;
    while (i < a->key_count && j < b->key_count && a->keys[i] != b->keys[j]) {
        if (a->keys[i] < b->keys[j])
            i++;
        else
            j++;
    }
    return i < a->key_count && j < b->key_count && a->keys[i] == key;
}

/* ---- epochs ---- */

static void free_epoch(struct epoch *epoch)
{
    if (!epoch)
        return;
    th_arena_free(epoch->arena);
    free(epoch->buckets);
    free(epoch->records);
    free(epoch);
}

static struct epoch *new_epoch(int64_t number)
{
    struct epoch *epoch = calloc(1, sizeof *epoch);
    if (!epoch)
        return NULL;
    epoch->number = number;
    epoch->arena = th_arena_new(0);
    epoch->buckets = calloc(SLOTS_FIRST, sizeof *epoch->buckets);
    epoch->records = calloc(SLOTS_FIRST, sizeof *epoch->records);
    epoch->bucket_capacity = epoch->record_capacity = SLOTS_FIRST;
    epoch->bytes =
        sizeof *epoch + SLOTS_FIRST * (sizeof *epoch->buckets + sizeof *epoch->records);
    if (epoch->arena && epoch->buckets && epoch->records)
        return epoch;
    free_epoch(epoch);
    return NULL;
}

static struct bucket *find_bucket(const struct epoch *epoch, uint64_t key)
{
    size_t at = (key ^ key >> 32) & (epoch->bucket_capacity - 1);
    while (epoch->buckets[at].first && epoch->buckets[at].key != key)
        at = (at + 1) & (epoch->bucket_capacity - 1);
    return &epoch->buckets[at];
}

static struct record **find_record(const struct epoch *epoch, uint64_t hash, th_view id)
{
    size_t at = hash & (epoch->record_capacity - 1);
    for (struct record *found; (found = epoch->records[at]);
         at = (at + 1) & (epoch->record_capacity - 1))
        if (found->id_hash == hash && found->id_len == id.len &&
            memcmp(found->bytes, id.data, id.len) == 0)
            break;
    return &epoch->records[at];
}

static bool widen_buckets(struct epoch *epoch)
{
    struct bucket *const old = epoch->buckets;
    const size_t capacity = epoch->bucket_capacity;
    if (epoch->bucket_count * 2 < capacity)
        return true;
    epoch->buckets = calloc(capacity * 2, sizeof *epoch->buckets);
    if (!epoch->buckets) {
        epoch->buckets = old;
        return false;
    }
    epoch->bucket_capacity = capacity * 2;
    epoch->bytes += capacity * sizeof *epoch->buckets;
    for (size_t i = 0; i < capacity; i++)
        if (old[i].first)
            *find_bucket(epoch, old[i].key) = old[i];
    free(old);
    return true;
}

static bool widen_records(struct epoch *epoch)
{
    struct record **const old = epoch->records;
    const size_t capacity = epoch->record_capacity;
    if (epoch->record_count * 2 < capacity)
        return true;
    epoch->records = calloc(capacity * 2, sizeof *epoch->records);
    if (!epoch->records) {
        epoch->records = old;
        return false;
    }
    epoch->record_capacity = capacity * 2;
    epoch->bytes += capacity * sizeof *epoch->records;
    for (size_t i = 0; i < capacity; i++)
        if (old[i])
            *find_record(epoch, old[i]->id_hash,
                         (th_view){ old[i]->bytes, old[i]->id_len }) = old[i];
    free(old);
    return true;
}

bool th_pairing_drop_epoch(th_pairing_table *table)
{
    struct epoch *oldest = table->epochs && table->epoch_count ? table->epochs[0] : NULL;
    if (!oldest)
        return false;
    table->counts.bytes -= oldest->bytes;
    table->counts.records -= oldest->record_count;
    free_epoch(oldest);
    table->epoch_count--;
    memmove(table->epochs, table->epochs + 1,
            table->epoch_count * sizeof(struct epoch *));
    return true;
}

/* Returns the epoch among the kept ones, made if it is missing. NULL without memory. */
static struct epoch *have_epoch(th_pairing_table *table, int64_t number)
{
    uint32_t at = table->epoch_count;
    while (at && table->epochs[at - 1]->number > number)
        at--;
    if (at && table->epochs[at - 1]->number == number)
        return table->epochs[at - 1];
    struct epoch *epoch = new_epoch(number);
    if (!epoch)
        return NULL;
    memmove(table->epochs + at + 1, table->epochs + at,
            (table->epoch_count - at) * sizeof(struct epoch *));
    table->epochs[at] = epoch;
    table->epoch_count++;
    table->counts.bytes += epoch->bytes;
    return epoch;
}

/* Returns the epoch of a time, and forgets epochs that are now too old. */
static int64_t epoch_at(th_pairing_table *table, int64_t time_ms)
{
    const bool has_any = table->epoch_count > 0;
    const int64_t newest = has_any ? table->epochs[table->epoch_count - 1]->number : 0;
    int64_t number = time_ms / 1000 / table->options.epoch_s;
    if (time_ms < 0)
        number = newest;
    if (has_any && number > newest)
        number = newest + 1;
    while (table->epoch_count &&
           table->epochs[0]->number <= number - (int64_t)table->options.epochs)
        (void)th_pairing_drop_epoch(table);
    return number;
}

/* Whether an epoch is kept no more. */
static bool is_late(th_pairing_table *table, int64_t number)
{
    const bool is =
        table->epoch_count && number <= table->epochs[table->epoch_count - 1]->number -
                                            (int64_t)table->options.epochs;
    table->late = is ? table->late + 1 : 0;
    if (table->late < LATE_MOST)
        return is;
    table->late = 0;
    while (th_pairing_drop_epoch(table))
        ;
    return false;
}

/* ---- keeping ---- */

static struct record *keep_record(th_pairing_table *table, struct epoch *epoch,
                                  const struct side *side)
{
    const th_view id = side->who.id, url = side->who.url;
    const uint64_t hash = XXH3_64bits(id.data, id.len);
    struct record *found = *find_record(epoch, hash, id);
    const size_t size = sizeof *found + id.len + url.len + table->row_len;
    if (found)
        return found;
    struct record *record =
        widen_records(epoch) ? th_arena_alloc(epoch->arena, size) : NULL;
    if (!record)
        return NULL;
    *record = (struct record){ .id_hash = hash,
                               .date = side->date,
                               .id_len = (uint32_t)id.len,
                               .url_len = (uint32_t)url.len,
                               .row_len = (uint32_t)table->row_len,
                               .has_url = url.data != NULL };
    memcpy(record->bytes, id.data, id.len);
    if (url.data)
        memcpy(record->bytes + id.len, url.data, url.len);
    memcpy(record->bytes + id.len + url.len, table->row, table->row_len);
    *find_record(epoch, hash, id) = record;
    epoch->record_count++;
    epoch->bytes += size;
    table->counts.records++;
    return record;
}

static th_status keep(th_pairing_table *table, int64_t number, uint64_t key,
                      const struct side *side, th_error *err)
{
    struct epoch *epoch = have_epoch(table, number);
    const size_t before = epoch ? epoch->bytes : 0;
    struct record *record = epoch ? keep_record(table, epoch, side) : NULL;
    struct entry *entry = record && widen_buckets(epoch)
                              ? th_arena_alloc(epoch->arena, sizeof *entry)
                              : NULL;
    if (!entry)
        return th_fail(err, TH_NOMEM, "out of memory for the keys of a partition");
    *entry = (struct entry){ record, NULL };
    struct bucket *bucket = find_bucket(epoch, key);
    if (bucket->first)
        bucket->last->next = entry;
    else
        *bucket = (struct bucket){ .key = key, .first = entry };
    epoch->bucket_count += bucket->last == NULL;
    bucket->last = entry;
    epoch->bytes += sizeof *entry;
    table->counts.bytes += epoch->bytes - before;
    return TH_OK;
}

/* ---- comparing ---- */

static void unpack(const th_pairing_table *table, const struct record *record,
                   struct side *side)
{
    const char *at = record->bytes;
    /* A row from before the first signature is shorter, because it has none. */
    unsigned char row[sizeof table->row];
    memset(row, 0, th_signature_row_len(&table->params));
    memcpy(row, at + record->id_len + record->url_len, record->row_len);
    side->who =
        (th_paired){ { at, record->id_len },
                     { record->has_url ? at + record->id_len : NULL, record->url_len } };
    side->date = record->date;
    side->row.slots = side->slots;
    th_signature_unpack(&table->params, row, &side->row);
}

/* Orders records like `dedup`: by date, then by id. */
static bool is_older(const struct side *a, const struct side *b)
{
    const size_t len = a->who.id.len < b->who.id.len ? a->who.id.len : b->who.id.len;
    if (a->date != b->date)
        return a->date < b->date;
    const int order = memcmp(a->who.id.data, b->who.id.data, len);
    return order ? order < 0 : a->who.id.len < b->who.id.len;
}

static th_status compare(th_pairing_table *table, const struct record *record,
                         uint64_t key, th_pairing_found found, void *context,
                         th_error *err)
{
    struct side *came = &table->sides[0], *there = &table->sides[1];
    unpack(table, record, there);
    table->counts.compared++;
    const th_likeness likeness =
        th_signature_compare(&table->params, &came->row, &there->row);
    if (!likeness.is_duplicate)
        return TH_OK;
    find_keys(table, there);
    if (!is_least_in_common(came, there, key))
        return TH_OK;
    const bool came_first = is_older(came, there);
    const th_paired a = came_first ? came->who : there->who;
    const th_paired b = came_first ? there->who : came->who;
    th_buffer_reset(&table->out);
    if (th_pair_line_write(a, b, &likeness, false, &table->out) != TH_OK)
        return th_fail(err, TH_NOMEM, "out of memory for a pair");
    table->counts.pairs++;
    return found(context, a.id, th_buffer_view(&table->out));
}

/* Finds the first records of the key, at most fan_out. @return the count; *is_repeated:
 * the record itself is one of them */
static uint32_t meet(th_pairing_table *table, uint64_t key, th_view id, bool *is_repeated)
{
    uint32_t count = 0;
    *is_repeated = false;
    for (uint32_t i = 0; i < table->epoch_count; i++)
        for (struct entry *entry = find_bucket(table->epochs[i], key)->first;
             entry && count < table->options.fan_out; entry = entry->next) {
            table->met[count++] = entry;
            *is_repeated |= entry->record->id_len == id.len &&
                            memcmp(entry->record->bytes, id.data, id.len) == 0;
        }
    return count;
}

/* ---- a message ---- */

static bool is_our_version(th_view schema)
{
    return schema.len == strlen(TH_BAND_SCHEMA) &&
           memcmp(schema.data, TH_BAND_SCHEMA, schema.len) == 0;
}

/* Reads a message into the first side. */
static th_status read_message(th_pairing_table *table, const th_pairing_message *message,
                              th_pairing_fault *fault)
{
    struct side *side = &table->sides[0];
    th_record_fault record_fault = TH_RECORD_NONE;
    const th_status status =
        th_record_line_read(&table->line, message->value, &record_fault);
    if (status != TH_OK)
        return status;
    *fault = TH_PAIRING_RECORD;
    if (record_fault != TH_RECORD_NONE || message->key.len != TH_BAND_KEY_LEN)
        return TH_OK;
    *fault = TH_PAIRING_VERSION;
    if (!is_our_version(table->line.schema))
        return TH_OK;
    *fault = TH_PAIRING_SIGNING;
    if (th_signature_agree(&table->params, &table->line, "", NULL) != TH_OK)
        return TH_OK;
    *fault = TH_PAIRING_RECORD;
    if (th_signature_pack(&table->params, &table->line, table->scratch, table->row) !=
        TH_RECORD_NONE)
        return TH_OK;
    table->row_len = th_signature_row_len(&table->params);
    side->who = (th_paired){ table->line.id, table->line.url };
    side->date = th_record_date(table->line.date);
    side->row.slots = side->slots;
    th_signature_unpack(&table->params, table->row, &side->row);
    find_keys(table, side);
    *fault = has_key(side, key_number((const uint8_t *)message->key.data))
                 ? TH_PAIRING_NONE
                 : TH_PAIRING_KEY;
    return TH_OK;
}

static th_status take_good(th_pairing_table *table, const th_pairing_message *message,
                           th_pairing_found found, void *context, th_pairing_fault *fault,
                           th_error *err)
{
    const uint64_t key = key_number((const uint8_t *)message->key.data);
    const int64_t number = epoch_at(table, message->time_ms);
    const struct side *side = &table->sides[0];
    bool is_repeated = false;
    th_status status = TH_OK;
    const uint32_t count = meet(table, key, side->who.id, &is_repeated);
    if (is_repeated) {
        *fault = TH_PAIRING_REPEATED;
        return TH_OK;
    }
    for (uint32_t i = 0; found && i < count && status == TH_OK; i++)
        status = compare(table, table->met[i]->record, key, found, context, err);
    if (status != TH_OK)
        return status;
    if (is_late(table, number)) {
        table->counts.late++;
        return TH_OK;
    }
    if (count == table->options.fan_out) {
        table->counts.full++;
        return TH_OK;
    }
    return keep(table, number, key, side, err);
}

th_status th_pairing_take(th_pairing_table *table, const th_pairing_message *message,
                          th_pairing_found found, void *context, th_pairing_fault *fault,
                          th_error *err)
{
    th_status status = read_message(table, message, fault);
    if (status != TH_OK)
        return th_fail(err, status, "out of memory for a message");
    if (*fault == TH_PAIRING_NONE)
        status = take_good(table, message, found, context, fault, err);
    if (status == TH_OK) {
        table->counts.taken++;
        table->counts.faults[*fault]++;
    }
    return status;
}

/* ---- life ---- */

th_pairing_table *th_pairing_table_new(const th_pairing_options *options)
{
    th_pairing_table *table = calloc(1, sizeof *table);
    if (!table)
        return NULL;
    table->options = *options;
    table->epochs = calloc((size_t)options->epochs + 1, sizeof *table->epochs);
    table->met = calloc(options->fan_out, sizeof(struct entry *));
    if (!table->epochs || !table->met) {
        th_pairing_table_free(table);
        return NULL;
    }
    th_signature_init(&table->params, options->compared, options->threshold);
    return table;
}

void th_pairing_table_free(th_pairing_table *table)
{
    if (!table)
        return;
    while (th_pairing_drop_epoch(table))
        ;
    th_record_line_done(&table->line);
    th_buffer_done(&table->out);
    free(table->epochs);
    free(table->met);
    free(table);
}

const th_pairing_counts *th_pairing_table_counts(const th_pairing_table *table)
{
    return &table->counts;
}
