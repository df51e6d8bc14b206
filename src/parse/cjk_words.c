/*
 * ICU's dictionary is a trie of UTF-16 units, whose format its header ucharstrie.h
 * describes. A node is a branch by a unit, a sequence of units, or either of these after
 * a value, which is the cost of the word that ends there. The root has a branch for each
 * of ten thousand first letters, so the place after each first letter is kept.
 */
#include "parse/cjk_words.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <unicode/udata.h>
#include <unicode/uvernum.h>

/* ---- the trie ---------------------------------------------------------------------- */

/* First units of a node. */
enum {
    SEQUENCE = 0x30, /* a lower unit starts a branch, others a sequence */
    VALUE = 0x40,    /* from here: a value first; the node's kind in the low bits */
    KIND = 0x3F,
    LAST_VALUE = 0x8000, /* the value is the last unit */
    BRANCH_LINEAR = 5,   /* branches of so few units are a list */
};

/* Values, values before a node, and distances have one to three units. */
enum {
    VALUE_2 = 0x4000,
    VALUE_3 = 0x7FFF,
    NODE_VALUE_2 = 0x4040,
    NODE_VALUE_3 = 0x7FC0,
    DISTANCE_2 = 0xFC00,
    DISTANCE_3 = 0xFFFF,
};

/* A place in the trie. */
struct place {
    const UChar *at; /* NULL: no word begins like this */
    uint32_t left;   /* units of a sequence */
};

static const UChar *skip_value(const UChar *at)
{
    const unsigned lead = *at++ & ~(unsigned)LAST_VALUE;
    return at + (lead >= VALUE_2) + (lead == VALUE_3);
}

static const UChar *skip_node_value(const UChar *at)
{
    const unsigned lead = *at++;
    return at + (lead >= NODE_VALUE_2) + (lead >= NODE_VALUE_3);
}

static uint32_t two_units(const UChar *at)
{
    return (uint32_t)at[0] << 16 | at[1];
}

/* The value at a place that has one. */
static uint32_t value_at(const UChar *at)
{
    const uint32_t lead = *at++ & ~(uint32_t)LAST_VALUE;
    if (at[-1] & LAST_VALUE)
        return lead < VALUE_2   ? lead
               : lead < VALUE_3 ? (lead - VALUE_2) << 16 | *at
                                : two_units(at);
    return lead < NODE_VALUE_2   ? (lead >> 6) - 1
           : lead < NODE_VALUE_3 ? ((lead & NODE_VALUE_3) - NODE_VALUE_2) << 10 | *at
                                 : two_units(at);
}

static const UChar *skip_distance(const UChar *at)
{
    const unsigned lead = *at++;
    return at + (lead >= DISTANCE_2) + (lead == DISTANCE_3);
}

static const UChar *follow_distance(const UChar *at)
{
    const uint32_t lead = *at;
    const UChar *const from = skip_distance(at);
    if (lead < DISTANCE_2)
        return from + lead;
    return from +
           (lead < DISTANCE_3 ? (lead - DISTANCE_2) << 16 | at[1] : two_units(at + 1));
}

/* Follows a value that is a distance. */
static const UChar *follow_value(const UChar *at)
{
    const uint32_t distance = *at < VALUE_2   ? *at
                              : *at < VALUE_3 ? (uint32_t)(*at - VALUE_2) << 16 | at[1]
                                              : two_units(at + 1);
    return skip_value(at) + distance;
}

/* Goes through a branch by a unit. @param count  the branch's first unit */
static struct place take_branch(const UChar *at, uint32_t count, UChar unit)
{
    if (!count)
        count = *at++;
    count++;
    while (count > BRANCH_LINEAR) { /* halves */
        const bool is_before = unit < *at++;
        at = is_before ? follow_distance(at) : skip_distance(at);
        count = is_before ? count / 2 : count - count / 2;
    }
    for (; count > 1; count--) {
        if (unit == *at++)
            return (struct place){ *at & LAST_VALUE ? at : follow_value(at), 0 };
        at = skip_value(at);
    }
    return (struct place){ unit == *at ? at + 1 : NULL, 0 };
}

/* Goes one unit further from a place that exists. */
static struct place take_unit(struct place place, UChar unit)
{
    const UChar *at = place.at;
    if (place.left)
        return (struct place){ unit == *at ? at + 1 : NULL, place.left - 1 };
    uint32_t kind = *at;
    if (kind & LAST_VALUE)
        return (struct place){ NULL, 0 };
    if (kind >= VALUE) {
        at = skip_node_value(at);
        kind &= KIND;
    } else {
        at++;
    }
    if (kind < SEQUENCE)
        return take_branch(at, kind, unit);
    return (struct place){ unit == *at ? at + 1 : NULL, kind - SEQUENCE };
}

/* Whether a word ends there. */
static bool has_value(struct place place)
{
    return !place.left && *place.at >= VALUE;
}

/* ---- the dictionary ---------------------------------------------------------------- */

enum {
    LETTER_FIRST = 0x3041, /* Hiragana */
    LETTER_LAST = 0x9FFF,  /* Han */
    LETTERS = LETTER_LAST - LETTER_FIRST + 1,
    KNOWN_VERSION = 72,
    TRIE_KIND = 4, /* of the header's 32-bit numbers */
    TRIE_KIND_MASK = 7,
    TRIE_OF_UNITS = 1,
    NOT_KNOWN = 0,
    NO_WORD = 1, /* begins with the letter */
};

static UDataMemory *dictionary; /* open as long as the program runs, as ICU's own is */
static const UChar *trie;       /* in it; NULL: no dictionary */

/* For each first letter NOT_KNOWN, NO_WORD or 2 + the place after it. Threads may write
 * the same number at the same time. */
static atomic_uint after_first[LETTERS];

static void open_dictionary(void)
{
    UErrorCode error = U_ZERO_ERROR;
    if (U_ICU_VERSION_MAJOR_NUM == KNOWN_VERSION)
        dictionary = udata_open(U_ICUDATA_NAME "-brkitr", "dict", "cjdict", &error);
    if (!dictionary || U_FAILURE(error))
        return;
    const char *bytes = udata_getMemory(dictionary);
    int32_t header[TRIE_KIND + 1];
    memcpy(header, bytes, sizeof header);
    const UChar *units = (const void *)(bytes + header[0]);
    if ((header[TRIE_KIND] & TRIE_KIND_MASK) == TRIE_OF_UNITS && *units < SEQUENCE)
        trie = units; /* the root is a branch */
}

static bool has_dictionary(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, open_dictionary);
    return dictionary && trie;
}

/* Returns the place after a word's first letter. */
static struct place take_first(UChar unit)
{
    atomic_uint *const kept = &after_first[unit - LETTER_FIRST];
    unsigned number = atomic_load_explicit(kept, memory_order_relaxed);
    if (number == NOT_KNOWN) {
        const struct place place = take_unit((struct place){ trie, 0 }, unit);
        number = place.at ? 2 + (unsigned)(place.at - trie) : NO_WORD;
        atomic_store_explicit(kept, number, memory_order_relaxed);
    }
    return (struct place){ number == NO_WORD ? NULL : trie + (number - 2), 0 };
}

/* ---- words ------------------------------------------------------------------------- */

/* ICU's numbers. */
enum {
    WORD_UNITS_MAX = 20,
    COST_UNKNOWN = 255,    /* of a letter outside of words */
    KATAKANA_RUN_MAX = 20, /* a shorter run of Katakana is a word, */
    KATAKANA_COSTS = 9,    /* with a cost by its length */
    KATAKANA_COST = 8192,  /* of a longer one */
};
static const uint32_t katakana_costs[KATAKANA_COSTS] = { 8192, 984, 408, 240, 204,
                                                         252,  300, 372, 480 };

static bool is_katakana(UChar unit)
{
    return unit >= 0x30A1 && unit <= 0x30FE && unit != 0x30FB;
}

/* Letters that ICU divides by this dictionary, and that its normalisation leaves. */
static bool is_letter(UChar unit)
{
    return (unit >= 0x4E00 && unit <= LETTER_LAST) ||
           (unit >= LETTER_FIRST && unit <= 0x3096) ||
           (unit >= 0x30A1 && unit <= 0x30FA) || unit == 0x30FC;
}

/* The least sum of costs up to each place, and where the last word begins. */
struct division {
    uint32_t cost[TH_CJK_UNITS_MAX + 1];
    uint16_t begin[TH_CJK_UNITS_MAX + 1];
};

static inline void offer(struct division *d, uint32_t begin, uint32_t end, uint32_t cost)
{
    const uint32_t sum = d->cost[begin] + cost;
    if (sum < d->cost[end]) {
        d->cost[end] = sum;
        d->begin[end] = (uint16_t)begin;
    }
}

/* Offers the words of the dictionary that begin there. */
static void offer_words(struct division *d, const UChar *units, uint32_t len,
                        uint32_t begin)
{
    const uint32_t most =
        len - begin < WORD_UNITS_MAX ? len - begin : (uint32_t)WORD_UNITS_MAX;
    bool has_single = false;
    struct place place = take_first(units[begin]);
    for (uint32_t n = 1; place.at; n++) {
        if (has_value(place)) {
            offer(d, begin, begin + n, value_at(place.at));
            has_single |= n == 1;
        }
        if (n == most)
            break;
        place = take_unit(place, units[begin + n]);
    }
    if (!has_single)
        offer(d, begin, begin + 1, COST_UNKNOWN);
}

static void offer_katakana(struct division *d, const UChar *units, uint32_t len,
                           uint32_t begin)
{
    uint32_t run = 1;
    while (begin + run < len && run < KATAKANA_RUN_MAX && is_katakana(units[begin + run]))
        run++;
    if (run < KATAKANA_RUN_MAX)
        offer(d, begin, begin + run,
              run < KATAKANA_COSTS ? katakana_costs[run] : (uint32_t)KATAKANA_COST);
}

uint32_t th_cjk_words(const UChar *units, uint32_t len, uint16_t *ends)
{
    struct division d;
    for (uint32_t i = 0; i < len; i++)
        if (!is_letter(units[i]))
            return 0;
    if (!has_dictionary())
        return 0;
    memset(d.cost, 0xFF, (len + 1) * sizeof *d.cost);
    d.cost[0] = 0;
    for (uint32_t i = 0; i < len; i++) {
        if (d.cost[i] == UINT32_MAX)
            continue;
        offer_words(&d, units, len, i);
        if (is_katakana(units[i]) && !(i && is_katakana(units[i - 1])))
            offer_katakana(&d, units, len, i);
    }
    uint32_t count = 0;
    for (uint32_t at = len; at; at = d.begin[at])
        ends[count++] = (uint16_t)at;
    for (uint32_t i = 0; i < count / 2; i++) {
        const uint16_t end = ends[i];
        ends[i] = ends[count - 1 - i];
        ends[count - 1 - i] = end;
    }
    return count;
}
