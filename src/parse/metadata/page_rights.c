/*
 * Statements about rights in a page.
 *
 * A META counts as one for a robot if its name is a robot's, and its content begins with
 * a directive for robots. JSON-LD's `license` may be of any object, such as a picture on
 * the page, so its row has the type of the object. The license is a text, or an object
 * with url, @id or name.
 * Sources: schema.org; ccREL; TDM Reservation Protocol (W3C community group); RSL 1.0.
 */
#include "parse/metadata/page_rights.h"

#include "base/ascii.h"
#include "base/json_reader.h"
#include "parse/url/url.h"

enum {
    LD_DEPTH = 32,
    LD_FOUND = 32,     /* licenses of open objects; more are dropped */
    MAX_JSON = 1 << 20 /* of a page, bytes */
};

/* Returns whether a property is `license`, of any vocabulary: "cc:license". */
static bool is_license(th_view name)
{
    enum { LEN = sizeof "license" - 1 };
    if (name.len < LEN ||
        !th_ascii_is((th_view){ name.data + name.len - LEN, LEN }, "license"))
        return false;
    return name.len == LEN || strchr(":./#", name.data[name.len - LEN - 1]) != NULL;
}

static bool has_license(th_view list)
{
    for (th_view word = th_ascii_next_word(&list); word.len > 0;
         word = th_ascii_next_word(&list))
        if (is_license(word))
            return true;
    return false;
}

static bool is_creative_commons(th_view url)
{
    static const char *const starts[] = { "https://", "http://", "//" };
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        if (!th_ascii_starts_with(url, starts[i]))
            continue;
        th_view rest = { url.data + strlen(starts[i]), url.len - strlen(starts[i]) };
        if (th_ascii_starts_with(rest, "www."))
            rest = (th_view){ rest.data + 4, rest.len - 4 };
        return th_ascii_starts_with(rest, "creativecommons.org/licenses/") ||
               th_ascii_starts_with(rest, "creativecommons.org/publicdomain/");
    }
    return false;
}

/* ---- tags ---- */

/* Returns whether a name of META names a robot. Most names of robots have a usual part,
 * and the others are listed. */
static bool is_robot(th_view name)
{
    static const char *const parts[] = { "bot", "crawler", "spider" };
    static const char *const names[] = {
        "slurp",      "teoma",     "yandex", "google-extended",     "anthropic-ai",
        "claude-web", "cohere-ai", "omgili", "facebookexternalhit", "meta-externalagent"
    };
    char lower[64];
    if (name.len > sizeof lower)
        return false;
    for (size_t i = 0; i < name.len; i++)
        lower[i] = th_lower(name.data[i]);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (th_ascii_has((th_view){ lower, name.len }, parts[i]))
            return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (th_view_is((th_view){ lower, name.len }, names[i]))
            return true;
    return false;
}

static bool starts_with_directive(th_view list)
{
    const char *const comma = list.len ? memchr(list.data, ',', list.len) : NULL;
    if (comma)
        list.len = (size_t)(comma - list.data);
    return th_is_robots_directive(list);
}

static void add_url(th_rights *rights, const char *signal, const char *from, th_view base,
                    th_view reference)
{
    const th_view url = th_url_resolve(base, reference, rights->arena);
    th_rights_add(rights, &(th_right){ .signal = signal, .from = from, .value = url });
}

static void read_meta(th_rights *rights, th_view base, const th_attribute *attrs,
                      size_t attr_count)
{
    static const char *const sources[] = { "name", "property", "http-equiv" };
    const th_view content = th_attribute_value(attrs, attr_count, "content");
    if (!content.len)
        return;
    if (has_license(th_attribute_value(attrs, attr_count, "itemprop")))
        th_rights_add(
            rights,
            &(th_right){ .signal = "license", .from = "microdata", .value = content });
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        const th_view name =
            th_ascii_trimmed(th_attribute_value(attrs, attr_count, sources[i]));
        if (!name.len)
            continue;
        if (th_ascii_is(name, "robots") || th_ascii_is(name, "x-robots-tag"))
            th_rights_add_robots(rights, "meta", (th_view){ NULL, 0 }, content);
        else if (th_ascii_is(name, "tdm-reservation"))
            th_rights_add(rights, &(th_right){ .signal = "tdm-reservation",
                                               .from = "meta",
                                               .value = content });
        else if (th_ascii_is(name, "tdm-policy"))
            add_url(rights, "tdm-policy", "meta", base, content);
        else if (is_license(name))
            th_rights_add(rights, &(th_right){ .signal = "license",
                                               .from = i == 1 ? "rdfa" : "meta",
                                               .value = content });
        else if (is_robot(name) && starts_with_directive(content))
            th_rights_add_robots(rights, "meta", name, content);
    }
}

/* Reads a LINK or A. */
static void read_link(th_rights *rights, th_view base, const char *from,
                      const th_attribute *attrs, size_t attr_count)
{
    const th_view url = th_attribute_value(attrs, attr_count, "href");
    if (!url.len)
        return;
    const th_view type = th_ascii_trimmed(th_attribute_value(attrs, attr_count, "type"));
    if (th_ascii_starts_with(type, "application/rsl+xml"))
        add_url(rights, "rsl", from, base, url);
    else if (th_ascii_has_word(th_attribute_value(attrs, attr_count, "rel"), "license"))
        add_url(rights, "license", from, base, url);
    else if (has_license(th_attribute_value(attrs, attr_count, "itemprop")))
        add_url(rights, "license", "microdata", base, url);
    else if (has_license(th_attribute_value(attrs, attr_count, "property")) ||
             has_license(th_attribute_value(attrs, attr_count, "rel")))
        add_url(rights, "license", "rdfa", base, url);
    else if (is_creative_commons(th_ascii_trimmed(url)))
        add_url(rights, "license", from, base, url);
}

void th_page_rights_begin(th_page_rights *rights, th_arena *arena)
{
    *rights = (th_page_rights){ .list.arena = arena, .json_left = MAX_JSON };
}

void th_page_rights_tag(th_page_rights *rights, th_view base, th_tag tag,
                        const th_attribute *attrs, size_t attr_count)
{
    if (tag == TH_TAG_META)
        read_meta(&rights->list, base, attrs, attr_count);
    else if (tag == TH_TAG_LINK)
        read_link(&rights->list, base, "link", attrs, attr_count);
    else if (tag == TH_TAG_A || tag == TH_TAG_AREA)
        read_link(&rights->list, base, "a", attrs, attr_count);
}

/* ---- JSON-LD ---- */

enum place { IN_OTHER, IN_LICENSE, IN_TYPE, IN_URL, IN_ID, IN_NAME };

/* An open container. */
struct frame {
    enum place place;      /* of a container: IN_LICENSE or IN_OTHER */
    enum place next;       /* of its next value */
    th_view type;          /* of an object */
    th_view url, id, name; /* of a license */
};

/* A license of an open object. */
struct found {
    th_view value;
    uint32_t owner; /* frame of the object */
};

struct ld {
    th_rights *rights;
    struct frame frames[LD_DEPTH];
    uint32_t depth;
    struct found found[LD_FOUND];
    uint32_t found_count;
};

static enum place place_of(th_view key)
{
    if (is_license(key))
        return IN_LICENSE;
    return th_view_is(key, "@type")  ? IN_TYPE
           : th_view_is(key, "url")  ? IN_URL
           : th_view_is(key, "@id")  ? IN_ID
           : th_view_is(key, "name") ? IN_NAME
                                     : IN_OTHER;
}

/* Notes a license of the innermost object outside the license itself. */
static void note_license(struct ld *ld, th_view value, uint32_t depth)
{
    while (depth && ld->frames[depth - 1].place == IN_LICENSE)
        depth--;
    if (!depth || ld->found_count == LD_FOUND)
        return;
    ld->found[ld->found_count++] = (struct found){ value, depth - 1 };
}

static void take_string(struct ld *ld, th_view text)
{
    struct frame *const frame = &ld->frames[ld->depth - 1];
    switch (frame->next) {
    case IN_LICENSE:
        note_license(ld, text, ld->depth);
        break;
    case IN_TYPE:
        if (!frame->type.data)
            frame->type = text;
        break;
    case IN_URL:
        frame->url = text;
        break;
    case IN_ID:
        frame->id = text;
        break;
    case IN_NAME:
        frame->name = text;
        break;
    case IN_OTHER:
        break;
    }
}

/* Opens a container. An array passes its place on to its values. */
static bool begin(struct ld *ld, bool is_array)
{
    if (ld->depth == LD_DEPTH)
        return false;
    const enum place place = ld->depth ? ld->frames[ld->depth - 1].next : IN_OTHER;
    const bool is_kept = place == IN_LICENSE;
    ld->frames[ld->depth++] =
        (struct frame){ .place = is_kept ? IN_LICENSE : IN_OTHER,
                        .next = is_array && (is_kept || place == IN_TYPE) ? place
                                                                          : IN_OTHER };
    return true;
}

/* Ends an object: adds its licenses, which now have its type. */
static void end_object(struct ld *ld)
{
    const uint32_t owner = --ld->depth;
    const struct frame *const frame = &ld->frames[owner];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < ld->found_count; i++) {
        const struct found *const found = &ld->found[i];
        if (found->owner != owner)
            ld->found[kept++] = *found;
        else
            th_rights_add(ld->rights, &(th_right){ .signal = "license",
                                                   .from = "json-ld",
                                                   .value = found->value,
                                                   .of = frame->type });
    }
    ld->found_count = kept;
    if (frame->place != IN_LICENSE)
        return;
    const th_view value = frame->url.len  ? frame->url
                          : frame->id.len ? frame->id
                                          : frame->name;
    if (value.len)
        note_license(ld, value, owner);
}

static void read_tokens(struct ld *ld, char *copy, size_t len)
{
    th_json_reader json;
    th_json_reader_init(&json, (th_view){ copy, len });
    for (;;) {
        const th_json_token token = th_json_read(&json);
        const bool is_open = token == TH_JSON_OPEN_OBJECT || token == TH_JSON_OPEN_ARRAY;
        if (token <= TH_JSON_BAD || (ld->depth == 0 && !is_open))
            return;
        th_view text = { NULL, 0 };
        if (token == TH_JSON_KEY || token == TH_JSON_STRING) {
            char *const at = copy + (json.text.data - copy);
            text.data = at;
            if (!th_json_text(&json, at, &text.len))
                return;
        }
        if (token == TH_JSON_KEY)
            ld->frames[ld->depth - 1].next = place_of(text);
        else if (token == TH_JSON_STRING)
            take_string(ld, text);
        else if (is_open) {
            if (!begin(ld, token == TH_JSON_OPEN_ARRAY))
                return;
        } else if (token == TH_JSON_CLOSE_OBJECT)
            end_object(ld);
        else if (token == TH_JSON_CLOSE_ARRAY) {
            ld->depth--;
            const struct frame *const closed = &ld->frames[ld->depth];
            if (closed->type.data && ld->depth && !ld->frames[ld->depth - 1].type.data)
                ld->frames[ld->depth - 1].type = closed->type; /* "@type": ["A", "B"] */
        }
        if (ld->depth == 0)
            return; /* "-->", "]]>" and ";" may follow */
    }
}

void th_page_rights_json(th_page_rights *rights, th_view text)
{
    if (text.len > rights->json_left)
        text.len = rights->json_left;
    rights->json_left -= text.len;
    if (!text.len || !memmem(text.data, text.len, "license", strlen("license")))
        return;
    size_t len = 0;
    char *const copy = th_json_ld_copy(text, rights->list.arena, &rights->memory, &len);
    struct ld ld = { .rights = &rights->list };
    if (copy)
        read_tokens(&ld, copy, len);
}
