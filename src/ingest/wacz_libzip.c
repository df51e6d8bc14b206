/* WACZ files by libzip. See wacz.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "base/file_name.h"
#include "ingest/wacz.h"
#include "ingest/wacz_source.h"

enum { SKIP_BYTES = 64 << 10 };

/* Returns words for an error code of zip_open. */
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

/* A file that is open, or an object. */
struct wacz_file {
    zip_t *zip;
    th_wacz_source *source; /* NULL: local */
};

static void close_file(struct wacz_file *file)
{
    if (file->zip)
        zip_discard(file->zip);
    th_wacz_source_free(file->source);
}

static th_status open_object(const char *path, th_remote *remote, struct wacz_file *out,
                             th_error *err)
{
    zip_error_t why;
    th_status status = th_wacz_source_open(remote, path, &out->source, err);
    if (status != TH_OK)
        return status == TH_USAGE ? TH_IO : status;
    zip_error_init(&why);
    zip_source_t *source = th_wacz_source_zip(out->source, &why);
    out->zip = source ? zip_open_from_source(source, ZIP_RDONLY, &why) : NULL;
    if (!out->zip) {
        status = th_wacz_source_failure(out->source, err);
        if (status == TH_OK)
            status = refuse(path, zip_error_code_zip(&why), err);
        if (source)
            zip_source_free(source);
    }
    zip_error_fini(&why);
    return status;
}

static th_status open_file(const char *path, th_remote *remote, struct wacz_file *out,
                           th_error *err)
{
    int code = 0;
    *out = (struct wacz_file){ .zip = NULL };
    if (th_remote_is_name(path)) {
        const th_status status = open_object(path, remote, out, err);
        if (status != TH_OK)
            close_file(out);
        return status;
    }
    out->zip = zip_open(path, ZIP_RDONLY, &code);
    return out->zip ? TH_OK : refuse(path, code, err);
}

/* ---- the archives of a file ---- */

static bool is_archive(const char *name)
{
    return name && strncmp(name, "archive/", 8) == 0 && th_is_archive_name(name);
}

static int by_name(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Number of the `rank`-th member with this name, or -1. */
static zip_int64_t find_by_rank(zip_t *file, th_view name, unsigned long rank)
{
    unsigned long seen = 0;
    const zip_int64_t members = zip_get_num_entries(file, 0);
    for (zip_int64_t i = 0; i < members; i++) {
        const char *member = zip_get_name(file, (zip_uint64_t)i, ZIP_FL_ENC_RAW);
        if (is_archive(member) && strlen(member) == name.len &&
            memcmp(member, name.data, name.len) == 0 && ++seen == rank)
            return i;
    }
    return -1;
}

/* Finds a member. If several members have one name, the second is named NAME!2, and so
 * on, in the order of the directory. libzip does not find names with control characters.
 * @return the number of the member, or -1 */
static zip_int64_t find_member(zip_t *file, const char *name)
{
    zip_int64_t number = zip_name_locate(file, name, ZIP_FL_ENC_RAW);
    if (number < 0)
        number = find_by_rank(file, (th_view){ name, strlen(name) }, 1);
    const char *mark = strrchr(name, '!');
    if (number >= 0 || !mark || mark[1] < '1' || mark[1] > '9')
        return number;
    char *end;
    const unsigned long rank = strtoul(mark + 1, &end, 10);
    const th_view first = { name, (size_t)(mark - name) };
    return *end || rank < 2 ? -1 : find_by_rank(file, first, rank);
}

/* Lists the names of the members that are archives, by name. The names are libzip's. The
 * caller frees only the array. */
static th_status find_archives(zip_t *file, const char *path, const char ***out,
                               size_t *count, th_error *err)
{
    const zip_int64_t members = zip_get_num_entries(file, 0);
    const char **names = NULL;
    *count = 0;
    for (zip_int64_t i = 0; i < members; i++) {
        const char *name = zip_get_name(file, (zip_uint64_t)i, ZIP_FL_ENC_RAW);
        if (!is_archive(name))
            continue;
        if (!names)
            names = calloc(TH_WACZ_MEMBERS_MAX, sizeof *names);
        if (!names || *count == TH_WACZ_MEMBERS_MAX) {
            free(names);
            return names ? th_fail(err, TH_IO, "'%.200s' contains more than %d archives",
                                   path, TH_WACZ_MEMBERS_MAX)
                         : th_fail(err, TH_NOMEM, "cannot list '%.200s'", path);
        }
        names[(*count)++] = name;
    }
    if (!names)
        return th_fail(err, TH_IO,
                       "'%.200s' is a ZIP file without an archive under archive/", path);
    qsort(names, *count, sizeof *names, by_name);
    *out = names;
    return TH_OK;
}

th_status th_wacz_list(const char *path, th_remote *remote, th_wacz_found found,
                       void *context, th_error *err)
{
    struct wacz_file file;
    const char **names = NULL;
    size_t count = 0, same = 0;
    th_status status = open_file(path, remote, &file, err);
    if (status != TH_OK)
        return status;
    status = find_archives(file.zip, path, &names, &count, err);
    for (size_t i = 0; status == TH_OK && i < count; i++) {
        char *name = NULL, rank[24] = "";
        same = i && strcmp(names[i], names[i - 1]) == 0 ? same + 1 : 1;
        if (same > 1)
            snprintf(rank, sizeof rank, "!%zu", same);
        status = asprintf(&name, "%s!%s%s", path, names[i], rank) < 0
                     ? th_fail(err, TH_NOMEM, "cannot list '%.200s'", path)
                     : found(context, name, err);
        free(name);
    }
    if (names)
        free(names);
    close_file(&file);
    return status;
}

/* ---- an archive as a stream ---- */

struct th_wacz_member {
    struct wacz_file file;
    zip_file_t *stream;
    zip_uint64_t number; /* in the directory */
    uint64_t at;         /* bytes given */
    bool is_stored;      /* not deflated, so reading can start at any offset */
    bool is_damaged;     /* all was read, and its checksum is wrong */
};

static bool is_stored(zip_t *file, zip_uint64_t number)
{
    zip_stat_t facts;
    return zip_stat_index(file, number, 0, &facts) == 0 &&
           (facts.valid & ZIP_STAT_COMP_METHOD) != 0 && facts.comp_method == ZIP_CM_STORE;
}

/* Reads bytes. A wrong checksum of the whole member is reported after all records:
 * libwarc reports where an archive is damaged, and continues after it. */
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
    if (count < 0 && member->file.source &&
        th_wacz_source_failure(member->file.source, NULL) == TH_INTERRUPTED)
        return WARC_PAUSED;
    return count < 0 ? WARC_IO : WARC_OK;
}

/* Moves to an offset. A deflated member is unpacked again up to the offset. */
static warc_status member_skip(th_wacz_member *member, uint64_t offset)
{
    char bytes[SKIP_BYTES];
    if (offset < member->at) {
        (void)zip_fclose(member->stream);
        member->at = 0;
        member->stream = zip_fopen_index(member->file.zip, member->number, 0);
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
    close_file(&member->file);
    free(member);
}

/* Returns why a member did not open. */
static th_status refuse_member(const struct wacz_file *file, const char *path,
                               const char *name, th_error *err)
{
    const th_status status =
        file->source ? th_wacz_source_failure(file->source, err) : TH_OK;
    return status != TH_OK ? status
                           : th_fail(err, TH_IO, "cannot open '%.200s' in '%.200s': %s",
                                     name, path, zip_strerror(file->zip));
}

static th_status open_member(const char *path, const char *name, th_remote *remote,
                             warc_input *input, th_wacz_member **out, th_error *err)
{
    th_wacz_member *member = calloc(1, sizeof *member);
    if (!member)
        return th_fail(err, TH_NOMEM, "cannot open '%.200s'", path);
    th_status status = open_file(path, remote, &member->file, err);
    if (status != TH_OK) {
        free(member);
        return status;
    }
    const zip_int64_t number = find_member(member->file.zip, name);
    if (number >= 0) {
        member->number = (zip_uint64_t)number;
        member->stream = zip_fopen_index(member->file.zip, member->number, 0);
        member->is_stored = is_stored(member->file.zip, member->number);
    }
    if (!member->stream) {
        status = refuse_member(&member->file, path, name, err);
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
    return th_fail(err, TH_IO,
                   "'%.200s' is a WACZ file; name one of its archives as FILE!MEMBER",
                   (const char *)context);
}

th_status th_wacz_open(const char *name, th_remote *remote, warc_input *input,
                       th_wacz_member **out, th_error *err)
{
    const size_t len = th_wacz_file_len(name);
    if (!len)
        return th_wacz_list(name, remote, no_member, (void *)(uintptr_t)name, err);
    char *path = strndup(name, len);
    if (!path)
        return th_fail(err, TH_NOMEM, "cannot open '%.200s'", name);
    const th_status status = open_member(path, name + len + 1, remote, input, out, err);
    free(path);
    return status;
}

th_remote_object *th_wacz_object(const th_wacz_member *member)
{
    return member->file.source ? th_wacz_source_object(member->file.source) : NULL;
}

th_status th_wacz_failure(const th_wacz_member *member, th_error *err)
{
    const th_status status =
        member->file.source ? th_wacz_source_failure(member->file.source, err) : TH_OK;
    if (status != TH_OK)
        return status;
    if (member->is_damaged)
        return th_fail(err, TH_IO, "wrong checksum in the ZIP file");
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
