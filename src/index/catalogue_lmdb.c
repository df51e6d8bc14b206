/*
 * The catalogue in LMDB. Rows wait in memory and go in with one transaction, so that a
 * reader sees whole flushes and a page costs no transaction of its own.
 */
#include <errno.h>
#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io_status.h"
#include "base/json.h"
#include "index/catalogue.h"

enum {
    DATABASES_MAX = 1100, /* more than an index has segments */
    DIGEST_WORDS = 2,
    JACCARD_PLACES = 4,
    NAME_SIZE = 16,
};

/* Address space, not memory and not disk: the file grows as it is filled. */
#define MAP_SIZE ((size_t)1 << 38)

struct th_catalogue {
    MDB_env *env;
    th_buffer rows; /* struct row, key, value; one behind the other */
};

struct row {
    uint32_t segment;
    uint32_t key_len, value_len;
};

static th_status fail(const char *what, int code, th_error *err)
{
    /* LMDB's own codes are negative, the system's are not. */
    return th_fail(err, code == MDB_MAP_FULL ? TH_NO_ROOM : th_io_status(code),
                   "cannot %s the catalogue: %s", what, mdb_strerror(code));
}

static void name_of(uint32_t segment, char name[NAME_SIZE])
{
    (void)snprintf(name, NAME_SIZE, "%08u", segment);
}

static size_t key_len(th_view id)
{
    return id.len < TH_CATALOGUE_ID_MAX ? id.len : TH_CATALOGUE_ID_MAX;
}

/* ---- the length of the file ---- */

/* LMDB maps the file and trusts it: to read behind its end is a signal, not an error. */
static uint64_t missing_len(MDB_env *env, uint64_t *wanted, int *fd)
{
    MDB_envinfo info;
    MDB_stat sizes;
    struct stat facts;
    *wanted = 0;
    if (mdb_env_info(env, &info) || mdb_env_stat(env, &sizes) ||
        mdb_env_get_fd(env, fd) || fstat(*fd, &facts) != 0)
        return 0;
    *wanted = (uint64_t)(info.me_last_pgno + 1) * sizes.ms_psize;
    const uint64_t len = (uint64_t)facts.st_size;
    return len < *wanted ? *wanted - len : 0;
}

static th_status check_len(MDB_env *env, const char *path, th_error *err)
{
    uint64_t wanted;
    int fd;
    const uint64_t missing = missing_len(env, &wanted, &fd);
    if (!missing)
        return TH_OK;
    return th_fail(err, TH_IO,
                   "the catalogue '%s' was cut: of %llu bytes the last %llu are missing; "
                   "without the file a new one begins",
                   path, (unsigned long long)wanted, (unsigned long long)missing);
}

/* LMDB leaves its last pages unwritten where nothing is in them. */
static void fill_up(MDB_env *env)
{
    uint64_t wanted;
    int fd;
    if (missing_len(env, &wanted, &fd))
        (void)ftruncate(fd, (off_t)wanted);
}

th_status th_catalogue_open(const char *path, th_catalogue **out, th_error *err)
{
    th_catalogue *catalogue = calloc(1, sizeof *catalogue);
    if (!catalogue)
        return th_fail(err, TH_NOMEM, "cannot allocate a catalogue");
    int code = mdb_env_create(&catalogue->env);
    if (!code)
        code = mdb_env_set_maxdbs(catalogue->env, DATABASES_MAX);
    if (!code)
        code = mdb_env_set_mapsize(catalogue->env, MAP_SIZE);
    if (!code)
        code = mdb_env_open(catalogue->env, path, MDB_NOSUBDIR | MDB_NOTLS, 0666);
    const th_status status =
        code ? th_fail(err, th_io_status(code), "cannot open the catalogue '%s': %s",
                       path, mdb_strerror(code))
             : check_len(catalogue->env, path, err);
    if (status == TH_OK)
        *out = catalogue;
    else
        th_catalogue_close(catalogue);
    return status;
}

void th_catalogue_close(th_catalogue *catalogue)
{
    if (!catalogue)
        return;
    if (catalogue->env)
        mdb_env_close(catalogue->env);
    th_buffer_done(&catalogue->rows);
    free(catalogue);
}

/* ---- writing ---- */

static th_status put_value(const th_catalogue_row *row, th_buffer *out)
{
    th_json json;
    th_json_begin(&json, out);
    th_json_open_object(&json);
    th_json_member(&json, "url", row->url);
    if (row->digest) {
        th_json_key(&json, "digest");
        th_json_hex_words(&json, row->digest, DIGEST_WORDS, sizeof *row->digest);
    }
    th_json_member(&json, "cluster", row->cluster);
    if (row->jaccard >= 0)
        th_json_member_decimal(&json, "jaccard", row->jaccard, JACCARD_PLACES);
    th_json_close_object(&json);
    const th_status status = th_json_end(&json);
    if (status == TH_OK)
        out->len--; /* the newline */
    return status;
}

th_status th_catalogue_add(th_catalogue *catalogue, uint32_t segment,
                           const th_catalogue_row *row)
{
    th_buffer *rows = &catalogue->rows;
    struct row head = { .segment = segment, .key_len = (uint32_t)key_len(row->id) };
    const size_t start = rows->len;
    if (!head.key_len)
        return TH_OK; /* nothing to find it by */
    th_buffer_append(rows, (const char *)&head, sizeof head);
    th_buffer_append(rows, row->id.data, head.key_len);
    const size_t value = rows->len;
    if (put_value(row, rows) != TH_OK || rows->has_failed)
        return TH_NOMEM;
    head.value_len = (uint32_t)(rows->len - value);
    memcpy(rows->data + start, &head, sizeof head);
    return TH_OK;
}

void th_catalogue_rewind(th_catalogue *catalogue)
{
    if (catalogue)
        th_buffer_reset(&catalogue->rows);
}

static int put_rows(th_catalogue *catalogue, uint32_t first, MDB_txn *txn)
{
    const th_buffer *rows = &catalogue->rows;
    uint32_t open = 0; /* segment whose database is open; they count from 1 */
    MDB_dbi database = 0;
    int code = 0;
    for (size_t at = 0; at < rows->len && !code;) {
        struct row row;
        char name[NAME_SIZE];
        memcpy(&row, rows->data + at, sizeof row);
        at += sizeof row;
        MDB_val key = { row.key_len, rows->data + at };
        MDB_val value = { row.value_len, rows->data + at + row.key_len };
        at += row.key_len + row.value_len;
        if (row.segment < first)
            continue;
        if (row.segment != open) {
            name_of(row.segment, name);
            code = mdb_dbi_open(txn, name, MDB_CREATE, &database);
            open = row.segment;
        }
        if (!code)
            code = mdb_put(txn, database, &key, &value, 0);
    }
    return code;
}

th_status th_catalogue_commit(th_catalogue *catalogue, uint32_t first, th_error *err)
{
    MDB_txn *txn = NULL;
    if (!catalogue->rows.len)
        return TH_OK;
    int code = mdb_txn_begin(catalogue->env, NULL, 0, &txn);
    if (code)
        return fail("write to", code, err);
    code = put_rows(catalogue, first, txn);
    if (code)
        mdb_txn_abort(txn);
    else
        code = mdb_txn_commit(txn);
    if (code)
        return fail("write to", code, err);
    fill_up(catalogue->env);
    th_buffer_reset(&catalogue->rows);
    return TH_OK;
}

th_status th_catalogue_drop(th_catalogue *catalogue, uint32_t segment, th_error *err)
{
    MDB_txn *txn = NULL;
    MDB_dbi database;
    char name[NAME_SIZE];
    name_of(segment, name);
    int code = mdb_txn_begin(catalogue->env, NULL, 0, &txn);
    if (code)
        return fail("write to", code, err);
    code = mdb_dbi_open(txn, name, 0, &database);
    if (!code)
        code = mdb_drop(txn, database, 1);
    if (code) {
        mdb_txn_abort(txn);
        return code == MDB_NOTFOUND ? TH_OK : fail("drop rows of", code, err);
    }
    code = mdb_txn_commit(txn);
    if (code)
        return fail("drop rows of", code, err);
    fill_up(catalogue->env);
    return TH_OK;
}

/* ---- reading ---- */

static int find_in(MDB_txn *txn, uint32_t segment, th_view id, th_buffer *out)
{
    MDB_dbi database;
    MDB_val key = { key_len(id), (char *)(uintptr_t)id.data }, value;
    char name[NAME_SIZE];
    name_of(segment, name);
    int code = mdb_dbi_open(txn, name, 0, &database);
    if (!code)
        code = mdb_get(txn, database, &key, &value);
    if (!code)
        th_buffer_append(out, value.mv_data, value.mv_size);
    return code;
}

th_status th_catalogue_find(th_catalogue *catalogue, uint32_t first, uint32_t last,
                            th_view id, th_buffer *value, th_error *err)
{
    MDB_txn *txn = NULL;
    int code = mdb_txn_begin(catalogue->env, NULL, MDB_RDONLY, &txn);
    if (code)
        return fail("read", code, err);
    code = MDB_NOTFOUND;
    for (uint32_t segment = last; segment >= first && code == MDB_NOTFOUND; segment--)
        code = find_in(txn, segment, id, value);
    mdb_txn_abort(txn);
    if (code && code != MDB_NOTFOUND)
        return fail("read", code, err);
    return code ? TH_ABSENT : value->has_failed ? TH_NOMEM : TH_OK;
}

const char *th_catalogue_library_version(void)
{
    static char text[32];
    int major, minor, patch;
    (void)mdb_version(&major, &minor, &patch);
    (void)snprintf(text, sizeof text, "%d.%d.%d", major, minor, patch);
    return text;
}
