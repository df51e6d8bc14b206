/* Parses remote names. See the header. */
#include "remote/remote_name.h"

#include <string.h>

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool is_s3(const char *name)
{
    return starts(name, "s3://");
}

bool th_remote_is_name(const char *name)
{
    return is_s3(name) || starts(name, "https://") || starts(name, "http://");
}

bool th_remote_is_page(const char *name)
{
    const size_t len = starts(name, "https://") ? 8 : starts(name, "http://") ? 7 : 0;
    return len && name[len] && name[len] != '/';
}

bool th_remote_is_prefix(const char *name)
{
    if (!is_s3(name))
        return false;
    const char *key = strchr(name + 5, '/');
    return !key || key[strlen(key) - 1] == '/';
}

static bool is_bucket(th_view bucket)
{
    bool is_good = bucket.len >= 1 && bucket.len <= 255 && bucket.data[0] != '.';
    for (size_t i = 0; i < bucket.len; i++) {
        const char c = bucket.data[i];
        is_good &= (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                   (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
    }
    return is_good;
}

th_status th_remote_name_parts(const char *name, th_remote_parts *parts, th_error *err)
{
    const size_t len = strlen(name);
    *parts = (th_remote_parts){ .bucket = { "", 0 }, .key = { "", 0 } };
    if (len > TH_REMOTE_NAME_MAX)
        return th_fail(err, TH_USAGE, "'%.80s...' is longer than %d bytes", name,
                       TH_REMOTE_NAME_MAX);
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)name[i] < ' ' || name[i] == 0x7f)
            return th_fail(err, TH_USAGE, "'%.80s...' has a control character", name);
    if (!is_s3(name)) {
        const char *host = strstr(name, "://") + 3;
        const char *at = memchr(host, '@', strcspn(host, "/?#"));
        return at ? th_fail(err, TH_USAGE,
                            "URLs with a user or password are not supported; use a "
                            "presigned URL")
                  : TH_OK;
    }
    const char *bucket = name + 5;
    const char *slash = strchr(bucket, '/');
    parts->bucket =
        (th_view){ bucket, slash ? (size_t)(slash - bucket) : strlen(bucket) };
    if (slash)
        parts->key = (th_view){ slash + 1, strlen(slash + 1) };
    return is_bucket(parts->bucket)
               ? TH_OK
               : th_fail(err, TH_USAGE, "'%.200s' has no bucket", name);
}

void th_remote_encode(th_view text, bool keeps_slash, th_buffer *out)
{
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char c = (unsigned char)text.data[i];
        const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                              (c >= '0' && c <= '9') || c == '-' || c == '.' ||
                              c == '_' || c == '~' || (c == '/' && keeps_slash);
        if (!is_plain) {
            th_buffer_append_char(out, '%');
            th_buffer_append_char(out, digits[c >> 4]);
            th_buffer_append_char(out, digits[c & 15]);
        } else {
            th_buffer_append_char(out, (char)c);
        }
    }
}

size_t th_remote_name_shown(const char *name)
{
    return th_remote_is_name(name) && !is_s3(name) ? strcspn(name, "?#") : strlen(name);
}
