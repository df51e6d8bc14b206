/* Walks the record's members once. Other members are skipped. */
#include "dedup/record_line.h"

#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/json_reader.h"
#include "thresher/minhash.h"

const char *th_record_fault_name(th_record_fault fault)
{
    static const char *const names[] = {
#define X(symbol, name, text) name,
        TH_RECORD_FAULT_LIST(X)
#undef X
    };
    return names[fault];
}

const char *th_record_fault_text(th_record_fault fault)
{
    static const char *const texts[] = {
#define X(symbol, name, text) text,
        TH_RECORD_FAULT_LIST(X)
#undef X
    };
    return texts[fault];
}

void th_record_line_done(th_record_line *record)
{
    th_buffer_done(&record->text);
}

/* ---- digits ---- */

bool th_slots_read(th_view digits, uint32_t width, uint64_t *slots)
{
    const size_t per_slot = (size_t)2 * width;
    if (digits.len % per_slot)
        return false;
    int bad = 0;
    for (size_t i = 0; i < digits.len / per_slot; i++) {
        uint64_t slot = 0;
        for (size_t j = 0; j < per_slot; j++) {
            const int digit = th_hex_value(digits.data[i * per_slot + j]);
            bad |= digit;
            slot = slot << 4 | ((uint64_t)digit & 0xF);
        }
        slots[i] = slot;
    }
    return bad >= 0;
}

/* ---- members ---- */

/* The state of reading a record. */
struct walk {
    th_json_reader json;
    th_record_line *record;
    th_record_fault fault;
};

static bool broken(struct walk *walk, th_record_fault fault)
{
    if (walk->fault == TH_RECORD_NONE)
        walk->fault = fault;
    return false;
}

static bool skip(struct walk *walk)
{
    return th_json_skip(&walk->json) || broken(walk, TH_RECORD_BAD_JSON);
}

/* Reads the next value, which should be a string. Another type counts as absent. */
static bool next_string(struct walk *walk, bool *is_string)
{
    th_json_reader at_value = walk->json;
    *is_string = th_json_read(&at_value) == TH_JSON_STRING;
    if (!*is_string)
        return skip(walk);
    walk->json = at_value;
    return true;
}

/* Copies a string to the end of `text`, which has room for the whole line. */
static bool keep_string(struct walk *walk, th_view *out)
{
    th_buffer *text = &walk->record->text;
    char *const start = text->data + text->len;
    bool is_string = false;
    size_t len = 0;
    if (!next_string(walk, &is_string) || !is_string)
        return walk->fault == TH_RECORD_NONE;
    if (!th_json_text(&walk->json, start, &len))
        return broken(walk, TH_RECORD_BAD_JSON);
    *out = (th_view){ start, len };
    text->len += len;
    return true;
}

/* Formats a number or a string as "w=5" for the message about mixed signatures. */
static bool add_to_signing(struct walk *walk, const char *name)
{
    th_record_line *record = walk->record;
    const th_json_token token = th_json_read(&walk->json);
    if (token != TH_JSON_STRING && token != TH_JSON_NUMBER)
        return broken(walk, TH_RECORD_BAD_MINHASH);
    const th_view value = walk->json.text;
    const size_t used = strlen(record->params), capacity = sizeof record->params - used;
    const int len =
        snprintf(record->params + used, capacity, "%s%s=%.*s", used ? " " : "", name,
                 (int)(value.len < capacity ? value.len : capacity), value.data);
    if (len < 0 || (size_t)len >= capacity)
        return broken(walk, TH_RECORD_BAD_MINHASH);
    return true;
}

static bool read_word(struct walk *walk, const char *name, char out[TH_SIGNING_WORD_MAX])
{
    if (!add_to_signing(walk, name))
        return false;
    const th_view value = walk->json.text;
    if (value.len >= TH_SIGNING_WORD_MAX)
        return broken(walk, TH_RECORD_BAD_MINHASH);
    memcpy(out, value.data, value.len);
    out[value.len] = '\0';
    return true;
}

static bool read_number(struct walk *walk, const char *name, int which)
{
    uint64_t number = 0;
    if (!add_to_signing(walk, name))
        return false;
    const th_view digits = walk->json.text;
    for (size_t i = 0; i < digits.len; i++) {
        if (digits.data[i] < '0' || digits.data[i] > '9' || digits.len > 18)
            return broken(walk, TH_RECORD_BAD_MINHASH);
        number = number * 10 + (uint64_t)(digits.data[i] - '0');
    }
    /* No signer uses such a number, so the record is wrong, not the parameters of
     * the others. */
    if ((which == TH_SIGNING_W && (number == 0 || number > TH_SHINGLE_MAX)) ||
        (which == TH_SIGNING_K && (number == 0 || number > TH_SLOTS_MAX)) ||
        (which == TH_SIGNING_BITS && number != 32 && number != 64))
        return broken(walk, TH_RECORD_BAD_MINHASH);
    walk->record->words.numbers[which] = number;
    walk->record->words.has_numbers |= (uint8_t)(1u << which);
    return true;
}

static bool read_signature(struct walk *walk, unsigned kind)
{
    if (th_json_read(&walk->json) != TH_JSON_STRING)
        return broken(walk, TH_RECORD_BAD_MINHASH);
    walk->record->signatures[kind] = walk->json.text;
    return true;
}

/* Reads `short`: the names of the short texts. */
static bool read_short(struct walk *walk)
{
    if (th_json_read(&walk->json) != TH_JSON_OPEN_ARRAY)
        return broken(walk, TH_RECORD_BAD_MINHASH);
    for (;;) {
        const th_json_token token = th_json_read(&walk->json);
        if (token == TH_JSON_CLOSE_ARRAY)
            return true;
        if (token != TH_JSON_STRING)
            return broken(walk, TH_RECORD_BAD_MINHASH);
        for (unsigned kind = 0; kind < TH_SIGN_COUNT; kind++)
            if (th_json_text_is(&walk->json, th_sign_name(kind)))
                walk->record->short_texts |= 1u << kind;
    }
}

/* Reads a member of `minhash`. Unknown members do not affect how it was signed. */
static bool read_minhash_member(struct walk *walk)
{
    static const char *const numbers[TH_SIGNING_NUMBERS] = {
        [TH_SIGNING_SEED] = "seed",
        [TH_SIGNING_W] = "w",
        [TH_SIGNING_K] = "k",
        [TH_SIGNING_BITS] = "bits",
        [TH_SIGNING_TOKENIZER] = "tokenizer",
    };
    for (unsigned kind = 0; kind < TH_SIGN_COUNT; kind++)
        if (th_json_text_is(&walk->json, th_sign_name(kind)))
            return read_signature(walk, kind);
    for (int i = 0; i < TH_SIGNING_NUMBERS; i++)
        if (th_json_text_is(&walk->json, numbers[i]))
            return read_number(walk, numbers[i], i);
    if (th_json_text_is(&walk->json, "preset"))
        return read_word(walk, "preset", walk->record->words.preset);
    if (th_json_text_is(&walk->json, "scheme"))
        return read_word(walk, "scheme", walk->record->words.scheme);
    return th_json_text_is(&walk->json, "short") ? read_short(walk) : skip(walk);
}

static bool read_digest_member(struct walk *walk)
{
    bool is_string = false;
    if (!th_json_text_is(&walk->json, "text"))
        return skip(walk);
    if (!next_string(walk, &is_string))
        return false;
    walk->record->has_digest = is_string && walk->json.text.len == 32 &&
                               th_slots_read(walk->json.text, 8, walk->record->digest);
    return walk->record->has_digest || broken(walk, TH_RECORD_BAD_DIGEST);
}

static bool read_http_member(struct walk *walk)
{
    th_json_reader at_value = walk->json;
    const bool is_status = th_json_text_is(&walk->json, "status");
    int status = 0;
    if (is_status && th_json_read(&at_value) == TH_JSON_NUMBER)
        for (size_t i = 0; i < at_value.text.len && i < 4; i++)
            status = status * 10 + (at_value.text.data[i] - '0');
    walk->record->is_error_page |= !th_http_is_page(status);
    return skip(walk);
}

/* Reads true or false. Another type counts as absent. */
static bool read_flag(struct walk *walk, bool *out)
{
    th_json_reader at_value = walk->json;
    *out = th_json_read(&at_value) == TH_JSON_LITERAL && at_value.text.len == 4 &&
           memcmp(at_value.text.data, "true", 4) == 0;
    return skip(walk);
}

/* Enters the object that comes next. Another type is skipped. */
static bool read_object(struct walk *walk, bool (*read_member)(struct walk *))
{
    th_json_reader at_value = walk->json;
    if (th_json_read(&at_value) != TH_JSON_OPEN_OBJECT)
        return skip(walk);
    walk->json = at_value;
    for (;;) {
        const th_json_token token = th_json_read(&walk->json);
        if (token == TH_JSON_CLOSE_OBJECT)
            return true;
        if (token != TH_JSON_KEY)
            return broken(walk, TH_RECORD_BAD_JSON);
        if (!read_member(walk))
            return false;
    }
}

static bool read_record_member(struct walk *walk)
{
    th_record_line *record = walk->record;
    if (th_json_text_is(&walk->json, "id"))
        return keep_string(walk, &record->id);
    if (th_json_text_is(&walk->json, "url"))
        return keep_string(walk, &record->url);
    if (th_json_text_is(&walk->json, "date"))
        return keep_string(walk, &record->date);
    if (th_json_text_is(&walk->json, "schema"))
        return keep_string(walk, &record->schema);
    if (record->wants_text && th_json_text_is(&walk->json, "text"))
        return keep_string(walk, &record->text_of_page);
    if (th_json_text_is(&walk->json, "http"))
        return read_object(walk, read_http_member);
    if (th_json_text_is(&walk->json, "digest"))
        return read_object(walk, read_digest_member);
    if (th_json_text_is(&walk->json, "template_known"))
        return read_flag(walk, &record->knows_template);
    return th_json_text_is(&walk->json, "minhash")
               ? read_object(walk, read_minhash_member)
               : skip(walk);
}

/* ---- the line ---- */

static void forget(th_record_line *record)
{
    th_buffer text = record->text;
    th_buffer_reset(&text);
    *record = (th_record_line){ .text = text, .wants_text = record->wants_text };
}

static th_record_fault read_all(struct walk *walk, th_view line)
{
    th_record_line *record = walk->record;
    if (!line.len || line.data[0] != '{')
        return TH_RECORD_BAD_JSON;
    if (!read_object(walk, read_record_member))
        return walk->fault;
    if (th_json_read(&walk->json) != TH_JSON_DONE)
        return TH_RECORD_BAD_JSON;
    if (!th_is_one_line(record->id))
        return TH_RECORD_NO_ID;
    if (record->is_error_page) {
        record->has_digest = false;
        memset(record->signatures, 0, sizeof record->signatures);
    }
    bool has_signature = false;
    for (unsigned kind = 0; kind < TH_SIGN_COUNT; kind++)
        has_signature |= record->signatures[kind].data != NULL;
    if (has_signature && !record->words.preset[0])
        return TH_RECORD_BAD_MINHASH;
    if (!has_signature)
        record->params[0] = '\0';
    return TH_RECORD_NONE;
}

th_status th_record_line_read(th_record_line *record, th_view line,
                              th_record_fault *fault)
{
    forget(record);
    /* All five together are not longer than the line, so the buffer does not move. */
    if (!th_buffer_reserve(&record->text, line.len + 1))
        return TH_NOMEM;
    struct walk walk = { .record = record, .fault = TH_RECORD_NONE };
    th_json_reader_init(&walk.json, line);
    *fault = read_all(&walk, line);
    return TH_OK;
}
