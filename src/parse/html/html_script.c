/*
 * Script data, escaped and double escaped: HTML Living Standard, 13.2.5.4 and 15 to 31.
 *
 * "<!--" begins escaped data. "<script" inside it begins double escaped data, where
 * "</script>" ends only that level. Every byte of script data is text, so only a state is
 * kept. States that read "anything else: reconsume" are written as the step of the state
 * that they reconsume in.
 */
#include "parse/html/html_script.h"

#include "base/ascii.h"

enum {
    PLAIN,
    LESS_THAN,
    BANG,      /* "<!" */
    BANG_DASH, /* "<!-" */
    ESCAPED,
    ESCAPED_DASH,
    ESCAPED_DASH_DASH,
    ESCAPED_LESS_THAN,
    DOUBLE_START, /* the letters after '<' */
    DOUBLE,
    DOUBLE_DASH,
    DOUBLE_DASH_DASH,
    DOUBLE_LESS_THAN,
    DOUBLE_END, /* the letters after "</" */
};

enum { WORD = 6, OTHER_WORD = 7 }; /* of th_script.letters: "script" whole; not it */

static bool is_word_end(char c)
{
    return c == '\t' || c == '\n' || c == '\f' || c == ' ' || c == '/' || c == '>';
}

static uint8_t count_letter(uint8_t letters, char c)
{
    static const char word[WORD] = { 's', 'c', 'r', 'i', 'p', 't' };
    if (letters < WORD && word[letters] == (char)(c | 0x20))
        return (uint8_t)(letters + 1);
    return OTHER_WORD;
}

static uint8_t step_plain(uint8_t state, char c)
{
    if (c == '<')
        return LESS_THAN;
    if (state == LESS_THAN && c == '!')
        return BANG;
    if (state == BANG && c == '-')
        return BANG_DASH;
    if (state == BANG_DASH && c == '-')
        return ESCAPED_DASH_DASH;
    return PLAIN;
}

static uint8_t step_escaped(uint8_t state, char c)
{
    if (c == '<')
        return ESCAPED_LESS_THAN;
    if (c == '-')
        return state == ESCAPED ? ESCAPED_DASH : ESCAPED_DASH_DASH;
    return state == ESCAPED_DASH_DASH && c == '>' ? PLAIN : ESCAPED;
}

static uint8_t step_double(uint8_t state, char c)
{
    if (c == '<')
        return DOUBLE_LESS_THAN;
    if (c == '-')
        return state == DOUBLE ? DOUBLE_DASH : DOUBLE_DASH_DASH;
    return state == DOUBLE_DASH_DASH && c == '>' ? PLAIN : DOUBLE;
}

/* Reads the word after '<' in escaped data, after "</" in doubly escaped data. */
static void step_word(th_script *script, char c)
{
    const bool is_start = script->state == DOUBLE_START;
    if (th_is_letter(c))
        script->letters = count_letter(script->letters, c);
    else if (is_word_end(c))
        script->state = is_start == (script->letters == WORD) ? DOUBLE : ESCAPED;
    else
        script->state = is_start ? step_escaped(ESCAPED, c) : step_double(DOUBLE, c);
}

void th_script_step(th_script *script, char c)
{
    switch (script->state) {
    case PLAIN:
    case LESS_THAN:
    case BANG:
    case BANG_DASH:
        script->state = step_plain(script->state, c);
        return;
    case ESCAPED_LESS_THAN:
        if (th_is_letter(c)) {
            script->state = DOUBLE_START;
            script->letters = count_letter(0, c);
        } else {
            script->state = step_escaped(ESCAPED, c);
        }
        return;
    case DOUBLE_LESS_THAN:
        script->letters = 0;
        script->state = c == '/' ? DOUBLE_END : step_double(DOUBLE, c);
        return;
    case DOUBLE_START:
    case DOUBLE_END:
        step_word(script, c);
        return;
    case DOUBLE:
    case DOUBLE_DASH:
    case DOUBLE_DASH_DASH:
        script->state = step_double(script->state, c);
        return;
    default:
        script->state = step_escaped(script->state, c);
    }
}

bool th_script_may_end(const th_script *script)
{
    return script->state < DOUBLE;
}

bool th_script_is_plain(const th_script *script)
{
    return script->state == PLAIN;
}

bool th_script_is_escaped(const th_script *script)
{
    return script->state == ESCAPED || script->state == DOUBLE;
}
