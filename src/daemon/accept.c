/* One pass over the header for each type. */
#include "daemon/accept.h"

#include <string.h>

#include "base/ascii.h"

/* Removes the part before a separator from the text, and returns it without spaces around
 * it. A separator in a quoted string does not count. The text's data is NULL after the
 * last part. */
static th_view next_part(th_view *text, char separator)
{
    size_t at = 0;
    for (bool is_quoted = false; at < text->len; at++) {
        const char c = text->data[at];
        if (is_quoted && c == '\\')
            at++;
        else if (c == '"')
            is_quoted = !is_quoted;
        else if (c == separator && !is_quoted)
            break;
    }
    const bool is_last = at >= text->len;
    const th_view part = { text->data, is_last ? text->len : at };
    *text = is_last ? (th_view){ NULL, 0 }
                    : (th_view){ text->data + at + 1, text->len - at - 1 };
    return th_ascii_trimmed(part);
}

/* Reads "0", "0.25" or "1.000" in thousandths. Returns 0 if it is not valid. */
static int read_weight(th_view text)
{
    int weight = 0;
    if (!text.len || text.len > 5 || (text.len > 1 && text.data[1] != '.'))
        return 0;
    for (size_t i = 0; i < 5; i++) {
        if (i == 1)
            continue; /* the point */
        if (i < text.len && !th_is_digit(text.data[i]))
            return 0;
        weight = weight * 10 + (i < text.len ? text.data[i] - '0' : 0);
    }
    return weight <= 1000 ? weight : 0;
}

/* Returns the weight of a range in thousandths. */
static int weight_of(th_view parameters)
{
    while (parameters.data) {
        const th_view parameter = next_part(&parameters, ';');
        if (parameter.len >= 2 && th_lower(parameter.data[0]) == 'q' &&
            parameter.data[1] == '=')
            return read_weight((th_view){ parameter.data + 2, parameter.len - 2 });
    }
    return 1000;
}

/* Returns how specific a range is that contains the type: 3 for the type itself, 2 for
 * its family, 1 for every type. 0 if it does not contain the type. */
static int match(th_view range, const char *type)
{
    const size_t family = (size_t)(strchr(type, '/') - type) + 1; /* with the slash */
    if (th_ascii_is(range, type))
        return 3;
    if (range.len == family + 1 && range.data[family] == '*' &&
        th_ascii_same((th_view){ range.data, family }, (th_view){ type, family }))
        return 2;
    return th_ascii_is(range, "*/*");
}

/* Returns the weight of a type in thousandths, 0 if it is not accepted. */
static int judge(th_view accept, const char *type)
{
    int best = 0, weight = 0;
    while (accept.data) {
        th_view parameters = next_part(&accept, ',');
        const int specific = match(next_part(&parameters, ';'), type);
        if (specific > best) {
            best = specific;
            weight = weight_of(parameters);
        }
    }
    return weight;
}

int th_accept_choose(th_view accept, const char *const *types)
{
    int best = 0, chosen = -1;
    if (!th_ascii_trimmed(accept).len)
        return 0;
    for (int i = 0; types[i]; i++) {
        const int weight = judge(accept, types[i]);
        if (weight > best) {
            best = weight;
            chosen = i;
        }
    }
    return chosen;
}
