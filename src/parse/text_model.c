/*
 * Text to words to lines, in one pass. [KN08 §3, K11 §4.2.1; docs/methods.md#text-model]
 *
 * - A token is a maximal run of characters that are not whitespace, with at least one
 *   letter or digit. A run without any ("|") is only a word for the wrapping. In scripts
 *   without spaces tokens are the words of ICU (unspaced_run.c). Where such letters meet
 *   others ("iPhone手机") a token ends.
 * - Lines are wrapped greedily, block by block. A line may break at a space, between
 *   ICU's words, and where a script with spaces meets one without. A word longer than the
 *   line is alone on a line.
 * - The parser may cut the bytes anywhere. A word, a run, or a code point may continue in
 *   the next call, so all of it is state. The results do not depend on the cuts.
 *
 * If whitespace is kept (PRE) it is written as it comes. It is measured as if it were one
 * space, so that a block has the same tokens and lines either way. Whitespace after the
 * last other character is the text's tail. It becomes part of the text when more comes.
 *
 * ASCII, nearly all of the input, goes up to 64 bytes at a time. It is copied in whole
 * pieces and measured on bits for whitespace and letters. Other characters of the first
 * plane go one by one through a table of 64 KiB.
 */
#include "parse/text_model.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii_mask.h"
#include "base/unicode.h"

enum {
    SPACE = 1,
    ALNUM = 2,
    UNSPACED = 4,
    WIDE = 8,

    FIRST_PLANE = TH_TEXT_ROWS * TH_TEXT_ROW,
    ROW = TH_TEXT_ROW,
    REPLACEMENT = 0xFFFD,
    SLACK = 64, /* bytes that a call may write beyond those it reads */
    FIRST_CAPACITY = 64 << 10,
    KEPT_CAPACITY = 4 << 20,
};

static uint8_t classify(uint32_t c)
{
    unsigned class = 0;
    if (th_is_space(c))
        class |= SPACE;
    if (th_is_alnum(c))
        class |= ALNUM;
    if (th_is_unspaced(c))
        class |= UNSPACED;
    if (th_columns(c) == 2)
        class |= WIDE;
    return (uint8_t) class;
}

/* Returns the class of a character without a filled row, and fills the row if there is
 * one. */
__attribute__((cold)) static unsigned learn(th_text_model *model, uint32_t c)
{
    if (c >= FIRST_PLANE)
        return classify(c);
    const uint32_t first = c / ROW * ROW;
    for (uint32_t i = first; i < first + ROW; i++)
        model->class_of[i] = classify(i);
    model->is_row_known[c / ROW] = true;
    return model->class_of[c];
}

static inline unsigned class_of(th_text_model *model, uint32_t c)
{
    const bool is_known = c < FIRST_PLANE && model->is_row_known[c / ROW];
    return is_known ? model->class_of[c] : learn(model, c);
}

th_text_model *th_text_new(uint32_t w_max)
{
    th_text_model *model = calloc(1, sizeof *model);
    if (!model)
        return NULL;
    model->w_max = w_max;
    (void)learn(model, 0);
    return model;
}

void th_text_free(th_text_model *model)
{
    if (!model)
        return;
    th_unspaced_run_done(&model->run);
    free(model->text);
    free(model);
}

void th_text_reset(th_text_model *model)
{
    if (model->capacity > KEPT_CAPACITY) {
        free(model->text);
        model->text = NULL;
        model->capacity = 0;
    }
    model->len = 0;
    model->chars = 0;
    model->tail = model->tail_chars = 0;
    model->part = TH_TEXT_JOINS;
    model->was_blank = model->is_parted = model->keeps_space = false;
    model->status = TH_OK;
    model->is_open = false;
    model->has_blank = false;
    model->word = (th_text_word){ 0 };
    model->run.len = 0;
    model->cut_len = 0;
}

/* Makes room for `need` more bytes and a little. */
static bool reserve(th_text_model *model, size_t need)
{
    if (model->capacity - model->len >= need + SLACK)
        return true;
    if (model->status)
        return false;
    if (need > UINT32_MAX || model->len + need + SLACK > UINT32_MAX) {
        model->status = TH_TOO_LARGE;
        return false;
    }
    size_t capacity = model->capacity ? model->capacity * 2 : FIRST_CAPACITY;
    while (capacity < model->len + need + SLACK)
        capacity *= 2;
    char *text = realloc(model->text, capacity);
    if (!text) {
        model->status = TH_NOMEM;
        return false;
    }
    model->text = text;
    model->capacity = capacity;
    return true;
}

/* Puts a finished word on the line, or on the next. */
static void place(th_text_model *model, const th_text_word *word)
{
    th_block *block = &model->block;
    const size_t blank = word->is_spaced;
    if (model->line_columns &&
        model->line_columns + blank + word->columns <= model->w_max) {
        model->line_columns += blank + word->columns;
    } else {
        model->line_columns = word->columns;
        block->lines++;
        block->last_line_tokens = 0;
    }
    block->last_line_tokens += word->is_token;
    block->tokens += word->is_token;
    block->linked_tokens += word->is_linked;
}

static void place_unspaced(void *context, const th_unspaced_word *word)
{
    th_text_model *model = context;
    place(model, &(th_text_word){ .columns = word->columns,
                                  .is_token = word->is_token,
                                  .is_linked = word->is_linked,
                                  .is_spaced = model->run_is_spaced });
    model->run_is_spaced = false;
}

/* Ends the word or the run that is being read. */
static void end_word(th_text_model *model)
{
    if (model->word.columns) {
        place(model, &model->word);
        model->word = (th_text_word){ 0 };
    } else if (model->run.len) {
        const th_status status =
            th_unspaced_run_divide(&model->run, place_unspaced, model);
        if (status && !model->status)
            model->status = status;
    }
}

/* Appends a character to the tail, for which there is room. */
static void put_tail(th_text_model *model, uint32_t c)
{
    const size_t len = th_utf8_put(c, model->text + model->len);
    model->len += len;
    model->tail += len;
    model->chars++;
    model->tail_chars++;
}

/* Writes the separator between the block before and the coming text. */
static void put_part(th_text_model *model)
{
    const bool is_spaced = model->part == TH_TEXT_BLANK || model->was_blank;
    if (model->len && (is_spaced || model->part == TH_TEXT_BREAKS)) {
        model->text[model->len++] = model->part == TH_TEXT_BREAKS ? '\n' : ' ';
        model->chars++;
        model->tail = model->tail_chars = 1;
    }
    model->part = TH_TEXT_JOINS;
    model->was_blank = false;
    model->is_parted = true;
    model->part_at = model->len;
    model->part_chars = model->chars;
}

static void settle_tail(th_text_model *model)
{
    model->tail = model->tail_chars = 0;
}

static void open_block(th_text_model *model)
{
    if (!model->is_parted)
        put_part(model);
    model->part = TH_TEXT_JOINS;
    settle_tail(model);
    model->block = (th_block){ .text_start = (uint32_t)model->len,
                               .char_start = (uint32_t)model->chars };
    model->line_columns = 0;
    model->is_open = true;
    model->has_blank = false;
}

/* Writes the start of a word or run: the block's beginning, a space, or nothing. */
static bool begin_word(th_text_model *model)
{
    end_word(model);
    if (!model->is_open)
        open_block(model);
    const bool is_spaced = model->has_blank;
    if (is_spaced) {
        if (!model->tail) {
            model->text[model->len++] = ' ';
            model->chars++;
        }
        settle_tail(model);
        model->has_blank = false;
    }
    return is_spaced;
}

static void add_space(th_text_model *model)
{
    end_word(model);
    model->has_blank = model->is_open;
    model->was_blank |= !model->is_open;
}

/* Writes whitespace that is kept, for which there is room. "&#13;" is a space, as on the
 * screen. [CSS Text 3 §4.1] */
static void keep_space(th_text_model *model, uint32_t c)
{
    add_space(model);
    if (!model->is_open && !model->is_parted) {
        model->was_blank = false; /* it is written unchanged */
        put_part(model);
    }
    put_tail(model, c == '\r' ? ' ' : c);
}

/* ---- ASCII, up to 64 bytes at a time ----------------------------------------------- */

/* Returns the bits up to number `last`, which may be any number; none below 0. */
static inline uint64_t bits_to(int64_t last)
{
    if (last >= TH_MASK_BYTES - 1)
        return UINT64_MAX;
    return last < 0 ? 0 : (UINT64_C(2) << last) - 1;
}

/* Adds up in fields of 2, 4 and 8 bits. The builtin is a call where the processor may
 * have no instruction for it. */
static inline uint32_t count_bits(uint64_t bits)
{
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) +
           (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    return (uint32_t)(bits * UINT64_C(0x0101010101010101) >> 56);
}

static inline int64_t highest_bit(uint64_t bits)
{
    return 63 - __builtin_clzll(bits);
}

/*
 * Wraps the words that end in a window, line by line instead of word by word.
 * @param ends    not 0; the bytes after their last ones
 * @param tokens  those among the ends that end a token
 * The first of them is the open word. Columns are counted from the window's first byte
 * on: `start` is where a word starts, for the open one below 0, `line` where the line
 * did.
 */
static void wrap(th_text_model *model, uint64_t ends, uint64_t tokens)
{
    th_block *block = &model->block;
    const int64_t width = model->w_max;
    int64_t start = -(int64_t)model->word.columns;
    int64_t line = start - model->word.is_spaced - (int64_t)model->line_columns;
    if (!model->line_columns)
        line = INT64_MIN / 2; /* the line has not begun, so no word fits */
    while (ends) {
        const uint64_t fitting = ends & bits_to(line + width);
        if (fitting) {
            const int64_t end = highest_bit(fitting);
            block->last_line_tokens += count_bits(tokens & fitting);
            model->line_columns = (size_t)(end - line);
            start = end + 1;
            ends ^= fitting;
        } else { /* the next word begins a line, regardless of its length */
            const uint64_t first = ends & -ends;
            const int64_t end = __builtin_ctzll(ends);
            block->lines++;
            block->last_line_tokens = (tokens & first) != 0;
            model->line_columns = (size_t)(end - start);
            line = start;
            start = end + 1;
            ends ^= first;
        }
    }
}

/*
 * Measures a window of text that begins within or with a word, and whose whitespace is
 * single. A word that does not end in it stays open.
 */
static void measure(th_text_model *model, uint64_t space, uint64_t alnum, size_t len,
                    bool is_linked)
{
    th_text_word *word = &model->word;
    const uint64_t ends = space & bits_to((int64_t)len - 1);
    alnum &= bits_to((int64_t)len - 1);
    if (!ends) {
        word->is_linked |= is_linked & (alnum != 0) & !word->is_token;
        word->is_token |= alnum != 0;
        word->columns += len;
        return;
    }
    /* A sum carries through the ones of a word, to the zero after it, if anything was
     * added to them: a letter of the word in this window, or a letter read before. */
    const uint64_t letters = ~space;
    const uint64_t tokens = ((alnum | word->is_token) + letters) & ends;
    const uint32_t count = count_bits(tokens);
    model->block.tokens += count;
    if (is_linked)
        model->block.linked_tokens += count - (word->is_token & !word->is_linked);
    else
        model->block.linked_tokens += word->is_linked;
    wrap(model, ends, tokens);
    const uint64_t open = ~bits_to(highest_bit(ends));
    const bool is_token = (alnum & open) != 0;
    *word = (th_text_word){ .columns = len - 1 - (size_t)highest_bit(ends),
                            .is_token = is_token,
                            .is_linked = is_token & is_linked,
                            .is_spaced = true };
}

/* Reads ASCII up to the first other byte or the end. @return where it stopped */
static const unsigned char *add_ascii(th_text_model *model, const unsigned char *p,
                                      const unsigned char *end, bool is_linked)
{
    while (p < end && *p < 0x80) {
        if (model->class_of[*p] & SPACE) {
            if (model->keeps_space) {
                keep_space(model, *p++);
                continue;
            }
            add_space(model);
            p += th_ascii_blank_len(p, (size_t)(end - p));
            continue;
        }
        if (!model->word.columns)
            model->word.is_spaced = begin_word(model);
        const size_t left = (size_t)(end - p);
        const size_t window = left < TH_MASK_BYTES ? left : TH_MASK_BYTES;
        const th_ascii_mask mask = th_ascii_copy(model->text + model->len, p, window);
        /* To the first other byte, or to the second of two whitespace bytes. If they are
         * kept, to the first. */
        const uint64_t double_space = mask.space & mask.space << 1;
        const uint64_t stop =
            mask.high | (model->keeps_space ? mask.space : double_space);
        const size_t len = stop ? (size_t)__builtin_ctzll(stop) : window;
        measure(model, mask.space, mask.alnum, len, is_linked);
        const bool ends_in_space = mask.space >> (len - 1) & 1;
        model->has_blank = ends_in_space;
        model->len += len - ends_in_space;
        model->chars += len - ends_in_space;
        p += len;
    }
    return p;
}

/* ---- other characters -------------------------------------------------------------- */

/* Reads one character. */
static void add_char(th_text_model *model, uint32_t c, bool is_linked)
{
    const unsigned class = class_of(model, c);
    if (class & SPACE) {
        if (model->keeps_space)
            keep_space(model, c);
        else
            add_space(model);
        return;
    }
    if (class & UNSPACED) {
        if (!model->run.len || !th_unspaced_run_has_capacity(&model->run))
            model->run_is_spaced = begin_word(model);
        th_unspaced_run_add(&model->run, c, is_linked);
    } else {
        th_text_word *word = &model->word;
        if (!word->columns)
            word->is_spaced = begin_word(model);
        if ((class & ALNUM) && !word->is_token) {
            word->is_token = true;
            word->is_linked = is_linked;
        }
        word->columns += class & WIDE ? 2 : 1;
    }
    model->len += th_utf8_put(c, model->text + model->len);
    model->chars++;
}

/*
 * Decodes the character at p.
 * @return its length; 0 when the bytes end inside it; for malformed bytes the length of
 * the maximal subpart, and c = U+FFFD
 */
static size_t decode(const unsigned char *p, size_t left, uint32_t *c)
{
    const unsigned lead = p[0];
    *c = lead;
    if (lead < 0x80)
        return 1;
    *c = REPLACEMENT;
    if (lead < 0xC2 || lead > 0xF4)
        return 1;
    const size_t len = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    /* Only the second byte's range depends on the first. */
    unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    uint32_t value = lead & (0x7Fu >> len);
    for (size_t i = 1; i < len; i++) {
        if (i == left)
            return 0;
        if (p[i] < low || p[i] > high)
            return i;
        value = value << 6 | (p[i] & 0x3F);
        low = 0x80;
        high = 0xBF;
    }
    *c = value;
    return len;
}

/* Completes the code point that the last call left cut. @return bytes used of this one */
static size_t complete(th_text_model *model, const unsigned char *p, size_t len,
                       bool is_linked)
{
    size_t used = 0;
    while (model->cut_len && used < len) {
        uint32_t c = 0;
        model->cut[model->cut_len] = p[used];
        const size_t step = decode(model->cut, model->cut_len + 1u, &c);
        if (step == 0) {
            model->cut_len++;
            used++;
            continue;
        }
        /* Malformed: the byte that broke it is read again, as a beginning. */
        if (step > model->cut_len)
            used++;
        model->cut_len = 0;
        add_char(model, c, is_linked);
    }
    return used;
}

void th_text_add(th_text_model *model, const char *bytes, size_t len, bool is_linked)
{
    const unsigned char *p = (const unsigned char *)bytes;
    const unsigned char *const end = p + len;
    if (model->status || !reserve(model, len))
        return;
    if (model->cut_len)
        p += complete(model, p, len, is_linked);
    while (p < end) {
        if (*p < 0x80) {
            p = add_ascii(model, p, end, is_linked);
            continue;
        }
        uint32_t c = 0;
        const size_t step = decode(p, (size_t)(end - p), &c);
        if (step == 0) {
            model->cut_len = (uint8_t)(end - p);
            memcpy(model->cut, p, model->cut_len);
            return;
        }
        /* U+FFFD may be longer than the bytes that it replaces. */
        if (c == REPLACEMENT && !reserve(model, (size_t)(end - p)))
            return;
        add_char(model, c, is_linked);
        p += step;
    }
}

void th_text_settle(th_text_model *model, bool is_linked)
{
    if (!model->cut_len)
        return;
    model->cut_len = 0;
    if (!model->status && reserve(model, 0))
        add_char(model, REPLACEMENT, is_linked);
}

void th_text_blank(th_text_model *model)
{
    add_space(model);
}

void th_text_set_part(th_text_model *model, th_text_part part)
{
    if (part > model->part)
        model->part = part;
    if (part != TH_TEXT_BREAKS)
        return;
    model->len -= model->tail;
    model->chars -= model->tail_chars;
    settle_tail(model);
    model->is_parted = false;
}

void th_text_keep_space(th_text_model *model, bool keeps_space)
{
    model->keeps_space = keeps_space;
}

void th_text_end_line(th_text_model *model, bool once)
{
    const bool is_at_line_start = model->tail
                                      ? model->text[model->len - 1] == '\n'
                                      : !model->is_open && model->part == TH_TEXT_BREAKS;
    if ((once && is_at_line_start) || !reserve(model, 0))
        return;
    keep_space(model, '\n');
}

void th_text_close(th_text_model *model, th_block *block)
{
    end_word(model);
    const th_block *measures = &model->block;
    block->text_start = measures->text_start;
    block->text_len = (uint32_t)th_text_solid(model) - measures->text_start;
    block->char_start = measures->char_start;
    block->char_len = (uint32_t)(model->chars - model->tail_chars) - measures->char_start;
    block->tokens = measures->tokens;
    block->linked_tokens = measures->linked_tokens;
    block->lines = measures->lines;
    block->last_line_tokens = measures->last_line_tokens;
    model->was_blank = model->has_blank && !model->tail;
    model->is_parted = model->tail;
    model->is_open = false;
    model->has_blank = false;
}
