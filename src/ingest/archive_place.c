/* ARCHIVE#OFFSET+SKIP,LENGTH. See the header. */
#include "ingest/archive_place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/ascii.h"
#include "ingest/wacz.h"
#include "remote/remote_name.h"

/* Reads the digits at `*at`, and moves `*at` after them. */
static bool take_number(const char **at, uint64_t *out)
{
    char *end = NULL;
    if (!th_is_digit(**at))
        return false;
    errno = 0;
    *out = strtoull(*at, &end, 10);
    *at = end;
    return errno == 0;
}

bool th_archive_place_read(const char *text, th_archive_place *out)
{
    struct stat facts;
    const char *mark = strrchr(text, '#');
    if (!mark || mark == text)
        return false;
    const char *at = mark + 1;
    th_archive_place place = { .name_len = (size_t)(mark - text) };
    bool is_place = take_number(&at, &place.offset);
    if (is_place && *at == '+') {
        at++;
        is_place = take_number(&at, &place.skip);
    }
    if (is_place && *at == ',') {
        at++;
        is_place = take_number(&at, &place.length);
    }
    if (!is_place || *at || (!th_remote_is_name(text) && stat(text, &facts) == 0))
        return false;
    *out = place;
    return true;
}

size_t th_archive_file_len(const char *name)
{
    th_archive_place place;
    const size_t wacz = th_wacz_file_len(name);
    if (wacz)
        return wacz;
    return th_archive_place_read(name, &place) ? place.name_len : strlen(name);
}

bool th_archive_is_named(const char *words, const char *name)
{
    const size_t len = th_archive_file_len(name);
    return strncmp(words, name, len) == 0 && words[len] == ':';
}

const char *th_archive_place_hint(const char *name)
{
    struct stat facts;
    const char *mark = strrchr(name, '#');
    char *archive = mark ? strndup(name, (size_t)(mark - name)) : NULL;
    const bool is_there = archive && stat(archive, &facts) == 0;
    free(archive);
    return is_there
               ? "; name a record as ARCHIVE#OFFSET or ARCHIVE#OFFSET,LENGTH, in bytes"
               : "";
}
