/* WACZ files by libzip. See wacz.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "base/file_name.h"
#include "ingest/wacz.h"

enum { SKIP_BYTES = 64 << 10 };

/* Words for a code that zip_open gave. */
static th_status refuse(const char *path, int code, th_error *err)
{
    zip_error_t why;
    zip_error_init_with_code(&why, code);
    const th_status status = code == ZIP_ER_MEMORY ? TH_NOMEM : TH_IO;
    (void)th_fail(err, status, "cannot open '%.200s' as WACZ: %s", path,
                  zip_error_strerror(&why));
    zip_error_fini(&why);
    return status;
}

static th_status open_file(const char *path, zip_t **out, th_error *err)
{
    int code = 0;
    *out = zip_open(path, ZIP_RDONLY, &code);
    return *out ? TH_OK : refuse(path, code, err);
}

/* ---- the archives of a file ---- */

static int by_name(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Names of the members that are archives, by name; they are libzip's. Freed by the
 * caller, the row alone. */
static th_status find_archives(zip_t *file, const char *path, const char ***out,
                               size_t *count, th_error *err)
{
    const zip_int64_t members = zip_get_num_entries(file, 0);
    const char **names = NULL;
    *count = 0;
    for (zip_int64_t i = 0; i < members; i++) {
        const char *name = zip_get_name(file, (zip_uint64_t)i, ZIP_FL_ENC_RAW);
        if (!name || strncmp(name, "archive/", 8) != 0 || !th_is_archive_name(name))
            continue;
        if (!names)
            names = calloc(TH_WACZ_MEMBERS_MAX, sizeof *names);
        if (!names || *count == TH_WACZ_MEMBERS_MAX) {
            free(names);
            return names ? th_fail(err, TH_IO, "'%.200s' holds more than %d archives",
                                   path, TH_WACZ_MEMBERS_MAX)
                         : th_fail(err, TH_NOMEM, "cannot list '%.200s'", path);
        }
        names[(*count)++] = name;
    }
    if (!names)
        return th_fail(err, TH_IO,
                       "'%.200s' is a ZIP file with no archive below archive/", path);
    qsort(names, *count, sizeof *names, by_name);
    *out = names;
    return TH_OK;
}

th_status th_wacz_list(const char *path, th_wacz_found found, void *context,
                       th_error *err)
{
    zip_t *file = NULL;
    const char **names = NULL;
    size_t count = 0;
    th_status status = open_file(path, &file, err);
    if (status == TH_OK)
        status = find_archives(file, path, &names, &count, err);
    for (size_t i = 0; status == TH_OK && i < count; i++) {
        char *name = NULL;
        if (i && strcmp(names[i], names[i - 1]) == 0)
            continue; /* a name leads to one member */
        status = asprintf(&name, "%s!%s", path, names[i]) < 0
                     ? th_fail(err, TH_NOMEM, "cannot list '%.200s'", path)
                     : found(context, name, err);
        free(name);
    }
    if (names)
        free(names);
    if (file)
        zip_discard(file);
    return status;
}

/* ---- an archive as a stream ---- */

struct th_wacz_member {
    zip_t *file;
    zip_file_t *stream;
    zip_uint64_t number; /* in the directory */
    uint64_t at;         /* bytes given */
    bool is_stored;      /* as it is, so that it can be positioned */
    bool is_damaged;     /* all was read, and its checksum is another */
};

static bool is_stored(zip_t *file, zip_uint64_t number)
{
    zip_stat_t facts;
    return zip_stat_index(file, number, 0, &facts) == 0 &&
           (facts.valid & ZIP_STAT_COMP_METHOD) != 0 && facts.comp_method == ZIP_CM_STORE;
}

/* A wrong checksum of the whole is told when all records were given: libwarc says where an
 * archive is damaged, and goes on behind. */
static warc_status member_read(void *context, char *buffer, size_t capacity, size_t *got)
{
    th_wacz_member *member = context;
    zip_int64_t count = member->is_damaged ? 0 : -1;
    if (count < 0 && member->stream)
        count = zip_fread(member->stream, buffer, capacity);
    if (count < 0 && member->stream &&
        zip_error_code_zip(zip_file_get_error(member->stream)) == ZIP_ER_CRC) {
        member->is_damaged = true;
        count = 0;
    }
    *got = count > 0 ? (size_t)count : 0;
    member->at += *got;
    return count < 0 ? WARC_IO : WARC_OK;
}

/* What is deflated is unpacked anew up to the place. */
static warc_status member_skip(th_wacz_member *member, uint64_t offset)
{
    char bytes[SKIP_BYTES];
    if (offset < member->at) {
        (void)zip_fclose(member->stream);
        member->at = 0;
        member->stream = zip_fopen_index(member->file, member->number, 0);
    }
    while (member->at < offset) {
        const uint64_t left = offset - member->at;
        size_t got = 0;
        const warc_status status =
            member_read(member, bytes, left < sizeof bytes ? left : sizeof bytes, &got);
        if (status != WARC_OK)
            return status;
        if (!got)
            return WARC_CANNOT_SEEK;
    }
    return WARC_OK;
}

static warc_status member_seek(void *context, uint64_t offset)
{
    th_wacz_member *member = context;
    if (!member->stream)
        return WARC_IO;
    if (!member->is_stored)
        return member_skip(member, offset);
    if (offset > INT64_MAX ||
        zip_fseek(member->stream, (zip_int64_t)offset, SEEK_SET) != 0)
        return WARC_CANNOT_SEEK;
    member->at = offset;
    return WARC_OK;
}

static void member_close(void *context)
{
    th_wacz_member *member = context;
    if (member->stream)
        (void)zip_fclose(member->stream);
    zip_discard(member->file);
    free(member);
}

static th_status open_member(const char *path, const char *name, warc_input *input,
                             th_wacz_member **out, th_error *err)
{
    th_wacz_member *member = calloc(1, sizeof *member);
    if (!member)
        return th_fail(err, TH_NOMEM, "cannot open '%.200s'", path);
    th_status status = open_file(path, &member->file, err);
    if (status != TH_OK) {
        free(member);
        return status;
    }
    const zip_int64_t number = zip_name_locate(member->file, name, ZIP_FL_ENC_RAW);
    if (number >= 0) {
        member->number = (zip_uint64_t)number;
        member->stream = zip_fopen_index(member->file, member->number, 0);
        member->is_stored = is_stored(member->file, member->number);
    }
    if (!member->stream) {
        status = th_fail(err, TH_IO, "cannot open '%.200s' in '%.200s': %s", name, path,
                         zip_strerror(member->file));
        member_close(member);
        return status;
    }
    *input = (warc_input){ member, member_read, member_seek, member_close };
    *out = member;
    return TH_OK;
}

static th_status no_member(void *context, const char *name, th_error *err)
{
    (void)name;
    return th_fail(err, TH_IO, "'%.200s' is read by its archives, FILE!MEMBER",
                   (const char *)context);
}

th_status th_wacz_open(const char *name, warc_input *input, th_wacz_member **out,
                       th_error *err)
{
    const size_t len = th_wacz_file_len(name);
    if (!len)
        return th_wacz_list(name, no_member, (void *)(uintptr_t)name, err);
    char *path = strndup(name, len);
    if (!path)
        return th_fail(err, TH_NOMEM, "cannot open '%.200s'", name);
    const th_status status = open_member(path, name + len + 1, input, out, err);
    free(path);
    return status;
}

th_status th_wacz_failure(const th_wacz_member *member, th_error *err)
{
    if (member->is_damaged)
        return th_fail(err, TH_IO,
                       "the checksum in the ZIP file is not that of its bytes");
    zip_error_t *why = member->stream ? zip_file_get_error(member->stream) : NULL;
    return why && zip_error_code_zip(why) != ZIP_ER_OK
               ? th_fail(err, TH_IO,
                         "cannot be read from the ZIP file after %" PRIu64 " bytes: %s",
                         member->at, zip_error_strerror(why))
               : TH_OK;
}

const char *th_wacz_library_version(void)
{
    return zip_libzip_version();
}
