/*
 * Doctypes: HTML Living Standard, 13.2.5.53 to 68, for the machine of html_machine.c.
 *
 * The states of the public and of the system identifier are alike, so they share code.
 * The part that they read is in th_doctype_parts.now.
 */
#include "parse/html/html_token.h"

enum { NAME, PUBLIC_ID, SYSTEM_ID };

static const char *const keywords[] = { [PUBLIC_ID] = "public", [SYSTEM_ID] = "system" };
enum { KEYWORD_LEN = 6 };

void th_html_doctype_begin(th_html_tokenizer *tok)
{
    tok->doctype = (th_doctype_parts){ 0 };
    th_attribute_list_clear(&tok->attributes); /* scratch may move, and they with it */
    tok->scratch_len = 0;
    tok->part = 0;
    tok->state = TH_DOCTYPE;
}

static void begin_part(th_html_tokenizer *tok, uint8_t part)
{
    th_doctype_parts *doctype = &tok->doctype;
    doctype->now = part;
    doctype->has_part[part] = true;
    doctype->part[part] = (th_span){ tok->scratch_len, 0 };
}

static void append(th_html_tokenizer *tok, char c)
{
    if (c == '\0')
        th_html_append(tok, "\xEF\xBF\xBD", 3);
    else
        th_html_append(tok, &c, 1);
    th_span *part = &tok->doctype.part[tok->doctype.now];
    part->len = tok->scratch_len - part->start;
}

static th_view view_of(const th_html_tokenizer *tok, int part)
{
    if (!tok->doctype.has_part[part])
        return (th_view){ 0 };
    const th_span span = tok->doctype.part[part];
    return (th_view){ tok->scratch + span.start, span.len };
}

static void emit(th_html_tokenizer *tok)
{
    tok->state = TH_IN_CONTENT;
    if (!tok->sink->doctype || tok->has_failed)
        return;
    const th_html_doctype doctype = { .name = view_of(tok, NAME),
                                      .public_id = view_of(tok, PUBLIC_ID),
                                      .system_id = view_of(tok, SYSTEM_ID),
                                      .force_quirks = tok->doctype.force_quirks };
    tok->sink->doctype(tok->context, &doctype);
}

static void emit_quirky(th_html_tokenizer *tok)
{
    tok->doctype.force_quirks = true;
    emit(tok);
}

static bool go_bogus(th_html_tokenizer *tok, bool is_quirky)
{
    if (is_quirky)
        tok->doctype.force_quirks = true;
    tok->state = TH_BOGUS_DOCTYPE;
    return false;
}

static bool step_before_name(th_html_tokenizer *tok, char c)
{
    if (th_is_html_blank(c))
        return true;
    if (c == '>') {
        emit_quirky(tok);
        return true;
    }
    begin_part(tok, NAME);
    tok->state = TH_DOCTYPE_NAME;
    return false;
}

static bool step_name(th_html_tokenizer *tok, char c)
{
    if (th_is_html_blank(c))
        tok->state = TH_AFTER_DOCTYPE_NAME;
    else if (c == '>')
        emit(tok);
    else
        append(tok, th_lower(c));
    return true;
}

static bool step_after_name(th_html_tokenizer *tok, char c)
{
    if (th_is_html_blank(c))
        return true;
    if (c == '>') {
        emit(tok);
        return true;
    }
    const char lower = th_lower(c);
    if (lower != 'p' && lower != 's')
        return go_bogus(tok, true);
    tok->doctype.now = lower == 'p' ? PUBLIC_ID : SYSTEM_ID;
    tok->doctype.keyword_letters = 1;
    tok->state = TH_DOCTYPE_KEYWORD;
    return true;
}

/* The letters so far do not matter, because none of them can end the doctype. */
static bool step_keyword(th_html_tokenizer *tok, char c)
{
    th_doctype_parts *doctype = &tok->doctype;
    if (th_lower(c) != keywords[doctype->now][doctype->keyword_letters])
        return go_bogus(tok, true);
    if (++doctype->keyword_letters == KEYWORD_LEN)
        tok->state = TH_AFTER_KEYWORD;
    return true;
}

/* After PUBLIC or SYSTEM, with or without whitespace: the identifier must begin. */
static bool step_before_id(th_html_tokenizer *tok, char c)
{
    if (th_is_html_blank(c)) {
        tok->state = TH_BEFORE_ID;
        return true;
    }
    if (c == '>') {
        emit_quirky(tok);
        return true;
    }
    if (c != '"' && c != '\'')
        return go_bogus(tok, true);
    begin_part(tok, tok->doctype.now);
    tok->state = c == '"' ? TH_ID_DOUBLE : TH_ID_SINGLE;
    return true;
}

static bool step_id(th_html_tokenizer *tok, char c)
{
    if (c == (tok->state == TH_ID_DOUBLE ? '"' : '\''))
        tok->state = TH_AFTER_ID;
    else if (c == '>')
        emit_quirky(tok);
    else
        append(tok, c);
    return true;
}

/* After an identifier. A public one may be followed by a system one. */
static bool step_after_id(th_html_tokenizer *tok, char c)
{
    const bool is_public = tok->doctype.now == PUBLIC_ID;
    if (th_is_html_blank(c)) {
        tok->state = is_public ? TH_BETWEEN_IDS : TH_AFTER_ID;
        return true;
    }
    if (c == '>') {
        emit(tok);
        return true;
    }
    if (!is_public)
        return go_bogus(tok, false);
    if (c != '"' && c != '\'')
        return go_bogus(tok, true);
    begin_part(tok, SYSTEM_ID);
    tok->state = c == '"' ? TH_ID_DOUBLE : TH_ID_SINGLE;
    return true;
}

bool th_html_doctype_step(th_html_tokenizer *tok, char c)
{
    switch (tok->state) {
    case TH_DOCTYPE:
    case TH_BEFORE_DOCTYPE_NAME:
        return step_before_name(tok, c);
    case TH_DOCTYPE_NAME:
        return step_name(tok, c);
    case TH_AFTER_DOCTYPE_NAME:
        return step_after_name(tok, c);
    case TH_DOCTYPE_KEYWORD:
        return step_keyword(tok, c);
    case TH_AFTER_KEYWORD:
    case TH_BEFORE_ID:
        return step_before_id(tok, c);
    case TH_ID_DOUBLE:
    case TH_ID_SINGLE:
        return step_id(tok, c);
    case TH_AFTER_ID:
    case TH_BETWEEN_IDS:
        return step_after_id(tok, c);
    default: /* bogus: only its end counts */
        if (c == '>')
            emit(tok);
        return true;
    }
}

void th_html_doctype_finish(th_html_tokenizer *tok)
{
    if (tok->state == TH_BOGUS_DOCTYPE)
        emit(tok);
    else
        emit_quirky(tok);
}
