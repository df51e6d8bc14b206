/* A gold segmentation, read line by line. */
#include "lab/segmentation/gold_segments.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/ascii.h"
#include "base/json_events.h"
#include "eval/corpus_lines.h"

enum {
    NO_MEMBER = -1,
    ID = -2,
    WORDS = -3,
    SOURCE = -4
}; /* else the number of a field */

/* A line being read. */
struct reading {
    const th_gold_set *set;
    th_case_mapper *mapper;
    int member;
    uint32_t depth;
    bool has_id, has_no_memory;
    uint64_t id;
    th_arena *arena; /* of the set */
    th_view source;
    th_hash_list words, lengths;
    th_hash_list labels[TH_GOLD_FIELDS_MAX]; /* label + 1 */
};

/* Hashes an id without spaces and the <> that some files write around it. */
static uint64_t id_hash(th_view id)
{
    while (id.len && (id.data[0] == '<' || id.data[0] == ' ')) {
        id.data++;
        id.len--;
    }
    while (id.len && (id.data[id.len - 1] == '>' || id.data[id.len - 1] == ' '))
        id.len--;
    return XXH3_64bits(id.data, id.len);
}

static bool on_key(void *context, th_view key)
{
    struct reading *reading = context;
    const th_gold_set *set = reading->set;
    if (reading->depth != 1)
        return true;
    reading->member = th_view_is(key, "id")       ? ID
                      : th_view_is(key, "tokens") ? WORDS
                      : th_view_is(key, "source") ? SOURCE
                                                  : NO_MEMBER;
    for (uint32_t i = 0; i < set->field_count; i++)
        if (th_view_is(key, set->fields[i]))
            reading->member = (int)i;
    return true;
}

static bool add(struct reading *reading, th_hash_list *list, uint64_t value)
{
    reading->has_no_memory = th_hash_list_add(list, value) != TH_OK;
    return !reading->has_no_memory;
}

/* Code points of valid UTF-8. */
static uint64_t count_characters(th_view text)
{
    uint64_t count = 0;
    for (size_t i = 0; i < text.len; i++)
        count += ((unsigned char)text.data[i] & 0xC0) != 0x80;
    return count;
}

static bool on_string(void *context, th_view view)
{
    struct reading *reading = context;
    if (reading->member == ID && reading->depth == 1) {
        reading->id = id_hash(view);
        reading->has_id = true;
    }
    if (reading->member == SOURCE && reading->depth == 1) {
        reading->source = th_arena_copy(reading->arena, view);
        reading->has_no_memory = !reading->source.data;
        return !reading->has_no_memory;
    }
    if (reading->member != WORDS || reading->depth != 2)
        return true;
    const th_view folded = th_folded(reading->mapper, view);
    if (!folded.data) {
        reading->has_no_memory = true;
        return false;
    }
    return add(reading, &reading->lengths, count_characters(view)) &&
           add(reading, &reading->words, th_alignment_word(folded));
}

/* A label: -1 or more, of a few digits. */
static bool read_label(th_view digits, int64_t *out)
{
    const bool is_negative = digits.data[0] == '-';
    int64_t value = 0;
    if (digits.len > 12)
        return false;
    for (size_t i = is_negative; i < digits.len; i++) {
        if (!th_is_digit(digits.data[i]))
            return false;
        value = 10 * value + (digits.data[i] - '0');
    }
    *out = is_negative ? -value : value;
    return *out >= -1 && *out < TH_GOLD_LABEL_MAX;
}

static bool on_number(void *context, th_view digits)
{
    struct reading *reading = context;
    int64_t label = 0;
    if (reading->member < 0 || reading->depth != 2)
        return true;
    return read_label(digits, &label) &&
           add(reading, &reading->labels[reading->member], (uint64_t)(label + 1));
}

static bool on_open(void *context)
{
    ((struct reading *)context)->depth++;
    return true;
}

static bool on_close(void *context)
{
    ((struct reading *)context)->depth--;
    return true;
}

static bool parse(struct reading *reading, th_view line)
{
    static const th_json_callbacks callbacks = { .key = on_key,
                                                 .string = on_string,
                                                 .number = on_number,
                                                 .open_object = on_open,
                                                 .open_array = on_open,
                                                 .close = on_close };
    const th_status status = th_json_events(line, &callbacks, reading);
    reading->has_no_memory |= status == TH_NOMEM;
    return status == TH_OK && reading->has_id;
}

/* Numbers from 0 without holes, so that tables are as large as there are segments. */
static bool copy_labels(const th_hash_list *from, th_arena *arena, int32_t **out,
                        uint32_t *label_count)
{
    int32_t *labels = th_arena_alloc(arena, from->count * sizeof *labels + 1);
    uint64_t largest = 0;
    if (!labels)
        return false;
    for (size_t i = 0; i < from->count; i++)
        largest = from->hashes[i] > largest ? from->hashes[i] : largest;
    uint32_t *number_of = calloc((size_t)largest + 1, sizeof *number_of);
    if (!number_of)
        return false;
    for (size_t i = 0; i < from->count; i++) {
        uint32_t *number = &number_of[from->hashes[i]];
        if (from->hashes[i] && !*number)
            *number = ++*label_count;
        labels[i] = (int32_t)*number - 1;
    }
    free(number_of);
    *out = labels;
    return true;
}

static bool keep_page(const struct reading *reading, th_arena *arena, th_gold_page *page)
{
    *page = (th_gold_page){ .id = reading->id,
                            .count = (uint32_t)reading->words.count,
                            .source = reading->source };
    page->words = th_arena_alloc(arena, page->count * sizeof *page->words + 1);
    page->lengths = th_arena_alloc(arena, page->count * sizeof *page->lengths + 1);
    if (!page->words || !page->lengths)
        return false;
    if (page->count)
        memcpy(page->words, reading->words.hashes, page->count * sizeof *page->words);
    for (uint32_t i = 0; i < page->count; i++)
        page->lengths[i] = (uint32_t)reading->lengths.hashes[i];
    for (uint32_t i = 0; i < reading->set->field_count; i++)
        if (reading->labels[i].count == page->count && page->count &&
            !copy_labels(&reading->labels[i], arena, &page->labels[i],
                         &page->label_counts[i]))
            return false;
    return true;
}

/* Room for one more page: doubled when the count is a power of two. */
static bool reserve(th_gold_set *set, th_arena *arena)
{
    const size_t size = set->count * sizeof *set->pages;
    if (set->count & (set->count - 1))
        return true;
    th_gold_page *pages = th_arena_alloc(arena, size ? 2 * size : sizeof *pages);
    if (!pages)
        return false;
    if (size)
        memcpy(pages, set->pages, size);
    set->pages = pages;
    return true;
}

static th_status read_line(struct reading *reading, th_view line, th_gold_set *set,
                           th_arena *arena, th_error *err)
{
    reading->member = NO_MEMBER;
    reading->depth = 0;
    reading->has_id = false;
    reading->source = (th_view){ NULL, 0 };
    reading->words.count = reading->lengths.count = 0;
    for (uint32_t i = 0; i < set->field_count; i++)
        reading->labels[i].count = 0;
    if (!parse(reading, line))
        return reading->has_no_memory
                   ? TH_NOMEM
                   : th_fail(err, TH_IO, "line is not a page with id and tokens");
    for (uint32_t i = 0; i < set->field_count; i++)
        if (reading->labels[i].count && reading->labels[i].count != reading->words.count)
            return th_fail(err, TH_IO, "%zu tokens, but %zu labels, in '%s'",
                           reading->words.count, reading->labels[i].count,
                           set->fields[i]);
    if (!reserve(set, arena) || !keep_page(reading, arena, &set->pages[set->count]))
        return TH_NOMEM;
    set->pages[set->count].number = set->count;
    set->count++;
    return TH_OK;
}

static bool is_named(const th_gold_set *set, const char *name)
{
    for (uint32_t i = 0; i < set->field_count; i++)
        if (strcmp(set->fields[i], name) == 0)
            return true;
    return false;
}

static th_status name_fields(const char *fields, th_arena *arena, th_gold_set *set,
                             th_error *err)
{
    for (const char *at = fields; *at;) {
        const size_t len = strcspn(at, ",");
        if (len && set->field_count == TH_GOLD_FIELDS_MAX)
            return th_fail(err, TH_USAGE, "too many fields to score (limit %d)",
                           (int)TH_GOLD_FIELDS_MAX);
        if (len) {
            char *name = th_arena_calloc(arena, 1, len + 1);
            if (!name)
                return TH_NOMEM;
            memcpy(name, at, len);
            if (is_named(set, name))
                return th_fail(err, TH_USAGE, "field '%.100s' is specified twice", name);
            set->fields[set->field_count++] = name;
        }
        at += len + (at[len] == ',');
    }
    return set->field_count ? TH_OK : th_fail(err, TH_USAGE, "no field is specified");
}

static th_status check_fields(const th_gold_set *set, const char *path, th_error *err)
{
    for (uint32_t i = 0; i < set->field_count; i++) {
        bool is_there = false;
        for (uint32_t j = 0; j < set->count; j++)
            is_there |= set->pages[j].labels[i] != NULL;
        if (!is_there)
            return th_fail(err, TH_USAGE, "no page of '%s' has the field '%s'", path,
                           set->fields[i]);
    }
    return TH_OK;
}

static int by_id(const void *left, const void *right)
{
    const th_gold_page *a = left, *b = right;
    return (a->id > b->id) - (a->id < b->id);
}

static th_status read_lines(const char *path, const atomic_int *stop,
                            struct reading *reading, th_gold_set *set, th_arena *arena,
                            th_error *err)
{
    th_corpus_lines *reader = NULL;
    th_buffer line = { 0 };
    th_error why = { .text = "" };
    uint64_t words = 0;
    th_status status = th_corpus_lines_open(path, stop, &reader, err);
    while (status == TH_OK &&
           (status = th_corpus_lines_next(reader, &line, err)) == TH_OK) {
        status = read_line(reading, th_buffer_view(&line), set, arena, &why);
        if (status != TH_OK)
            (void)th_fail(err, status, "%s:%llu: %s", path,
                          (unsigned long long)th_corpus_lines_number(reader),
                          why.text[0] ? why.text : th_status_text(status));
        words += reading->words.count;
        if (status == TH_OK && words > TH_GOLD_WORDS_MAX)
            status = th_fail(err, TH_TOO_LARGE, "'%s' contains more than %d words", path,
                             (int)TH_GOLD_WORDS_MAX);
    }
    th_buffer_done(&line);
    th_corpus_lines_free(reader);
    return status == TH_END ? TH_OK : status;
}

th_status th_gold_set_read(const char *path, const char *fields, const atomic_int *stop,
                           th_arena *arena, th_gold_set *out, th_error *err)
{
    th_case_mapper mapper;
    th_gold_set set = { 0 };
    struct reading reading = { .set = &set, .mapper = &mapper, .arena = arena };
    th_status status = th_case_mapper_init(&mapper);
    if (status == TH_OK)
        status = name_fields(fields, arena, &set, err);
    if (status == TH_OK)
        status = read_lines(path, stop, &reading, &set, arena, err);
    if (status == TH_OK)
        status = check_fields(&set, path, err);
    if (status == TH_OK && set.count)
        qsort(set.pages, set.count, sizeof *set.pages, by_id);
    if (status == TH_OK)
        *out = set;
    th_case_mapper_done(&mapper);
    th_hash_list_done(&reading.words);
    th_hash_list_done(&reading.lengths);
    for (uint32_t i = 0; i < TH_GOLD_FIELDS_MAX; i++)
        th_hash_list_done(&reading.labels[i]);
    return status;
}

const th_gold_page *th_gold_page_find(const th_gold_set *set, th_view id)
{
    const th_gold_page key = { .id = id_hash(id) };
    return set->count ? bsearch(&key, set->pages, set->count, sizeof key, by_id) : NULL;
}
