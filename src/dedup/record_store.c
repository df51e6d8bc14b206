/*
 * Rows and names in two files, with a table of dates and places in memory. See the
 * header.
 *
 * The order by id would read two ids from the disk for each comparison. Ids of one crawl
 * share a beginning ("<urn:uuid:"), so the eight bytes after the common beginning are
 * held next to the date. The disk is read only if they are equal too.
 */
#include "dedup/record_store.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/ascii.h"
#include "base/scratch_file.h"
#include "dedup/id_group.h"
#include "dedup/key_sort.h"
#include "dedup/record_date.h"

/* The data in memory about a record. */
struct entry {
    uint64_t date;    /* in 100 ns, a number that grows with time; UINT64_MAX: unknown */
    uint64_t name_at; /* place in the file of names */
};

/* A record while it is ordered. */
struct place {
    uint64_t date;
    uint64_t id_start; /* the bytes after the common beginning of all ids, big-endian */
    uint32_t number;
};

/* Precedes a name: its lengths, ABSENT if the part is missing. */
struct name_head {
    uint32_t id_len, url_len, date_len;
};

#define ABSENT UINT32_MAX

/* The length of rows grows at most twice: with the first signature, and the second
 * text. */
enum { ROW_LENGTHS = 3 };

/* Rows from one record on, all of one length. */
struct rows_of_a_length {
    uint32_t first;
    size_t len;
    uint64_t at; /* of the first one, in the file */
};

struct th_record_store {
    const char *folder;
    uint64_t memory;
    struct entry *entries;
    uint32_t count, capacity;
    struct rows_of_a_length lengths[ROW_LENGTHS]; /* in the order of their records */
    uint32_t length_count;
    th_scratch_file *rows, *names;
    unsigned char *row; /* being packed */
    uint64_t *slots;
    th_buffer first_id; /* its first shared_len bytes begin every id */
    size_t shared_len;

    uint32_t *number_of, *rank_of; /* after the ranking */
    uint32_t ranked;
};

th_status th_record_store_new(const char *folder, uint64_t memory, th_record_store **out,
                              th_error *err)
{
    th_record_store *store = calloc(1, sizeof *store);
    if (!store)
        return th_fail(err, TH_NOMEM, "out of memory for records");
    store->folder = folder;
    store->memory = memory;
    th_status status = th_scratch_open(folder, &store->rows, err);
    if (status == TH_OK)
        status = th_scratch_open(folder, &store->names, err);
    if (status != TH_OK)
        th_record_store_free(store);
    else
        *out = store;
    return status;
}

void th_record_store_free(th_record_store *store)
{
    if (!store)
        return;
    th_scratch_free(store->rows);
    th_scratch_free(store->names);
    th_buffer_done(&store->first_id);
    free(store->entries);
    free(store->row);
    free(store->slots);
    free(store->number_of);
    free(store->rank_of);
    free(store);
}

/* ---- adding ---- */

static th_status reserve(th_record_store *store, th_error *err)
{
    if ((uint64_t)(store->count + 1) * TH_RECORD_COST > store->memory ||
        store->count == UINT32_MAX - 1)
        return th_fail(
            err, TH_TOO_LARGE,
            "the memory limit allows %u records of %d bytes each; increase --memory",
            store->count, TH_RECORD_COST);
    if (store->count < store->capacity)
        return TH_OK;
    const uint64_t doubled = store->capacity ? (uint64_t)store->capacity * 2 : 1024;
    const uint32_t capacity = doubled < UINT32_MAX ? (uint32_t)doubled : UINT32_MAX;
    struct entry *entries = realloc(store->entries, capacity * sizeof *entries);
    if (!entries)
        return th_fail(err, TH_NOMEM, "out of memory for %u records", capacity);
    store->entries = entries;
    store->capacity = capacity;
    return TH_OK;
}

/* Rows grow when the first signature gives the number of slots, and when a second text is
 * compared. */
static th_status fit_row(th_record_store *store, const th_signature_params *params,
                         th_error *err)
{
    const size_t len = th_signature_row_len(params);
    const uint32_t count = store->length_count;
    if (count && store->lengths[count - 1].len == len)
        return TH_OK;
    unsigned char *row = realloc(store->row, len);
    if (row)
        store->row = row;
    uint64_t *slots = realloc(store->slots, (params->slots + 1) * sizeof *slots);
    if (slots)
        store->slots = slots;
    if (!row || !slots)
        return th_fail(err, TH_NOMEM, "out of memory for a signature");
    store->lengths[store->length_count++] = (struct rows_of_a_length){
        .first = store->count, .len = len, .at = th_scratch_len(store->rows)
    };
    return TH_OK;
}

/* False without memory. */
static bool note_shared(th_record_store *store, th_view id)
{
    if (!store->count) {
        th_buffer_append_view(&store->first_id, id);
        if (store->first_id.has_failed)
            return false;
        store->shared_len = id.len;
    }
    size_t len = 0;
    while (len < store->shared_len && len < id.len &&
           id.data[len] == store->first_id.data[len])
        len++;
    store->shared_len = len;
    return true;
}

static uint32_t length_of(th_view text)
{
    return text.data ? (uint32_t)text.len : ABSENT;
}

static th_status append_name(th_record_store *store, const th_view parts[3],
                             th_error *err)
{
    const struct name_head head = { length_of(parts[0]), length_of(parts[1]),
                                    length_of(parts[2]) };
    th_status status = th_scratch_append(store->names, &head, sizeof head, err);
    for (int i = 0; i < 3 && status == TH_OK; i++)
        status = th_scratch_append(store->names, parts[i].data, parts[i].len, err);
    return status;
}

static th_status begin_record(th_record_store *store, const th_signature_params *params,
                              th_error *err)
{
    const th_status status = reserve(store, err);
    return status == TH_OK ? fit_row(store, params, err) : status;
}

/* Keeps the row that was packed, and the id, URL and date. */
static th_status keep_record(th_record_store *store, const th_view parts[3],
                             th_error *err)
{
    if (!note_shared(store, parts[0]))
        return th_fail(err, TH_NOMEM, "out of memory for an id");
    struct entry *entry = &store->entries[store->count];
    entry->date = th_record_date(parts[2]);
    entry->name_at = th_scratch_len(store->names);
    th_status status = append_name(store, parts, err);
    if (status == TH_OK)
        status = th_scratch_append(store->rows, store->row,
                                   store->lengths[store->length_count - 1].len, err);
    store->count += status == TH_OK;
    return status;
}

th_status th_record_store_add(th_record_store *store, const th_signature_params *params,
                              const th_record_line *record, th_record_fault *fault,
                              th_error *err)
{
    const th_view parts[3] = { record->id, record->url, record->date };
    const th_status status = begin_record(store, params, err);
    if (status != TH_OK)
        return status;
    *fault = th_signature_pack(params, record, store->slots, store->row);
    return *fault == TH_RECORD_NONE ? keep_record(store, parts, err) : TH_OK;
}

th_status th_record_store_add_row(th_record_store *store,
                                  const th_signature_params *params, th_view row,
                                  const th_view parts[3], th_error *err)
{
    const th_status status = begin_record(store, params, err);
    if (status != TH_OK)
        return status;
    memset(store->row, 0, th_signature_row_len(params));
    memcpy(store->row, row.data, row.len);
    return keep_record(store, parts, err);
}

/* ---- what was kept ---- */

/* Reads the bytes of a name and finds its parts. */
static th_status read_name(th_record_store *store, uint32_t number, th_record_name *name,
                           th_error *err)
{
    struct name_head head;
    const uint64_t at = store->entries[number].name_at;
    th_status status = th_scratch_read(store->names, at, &head, sizeof head, err);
    if (status != TH_OK)
        return status;
    const uint32_t url_len = head.url_len == ABSENT ? 0 : head.url_len;
    const uint32_t date_len = head.date_len == ABSENT ? 0 : head.date_len;
    const size_t len = (size_t)head.id_len + url_len + date_len;
    th_buffer_reset(&name->bytes);
    if (!th_buffer_reserve(&name->bytes, len + 1))
        return th_fail(err, TH_NOMEM, "out of memory for a record's names");
    char *bytes = name->bytes.data;
    status = th_scratch_read(store->names, at + sizeof head, bytes, len, err);
    name->id = (th_view){ bytes, head.id_len };
    name->url = head.url_len == ABSENT ? (th_view){ NULL, 0 }
                                       : (th_view){ bytes + head.id_len, url_len };
    name->date = head.date_len == ABSENT
                     ? (th_view){ NULL, 0 }
                     : (th_view){ bytes + head.id_len + url_len, date_len };
    return status;
}

static th_status read_row(th_record_store *store, const th_signature_params *params,
                          uint32_t number, unsigned char *bytes, th_signed_row *row,
                          th_error *err)
{
    uint32_t i = store->length_count - 1;
    while (i && number < store->lengths[i].first)
        i--;
    const struct rows_of_a_length *rows = &store->lengths[i];
    const uint64_t at = rows->at + (uint64_t)(number - rows->first) * rows->len;
    const th_status status = th_scratch_read(store->rows, at, bytes, rows->len, err);
    if (status == TH_OK)
        th_signature_unpack(params, bytes, row);
    return status;
}

/* Orders a present part before an absent one. */
static int compare_optional(th_view a, th_view b)
{
    return a.data && b.data ? th_view_order(a, b) : !a.data - !b.data;
}

/* ---- the same id twice ---- */

/* A record that is compared with another. */
struct side {
    th_record_name name;
    th_signed_row row;
    unsigned char *bytes; /* of the row */
};

/* The state of the ranking. */
struct ranking {
    th_record_store *store;
    const th_signature_params *params;
    struct place *places;
    uint32_t count;
    struct side sides[2];
    th_status status; /* of reading records while comparing them */
    th_error *err;
};

static int compare_ids(struct ranking *ranking, uint32_t a, uint32_t b)
{
    const uint32_t numbers[2] = { a, b };
    for (int i = 0; i < 2 && ranking->status == TH_OK; i++)
        ranking->status =
            read_name(ranking->store, numbers[i], &ranking->sides[i].name, ranking->err);
    return ranking->status == TH_OK
               ? th_view_order(ranking->sides[0].name.id, ranking->sides[1].name.id)
               : 0;
}

/* Compares everything except the id. compare_ids has just read the names of the same
 * two. */
static int compare_contents(struct ranking *ranking, uint32_t a, uint32_t b)
{
    const uint32_t numbers[2] = { a, b };
    const th_record_name *x = &ranking->sides[0].name, *y = &ranking->sides[1].name;
    for (int i = 0; i < 2 && ranking->status == TH_OK; i++)
        ranking->status =
            read_row(ranking->store, ranking->params, numbers[i], ranking->sides[i].bytes,
                     &ranking->sides[i].row, ranking->err);
    if (ranking->status != TH_OK)
        return 0;
    int order = th_signature_order(ranking->params, &ranking->sides[0].row,
                                   &ranking->sides[1].row);
    if (!order)
        order = compare_optional(x->url, y->url);
    return order ? order : compare_optional(x->date, y->date);
}

/* The choice between two records with one id must not depend on which was read first. */
static bool is_preferred(struct ranking *ranking, uint32_t a, uint32_t b)
{
    const uint64_t date_a = ranking->store->entries[a].date;
    const uint64_t date_b = ranking->store->entries[b].date;
    if (date_a != date_b)
        return date_a < date_b;
    const int order = compare_contents(ranking, a, b);
    return order ? order < 0 : a < b;
}

/* Marks the worse of the new record and the earlier record with its id, if any. The
 * group has the records that stay. */
static th_status meet(struct ranking *ranking, th_id_group *group, uint32_t number)
{
    for (size_t i = 0; i < group->count; i++) {
        const uint32_t other = group->numbers[i];
        if (compare_ids(ranking, number, other) != 0 || ranking->status != TH_OK)
            continue;
        const bool is_new_better = is_preferred(ranking, number, other);
        ranking->places[is_new_better ? other : number].number = ABSENT;
        group->numbers[i] = is_new_better ? number : other;
        return ranking->status;
    }
    return ranking->status == TH_OK ? th_id_group_add(group, number, ranking->err)
                                    : ranking->status;
}

static th_status find_repeated(struct ranking *ranking, th_key_sort *ids)
{
    th_id_group group = { .numbers = NULL };
    uint64_t key = 0, last_key = 0;
    uint32_t number = 0;
    th_status status;
    while ((status = th_key_sort_next(ids, &key, &number, ranking->err)) == TH_OK) {
        if (key != last_key)
            group.count = 0;
        last_key = key;
        status = meet(ranking, &group, number);
        if (status != TH_OK)
            break;
    }
    th_id_group_done(&group);
    return status == TH_END ? TH_OK : status;
}

/* ---- ranking ---- */

static uint64_t start_of(th_view id, size_t shared_len)
{
    unsigned char bytes[8] = { 0 };
    const size_t left = id.len - shared_len;
    uint64_t number = 0;
    memcpy(bytes, id.data + shared_len, left < sizeof bytes ? left : sizeof bytes);
    memcpy(&number, bytes, sizeof number);
    return be64toh(number);
}

static th_status fill_places(struct ranking *ranking, th_key_sort *ids)
{
    th_record_store *store = ranking->store;
    th_record_name *name = &ranking->sides[0].name;
    for (uint32_t i = 0; i < store->count; i++) {
        th_status status = read_name(store, i, name, ranking->err);
        if (status == TH_OK)
            status = th_key_sort_add(ids, XXH3_64bits(name->id.data, name->id.len), i,
                                     ranking->err);
        if (status != TH_OK)
            return status;
        ranking->places[i] = (struct place){ store->entries[i].date,
                                             start_of(name->id, store->shared_len), i };
    }
    return th_key_sort_finish(ids, ranking->err);
}

static int by_age(const void *left, const void *right, void *context)
{
    const struct place *a = left, *b = right;
    if (a->date != b->date)
        return a->date < b->date ? -1 : 1;
    if (a->id_start != b->id_start)
        return a->id_start < b->id_start ? -1 : 1;
    return a->number == b->number ? 0 : compare_ids(context, a->number, b->number);
}

static void drop_marked(struct ranking *ranking)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < ranking->count; i++)
        if (ranking->places[i].number != ABSENT)
            ranking->places[kept++] = ranking->places[i];
    ranking->count = kept;
}

static th_status number_ranks(struct ranking *ranking)
{
    th_record_store *store = ranking->store;
    store->number_of = malloc(((size_t)ranking->count + 1) * sizeof *store->number_of);
    store->rank_of = malloc(((size_t)store->count + 1) * sizeof *store->rank_of);
    if (!store->number_of || !store->rank_of)
        return th_fail(ranking->err, TH_NOMEM, "out of memory for the order of records");
    for (uint32_t i = 0; i < store->count; i++)
        store->rank_of[i] = UINT32_MAX;
    for (uint32_t rank = 0; rank < ranking->count; rank++) {
        store->number_of[rank] = ranking->places[rank].number;
        store->rank_of[ranking->places[rank].number] = rank;
    }
    store->ranked = ranking->count;
    return TH_OK;
}

static th_status begin_ranking(struct ranking *ranking)
{
    const th_signature_params *params = ranking->params;
    ranking->places = malloc(((size_t)ranking->count + 1) * sizeof *ranking->places);
    bool has_capacity = ranking->places;
    for (int i = 0; i < 2; i++) {
        struct side *side = &ranking->sides[i];
        side->bytes = malloc(th_signature_row_len(params));
        side->row.slots = malloc(((size_t)2 * params->slots + 1) * sizeof(uint64_t));
        has_capacity = has_capacity && side->bytes && side->row.slots;
    }
    return has_capacity ? TH_OK
                        : th_fail(ranking->err, TH_NOMEM,
                                  "out of memory to order %u records", ranking->count);
}

static void end_ranking(struct ranking *ranking)
{
    for (int i = 0; i < 2; i++) {
        th_buffer_done(&ranking->sides[i].name.bytes);
        free(ranking->sides[i].row.slots);
        free(ranking->sides[i].bytes);
    }
    free(ranking->places);
}

th_status th_record_store_rank(th_record_store *store, const th_signature_params *params,
                               uint64_t *repeated, th_error *err)
{
    struct ranking ranking = {
        .store = store, .params = params, .count = store->count, .err = err
    };
    th_key_sort *ids = NULL;
    const uint64_t rest = store->memory - (uint64_t)store->count * TH_RECORD_COST;
    th_status status = th_key_sort_new(store->folder, rest, &ids, err);
    if (status == TH_OK)
        status = begin_ranking(&ranking);
    if (status != TH_OK)
        goto done;
    status = fill_places(&ranking, ids);
    if (status == TH_OK)
        status = find_repeated(&ranking, ids);
    th_key_sort_free(ids);
    ids = NULL;
    if (status != TH_OK)
        goto done;
    drop_marked(&ranking);
    qsort_r(ranking.places, ranking.count, sizeof *ranking.places, by_age, &ranking);
    status = ranking.status;
    if (status == TH_OK)
        status = number_ranks(&ranking);
    *repeated = store->count - ranking.count;
done:
    th_key_sort_free(ids);
    end_ranking(&ranking);
    return status;
}

/* ---- reading ---- */

uint32_t th_record_store_added(const th_record_store *store)
{
    return store->count;
}

uint32_t th_record_store_count(const th_record_store *store)
{
    return store->rank_of ? store->ranked : store->count;
}

uint32_t th_record_store_rank_of(const th_record_store *store, uint32_t number)
{
    return store->rank_of[number];
}

uint32_t th_record_store_number_of(const th_record_store *store, uint32_t rank)
{
    return store->number_of[rank];
}

th_status th_record_store_row(th_record_store *store, const th_signature_params *params,
                              uint32_t rank, unsigned char *bytes, th_signed_row *row,
                              th_error *err)
{
    return read_row(store, params, store->number_of[rank], bytes, row, err);
}

th_status th_record_store_name(th_record_store *store, uint32_t rank,
                               th_record_name *name, th_error *err)
{
    return read_name(store, store->number_of[rank], name, err);
}
