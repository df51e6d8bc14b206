/* Words of a text as hashes. ICU decides what a letter is; Python's tables agree with
 * it. */
#include "eval/extraction/word_hashes.h"

#include <stdlib.h>
#include <unicode/ucasemap.h>
#include <unicode/uchar.h>
#include <xxhash.h>

#include "base/array.h"
#include "base/unicode.h"

void th_hash_list_done(th_hash_list *list)
{
    free(list->hashes);
    *list = (th_hash_list){ 0 };
}

th_status th_hash_list_add(th_hash_list *list, uint64_t hash)
{
    if (!TH_HAS_CAPACITY(list->hashes, list->count, list->capacity))
        return TH_NOMEM;
    list->hashes[list->count++] = hash;
    return TH_OK;
}

th_status th_case_mapper_init(th_case_mapper *mapper)
{
    UErrorCode code = U_ZERO_ERROR;
    *mapper = (th_case_mapper){ 0 };
    mapper->map = ucasemap_open("", 0, &code);
    return U_SUCCESS(code) ? TH_OK : TH_NOMEM;
}

void th_case_mapper_done(th_case_mapper *mapper)
{
    if (mapper->map)
        ucasemap_close(mapper->map);
    mapper->map = NULL;
    th_buffer_done(&mapper->text);
}

typedef int32_t map_text(const UCaseMap *map, char *out, int32_t capacity,
                         const char *text, int32_t len, UErrorCode *code);

static th_view mapped(th_case_mapper *mapper, map_text *function, th_view text)
{
    th_buffer *out = &mapper->text;
    th_buffer_reset(out);
    size_t need = text.len + text.len / 8 + 16;
    for (int round = 0; round < 2; round++) {
        UErrorCode code = U_ZERO_ERROR;
        if (text.len > INT32_MAX / 4 || !th_buffer_reserve(out, need))
            return (th_view){ NULL, 0 };
        const int32_t len =
            function(mapper->map, out->data, (int32_t)need, text.data ? text.data : "",
                     (int32_t)text.len, &code);
        if (U_SUCCESS(code)) {
            out->len = (size_t)len;
            return th_buffer_view(out);
        }
        if (code != U_BUFFER_OVERFLOW_ERROR)
            break;
        need = (size_t)len + 1;
    }
    return (th_view){ NULL, 0 };
}

th_view th_lowered(th_case_mapper *mapper, th_view text)
{
    return mapped(mapper, ucasemap_utf8ToLower, text);
}

th_view th_folded(th_case_mapper *mapper, th_view text)
{
    return mapped(mapper, ucasemap_utf8FoldCase, text);
}

/* Letters and every kind of number. */
static bool is_letter_or_number(uint32_t c)
{
    if (c < 0x80)
        return th_is_alnum(c);
    return (U_MASK(u_charType((UChar32)c)) & (U_GC_L_MASK | U_GC_N_MASK)) != 0;
}

bool th_is_word_part(uint32_t c)
{
    return c == '_' || is_letter_or_number(c);
}

bool th_is_blank(uint32_t c)
{
    return th_is_space(c) || (c >= 0x1C && c <= 0x1F);
}

/* Characters that score_extraction.py takes for words. */
static bool is_word_alone(uint32_t c)
{
    return c >= 0x3040 && ((c >= 0x3400 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF) ||
                           c <= 0x30FF || (c >= 0xAC00 && c <= 0xD7AF));
}

static uint64_t hash_of(const char *bytes, size_t len)
{
    return XXH3_64bits(bytes, len);
}

static th_status words_of(th_view text, bool has_lone, th_hash_list *words)
{
    size_t start = 0;
    bool is_open = false;
    th_status status = TH_OK;
    for (size_t at = 0; at < text.len && status == TH_OK;) {
        const size_t before = at;
        const uint32_t c = th_utf8_next(text.data, &at);
        const bool is_lone = has_lone && is_word_alone(c);
        const bool is_part = !is_lone && th_is_word_part(c);
        if (is_open && !is_part)
            status = th_hash_list_add(words, hash_of(text.data + start, before - start));
        if (is_part && !is_open)
            start = before;
        is_open = is_part;
        if (is_lone && status == TH_OK)
            status = th_hash_list_add(words, hash_of(text.data + before, at - before));
    }
    if (is_open && status == TH_OK)
        status = th_hash_list_add(words, hash_of(text.data + start, text.len - start));
    return status;
}

th_status th_plain_words(th_view text, th_hash_list *words)
{
    return words_of(text, false, words);
}

th_status th_bag_words(th_view lower, th_hash_list *words)
{
    return words_of(lower, true, words);
}

/* ---- alignment ---- */

/* Scripts that score_segmentation.py takes apart. */
static bool is_unspaced(uint32_t c)
{
    static const uint32_t ranges[][2] = {
        { 0x0E00, 0x0EFF }, { 0x1000, 0x109F }, { 0x1780, 0x17FF },   { 0x3005, 0x3007 },
        { 0x3040, 0x30FF }, { 0x31F0, 0x31FF }, { 0x3400, 0x4DBF },   { 0x4E00, 0x9FFF },
        { 0xF900, 0xFAFF }, { 0xFF66, 0xFF9F }, { 0x20000, 0x3FFFF },
    };
    for (size_t i = 0; c >= 0x0E00 && i < sizeof ranges / sizeof *ranges; i++)
        if (c >= ranges[i][0] && c <= ranges[i][1])
            return true;
    return false;
}

/* A word being read: FNV-1a over its letters and digits. */
struct open_word {
    uint64_t hash;
    bool has_letter;
};

static const struct open_word empty_word = { .hash = 0xCBF29CE484222325u };

static void add_letter(struct open_word *word, uint32_t c)
{
    if (!is_letter_or_number(c))
        return;
    word->hash = (word->hash ^ c) * 0x100000001B3u;
    word->has_letter = true;
}

static th_status close_word(struct open_word *word, th_hash_list *words)
{
    const bool is_word = word->has_letter;
    const uint64_t hash = word->hash;
    *word = empty_word;
    return is_word ? th_hash_list_add(words, hash) : TH_OK;
}

th_status th_alignment_words(th_view folded, th_hash_list *words)
{
    struct open_word word = empty_word;
    th_status status = TH_OK;
    for (size_t at = 0; at < folded.len && status == TH_OK;) {
        const uint32_t c = th_utf8_next(folded.data, &at);
        const bool is_lone = is_unspaced(c);
        if (is_lone || th_is_blank(c))
            status = close_word(&word, words);
        if (status == TH_OK && !th_is_blank(c))
            add_letter(&word, c);
        if (is_lone && status == TH_OK)
            status = close_word(&word, words);
    }
    return status == TH_OK ? close_word(&word, words) : status;
}

uint64_t th_alignment_word(th_view folded)
{
    struct open_word word = empty_word;
    for (size_t at = 0; at < folded.len;)
        add_letter(&word, th_utf8_next(folded.data, &at));
    return word.hash;
}
