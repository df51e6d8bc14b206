/* Rules of tdmrep.json as lines. See the header. */
#include "robots/tdmrep.h"

#include <stdint.h>

#include "base/ascii.h"
#include "base/json_reader.h"
#include "robots/robots_txt.h"

struct rule {
    th_view reservation, location, policy;
};

static void append_word(th_view word, th_buffer *out)
{
    for (size_t i = 0; i < word.len; i++) {
        const unsigned char c = (unsigned char)word.data[i];
        if (c > ' ' && c < 0x7F)
            th_buffer_append_char(out, (char)c);
        else
            th_buffer_printf(out, "%%%02X", c);
    }
}

static void append_rule(const struct rule *rule, th_buffer *out)
{
    if (!rule->reservation.len || !rule->location.len ||
        rule->location.len > TH_ROBOTS_RULE_MAX || rule->reservation.len > 32)
        return;
    append_word(rule->reservation, out);
    th_buffer_append_char(out, ' ');
    th_robots_pattern(rule->location, out);
    if (rule->policy.len && rule->policy.len <= TH_ROBOTS_RULE_MAX) {
        th_buffer_append_char(out, ' ');
        append_word(rule->policy, out);
    }
    th_buffer_append_char(out, '\n');
}

/* Returns the member of a rule that has this key, or NULL. */
static th_view *member_of(struct rule *rule, const th_json_reader *json)
{
    return th_json_text_is(json, "location")          ? &rule->location
           : th_json_text_is(json, "tdm-reservation") ? &rule->reservation
           : th_json_text_is(json, "tdm-policy")      ? &rule->policy
                                                      : NULL;
}

void th_tdmrep_reduce(th_view bytes, th_buffer *copy, th_buffer *out)
{
    th_buffer_reset(copy);
    th_buffer_append(copy, bytes.data,
                     bytes.len < TH_TDMREP_MAX ? bytes.len : TH_TDMREP_MAX);
    if (copy->has_failed || !copy->len)
        return;
    th_json_reader json;
    struct rule rule = { { NULL, 0 }, { NULL, 0 }, { NULL, 0 } };
    th_view *member = NULL;
    uint32_t count = 0;
    th_json_reader_init(&json, th_buffer_view(copy));
    for (;;) {
        const th_json_token token = th_json_read(&json);
        if (token <= TH_JSON_BAD || count == TH_TDMREP_RULES_MAX)
            return;
        if (token == TH_JSON_KEY) {
            member = json.depth == 2 ? member_of(&rule, &json) : NULL;
        } else if (token == TH_JSON_STRING && member) {
            char *const at = copy->data + (json.text.data - copy->data);
            member->data = at;
            if (!th_json_text(&json, at, &member->len))
                return;
        } else if (token == TH_JSON_NUMBER && member) {
            *member = json.text;
        } else if (token == TH_JSON_CLOSE_OBJECT && json.depth == 1) {
            append_rule(&rule, out);
            rule = (struct rule){ { NULL, 0 }, { NULL, 0 }, { NULL, 0 } };
            count++;
        }
        if (token != TH_JSON_KEY)
            member = NULL;
    }
}

bool th_tdmrep_next(th_view *reduced, th_tdmrep_rule *out)
{
    if (!reduced->len)
        return false;
    const char *const end = memchr(reduced->data, '\n', reduced->len);
    th_view line = { reduced->data, end ? (size_t)(end - reduced->data) : reduced->len };
    const size_t len = line.len + (end != NULL);
    *reduced = (th_view){ reduced->data + len, reduced->len - len };
    out->reservation = th_ascii_next_word(&line);
    out->location = th_ascii_next_word(&line);
    out->policy = th_ascii_next_word(&line);
    return true;
}
