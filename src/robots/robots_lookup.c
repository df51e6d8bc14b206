/*
 * Looks up a host once for consecutive pages of it. A redirect to robots.txt of another
 * host is followed. A redirect to another address is a file without rules.
 */
#include "robots/robots_lookup.h"

#include <string.h>

#include "base/ascii.h"
#include "base/json_reader.h"
#include "robots/tdmrep.h"

/* Members of a line that are read. */
struct entry {
    bool has_robots;
    int status;
    th_view rules, location, tdm; /* raw JSON strings, as in the line */
};

void th_robots_lookup_begin(th_robots_lookup *lookup, const th_robots_file *file,
                            const char *agent)
{
    *lookup = (th_robots_lookup){ .file = file, .agent = agent ? agent : "" };
}

void th_robots_lookup_done(th_robots_lookup *lookup)
{
    th_buffer_done(&lookup->rules);
    th_buffer_done(&lookup->tdm);
    th_buffer_done(&lookup->text);
    th_buffer_done(&lookup->path);
}

/* Reads a line. A damaged line has the members before the damage. */
static struct entry read_line(th_view line)
{
    struct entry entry = { false, 0, { NULL, 0 }, { NULL, 0 }, { NULL, 0 } };
    th_json_reader json;
    bool is_tdm = false;
    th_view *text = NULL;
    bool is_status = false;
    th_json_reader_init(&json, line);
    for (;;) {
        const th_json_token token = th_json_read(&json);
        if (token <= TH_JSON_BAD)
            return entry;
        if (token == TH_JSON_KEY && json.depth == 1) {
            is_tdm = th_json_text_is(&json, "tdmrep");
            entry.has_robots |= th_json_text_is(&json, "robots");
        } else if (token == TH_JSON_KEY) {
            text = th_json_text_is(&json, "rules") ? is_tdm ? &entry.tdm : &entry.rules
                   : th_json_text_is(&json, "location") ? &entry.location
                                                        : NULL;
            is_status = !is_tdm && th_json_text_is(&json, "status");
            continue;
        } else if (token == TH_JSON_STRING && text) {
            *text = json.text;
        } else if (token == TH_JSON_NUMBER && is_status && json.text.len == 3) {
            for (size_t i = 0; i < 3; i++)
                entry.status = entry.status * 10 + (json.text.data[i] - '0');
        }
        text = NULL;
        is_status = false;
    }
}

/* Decodes a raw JSON string. */
static void decode(th_view raw, th_buffer *out)
{
    const th_json_reader string = { .text = raw };
    th_buffer_reset(out);
    if (!raw.len || !th_buffer_reserve(out, raw.len))
        return;
    if (!th_json_text(&string, out->data, &out->len))
        out->len = 0;
}

/* Follows redirects from the entry of a host to an entry with rules. */
static struct entry follow(th_robots_lookup *lookup, struct entry entry)
{
    char origin[TH_ROBOTS_ORIGIN_MAX];
    for (int hop = 0; entry.location.len; hop++) {
        decode(entry.location, &lookup->text);
        const th_view url = th_buffer_view(&lookup->text);
        const size_t len = th_robots_origin(url, origin);
        th_buffer_reset(&lookup->path);
        th_robots_path(url, &lookup->path);
        const bool is_robots = th_view_is(th_buffer_view(&lookup->path), "/robots.txt");
        const th_view line =
            hop < TH_ROBOTS_HOPS && len && is_robots
                ? th_robots_file_find(lookup->file, (th_view){ origin, len })
                : (th_view){ NULL, 0 };
        if (!line.data)
            return (struct entry){ .has_robots = true, .status = entry.status };
        entry = read_line(line);
    }
    return entry;
}

/* Loads the rules of a host. */
static void load(th_robots_lookup *lookup)
{
    const th_view origin = { lookup->origin, lookup->origin_len };
    const struct entry found = read_line(th_robots_file_find(lookup->file, origin));
    const struct entry entry = follow(lookup, found);
    decode(found.tdm, &lookup->tdm);
    decode(entry.rules, &lookup->text);
    th_buffer_reset(&lookup->rules);
    lookup->has_robots = entry.has_robots;
    lookup->status = entry.status;
    lookup->is_named = th_robots_txt_select(
        th_buffer_view(&lookup->text), (th_view){ lookup->agent, strlen(lookup->agent) },
        &lookup->rules);
}

static bool has_failed(const th_robots_lookup *lookup)
{
    return lookup->rules.has_failed || lookup->tdm.has_failed ||
           lookup->text.has_failed || lookup->path.has_failed;
}

th_status th_robots_lookup_find(th_robots_lookup *lookup, th_view url,
                                th_robots_answer *out)
{
    char origin[TH_ROBOTS_ORIGIN_MAX];
    const size_t len = url.len ? th_robots_origin(url, origin) : 0;
    *out = (th_robots_answer){ .is_known = false };
    if (!len)
        return TH_ABSENT;
    if (len != lookup->origin_len || memcmp(origin, lookup->origin, len) != 0) {
        memcpy(lookup->origin, origin, len);
        lookup->origin_len = len;
        load(lookup);
    }
    th_buffer_reset(&lookup->path);
    th_robots_path(url, &lookup->path);
    if (has_failed(lookup))
        return TH_NOMEM;
    out->is_known = lookup->has_robots;
    out->is_named = lookup->is_named;
    out->status = lookup->status;
    th_robots_txt_match(th_buffer_view(&lookup->rules), th_buffer_view(&lookup->path),
                        &out->match);
    return TH_OK;
}

static void add_license(const th_robots_lookup *lookup, th_right *row, th_rights *rights)
{
    static const char key[] = "license: ";
    th_view rest = th_buffer_view(&lookup->rules);
    row->signal = "rsl";
    row->agent = (th_view){ NULL, 0 };
    while (rest.len) {
        const char *const end = memchr(rest.data, '\n', rest.len);
        const size_t len = end ? (size_t)(end - rest.data) : rest.len;
        if (len > sizeof key && memcmp(rest.data, key, sizeof key - 1) == 0) {
            row->value = (th_view){ rest.data + sizeof key - 1, len - (sizeof key - 1) };
            th_rights_add(rights, row);
        }
        rest =
            (th_view){ rest.data + len + (end != NULL), rest.len - len - (end != NULL) };
    }
}

static void add_tdm(const th_robots_lookup *lookup, th_rights *rights)
{
    th_view rest = th_buffer_view(&lookup->tdm);
    th_tdmrep_rule rule;
    while (th_tdmrep_next(&rest, &rule)) {
        if (!th_robots_pattern_matches(rule.location, th_buffer_view(&lookup->path)))
            continue;
        th_rights_add(rights, &(th_right){ .signal = "tdm-reservation",
                                           .from = "tdmrep.json",
                                           .value = rule.reservation });
        th_rights_add(rights, &(th_right){ .signal = "tdm-policy",
                                           .from = "tdmrep.json",
                                           .value = rule.policy });
    }
}

th_status th_robots_lookup_add(th_robots_lookup *lookup, th_view url, th_rights *rights)
{
    th_robots_answer answer;
    const th_status status = th_robots_lookup_find(lookup, url, &answer);
    if (status != TH_OK)
        return status == TH_ABSENT ? TH_OK : status;
    const th_view agent = { lookup->agent, strlen(lookup->agent) };
    th_right row = { .signal = "robots.txt",
                     .from = "robots.txt",
                     .agent = answer.is_named ? agent : (th_view){ NULL, 0 },
                     .value = answer.match.rule };
    if (answer.status >= 500)
        row.value = TH_VIEW("unreachable");
    th_rights_add(rights, &row);
    row.signal = "content-usage";
    row.value = answer.match.usage;
    th_rights_add(rights, &row);
    row.signal = "content-signal";
    row.value = answer.match.signal;
    th_rights_add(rights, &row);
    add_license(lookup, &row, rights);
    add_tdm(lookup, rights);
    return TH_OK;
}
