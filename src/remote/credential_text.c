/* Text to credentials. See the header. */
#include "remote/credential_text.h"

#include <string.h>
#include <time.h>

#include "base/ascii.h"
#include "base/json_reader.h"

bool th_credential_put(char *out, size_t capacity, th_view value)
{
    if (value.len >= capacity)
        return false;
    for (size_t i = 0; i < value.len; i++)
        if ((unsigned char)value.data[i] < ' ' || value.data[i] == 0x7f)
            return false;
    memcpy(out, value.data, value.len);
    out[value.len] = '\0';
    return true;
}

/* ---- a profile file ---- */

static th_view trim(const char *text, size_t len)
{
    while (len && (unsigned char)text[len - 1] <= ' ')
        len--;
    while (len && (unsigned char)*text <= ' ') {
        text++;
        len--;
    }
    return (th_view){ text, len };
}

/* Reads a line of the profile's section. Returns false if a value is too long. */
static bool take_line(const char *line, th_credentials *out)
{
    const char *equals = strchr(line, '=');
    if (!equals || *line == '#' || *line == ';')
        return true;
    const th_view key = trim(line, (size_t)(equals - line));
    const th_view value = trim(equals + 1, strlen(equals + 1));
    if (th_view_is(key, "aws_access_key_id"))
        return th_credential_put(out->access_key, sizeof out->access_key, value);
    if (th_view_is(key, "aws_secret_access_key"))
        return th_credential_put(out->secret, sizeof out->secret, value);
    if (th_view_is(key, "aws_session_token"))
        return th_credential_put(out->token, sizeof out->token, value);
    return true;
}

static bool is_section(const char *line, const char *profile)
{
    const char *end = strchr(line, ']');
    return end && th_view_is(trim(line + 1, (size_t)(end - line - 1)), profile);
}

th_status th_credential_profile_read(FILE *file, const char *profile, th_credentials *out)
{
    char line[TH_CREDENTIAL_LINE_MAX];
    bool is_here = false, is_found = false, begins = true;
    while (fgets(line, sizeof line, file)) {
        const bool is_first = begins, is_whole = strchr(line, '\n') || feof(file);
        begins = is_whole;
        if (!is_first || !is_whole)
            continue; /* a piece of a line that is too long */
        if (*line == '[') {
            is_here = is_section(line, profile);
            is_found |= is_here;
        } else if (is_here && !take_line(line, out)) {
            return TH_TOO_LARGE;
        }
    }
    return is_found ? TH_OK : TH_ABSENT;
}

/* ---- an answer ---- */

/* Parses "2026-11-22T20:30:00Z" to seconds since 1970, or 0 for other text. */
static int64_t time_of(const char *text)
{
    struct tm parts = { 0 };
    if (!strptime(text, "%Y-%m-%dT%H:%M:%S", &parts))
        return 0;
    return (int64_t)timegm(&parts);
}

/* Returns the text between <NAME> and </NAME>. */
static bool find_element(th_view xml, const char *name, th_view *out)
{
    char open[64], close[64];
    const int open_len = snprintf(open, sizeof open, "<%s>", name);
    const int close_len = snprintf(close, sizeof close, "</%s>", name);
    const char *from = xml.len ? memmem(xml.data, xml.len, open, (size_t)open_len) : NULL;
    if (!from)
        return false;
    from += open_len;
    const size_t left = (size_t)(xml.data + xml.len - from);
    const char *to = left ? memmem(from, left, close, (size_t)close_len) : NULL;
    if (!to)
        return false;
    *out = (th_view){ from, (size_t)(to - from) };
    return true;
}

/* Returns false if there is no such element, or if it has markup or a reference in it. */
static bool take_element(th_view xml, const char *name, char *out, size_t capacity)
{
    th_view value;
    return find_element(xml, name, &value) && value.len > 0 &&
           !memchr(value.data, '<', value.len) && !memchr(value.data, '&', value.len) &&
           th_credential_put(out, capacity, value);
}

bool th_credential_xml_read(th_view xml, th_credentials *out)
{
    char expires[64] = "";
    th_view keys;
    if (!find_element(xml, "Credentials", &keys) ||
        !take_element(keys, "AccessKeyId", out->access_key, sizeof out->access_key) ||
        !take_element(keys, "SecretAccessKey", out->secret, sizeof out->secret) ||
        !take_element(keys, "SessionToken", out->token, sizeof out->token) ||
        !take_element(keys, "Expiration", expires, sizeof expires))
        return false;
    out->expires_at = time_of(expires);
    return out->expires_at > 0;
}

/* Reads a string member of the reader's present value. Returns false if it is not a
 * string, or too long. */
static bool take_member(th_json_reader *reader, char *out, size_t capacity)
{
    char text[TH_CREDENTIAL_LINE_MAX];
    size_t len = 0;
    if (th_json_read(reader) != TH_JSON_STRING || reader->text.len > sizeof text ||
        !th_json_text(reader, text, &len))
        return false;
    return th_credential_put(out, capacity, (th_view){ text, len });
}

bool th_credential_json_read(th_view json, th_credentials *out)
{
    char expires[64] = "";
    th_json_reader reader;
    th_json_reader_init(&reader, json);
    if (th_json_read(&reader) != TH_JSON_OPEN_OBJECT)
        return false;
    bool is_good = true;
    th_json_token token = TH_JSON_BAD;
    while (is_good && (token = th_json_read(&reader)) == TH_JSON_KEY) {
        if (th_json_text_is(&reader, "AccessKeyId"))
            is_good = take_member(&reader, out->access_key, sizeof out->access_key);
        else if (th_json_text_is(&reader, "SecretAccessKey"))
            is_good = take_member(&reader, out->secret, sizeof out->secret);
        else if (th_json_text_is(&reader, "Token"))
            is_good = take_member(&reader, out->token, sizeof out->token);
        else if (th_json_text_is(&reader, "Expiration"))
            is_good = take_member(&reader, expires, sizeof expires);
        else
            is_good = th_json_skip(&reader);
    }
    out->expires_at = time_of(expires);
    return is_good && token == TH_JSON_CLOSE_OBJECT &&
           th_json_read(&reader) == TH_JSON_DONE;
}
