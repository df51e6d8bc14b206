/*
 * Attributes to words. A 64-bit hash of its bytes identifies a value. Two values of a
 * page with one hash would count as equal, with a probability of one in a billion pages.
 */
#include "parse/class_table.h"

#include <stdlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "page/class_word.h"

enum {
    SLOTS_FIRST = 1024,
    LETTERS_LEAST = 2,    /* of a word */
    KEPT_BYTES = 4 << 20, /* of a table, from page to page */
};

/* The attributes that have words. */
enum { SOURCE_COUNT = 4 };
_Static_assert(TH_WORD_IN_CLASS == 0, "the words of a class are the first of a set");

/* Words that distinguish siblings. */
static const char *const changing[TH_CHANGING_WORDS] = { "first",    "last",   "odd",
                                                         "even",     "active", "current",
                                                         "selected", "sticky", "open",
                                                         "left",     "right" };

/* Makes room for `more` items, or sets the status. @return the table, possibly moved */
static void *grown(th_class_table *table, void *items, uint32_t count, uint32_t more,
                   uint32_t *capacity, size_t size)
{
    if (table->status || more <= *capacity - count)
        return items;
    if (*capacity > UINT32_MAX / 4) {
        table->status = TH_TOO_LARGE;
        return items;
    }
    uint32_t larger = *capacity ? *capacity * 2 : 256;
    while (larger - count < more)
        larger *= 2;
    void *moved = realloc(items, larger * size);
    if (!moved) {
        table->status = TH_NOMEM;
        return items;
    }
    *capacity = larger;
    return moved;
}

void th_class_table_done(th_class_table *table)
{
    free(table->set_of);
    free(table->sets);
    free(table->words);
    free(table->keys);
    free(table->slots);
    *table = (th_class_table){ 0 };
}

static void number_changing(th_class_table *table)
{
    for (size_t i = 0; i < TH_CHANGING_WORDS; i++) {
        const th_view word = { changing[i], strlen(changing[i]) };
        table->changing[i] = th_word_number(word, TH_WORD_IN_CLASS);
        table->changing_bits |= th_word_bit(table->changing[i]);
    }
}

/* Frees all slots. */
static void free_slots(th_class_table *table)
{
    if (table->page == UINT32_MAX) { /* free slots have page 0 */
        if (table->slots)
            memset(table->slots, 0, table->slot_capacity * sizeof *table->slots);
        table->page = 0;
    }
    table->page++;
}

void th_class_table_begin(th_class_table *table, bool is_wanted)
{
    if (table->node_capacity * sizeof *table->set_of > KEPT_BYTES ||
        table->set_capacity * sizeof *table->sets > KEPT_BYTES ||
        table->word_capacity * sizeof *table->words > KEPT_BYTES ||
        table->slot_capacity * sizeof *table->slots > KEPT_BYTES) {
        th_class_table_done(table);
        table->page = 1;
    } else {
        free_slots(table);
    }
    table->slot_count = table->slot_capacity ? SLOTS_FIRST : 0;
    table->is_wanted = is_wanted;
    if (is_wanted && !table->changing_bits)
        number_changing(table);
    table->node_count = table->set_count = table->word_count = 0;
    table->status = TH_OK;
}

/* ---- words of an attribute --------------------------------------------------------- */

static bool is_changing(const th_class_table *table, uint32_t word)
{
    bool is = false;
    if (table->changing_bits & th_word_bit(word))
        for (size_t i = 0; i < TH_CHANGING_WORDS; i++)
            is |= table->changing[i] == word;
    return is;
}

/* The class of a byte in a word: 0 for a symbol. A capital's bit also converts it to
 * lower case. */
enum { LETTER = 1, DIGIT = 2, CAPITAL = 0x20 };

/* clang-format off */
static const uint8_t kind_of_byte[256] = {
#define EIGHT(kind) kind, kind, kind, kind, kind, kind, kind, kind
#define LETTERS(kind) EIGHT(kind), EIGHT(kind), EIGHT(kind), kind, kind
    ['0'] = EIGHT(DIGIT), DIGIT, DIGIT,
    ['A'] = LETTERS(LETTER | CAPITAL),
    ['a'] = LETTERS(LETTER),
    [0x80] = EIGHT(LETTER), EIGHT(LETTER), EIGHT(LETTER), EIGHT(LETTER),
    EIGHT(LETTER), EIGHT(LETTER), EIGHT(LETTER), EIGHT(LETTER),
    EIGHT(LETTER), EIGHT(LETTER), EIGHT(LETTER), EIGHT(LETTER),
    EIGHT(LETTER), EIGHT(LETTER), EIGHT(LETTER), EIGHT(LETTER),
#undef LETTERS
#undef EIGHT
};
/* clang-format on */

/* A word while it is read. */
struct word {
    uint32_t hash;    /* of its characters up to the last that is not a digit */
    uint32_t whole;   /* of all of them */
    uint32_t letters; /* characters other than digits */
    bool has_digits;  /* at the end of the word or within */
};

/* Reads lower-case letters, the bulk of most words. @return where they end */
static const char *read_small(const char *at, const char *end, struct word *word)
{
    uint32_t hash = word->whole;
    const char *const start = at;
    for (; at < end && kind_of_byte[(unsigned char)*at] == LETTER; at++)
        hash = th_word_step(hash, (unsigned char)*at);
    if (at == start)
        return at;
    word->letters += (uint32_t)(at - start);
    word->hash = word->whole = hash;
    return at;
}

/* Reads to the next symbol, or to a capital after another letter. @return where it
 * stopped */
static const char *read_word(const char *at, const char *end, struct word *word)
{
    unsigned before = CAPITAL;
    *word = (struct word){ .hash = TH_WORD_START, .whole = TH_WORD_START };
    while (at < end) {
        const char *const behind = read_small(at, end, word);
        if (behind > at) {
            before = LETTER;
            at = behind;
            continue;
        }
        const unsigned char c = (unsigned char)*at;
        const unsigned kind = kind_of_byte[c];
        if (!kind || (kind & ~before & CAPITAL))
            break;
        word->whole = th_word_step(word->whole, (unsigned char)(c | (kind & CAPITAL)));
        word->has_digits |= kind == DIGIT;
        before = kind;
        at++;
        if (kind & LETTER) {
            word->letters++;
            word->hash = word->whole;
        }
    }
    return at;
}

/* Adds an attribute's words to the last set, for all of which there is room. */
static void add_words(th_class_table *table, th_class_set *set, th_view text,
                      unsigned place)
{
    const unsigned char *at = (const unsigned char *)text.data, *const end =
                                                                    at + text.len;
    uint32_t *const words = table->words + table->word_count;
    uint32_t count = set->count, likeness = 0;
    uint64_t bits = 0;
    const uint32_t before = count;
    const uint32_t most = place == TH_WORD_IN_CLASS ? (uint32_t)TH_CLASS_ATTRIBUTE_WORDS
                                                    : (uint32_t)TH_CLASS_WORDS_MAX;
    while (at < end && count < most) {
        /* most words are lower-case letters up to a symbol, and stay in registers */
        const unsigned char *const start = at;
        uint32_t hash = TH_WORD_START;
        unsigned kind = 0;
        for (; at < end && (kind = kind_of_byte[*at]) == LETTER; at++)
            hash = th_word_step(hash, *at);
        if (at == end)
            kind = 0;
        struct word word = { hash, hash, (uint32_t)(at - start), false };
        if (kind && !(at > start && (kind & CAPITAL)))
            at = (const unsigned char *)read_word((const char *)start, (const char *)end,
                                                  &word);
        else if (at == start) {
            at++; /* a symbol */
            continue;
        } else
            at += !kind && at < end; /* a symbol ends the word and is ignored */
        const bool is_kept = word.letters >= LETTERS_LEAST;
        if (!is_kept && !(word.letters == 1 && word.has_digits)) /* "h1" */
            continue;
        const uint32_t number = th_word_end(is_kept ? word.hash : word.whole, place);
        words[count++ - before] = number;
        bits |= th_word_bit(number);
        if (place == TH_WORD_IN_CLASS && is_kept && !word.has_digits &&
            !is_changing(table, number))
            likeness += number * UINT32_C(0x9E3779B1) | 1;
    }
    table->word_count += count - before;
    set->count = count;
    set->likeness += likeness;
    set->bits |= bits;
}

/* ---- sets -------------------------------------------------------------------------- */

/* Returns the slot of a key, or the free slot where it belongs. */
static th_class_slot *find_slot(th_class_table *table, uint64_t key)
{
    uint32_t at = (uint32_t)key & (table->slot_count - 1);
    while (table->slots[at].page == table->page &&
           table->keys[table->slots[at].set] != key)
        at = (at + 1) & (table->slot_count - 1);
    return &table->slots[at];
}

/* Doubles the slots and keeps their contents. */
static void widen(th_class_table *table)
{
    const uint32_t count = table->slot_count ? table->slot_count * 2 : SLOTS_FIRST;
    if (count > table->slot_capacity) {
        th_class_slot *slots = calloc(count, sizeof *slots);
        if (!slots) {
            table->status = TH_NOMEM;
            return;
        }
        free(table->slots);
        table->slots = slots;
        table->slot_capacity = count;
    } else {
        free_slots(table);
    }
    table->slot_count = count;
    for (uint32_t i = 1; i < table->set_count; i++)
        *find_slot(table, table->keys[i]) = (th_class_slot){ i, table->page };
}

#define ROOM(table, items, count, capacity, more)                                        \
    ((table)->items = grown((table), (table)->items, (table)->count, (more),             \
                            &(table)->capacity, sizeof *(table)->items),                 \
     !(table)->status)

static bool has_room_for_set(th_class_table *table)
{
    return ROOM(table, sets, set_count, set_capacity, 1) &&
           ROOM(table, keys, set_count, key_capacity, 1);
}

/* Returns the set that a page's elements without words share. */
static bool has_empty_set(th_class_table *table)
{
    if (!table->set_count) {
        if (!has_room_for_set(table))
            return false;
        table->keys[0] = 0;
        table->sets[table->set_count++] = (th_class_set){ 0 };
    }
    return true;
}

/* Adds the words of the class to the last set, which has none. They were often read before,
 * with another id. @param facts  of the class; NULL without one */
static void add_class(th_class_table *table, th_class_set *set, th_view class,
                      th_class_facts *facts)
{
    if (!facts)
        return;
    if (facts->words_in) {
        const th_class_set *known = &table->sets[facts->words_in];
        memcpy(table->words + set->first, table->words + known->first,
               facts->words * sizeof *table->words);
        set->count = facts->words;
        set->likeness = known->likeness; /* only class adds to it */
        set->bits = known->bits;
        table->word_count += set->count;
        return;
    }
    add_words(table, set, class, TH_WORD_IN_CLASS);
    facts->words = (uint8_t)set->count;
    facts->words_in = table->set_count;
}

static uint32_t set_of_values(th_class_table *table, const th_view *values, uint64_t key,
                              th_class_facts *facts)
{
    if (!has_empty_set(table))
        return 0;
    if (table->set_count * 2 >= table->slot_count)
        widen(table);
    if (table->status)
        return 0;
    th_class_slot *slot = find_slot(table, key);
    if (slot->page == table->page)
        return slot->set;
    if (!has_room_for_set(table) ||
        !ROOM(table, words, word_count, word_capacity, TH_CLASS_WORDS_MAX))
        return 0;
    th_class_set *set = &table->sets[table->set_count];
    *set = (th_class_set){ .first = table->word_count };
    add_class(table, set, values[TH_WORD_IN_CLASS], facts);
    for (unsigned place = TH_WORD_IN_CLASS + 1; place < SOURCE_COUNT; place++)
        if (values[place].len)
            add_words(table, set, values[place], place);
    *slot = (th_class_slot){ table->set_count, table->page };
    table->keys[table->set_count] = key;
    return table->set_count++;
}

/* Returns which words an attribute other than class has: TH_WORD_IN_..., or SOURCE_COUNT
 * if it has none. */
static inline unsigned place_of(th_view name)
{
    switch (name.len) {
    case 2:
        return memcmp(name.data, "id", 2) == 0 ? TH_WORD_IN_ID : SOURCE_COUNT;
    case 4:
        return memcmp(name.data, "role", 4) == 0 ? TH_WORD_IN_ROLE : SOURCE_COUNT;
    case 8:
        return memcmp(name.data, "itemprop", 8) == 0 ? TH_WORD_IN_ITEMPROP : SOURCE_COUNT;
    default:
        return SOURCE_COUNT;
    }
}

void th_class_table_add(th_class_table *table, uint32_t node, th_class *class,
                        const th_attribute *attrs, size_t attr_count, uint64_t attr_bits)
{
    const bool is_class_only = !th_names_may_have_words(attr_bits);
    th_view values[SOURCE_COUNT] = { [TH_WORD_IN_CLASS] = class->words };
    th_class_facts *const facts = th_class_facts_of(class);
    uint64_t key = facts ? facts->hash : 0;
    for (size_t i = 0; !is_class_only && i < attr_count; i++) {
        const unsigned place = place_of(attrs[i].name);
        if (place == SOURCE_COUNT || !attrs[i].value.len || values[place].data)
            continue;
        values[place] = attrs[i].value;
        key += XXH3_64bits_withSeed(attrs[i].value.data, attrs[i].value.len, place + 1);
    }
    if (!key || table->status)
        return;
    const uint32_t count = node + 1 - table->node_count;
    if (!ROOM(table, set_of, node_count, node_capacity, count))
        return;
    while (table->node_count < node)
        table->set_of[table->node_count++] = 0;
    table->node_count = node + 1;
    table->set_of[node] = set_of_values(table, values, key, facts);
    if (is_class_only)
        facts->set = table->set_of[node];
}

/* ---- the page's -------------------------------------------------------------------- */

th_status th_class_table_finish(th_class_table *table, th_page *page)
{
    if (!table->is_wanted || !has_empty_set(table))
        return table->status;
    const size_t set_size = table->set_count * sizeof *table->sets;
    const size_t word_size = table->word_count * sizeof *table->words;
    page->class_set_of =
        th_arena_calloc(page->arena, page->node_count, sizeof *page->class_set_of);
    page->class_sets = th_arena_alloc(page->arena, set_size);
    page->class_words = th_arena_alloc(page->arena, word_size + 1);
    if (!page->class_set_of || !page->class_sets || !page->class_words)
        return TH_NOMEM;
    if (table->node_count)
        memcpy(page->class_set_of, table->set_of,
               table->node_count * sizeof *table->set_of);
    memcpy(page->class_sets, table->sets, set_size);
    if (word_size)
        memcpy(page->class_words, table->words, word_size);
    page->class_set_count = table->set_count;
    return TH_OK;
}
