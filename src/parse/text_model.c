/*
 * Text to words to lines, in one pass. [KN08 §3, K11 §4.2.1; spec/algorithms.md §1]
 *
 *  - A token is a maximal run of characters that are not white space and of which one
 *    at least is a letter or digit. A run without any ("|") is a word to the wrapping
 *    and nothing more. In scripts without spaces tokens are the words of ICU
 *    (unspaced_run.c); where such letters meet others ("iPhone手机") a token ends.
 *  - Lines are wrapped greedily, block by block. A line may break at a blank, between
 *    ICU's words, and where a script with spaces meets one without; a word longer than
 *    the line stands alone on one.
 *  - Bytes come as the parser cuts them: a word, a run, a code point may go on in the
 *    next call, so all of it is state. Nothing here depends on the cuts.
 *
 * ASCII, nearly all that there is, goes word by word, eight bytes at a time; characters
 * of the first plane go one by one through a table of 64 KiB.
 */
#include "parse/text_model.h"

#include <stdlib.h>
#include <string.h>

#include "base/unicode.h"

enum {
    SPACE = 1,
    ALNUM = 2,
    UNSPACED = 4,
    WIDE = 8,

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

th_text_model *th_text_new(uint32_t w_max)
{
    th_text_model *model = calloc(1, sizeof *model);
    if (!model)
        return NULL;
    model->w_max = w_max;
    for (uint32_t c = 0; c < 0x10000; c++)
        model->class_of[c] = classify(c);
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

static void open_block(th_text_model *model)
{
    if (model->len) {
        model->text[model->len++] = '\n';
        model->chars++;
    }
    model->block = (th_block){ .text_start = (uint32_t)model->len,
                               .char_start = (uint32_t)model->chars };
    model->line_columns = 0;
    model->is_open = true;
    model->has_blank = false;
}

/* What stands before a word or run: the block's beginning, a blank, or nothing. */
static bool begin_word(th_text_model *model)
{
    end_word(model);
    if (!model->is_open)
        open_block(model);
    const bool is_spaced = model->has_blank;
    if (is_spaced) {
        model->text[model->len++] = ' ';
        model->chars++;
        model->has_blank = false;
    }
    return is_spaced;
}

static void add_space(th_text_model *model)
{
    end_word(model);
    model->has_blank = model->is_open;
}

/* Short words are most words: one move of 16 bytes where both sides have them. */
static void copy_word(char *to, const unsigned char *from, size_t len, size_t readable)
{
    if (len <= 16 && readable >= 16)
        memcpy(to, from, 16);
    else
        memcpy(to, from, len);
}

/* ---- ASCII, eight bytes at a time ---------------------------------------------------
 */

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* The top bit of each byte that is at least `least`, of bytes whose top bit is set. */
static inline uint64_t at_least(uint64_t with_top, unsigned least)
{
    return with_top - EACH(least);
}

/* The top bit of each byte that is ASCII white space; nothing for bytes over 0x7F. */
static inline uint64_t spaces(uint64_t bytes)
{
    const uint64_t with_top = bytes | EACH(0x80);
    const uint64_t control = at_least(with_top, '\t') & ~at_least(with_top, '\r' + 1);
    const uint64_t blank = at_least(with_top, ' ') & ~at_least(with_top, ' ' + 1);
    return (control | blank) & ~bytes & EACH(0x80);
}

static inline uint64_t load(const unsigned char *p)
{
    uint64_t bytes;
    memcpy(&bytes, p, sizeof bytes);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    return bytes;
}

/* Behind the ASCII characters at p that are not white space. */
static const unsigned char *skip_word(const uint8_t *class_of, const unsigned char *p,
                                      const unsigned char *end)
{
    while (end - p >= 8) {
        const uint64_t bytes = load(p);
        const uint64_t stop = spaces(bytes) | (bytes & EACH(0x80));
        if (stop)
            return p + __builtin_ctzll(stop) / 8;
        p += 8;
    }
    while (p < end && *p < 0x80 && !(class_of[*p] & SPACE))
        p++;
    return p;
}

/* Behind the ASCII white space at p. */
static const unsigned char *skip_spaces(const uint8_t *class_of, const unsigned char *p,
                                        const unsigned char *end)
{
    while (end - p >= 8) {
        const uint64_t other = spaces(load(p)) ^ EACH(0x80);
        if (other)
            return p + __builtin_ctzll(other) / 8;
        p += 8;
    }
    while (p < end && *p < 0x80 && (class_of[*p] & SPACE))
        p++;
    return p;
}

static bool has_alnum(const uint8_t *class_of, const unsigned char *p,
                      const unsigned char *end)
{
    while (p < end && !(class_of[*p] & ALNUM))
        p++;
    return p < end;
}

/* Reads ASCII up to the first other byte or the end. @return where it stopped */
static const unsigned char *add_ascii(th_text_model *model, const unsigned char *p,
                                      const unsigned char *end, bool is_linked)
{
    const uint8_t *class_of = model->class_of;
    for (;;) {
        const unsigned char *start = p;
        p = skip_word(class_of, p, end);
        if (p > start) {
            const size_t len = (size_t)(p - start);
            if (!model->word.columns)
                model->word.is_spaced = begin_word(model);
            if (!model->word.is_token && has_alnum(class_of, start, p)) {
                model->word.is_token = true;
                model->word.is_linked = is_linked;
            }
            copy_word(model->text + model->len, start, len, (size_t)(end - start));
            model->len += len;
            model->chars += len;
            model->word.columns += len;
        }
        if (p == end || *p >= 0x80)
            return p;
        add_space(model);
        p = skip_spaces(class_of, p + 1, end);
    }
}

/* ---- other characters ---------------------------------------------------------------
 */

/* Reads one character that is not ASCII, or stands for malformed bytes. */
static void add_char(th_text_model *model, uint32_t c, bool is_linked)
{
    const unsigned class = c < 0x10000 ? model->class_of[c] : classify(c);
    if (class & SPACE) {
        add_space(model);
        return;
    }
    if (class & UNSPACED) {
        if (!model->run.len || !th_unspaced_run_has_room(&model->run))
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
 * Decodes the character at p, which is not ASCII.
 * @return its length; 0 when the bytes end inside it; for malformed bytes the length of
 * the maximal subpart, and c = U+FFFD
 */
static size_t decode(const unsigned char *p, size_t left, uint32_t *c)
{
    const unsigned lead = p[0];
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
        /* U+FFFD may be longer than what it stands for. */
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

void th_text_close(th_text_model *model, th_block *block)
{
    end_word(model);
    const th_block *measures = &model->block;
    block->text_start = measures->text_start;
    block->text_len = (uint32_t)model->len - measures->text_start;
    block->char_start = measures->char_start;
    block->char_len = (uint32_t)model->chars - measures->char_start;
    block->tokens = measures->tokens;
    block->linked_tokens = measures->linked_tokens;
    block->lines = measures->lines;
    block->last_line_tokens = measures->last_line_tokens;
    model->is_open = false;
    model->has_blank = false;
}
