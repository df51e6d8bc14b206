/*
 * Any bytes as a pointer of a message, and as the name of a remote object: an object below
 * a prefix is still there after a server has decoded all escapes and removed all dots. The
 * reason of a refusal does not depend on the surrounding text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_target.h"
#include "ingest/warc_pointer.h"
#include "remote/remote_name.h"
#include "remote/remote_prefix.h"

#define PREFIX "https://h.example/p/"

static void require(bool claim)
{
    if (!claim)
        abort();
}

static int value_of(char c)
{
    const char *at = c ? strchr("0123456789abcdef0123456789ABCDEF", c) : NULL;
    return at ? (int)(at - "0123456789abcdef0123456789ABCDEF") % 16 : -1;
}

/* Returns the path as the most permissive server reads it: decoded until nothing is left to
 * decode, with backslashes as slashes, and without dots. */
static void stays_below(const char *path, size_t len)
{
    char text[TH_REMOTE_NAME_MAX];
    bool changes = true;
    int depth = 0;
    require(len < sizeof text);
    memcpy(text, path, len);
    while (changes) {
        size_t to = 0;
        changes = false;
        for (size_t i = 0; i < len; i++) {
            char c = text[i];
            if (c == '%' && i + 2 < len && value_of(text[i + 1]) >= 0 &&
                value_of(text[i + 2]) >= 0) {
                c = (char)(value_of(text[i + 1]) * 16 + value_of(text[i + 2]));
                i += 2;
                changes = true;
            }
            text[to++] = c;
        }
        len = to;
    }
    for (size_t at = 0; at <= len;) {
        size_t end = at;
        while (end < len && text[end] != '/' && text[end] != '\\')
            end++;
        const size_t part = end - at;
        if (part == 2 && memcmp(text + at, "..", 2) == 0)
            depth--;
        else if (part && !(part == 1 && text[at] == '.'))
            depth++;
        require(depth >= 0);
        at = end + 1;
    }
}

static void check_name(const char *name)
{
    th_remote_parts parts;
    if (th_remote_is_below(name, PREFIX)) {
        const char *path = name + strlen(PREFIX);
        stays_below(path, strcspn(path, "?"));
        require(th_remote_name_parts(name, &parts, NULL) == TH_OK || strchr(path, '?'));
    }
    if (!th_remote_is_name(name) || th_remote_name_parts(name, &parts, NULL) != TH_OK)
        return;
    require(parts.bucket.len + parts.key.len <= strlen(name));
    th_buffer encoded = { 0 };
    th_remote_encode(parts.key, true, &encoded);
    for (size_t i = 0; i < encoded.len; i++)
        require((unsigned char)encoded.data[i] > ' ' &&
                (unsigned char)encoded.data[i] < 0x7f &&
                !strchr("?#\\", encoded.data[i]));
    th_buffer_done(&encoded);
}

static void check_list(const char *text)
{
    th_remote_prefixes prefixes;
    if (th_remote_prefixes_read(text, &prefixes, NULL) != TH_OK)
        return;
    require(prefixes.count <= TH_REMOTE_PREFIXES_MAX);
    for (uint32_t i = 0; i < prefixes.count; i++) {
        char name[TH_REMOTE_NAME_MAX + 8];
        (void)snprintf(name, sizeof name, "%sa", prefixes.all[i]);
        require(th_remote_prefixes_find(&prefixes, prefixes.all[i]) != (int)i);
        require(strlen(name) > TH_REMOTE_NAME_MAX ||
                th_remote_prefixes_find(&prefixes, name) >= 0);
    }
    th_remote_prefixes_done(&prefixes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static th_arena *arena;
    if (!arena)
        arena = th_arena_new(0);
    require(arena != NULL);
    th_arena_reset(arena);
    th_warc_pointer pointer;
    th_error err = { .text = "" };
    const th_status status = th_warc_pointer_read((th_view){ (const char *)data, size },
                                                  arena, &pointer, &err);
    require(status == TH_OK || status == TH_BAD_WARC || status == TH_TOO_LARGE);
    if (status == TH_OK) {
        require(pointer.file.len > 0 && pointer.file.len <= TH_POINTER_NAME_MAX);
        require(!memchr(pointer.file.data, '\0', pointer.file.len));
        require(pointer.file.data[0] != '/');
        char *file = strndup(pointer.file.data, pointer.file.len);
        require(file != NULL);
        check_name(file);
        free(file);
    } else {
        require(*err.text);
    }
    char *text = strndup((const char *)data, size);
    char *below = NULL;
    require(text && asprintf(&below, PREFIX "%s", text) > 0);
    check_name(text);
    check_name(below);
    check_list(text);
    free(below);
    free(text);
    return 0;
}
