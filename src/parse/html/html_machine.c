/*
 * The standard's state machine, byte by byte: HTML Living Standard, 13.2.5.6 to 80
 * without the states of text (html_scan.h) and doctypes (html_doctype.c).
 *
 * It handles input that the scanner cannot decide in one look: tags, references and
 * comments that are cut by the end of a piece, declarations, and rare syntax. All the
 * bytes that it has read of a token are in scratch, so a piece may end anywhere. States
 * only for parse errors are omitted.
 */
#include <string.h>

#include "base/ascii.h"
#include "parse/html/html_token.h"

static const char replacement[] = "\xEF\xBF\xBD"; /* U+FFFD */

static void begin_part(th_html_tokenizer *tok)
{
    tok->part = tok->scratch_len;
    tok->is_over = false;
}

static void append_char(th_html_tokenizer *tok, char c)
{
    if (c == '\0')
        th_html_append(tok, replacement, sizeof replacement - 1);
    else
        th_html_append(tok, &c, 1);
}

/* ---- tags -------------------------------------------------------------------------- */

static void begin_tag(th_html_tokenizer *tok, bool is_end)
{
    tok->is_end_tag = is_end;
    tok->is_self_closing = false;
    tok->is_cut = false;
    tok->scratch_len = 0;
    th_attribute_list_clear(&tok->attributes);
    begin_part(tok);
    tok->state = TH_TAG_NAME;
}

static void end_tag_name(th_html_tokenizer *tok)
{
    tok->is_cut = tok->is_over;
    tok->name_len = tok->scratch_len;
    tok->tag_len = tok->name_len;
}

static void emit_tag(th_html_tokenizer *tok)
{
    if (tok->has_failed)
        return;
    const th_view name = { tok->scratch, tok->name_len };
    const th_html_tag tag = {
        .name = name,
        .tag = th_tag_of(name),
        .attrs = tok->attributes.items,
        .attr_count = tok->is_end_tag ? 0 : tok->attributes.count,
        .attr_bits = tok->is_end_tag ? 0 : tok->attributes.seen,
        .is_self_closing = tok->is_self_closing,
        .is_cut = tok->is_cut,
    };
    th_html_emit_tag(tok, &tag, tok->is_end_tag);
}

static void begin_name(th_html_tokenizer *tok)
{
    begin_part(tok);
    tok->state = TH_NAME;
}

static void end_name(th_html_tokenizer *tok)
{
    tok->attribute_name =
        (th_span){ tok->part, tok->is_over ? SIZE_MAX : tok->scratch_len - tok->part };
    begin_part(tok); /* the value; nothing yet */
}

static void end_attribute(th_html_tokenizer *tok)
{
    const size_t start = tok->attribute_name.start;
    const bool is_name_over = tok->attribute_name.len == SIZE_MAX;
    tok->attributes.items[tok->attributes.count] = (th_attribute){
        .name = { tok->scratch + start,
                  is_name_over ? tok->part - start : tok->attribute_name.len },
        .value = { tok->scratch + tok->part, tok->scratch_len - tok->part },
    };
    if (tok->is_end_tag || !th_html_add_attribute(tok, is_name_over || tok->is_over))
        tok->scratch_len = start;
}

/* After a name, a value or whitespace: a name or the tag's end may follow. */
static bool before_name(th_html_tokenizer *tok, char c)
{
    if (th_is_html_blank(c)) {
        tok->state = TH_BEFORE_NAME;
        return true;
    }
    if (c == '/') {
        tok->state = TH_SELF_CLOSING;
        return true;
    }
    if (c == '>') {
        emit_tag(tok);
        return true;
    }
    begin_name(tok);
    if (c != '=')
        return false;
    append_char(tok, c); /* a name may begin with one */
    return true;
}

static bool is_tag_break(char c)
{
    return th_is_html_blank(c) || c == '/' || c == '>';
}

static bool step_tag_name(th_html_tokenizer *tok, char c)
{
    if (!is_tag_break(c)) {
        append_char(tok, th_lower(c));
        return true;
    }
    end_tag_name(tok);
    return before_name(tok, c);
}

static bool step_name(th_html_tokenizer *tok, char c)
{
    if (c == '=') {
        end_name(tok);
        tok->state = TH_BEFORE_VALUE;
        return true;
    }
    if (is_tag_break(c)) {
        end_name(tok);
        tok->state = TH_AFTER_NAME;
        return false;
    }
    append_char(tok, th_lower(c));
    return true;
}

static bool step_after_name(th_html_tokenizer *tok, char c)
{
    if (th_is_html_blank(c))
        return true;
    if (c == '=') {
        tok->state = TH_BEFORE_VALUE;
        return true;
    }
    end_attribute(tok);
    return before_name(tok, c);
}

static bool step_before_value(th_html_tokenizer *tok, char c)
{
    if (th_is_html_blank(c))
        return true;
    if (c == '>') {
        end_attribute(tok);
        emit_tag(tok);
        return true;
    }
    tok->state = c == '"' ? TH_VALUE_DOUBLE : c == '\'' ? TH_VALUE_SINGLE : TH_VALUE_BARE;
    return tok->state != TH_VALUE_BARE;
}

static void begin_reference(th_html_tokenizer *tok, th_html_state value_state)
{
    tok->value_state = value_state;
    tok->state = TH_REFERENCE;
}

static bool step_value(th_html_tokenizer *tok, char c)
{
    const char quote = tok->state == TH_VALUE_DOUBLE ? '"' : '\'';
    if (c == '&') {
        begin_reference(tok, tok->state);
    } else if (c == quote) {
        end_attribute(tok);
        tok->state = TH_AFTER_VALUE;
    } else {
        append_char(tok, c);
    }
    return true;
}

static bool step_value_bare(th_html_tokenizer *tok, char c)
{
    if (c == '&') {
        begin_reference(tok, TH_VALUE_BARE);
    } else if (th_is_html_blank(c) || c == '>') {
        end_attribute(tok);
        return before_name(tok, c);
    } else {
        append_char(tok, c);
    }
    return true;
}

static bool step_self_closing(th_html_tokenizer *tok, char c)
{
    if (c != '>')
        return before_name(tok, c);
    tok->is_self_closing = true;
    emit_tag(tok);
    return true;
}

/* ---- what a '<' begins ------------------------------------------------------------- */

static void begin_comment(th_html_tokenizer *tok, th_html_state state)
{
    tok->scratch_len = 0;
    begin_part(tok);
    tok->state = state;
}

static bool step_tag_open(th_html_tokenizer *tok, char c)
{
    if (c == '/') {
        tok->state = TH_END_TAG_OPEN;
        return true;
    }
    if (c == '!') {
        begin_comment(tok, TH_DECLARATION);
        return true;
    }
    if (c == '?') {
        begin_comment(tok, TH_BOGUS_COMMENT);
        return false;
    }
    if (th_is_letter(c)) {
        begin_tag(tok, false);
        return false;
    }
    tok->state = TH_IN_CONTENT;
    static const char less_than = '<';
    th_html_emit_text(tok, &less_than, &less_than + 1);
    return false;
}

static bool step_end_tag_open(th_html_tokenizer *tok, char c)
{
    if (th_is_letter(c)) {
        begin_tag(tok, true);
        return false;
    }
    if (c == '>') {
        tok->state = TH_IN_CONTENT;
        return true;
    }
    begin_comment(tok, TH_BOGUS_COMMENT);
    return false;
}

/* The end tag of raw text, cut by the end of a piece. Scratch holds its first part. */
static bool step_raw_end_tag(th_html_tokenizer *tok, char c)
{
    const size_t held = tok->scratch_len; /* "<", "</", "</n" ... */
    const size_t letters = held < 2 ? 0 : held - 2;
    const bool is_next =
        held == 1 ? c == '/'
                  : letters < tok->end_name_len && th_lower(c) == tok->end_name[letters];
    if (is_next) {
        th_html_append(tok, &c, 1);
        return true;
    }
    if (letters == tok->end_name_len && is_tag_break(c)) {
        begin_tag(tok, true);
        th_html_append(tok, tok->end_name, tok->end_name_len);
        return false;
    }
    if (held >= 2)
        th_script_step(&tok->script, '/');
    tok->state = TH_IN_CONTENT;
    th_html_emit_text(tok, tok->scratch, tok->scratch + held);
    return false;
}

/* ---- comments ---------------------------------------------------------------------- */

static void emit_comment(th_html_tokenizer *tok)
{
    tok->state = TH_IN_CONTENT;
    if (tok->sink->comment && !tok->has_failed)
        tok->sink->comment(tok->context, (th_view){ tok->scratch, tok->scratch_len });
}

static void append_to_comment(th_html_tokenizer *tok, const char *bytes, size_t len)
{
    if (tok->sink->comment)
        th_html_append(tok, bytes, len);
}

static bool is_prefix(const th_html_tokenizer *tok, const char *word)
{
    const size_t len = strlen(word);
    if (tok->scratch_len > len)
        return false;
    for (size_t i = 0; i < tok->scratch_len; i++)
        if (tok->scratch[i] != word[i])
            return false;
    return true;
}

/* "<!" and so far "--", "DOCTYPE" or "[CDATA[". Scratch holds the part read so far. */
static bool step_declaration(th_html_tokenizer *tok, char c)
{
    const size_t held = tok->scratch_len;
    const bool is_doctype = held ? (tok->scratch[0] | 0x20) == 'd' : (c | 0x20) == 'd';
    static const char doctype[] = "doctype";
    if (is_doctype && th_lower(c) == doctype[held]) {
        th_html_append(tok, &c, 1);
        if (tok->scratch_len == sizeof doctype - 1)
            th_html_doctype_begin(tok);
        return true;
    }
    if (!is_doctype) {
        append_char(tok, c);
        if (is_prefix(tok, "--")) {
            if (held == 1)
                begin_comment(tok, TH_COMMENT_START);
            return true;
        }
        if (is_prefix(tok, "[CDATA[")) {
            if (tok->scratch_len < 7)
                return true;
            if (tok->sink->is_foreign(tok->context)) {
                tok->state = TH_IN_CONTENT;
                th_html_set_content(tok, TH_HTML_CDATA);
            } else {
                tok->state = TH_BOGUS_COMMENT;
            }
            return true;
        }
        tok->scratch_len = held;
    }
    tok->state = TH_BOGUS_COMMENT; /* of the held bytes */
    return false;
}

static bool step_bogus_comment(th_html_tokenizer *tok, char c)
{
    if (c == '>')
        emit_comment(tok);
    else if (tok->sink->comment)
        append_char(tok, c);
    return true;
}

/* At the beginning, after "<!--" or "<!---": here '>' ends it too. */
static bool step_comment_start(th_html_tokenizer *tok, char c)
{
    const bool has_dash = tok->state == TH_COMMENT_START_DASH;
    if (c == '>') {
        emit_comment(tok);
        return true;
    }
    if (c == '-') {
        tok->state = has_dash ? TH_COMMENT_END : TH_COMMENT_START_DASH;
        return true;
    }
    append_to_comment(tok, "-", has_dash);
    tok->state = TH_COMMENT;
    return false;
}

/* The states for '<' in a comment differ only in parse errors. */
static bool step_comment(th_html_tokenizer *tok, char c)
{
    if (c == '-')
        tok->state = TH_COMMENT_END_DASH;
    else if (tok->sink->comment)
        append_char(tok, c);
    return true;
}

static bool step_comment_end_dash(th_html_tokenizer *tok, char c)
{
    if (c == '-') {
        tok->state = TH_COMMENT_END;
        return true;
    }
    append_to_comment(tok, "-", 1);
    tok->state = TH_COMMENT;
    return false;
}

static bool step_comment_end(th_html_tokenizer *tok, char c)
{
    if (c == '>') {
        emit_comment(tok);
        return true;
    }
    if (c == '!') {
        tok->state = TH_COMMENT_END_BANG;
        return true;
    }
    if (c == '-') {
        append_to_comment(tok, "-", 1);
        return true;
    }
    append_to_comment(tok, "--", 2);
    tok->state = TH_COMMENT;
    return false;
}

static bool step_comment_end_bang(th_html_tokenizer *tok, char c)
{
    if (c == '>') {
        emit_comment(tok);
        return true;
    }
    append_to_comment(tok, "--!", 3);
    tok->state = c == '-' ? TH_COMMENT_END_DASH : TH_COMMENT;
    return c == '-';
}

/* ---- references -------------------------------------------------------------------- */

/* Writes a reference's characters, or its literal text, where the reference occurs. */
static void flush(th_html_tokenizer *tok, const char *bytes, size_t len)
{
    if (tok->value_state == TH_IN_CONTENT)
        th_html_emit_text(tok, bytes, bytes + len);
    else
        th_html_append(tok, bytes, len);
}

static void hold(th_html_tokenizer *tok, char c)
{
    tok->held[tok->held_len++] = c;
}

static void flush_held(th_html_tokenizer *tok)
{
    tok->state = tok->value_state;
    flush(tok, tok->held, tok->held_len);
}

static bool step_reference(th_html_tokenizer *tok, char c)
{
    tok->held_len = 0;
    hold(tok, '&');
    if (c == '#') {
        hold(tok, c);
        tok->code = 0;
        tok->state = TH_REFERENCE_NUMBER;
        return true;
    }
    tok->walk = (th_reference_walk){ 0 };
    tok->state = TH_REFERENCE_NAME;
    return false;
}

/* @param c  the next byte; NUL at the end of the page */
static void end_reference_name(th_html_tokenizer *tok, char c)
{
    const th_reference_walk *walk = &tok->walk;
    const size_t used = 1u + walk->match_letters;
    const char next = (char)(used < tok->held_len ? tok->held[used] : c);
    const bool is_text = walk->match_letters == 0 ||
                         (tok->value_state != TH_IN_CONTENT && !walk->has_semicolon &&
                          (next == '=' || th_is_letter(next) || th_is_digit(next)));
    if (is_text) {
        flush_held(tok);
        return;
    }
    size_t len;
    const char *text = th_reference_text_of(walk, &len);
    tok->state = tok->value_state;
    flush(tok, text, len);
    flush(tok, tok->held + used, tok->held_len - used);
}

static bool step_reference_name(th_html_tokenizer *tok, char c)
{
    if (th_reference_step(&tok->walk, c)) {
        hold(tok, c);
        return true;
    }
    end_reference_name(tok, c);
    return false;
}

static bool step_reference_number(th_html_tokenizer *tok, char c)
{
    if (tok->state == TH_REFERENCE_NUMBER && th_lower(c) == 'x') {
        hold(tok, c);
        tok->state = TH_REFERENCE_HEX_START;
        return true;
    }
    const bool is_hex = tok->state == TH_REFERENCE_HEX_START;
    if (is_hex ? th_hex_value(c) >= 0 : th_is_digit(c))
        tok->state = is_hex ? TH_REFERENCE_HEX : TH_REFERENCE_DECIMAL;
    else
        flush_held(tok);
    return false;
}

static void end_reference_digits(th_html_tokenizer *tok)
{
    char text[4];
    const size_t len = th_reference_code_text(tok->code, text);
    tok->state = tok->value_state;
    flush(tok, text, len);
}

static bool step_reference_digits(th_html_tokenizer *tok, char c)
{
    const unsigned base = tok->state == TH_REFERENCE_HEX ? 16 : 10;
    const unsigned value = (unsigned)th_hex_value(c); /* huge if not a digit */
    if (value < base) {
        const uint32_t code = tok->code * base + value;
        tok->code = code < TH_REFERENCE_CODE_MAX ? code : TH_REFERENCE_CODE_MAX;
        return true;
    }
    end_reference_digits(tok);
    return c == ';';
}

/* ---- the machine ------------------------------------------------------------------- */

/* If comments are not wanted, bytes that cannot end one are skipped. */
static const char *skip_comment(const th_html_tokenizer *tok, const char *at,
                                const char *end)
{
    if (tok->sink->comment)
        return at;
    const char *stop =
        memchr(at, tok->state == TH_COMMENT ? '-' : '>', (size_t)(end - at));
    return stop ? stop : end;
}

/* Takes the bytes of a quoted value that need no change. */
static const char *take_value(th_html_tokenizer *tok, const char *at, const char *end)
{
    const char quote = tok->state == TH_VALUE_DOUBLE ? '"' : '\'';
    const char *stop = at;
    while (stop < end && *stop != quote && *stop != '&' && *stop != '\0' && *stop != '\r')
        stop++;
    th_html_append(tok, at, (size_t)(stop - at));
    return stop;
}

/* Handles states that take many bytes at once. */
static const char *take_run(th_html_tokenizer *tok, const char *at, const char *end)
{
    switch (tok->state) {
    case TH_COMMENT:
    case TH_BOGUS_COMMENT:
        return skip_comment(tok, at, end);
    case TH_VALUE_DOUBLE:
    case TH_VALUE_SINGLE:
        return take_value(tok, at, end);
    default:
        return at;
    }
}

/* Processes one byte; CR becomes LF. @return whether it was taken; if not, the state has
 * changed */
static bool step(th_html_tokenizer *tok, char c)
{
    switch (tok->state) {
    case TH_TAG_OPEN:
        return step_tag_open(tok, c);
    case TH_END_TAG_OPEN:
        return step_end_tag_open(tok, c);
    case TH_RAW_END_TAG:
        return step_raw_end_tag(tok, c);
    case TH_TAG_NAME:
        return step_tag_name(tok, c);
    case TH_BEFORE_NAME:
    case TH_AFTER_VALUE:
        return before_name(tok, c);
    case TH_NAME:
        return step_name(tok, c);
    case TH_AFTER_NAME:
        return step_after_name(tok, c);
    case TH_BEFORE_VALUE:
        return step_before_value(tok, c);
    case TH_VALUE_DOUBLE:
    case TH_VALUE_SINGLE:
        return step_value(tok, c);
    case TH_VALUE_BARE:
        return step_value_bare(tok, c);
    case TH_SELF_CLOSING:
        return step_self_closing(tok, c);
    case TH_REFERENCE:
        return step_reference(tok, c);
    case TH_REFERENCE_NAME:
        return step_reference_name(tok, c);
    case TH_REFERENCE_NUMBER:
    case TH_REFERENCE_HEX_START:
        return step_reference_number(tok, c);
    case TH_REFERENCE_HEX:
    case TH_REFERENCE_DECIMAL:
        return step_reference_digits(tok, c);
    case TH_DECLARATION:
        return step_declaration(tok, c);
    case TH_BOGUS_COMMENT:
        return step_bogus_comment(tok, c);
    case TH_COMMENT_START:
    case TH_COMMENT_START_DASH:
        return step_comment_start(tok, c);
    case TH_COMMENT:
        return step_comment(tok, c);
    case TH_COMMENT_END_DASH:
        return step_comment_end_dash(tok, c);
    case TH_COMMENT_END:
        return step_comment_end(tok, c);
    case TH_COMMENT_END_BANG:
        return step_comment_end_bang(tok, c);
    default:
        return th_html_doctype_step(tok, c);
    }
}

const char *th_html_machine(th_html_tokenizer *tok, const char *at, const char *end)
{
    while (tok->state != TH_IN_CONTENT && !tok->is_stopped) {
        at = take_run(tok, at, end);
        if (at == end)
            break;
        const bool is_cr = *at == '\r';
        if (!step(tok, (char)(is_cr ? '\n' : *at)))
            continue;
        at = is_cr ? th_html_behind_cr(tok, at, end) : at + 1;
    }
    return at;
}

/* Handles a reference at the end of the page: text, or part of a tag that is dropped. */
static void finish_reference(th_html_tokenizer *tok)
{
    if (tok->state == TH_REFERENCE)
        (void)step_reference(tok, '\0');
    if (tok->state == TH_REFERENCE_NAME)
        end_reference_name(tok, '\0');
    else if (tok->state == TH_REFERENCE_HEX || tok->state == TH_REFERENCE_DECIMAL)
        end_reference_digits(tok);
    else
        flush_held(tok);
}

void th_html_machine_finish(th_html_tokenizer *tok)
{
    static const char open[2] = { '<', '/' };
    switch (tok->state) {
    case TH_TAG_OPEN:
        th_html_emit_text(tok, open, open + 1);
        break;
    case TH_END_TAG_OPEN:
        th_html_emit_text(tok, open, open + 2);
        break;
    case TH_RAW_END_TAG:
        th_html_emit_text(tok, tok->scratch, tok->scratch + tok->scratch_len);
        break;
    case TH_REFERENCE:
    case TH_REFERENCE_NAME:
    case TH_REFERENCE_NUMBER:
    case TH_REFERENCE_HEX_START:
    case TH_REFERENCE_HEX:
    case TH_REFERENCE_DECIMAL:
        if (tok->value_state == TH_IN_CONTENT)
            finish_reference(tok);
        break;
    case TH_DECLARATION:
    case TH_BOGUS_COMMENT:
    case TH_COMMENT_START:
    case TH_COMMENT_START_DASH:
    case TH_COMMENT:
    case TH_COMMENT_END_DASH:
    case TH_COMMENT_END:
    case TH_COMMENT_END_BANG:
        emit_comment(tok);
        break;
    default:
        if (tok->state >= TH_DOCTYPE)
            th_html_doctype_finish(tok);
    }
    tok->state = TH_IN_CONTENT;
}
