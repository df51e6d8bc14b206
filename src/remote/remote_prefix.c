/* Compares names with prefixes. See the header. */
#include "remote/remote_prefix.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "remote/remote_name.h"

/* Maximum number of decodings. A name that is still encoded after that is rejected. */
enum { DECODINGS_MAX = 8 };

/* Decodes %XX once, in place. Returns false if there is no %XX. */
static bool decode(char *text, size_t *len)
{
    size_t to = 0;
    const size_t before = *len;
    for (size_t from = 0; from < before; from++) {
        const bool is_code = text[from] == '%' && from + 2 < before &&
                             th_hex_value(text[from + 1]) >= 0 &&
                             th_hex_value(text[from + 2]) >= 0;
        if (is_code) {
            text[to++] =
                (char)(th_hex_value(text[from + 1]) << 4 | th_hex_value(text[from + 2]));
            from += 2;
        } else {
            text[to++] = text[from];
        }
    }
    *len = to;
    return to < before;
}

static bool has_bad_byte(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f || text[i] == '\\' ||
            text[i] == '/')
            return true;
    return false;
}

static bool is_dots(const char *text, size_t len)
{
    return (len == 1 && text[0] == '.') || (len == 2 && memcmp(text, "..", 2) == 0);
}

/* One part of a path, which is at most TH_REMOTE_NAME_MAX long. */
static bool is_plain_part(const char *part, size_t len)
{
    char text[TH_REMOTE_NAME_MAX];
    memcpy(text, part, len);
    for (int i = 0; i < DECODINGS_MAX; i++) {
        if (has_bad_byte(text, len) || is_dots(text, len))
            return false;
        if (!decode(text, &len))
            return true;
    }
    return false;
}

/* Returns whether the path after a prefix stays below it. The path must not begin with a
 * slash. */
static bool stays(const char *path, size_t len)
{
    for (size_t at = 0; at <= len;) {
        const char *slash = memchr(path + at, '/', len - at);
        const size_t end = slash ? (size_t)(slash - path) : len;
        if (!is_plain_part(path + at, end - at))
            return false;
        at = end + 1;
    }
    return true;
}

static th_status check(const char *prefix, th_error *err)
{
    th_remote_parts parts;
    const size_t len = strlen(prefix);
    if (!th_remote_is_name(prefix))
        return th_fail(err, TH_USAGE,
                       "'%.150s' does not begin with s3://, https:// or http://", prefix);
    const th_status status = th_remote_name_parts(prefix, &parts, err);
    if (status != TH_OK)
        return status;
    const char *host = strstr(prefix, "://") + 3;
    const size_t host_len = strcspn(host, "/?#");
    const char *path = host + host_len;
    if (host_len == 0 || *path != '/' || prefix[len - 1] != '/')
        return th_fail(err, TH_USAGE,
                       "'%.150s' must contain a bucket or a host, and end with a slash",
                       prefix);
    if (strpbrk(path, "?#") || !stays(path + 1, strlen(path + 1)))
        return th_fail(err, TH_USAGE, "'%.150s' has an ambiguous path", prefix);
    return TH_OK;
}

bool th_remote_is_below(const char *name, const char *prefix)
{
    const size_t prefix_len = strlen(prefix), len = strlen(name);
    if (len > TH_REMOTE_NAME_MAX || strncmp(name, prefix, prefix_len) != 0)
        return false;
    /* A key may have ? and #; in a URL a query and a fragment begin there. */
    const bool is_url = strncmp(name, "s3://", 5) != 0;
    const char *path = name + prefix_len;
    if (is_url && strchr(path, '#'))
        return false;
    const size_t path_len = is_url ? strcspn(path, "?") : strlen(path);
    return path_len > 0 && stays(path, path_len);
}

th_status th_remote_prefixes_read(const char *list, th_remote_prefixes *out,
                                  th_error *err)
{
    static const char blanks[] = " \t";
    th_remote_prefixes found = { .text = strdup(list) };
    th_status status =
        found.text ? TH_OK
                   : th_fail(err, TH_NOMEM, "cannot read prefixes: out of memory");
    char *rest = NULL;
    for (char *item = found.text ? strtok_r(found.text, blanks, &rest) : NULL;
         item && status == TH_OK; item = strtok_r(NULL, blanks, &rest)) {
        if (found.count == TH_REMOTE_PREFIXES_MAX)
            status = th_fail(err, TH_USAGE, "more than %d prefixes",
                             (int)TH_REMOTE_PREFIXES_MAX);
        else if ((status = check(item, err)) == TH_OK)
            found.all[found.count++] = item;
    }
    if (status == TH_OK)
        *out = found;
    else
        th_remote_prefixes_done(&found);
    return status;
}

void th_remote_prefixes_done(th_remote_prefixes *prefixes)
{
    free(prefixes->text);
    *prefixes = (th_remote_prefixes){ .count = 0 };
}

int th_remote_prefixes_find(const th_remote_prefixes *prefixes, const char *name)
{
    for (uint32_t i = 0; i < prefixes->count; i++)
        if (th_remote_is_below(name, prefixes->all[i]))
            return (int)i;
    return -1;
}
