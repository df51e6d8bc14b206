/*
 * Splits text into tokens for shingling: one buffer, one space between two tokens, so
 * every shingle is a slice of the buffer. docs/near-duplicates.md#texts
 *
 * A code point is folded first and classified after. Letters and digits form words. Marks
 * belong to the word before them, as in Indic scripts. Format characters (soft hyphen,
 * joiners, direction marks) are invisible and split no word. All other characters
 * separate words. In scripts without spaces each letter is a separate token, with its
 * marks. Because a folded code point folds to itself, normalised text is its own normal
 * form.
 *
 * We fold fully, unlike most peers, which only lower-case. We do not compose (no NFC),
 * because text on the web nearly always is composed.
 */
#include <unicode/uchar.h>
#include <unicode/ustring.h>

#include "base/ascii.h"
#include "base/unicode.h"
#include "sketch/fold_ascii.h"
#include "sketch/normalise.h"
#include "thresher/minhash.h"

enum {
    FOLDED_MAX = 3, /* maximum code points that one folds to */
    /* Maximum bytes for one code point: FOLDED_MAX * (4 + 1). put_ascii may overwrite
     * as many. */
    SLACK = TH_FOLD_BYTES,
    SHARED = 8 << 10, /* bytes of memory for several texts */
};

typedef enum open_token {
    OPEN_NONE,   /* nothing written yet, or a space last */
    OPEN_WORD,   /* more letters may follow */
    OPEN_LETTER, /* one letter of a script without spaces: only marks follow */
} open_token;

typedef struct normaliser {
    th_arena *arena;
    char *out;
    size_t len, capacity;
    open_token open;
} normaliser;

/* Folding and spaces can lengthen a text, though few do. */
static size_t usual_size(size_t input)
{
    return input + input / 2 + 4 * (size_t)SLACK;
}

static bool reserve(normaliser *n, size_t input_left)
{
    if (n->out && n->capacity - n->len >= input_left + SLACK)
        return true;
    const size_t capacity = n->len + usual_size(input_left);
    n->out = th_arena_grow(n->arena, n->out, n->capacity, capacity);
    n->capacity = capacity;
    return n->out;
}

static void put_blank(normaliser *n)
{
    n->out[n->len++] = ' ';
}

/*
 * Writes `len` of eight folded bytes, without some of them.
 * @param dropped  bits of the bytes to drop
 * @return the end of the others. Eight bytes from `out` on are overwritten
 */
static inline char *put_eight(char *out, uint64_t text, size_t len, unsigned dropped)
{
    char *end = out + len;
    for (; dropped; end--) {
        const unsigned last = (unsigned)__builtin_clz(dropped) ^ 31;
        const uint64_t moved = UINT64_MAX << 8 * last; /* the byte and those after it */
        text ^= (text ^ text >> 8) & moved;
        dropped ^= 1u << last;
    }
    th_ascii_store8(out, text);
    return end;
}

/*
 * Writes folded bytes; the first `count` are ASCII. Keeps only the first space after a
 * word.
 * @param in_word  in: whether the byte before belongs to a word. out: whether the last does
 * @return their end. Sixteen bytes from `out` on are overwritten
 */
static inline char *put_folded_ascii(char *out, th_folded folded, size_t count,
                                     unsigned *in_word)
{
    const unsigned word = folded.word;
    const unsigned dropped = ~(word | word << 1 | *in_word) & ((1u << count) - 1);
    const size_t first = count < 8 ? count : 8;
    out = put_eight(out, folded.text[0], first, dropped & 0xFF);
    out = put_eight(out, folded.text[1], count - first, dropped >> 8);
    *in_word = word >> (count - 1) & 1;
    return out;
}

/* Processes the ASCII at the start of `bytes`, with few branches that depend on the
 * bytes. */
static size_t put_ascii(normaliser *n, const unsigned char *bytes, size_t len)
{
    char *out = n->out + n->len;
    unsigned in_word = n->open != OPEN_NONE;
    if (n->open == OPEN_LETTER &&
        (th_is_letter((char)*bytes) || th_is_digit((char)*bytes)))
        *out++ = ' ';
    size_t at = 0;
    th_folded folded = { .high = 0 };
    for (; len - at >= TH_FOLD_BYTES; at += TH_FOLD_BYTES) {
        folded = th_fold_ascii(bytes + at, TH_FOLD_BYTES);
        if (folded.high)
            break;
        out = put_folded_ascii(out, folded, TH_FOLD_BYTES, &in_word);
    }
    if (!folded.high && at < len)
        folded = th_fold_ascii(bytes + at, len - at);
    const size_t count = folded.high ? (size_t)__builtin_ctz(folded.high) : len - at;
    if (count)
        out = put_folded_ascii(out, folded, count, &in_word);
    n->open = in_word ? OPEN_WORD : OPEN_NONE;
    n->len = (size_t)(out - n->out);
    return at + count;
}

/*
 * Shortcuts that avoid ICU's folding; a test checks them for all of Unicode. This one
 * returns true only if c folds to itself: letters without case, and the lower-case
 * letters of Latin and Cyrillic ranges without exceptions.
 */
static bool is_folded(uint32_t c, uint32_t type)
{
    if (type & U_GC_LL_MASK)
        return (c >= 0xE0 && c <= 0x148) || (c >= 0x400 && c <= 0x52F);
    return type & U_GC_LO_MASK;
}

/* Returns whether full folding may expand c to more than one code point. */
static bool may_expand(uint32_t c)
{
    return c == 0xDF || c == 0x130 || c == 0x149 || c == 0x1F0 || c == 0x390 ||
           c == 0x3B0 || c == 0x587 || (c >= 0x1E96 && c <= 0x1FFF) ||
           (c >= 0xFB00 && c <= 0xFB17);
}

/* Such code points and their foldings are single UTF-16 units, never surrogates. */
static int32_t fold_fully(uint32_t c, UChar folded[FOLDED_MAX])
{
    const UChar unit = (UChar)c;
    UErrorCode error = U_ZERO_ERROR;
    const int32_t count =
        u_strFoldCase(folded, FOLDED_MAX, &unit, 1, U_FOLD_CASE_DEFAULT, &error);
    return U_SUCCESS(error) ? count : 0;
}

/* Appends a folded code point of the general category `type`, a mask. */
static void put_folded(normaliser *n, uint32_t c, uint32_t type)
{
    if (type & (U_GC_L_MASK | U_GC_ND_MASK)) { /* th_is_alnum, without a second look-up */
        const bool is_unspaced = th_is_unspaced(c);
        if (n->open == OPEN_LETTER || (n->open == OPEN_WORD && is_unspaced))
            put_blank(n);
        n->open = is_unspaced ? OPEN_LETTER : OPEN_WORD;
    } else if (type & (U_GC_MN_MASK | U_GC_MC_MASK)) {
        if (n->open == OPEN_NONE)
            return;
    } else {
        if (n->open != OPEN_NONE && !(type & U_GC_CF_MASK)) {
            put_blank(n);
            n->open = OPEN_NONE;
        }
        return;
    }
    n->len += th_utf8_put(c, n->out + n->len);
}

static uint32_t type_of(uint32_t c)
{
    return U_MASK(u_charType((UChar32)c));
}

static void put_code_point(normaliser *n, uint32_t c)
{
    const uint32_t type = type_of(c);
    if (is_folded(c, type)) {
        put_folded(n, c, type);
    } else if (!may_expand(c)) {
        const uint32_t folded = (uint32_t)u_foldCase((UChar32)c, U_FOLD_CASE_DEFAULT);
        put_folded(n, folded, type_of(folded));
    } else {
        UChar folded[FOLDED_MAX];
        const int32_t count = fold_fully(c, folded);
        for (int32_t i = 0; i < count; i++)
            put_folded(n, folded[i], type_of(folded[i]));
    }
}

static th_view normalise(th_view text, th_normal_space *space, th_arena *arena)
{
    normaliser n = {
        .arena = arena, .out = space->at, .capacity = space->size, .open = OPEN_NONE
    };
    for (size_t at = 0; at < text.len;) {
        if (!reserve(&n, text.len - at))
            return (th_view){ NULL, 0 };
        const unsigned char *rest = (const unsigned char *)text.data + at;
        if (*rest < 0x80)
            at += put_ascii(&n, rest, text.len - at);
        else
            put_code_point(&n, th_utf8_next(text.data, &at));
    }
    if (n.len && n.open == OPEN_NONE)
        n.len--; /* the space after the last word */
    if (!n.len)
        return (th_view){ "", 0 };
    *space = (th_normal_space){ n.out + n.len, n.capacity - n.len };
    return (th_view){ n.out, n.len };
}

th_view th_normalise(th_view text, th_arena *arena)
{
    th_normal_space none = { NULL, 0 };
    return normalise(text, &none, arena);
}

th_view th_normalise_into(th_view text, th_normal_space *space, th_arena *arena)
{
    const size_t size = usual_size(text.len);
    if (space->size < size) {
        space->size = size < SHARED ? SHARED : size;
        space->at = th_arena_alloc(arena, space->size);
    }
    return space->at ? normalise(text, space, arena) : (th_view){ NULL, 0 };
}
