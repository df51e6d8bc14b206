/*
 * `thresher records`: one JSON line for each WARC record, as libwarc finds it, or with
 * --cdxj an index of the captures among them (capture_index.c), with --parquet a table of
 * them (capture_table.c), or with --validate a verdict on each archive (archive_check.c).
 *
 * Blocks are hashed while they stream, and payloads while they are decoded. A record of
 * any size costs the same memory. The fields match the corpus's checker
 * (tests/conform/oracle_file.py).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/archive_check.h"
#include "app/capture_index.h"
#include "app/capture_table.h"
#include "app/program.h"
#include "app/same_file.h"
#include "app/say.h"
#include "base/json.h"
#include "ingest/input_list.h"
#include "ingest/page_file.h"
#include "ingest/wacz.h"
#include "parse/http/http_message.h"
#include "settings/remote_settings.h"
#include "settings/settings.h"
#include "thresher/page.h"
#include "warc/warc.h"

/* One digest and its stages: asked for, begun, ended. */
struct hash {
    warc_digest *digest;
    warc_digest_value value;
    bool is_wanted;
};

enum { BLOCK, PAYLOAD, STORED, DECHUNKED, HASH_COUNT };

/* The command's state: one set of hashes and decoders for all records. */
struct records {
    th_settings settings;
    th_input_list inputs;
    th_remote *remote;
    const char *path; /* of the current input */
    struct hash hashes[HASH_COUNT];
    th_body *body;      /* undoes all codings */
    th_body *dechunked; /* undoes the transfer coding alone */
    th_buffer head;     /* start of a block until its HTTP head is complete */
    th_buffer row;
    bool is_index; /* the output is an index of captures */
    bool is_table; /* or a table of them */
    bool is_check; /* or a verdict on each archive */
    th_capture_index captures;
    th_capture_table table;
    th_archive_check check; /* of the current input */

    /* of the current record */
    th_http_head http;
    bool has_http;
    bool is_request; /* its head is not parsed, only its end is found */
    bool is_in_body; /* the head has been read or there is none */
    size_t next_try; /* bytes of head before it is parsed again */
    uint64_t payload_len;

    uint64_t record_count;
    uint64_t damaged_files;
    uint64_t damage_count;
    uint64_t odd_records;
    uint64_t faulty_files; /* with problems, of --validate */
};

static void hash_begin(struct hash *hash, bool is_wanted, warc_digest_algorithm algorithm)
{
    hash->is_wanted = is_wanted && warc_digest_begin(hash->digest, algorithm) == WARC_OK;
}

static void hash_add(struct hash *hash, const char *bytes, size_t len)
{
    if (hash->is_wanted)
        warc_digest_update(hash->digest, (warc_view){ bytes, len });
}

static void hash_end(struct hash *hash)
{
    if (hash->is_wanted)
        warc_digest_end(hash->digest, &hash->value);
}

static bool add_payload(void *context, const char *bytes, size_t len)
{
    struct records *records = context;
    records->payload_len += len;
    hash_add(&records->hashes[PAYLOAD], bytes, len);
    return true;
}

static bool add_dechunked(void *context, const char *bytes, size_t len)
{
    struct records *records = context;
    hash_add(&records->hashes[DECHUNKED], bytes, len);
    return true;
}

/* ---- the payload of a record ---- */

static th_status begin_body(struct records *records, const th_http_head *head)
{
    th_http_head transfer = *head;
    transfer.coding_count = 0;
    transfer.is_coding_unknown = false;
    records->is_in_body = true;
    th_status status =
        th_body_begin(records->dechunked, &transfer, 0, add_dechunked, records);
    if (status == TH_OK)
        status = th_body_begin(records->body, head, records->settings.page.max_codings,
                               add_payload, records);
    /* Too many codings: the payload stays unknown, the record is listed all the same. */
    if (status == TH_BAD_CODING) {
        records->hashes[PAYLOAD].is_wanted = false;
        status = th_body_begin(records->body, &transfer, 0, add_payload, records);
    }
    return status;
}

static th_status add_body(struct records *records, const char *bytes, size_t len)
{
    const th_view view = { bytes, len };
    hash_add(&records->hashes[STORED], bytes, len);
    th_status status = th_body_write(records->body, view);
    if (status == TH_OK && records->hashes[DECHUNKED].is_wanted)
        status = th_body_write(records->dechunked, view);
    return status;
}

/*
 * Finds the end of a request's head, its first empty line. All of a block without one is
 * head.
 */
static th_status find_request_body(const struct records *records, th_view start,
                                   bool is_whole, size_t *used)
{
    const char *const crlf = memmem(start.data, start.len, "\r\n\r\n", 4);
    const char *const lf = memmem(start.data, start.len, "\n\n", 2);
    if (crlf && (!lf || crlf < lf))
        *used = (size_t)(crlf + 4 - start.data);
    else if (lf)
        *used = (size_t)(lf + 2 - start.data);
    else if (is_whole)
        *used = start.len;
    else
        return start.len < records->settings.page.max_head ? TH_NEED_MORE : TH_BAD_HTTP;
    return TH_OK;
}

/*
 * Parses the available part of the head. After a complete head, the rest starts the body.
 */
static th_status try_head(struct records *records, bool is_whole)
{
    const th_view start = th_buffer_view(&records->head);
    size_t used = 0;
    th_status found = TH_OK;
    if (records->is_request)
        found = find_request_body(records, start, is_whole, &used);
    else
        found = th_http_head_parse(start, records->settings.page.max_head, is_whole,
                                   &records->http);
    if (found == TH_NEED_MORE) {
        records->next_try = start.len * 2;
        return TH_OK;
    }
    records->has_http = found == TH_OK && !records->is_request;
    if (records->has_http)
        used = records->http.head_len;
    const th_http_head plain = { 0 };
    const th_status status =
        begin_body(records, records->has_http ? &records->http : &plain);
    return status == TH_OK ? add_body(records, start.data + used, start.len - used)
                           : status;
}

static th_status add_block(struct records *records, const warc_record *record,
                           warc_view chunk)
{
    hash_add(&records->hashes[BLOCK], chunk.data, chunk.len);
    if (!records->is_in_body && !warc_record_is_http(record)) {
        const th_http_head plain = { 0 };
        const th_status status = begin_body(records, &plain);
        if (status != TH_OK)
            return status;
    }
    if (records->is_in_body)
        return add_body(records, chunk.data, chunk.len);
    th_buffer_append(&records->head, chunk.data, chunk.len);
    if (records->head.has_failed)
        return TH_NOMEM;
    return records->head.len >= records->next_try ? try_head(records, false) : TH_OK;
}

/* Returns whether a payload digest belongs to the record's own block. */
static bool has_digested_payload(const warc_record *record)
{
    return warc_record_type(record) != WARC_TYPE_REVISIT;
}

/* Revisits have no payload, and the body of a request is not listed as one. */
static bool has_payload(const warc_record *record)
{
    const warc_type type = warc_record_type(record);
    return type != WARC_TYPE_REVISIT && type != WARC_TYPE_REQUEST;
}

static th_status begin_record(struct records *records, const warc_record *record)
{
    warc_digest_value declared;
    const warc_view field = warc_record_get(record, WARC_FIELD_PAYLOAD_DIGEST);
    const bool is_verified = records->settings.verify_digests &&
                             has_digested_payload(record) &&
                             warc_digest_parse(field, &declared) == WARC_OK;
    const bool has_captures = records->is_index || records->is_table;
    const bool is_listed = !has_captures && !records->is_check;
    const bool is_needed = has_captures && th_capture_needs_digest(record);
    const warc_digest_algorithm algorithm =
        is_verified ? declared.algorithm : WARC_DIGEST_SHA1;
    hash_begin(&records->hashes[BLOCK], is_listed, WARC_DIGEST_SHA1);
    hash_begin(&records->hashes[PAYLOAD],
               (is_listed && has_payload(record)) || (records->is_check && is_verified),
               is_listed ? WARC_DIGEST_SHA1 : algorithm);
    hash_begin(&records->hashes[STORED], is_verified || is_needed, algorithm);
    hash_begin(&records->hashes[DECHUNKED], is_verified, algorithm);
    th_buffer_reset(&records->head);
    records->has_http = false;
    records->is_request = warc_record_type(record) == WARC_TYPE_REQUEST;
    records->is_in_body = false;
    records->next_try = 0;
    records->payload_len = 0;
    return TH_OK;
}

static th_status end_record(struct records *records)
{
    th_status status = TH_OK;
    if (!records->is_in_body)
        status = try_head(records, true);
    if (status == TH_OK)
        status = th_body_end(records->body);
    if (status == TH_OK)
        status = th_body_end(records->dechunked);
    for (int i = 0; i < HASH_COUNT; i++)
        hash_end(&records->hashes[i]);
    if (!th_body_is_complete(records->body))
        records->hashes[PAYLOAD].is_wanted = false;
    return status;
}

/* ---- the row of a record ---- */

static th_view view_of(warc_view view)
{
    return (th_view){ view.data, view.len };
}

static void write_sha1(th_json *json, const char *key, const struct hash *hash)
{
    if (!hash->is_wanted)
        return;
    th_json_key(json, key);
    th_json_hex(json, hash->value.bytes, hash->value.len);
}

/* Checks the declared payload digest against each of the three forms that writers
 * hash. */
static const char *payload_digest_diag(const struct records *records,
                                       const warc_record *record)
{
    warc_digest_value declared;
    const warc_view field = warc_record_get(record, WARC_FIELD_PAYLOAD_DIGEST);
    if (!records->settings.verify_digests || !field.data || !has_digested_payload(record))
        return NULL;
    const warc_status status = warc_digest_parse(field, &declared);
    if (status == WARC_UNKNOWN_ALGORITHM)
        return "payload_digest_unknown_alg";
    if (status != WARC_OK)
        return "payload_digest_malformed";
    static const int forms[] = { STORED, DECHUNKED, PAYLOAD };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const struct hash *hash = &records->hashes[forms[i]];
        if (hash->is_wanted && warc_digest_equal(&hash->value, &declared))
            return NULL;
    }
    return "payload_digest_bad";
}

static void write_name(th_json *json, const char *name)
{
    th_json_string(json, (th_view){ name, strlen(name) });
}

static void write_diag(struct records *records, const warc_record *record, th_json *json)
{
    static const struct {
        uint32_t flag;
        const char *name;
    } flags[] = {
        { TH_FLAG_NOT_CHUNKED, "chunk_not_chunked" },
        { TH_FLAG_CHUNKED_DAMAGED, "chunk_damaged" },
        { TH_FLAG_CODING_NOT_APPLIED, "ce_not_applied" },
        { TH_FLAG_CODING_UNKNOWN, "ce_unknown" },
        { TH_FLAG_CODING_DAMAGED, "ce_damaged" },
    };
    const char *digest = payload_digest_diag(records, record);
    const uint32_t found = records->has_http ? th_body_flags(records->body) : 0;
    const size_t start = json->out->len;
    th_json_key(json, "diag");
    th_json_open_array(json);
    for (size_t i = 0; i < warc_record_diag_count(record); i++)
        write_name(json, warc_diag_name(warc_record_diag_at(record, i)->code));
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (found & flags[i].flag)
            write_name(json, flags[i].name);
    if (has_payload(record) && !th_body_is_complete(records->body))
        write_name(json, "payload_partial");
    if (digest)
        write_name(json, digest);
    th_json_close_array(json);
    records->odd_records += json->out->len > start + sizeof ",\"diag\":[]" - 1;
}

static th_status write_row(struct records *records, const warc_record *record)
{
    const warc_position position = warc_record_position(record);
    unsigned major = 0;
    unsigned minor = 0;
    uint64_t length = 0;
    char version[32];
    warc_record_version(record, &major, &minor);
    (void)snprintf(version, sizeof version, "%u.%u", major, minor);

    th_json json;
    th_buffer_reset(&records->row);
    th_json_begin(&json, &records->row);
    th_json_open_object(&json);
    th_json_member_text(&json, "file", records->path);
    th_json_member_uint(&json, "offset", position.offset);
    if (warc_record_length(record, &length))
        th_json_member_uint(&json, "length", length);
    th_json_member_text(&json, "version", warc_record_is_arc(record) ? "arc" : version);
    th_json_member(&json, "type", view_of(warc_record_get(record, WARC_FIELD_TYPE)));
    th_json_member(&json, "target_uri", view_of(warc_record_target_uri(record)));
    th_json_member(&json, "record_id",
                   view_of(warc_record_get(record, WARC_FIELD_RECORD_ID)));
    th_json_member(&json, "date", view_of(warc_record_get(record, WARC_FIELD_DATE)));
    th_json_member(&json, "content_type",
                   view_of(warc_record_get(record, WARC_FIELD_CONTENT_TYPE)));
    if (warc_record_content_length(record, &length))
        th_json_member_uint(&json, "content_length", length);
    write_sha1(&json, "block_sha1", &records->hashes[BLOCK]);
    if (records->has_http) {
        th_json_member_uint(&json, "http_status", (uint64_t)records->http.status);
        th_json_member(&json, "http_content_type", records->http.content_type);
    }
    write_sha1(&json, "payload_sha1", &records->hashes[PAYLOAD]);
    if (records->hashes[PAYLOAD].is_wanted)
        th_json_member_uint(&json, "payload_length", records->payload_len);
    write_diag(records, record, &json);
    th_json_close_object(&json);
    return th_json_end(&json);
}

static th_status print_row(struct records *records, const warc_record *record)
{
    const th_status status = write_row(records, record);
    if (status != TH_OK)
        return status;
    const size_t len = records->row.len;
    return fwrite(records->row.data, 1, len, stdout) == len ? TH_OK : TH_IO;
}

static th_status check_record(struct records *records, const warc_record *record)
{
    const char *digest = payload_digest_diag(records, record);
    const uint64_t offset = warc_record_position(record).offset;
    /* A part of a segmented record declares the digest of all parts. */
    if (digest && !warc_record_get(record, WARC_FIELD_SEGMENT_NUMBER).data)
        th_archive_check_add(&records->check, &offset, digest, "");
    records->check.record_count++;
    return TH_OK;
}

static th_status print_check(struct records *records)
{
    th_buffer_reset(&records->row);
    if (records->check.record_count == 0 && records->check.problem_count == 0)
        th_archive_check_add(&records->check, NULL, "no_record", "");
    records->faulty_files += records->check.problem_count > 0;
    const th_status status = th_archive_check_write(
        &records->check, records->path, records->settings.records.json, &records->row);
    if (status != TH_OK)
        return status;
    const size_t len = records->row.len;
    return fwrite(records->row.data, 1, len, stdout) == len ? TH_OK : TH_IO;
}

static th_status index_record(struct records *records, const warc_record *record,
                              th_error *err)
{
    const struct hash *stored = &records->hashes[STORED];
    const bool has_digest = stored->is_wanted && th_capture_needs_digest(record);
    return th_capture_index_add(&records->captures, records->path, record,
                                records->has_http ? &records->http : NULL,
                                has_digest ? &stored->value : NULL, err);
}

static th_status tabulate_record(struct records *records, const warc_record *record,
                                 th_error *err)
{
    const struct hash *stored = &records->hashes[STORED];
    const bool has_digest = stored->is_wanted && th_capture_needs_digest(record);
    const th_view head = { records->head.data, records->http.head_len };
    return th_capture_table_add(&records->table, records->path, record,
                                records->has_http ? &records->http : NULL,
                                records->has_http ? head : (th_view){ NULL, 0 },
                                has_digest ? &stored->value : NULL, err);
}

/* ---- the files ---- */

/* @param is_broken  out: the file could not be read on */
static th_status list_record(struct records *records, warc_reader *reader,
                             const warc_record *record, bool *is_broken,
                             warc_error *error, th_error *err)
{
    th_status status = begin_record(records, record);
    warc_view chunk;
    warc_status read = WARC_OK;
    while (status == TH_OK &&
           (read = warc_reader_chunk(reader, &chunk, error)) == WARC_OK)
        status = add_block(records, record, chunk);
    if (status == TH_OK && read == WARC_END)
        read = warc_reader_finish(reader, error);
    if (read == WARC_PAUSED)
        return TH_INTERRUPTED; /* half a record makes no line */
    if (status == TH_OK)
        status = end_record(records);
    if (status == TH_OK)
        status = records->is_index   ? index_record(records, record, err)
                 : records->is_table ? tabulate_record(records, record, err)
                 : records->is_check ? check_record(records, record)
                                     : print_row(records, record);
    records->record_count++;
    *is_broken = read != WARC_OK && read != WARC_END;
    return status;
}

static bool is_stopped(void *context)
{
    (void)context;
    return th_stop_requested;
}

static void report_damage(void *context, const warc_diag *diag)
{
    struct records *records = context;
    if (records->is_check)
        th_archive_check_add(&records->check, &diag->offset, warc_diag_name(diag->code),
                             diag->detail);
    else if (warc_diag_is_damage(diag->code))
        th_say("%s: offset %llu: %s%s%s", records->path, (unsigned long long)diag->offset,
               warc_diag_name(diag->code), diag->detail[0] ? ": " : "", diag->detail);
    if (diag->code == WARC_DIAG_NOT_WARC && th_is_page_file(records->path))
        th_say("%s: " TH_PAGE_FILE_WORDS "", records->path);
}

/*
 * The source of an archive. It may know more of an archive's errors than the reader. NULL
 * if the reader knows all.
 */
struct origin {
    th_remote_object *object;
    th_wacz_member *member;
};

static bool has_failed(const struct origin *origin, th_error *err)
{
    return (origin->object && th_remote_object_failure(origin->object, err) != TH_OK) ||
           (origin->member && th_wacz_failure(origin->member, err) != TH_OK);
}

static warc_status open_archive(const struct records *records,
                                const warc_reader_options *options, warc_reader **reader,
                                struct origin *origin, warc_error *error)
{
    warc_input input;
    th_error why = { .text = "" };
    if (strcmp(records->path, "-") == 0)
        return warc_reader_open_fd(STDIN_FILENO, options, reader, error);
    const bool is_wacz =
        th_wacz_is_file(records->path) || th_wacz_file_len(records->path);
    if (!is_wacz && !th_remote_is_name(records->path))
        return warc_reader_open_path(records->path, options, reader, error);
    const th_status status = is_wacz ? th_wacz_open(records->path, records->remote,
                                                    &input, &origin->member, &why)
                                     : th_remote_open(records->remote, records->path,
                                                      &input, &origin->object, &why);
    if (status == TH_OK)
        return warc_reader_open(&input, options, reader, error);
    (void)snprintf(error->text, sizeof error->text, "%.200s", why.text);
    return WARC_IO;
}

/*
 * Returns TH_OK also if the file could not be read, after it reported and counted that.
 */
static th_status list_file(struct records *records, th_error *err)
{
    warc_error error = { .text = "" };
    warc_reader_options options;
    warc_reader *reader = NULL;
    warc_record *record = NULL;
    warc_reader_options_init(&options);
    options.verify_digests = records->settings.verify_digests;
    options.on_diag = report_damage;
    records->check = (th_archive_check){ 0 };
    options.diag_context = records;
    options.should_pause = is_stopped;
    struct origin origin = { NULL, NULL };
    warc_status read = open_archive(records, &options, &reader, &origin, &error);
    th_status status = TH_OK;
    bool is_broken = false;
    while (read == WARC_OK && status == TH_OK && !is_broken && !th_stop_requested &&
           (read = warc_reader_next(reader, &record, &error)) == WARC_OK)
        status = list_record(records, reader, record, &is_broken, &error, err);
    is_broken |= read != WARC_OK && read != WARC_END && read != WARC_PAUSED;
    const uint64_t damage = reader ? warc_reader_get_stats(reader)->damage_count : 0;
    th_error why = { .text = "" };
    const bool is_told =
        (is_broken || read == WARC_END) && reader && has_failed(&origin, &why);
    is_broken |= is_told;
    if (is_broken && records->is_check)
        th_archive_check_add(&records->check, NULL, "unreadable",
                             is_told ? why.text : error.text);
    else if (is_told && origin.object)
        th_say("%s", why.text);
    else if (is_broken)
        th_say("%s: %s", records->path, is_told ? why.text : error.text);
    records->damage_count += damage;
    records->damaged_files += damage || is_broken;
    warc_reader_free(reader);
    if (status == TH_OK && records->is_check && read != WARC_PAUSED)
        status = print_check(records);
    if (status == TH_OK || status == TH_INTERRUPTED)
        return TH_OK;
    if (err->status == status && *err->text)
        return status;
    return th_fail(err, status,
                   status == TH_IO ? "cannot write to stdout" : "out of memory");
}

static th_status check_files(const struct records *records, int count, char **arguments,
                             th_error *err)
{
    th_file_uses files = { 0 };
    th_status status =
        th_file_uses_inputs(&files, &records->inputs, count, arguments, err);
    if (status == TH_OK)
        status = th_file_uses_output(&files, "cdxj-blocks",
                                     records->settings.records.cdxj_blocks, err);
    if (status == TH_OK)
        status = th_file_uses_output(&files, "parquet", records->settings.records.parquet,
                                     err);
    if (status == TH_OK)
        status = th_file_uses_check(&files, err);
    th_file_uses_done(&files);
    return status;
}

static th_status prepare(struct records *records, int argc, char **argv, th_error *err)
{
    int first = 0;
    th_status status = th_settings_init(&records->settings, NULL);
    if (status == TH_OK)
        status = th_input_list_init(&records->inputs);
    records->inputs.warn = th_say_line;
    records->inputs.stop = &th_stop_requested;
    records->body = th_body_new();
    records->dechunked = th_body_new();
    for (int i = 0; i < HASH_COUNT && status == TH_OK; i++)
        if (warc_digest_new(&records->hashes[i].digest) != WARC_OK)
            status = TH_NOMEM;
    if (status != TH_OK || !records->body || !records->dechunked)
        return th_fail(err, TH_NOMEM, "out of memory");
    status =
        th_settings_parse(&records->settings, TH_FOR_RECORDS, argc, argv, &first, err);
    if (status == TH_OK && first == argc)
        status = th_fail(err, TH_USAGE,
                         "records needs an INPUT: a file, a folder, a pattern, "
                         "s3://..., https://..., @list or - for stdin");
    if (status == TH_OK)
        status = th_settings_open_remote(&records->settings,
                                         records->settings.quiet ? NULL : th_say_line,
                                         records, &records->remote, err);
    records->inputs.takes_remote = true;
    records->inputs.remote = records->remote;
    records->inputs.base = records->settings.base;
    for (int i = first; i < argc && status == TH_OK; i++)
        status = th_input_list_add(&records->inputs, argv[i], err);
    const char *blocks = records->settings.records.cdxj_blocks;
    const char *table = records->settings.records.parquet;
    records->is_index = records->settings.records.cdxj || *blocks;
    records->is_table = *table;
    records->is_check = records->settings.records.validate;
    if (status == TH_OK && records->is_index + records->is_table + records->is_check > 1)
        status =
            th_fail(err, TH_USAGE, "only one of cdxj, parquet and validate can be used");
    if (status == TH_OK && records->settings.records.json && !records->is_check)
        status = th_fail(err, TH_USAGE,
                         "json needs validate; records are JSON lines without it");
    records->settings.verify_digests |= records->is_check;
    if (status == TH_OK)
        status = check_files(records, argc - first, argv + first, err);
    if (status == TH_OK && records->is_index)
        status = th_capture_index_init(&records->captures, blocks, err);
    if (status == TH_OK && records->is_table)
        status = th_capture_table_open(&records->table, table,
                                       records->settings.row_group, err);
    return status;
}

static void done(struct records *records)
{
    for (int i = 0; i < HASH_COUNT; i++)
        warc_digest_free(records->hashes[i].digest);
    th_body_free(records->body);
    th_body_free(records->dechunked);
    th_buffer_done(&records->head);
    th_buffer_done(&records->row);
    th_capture_index_done(&records->captures);
    th_capture_table_done(&records->table);
    th_input_list_done(&records->inputs);
    th_remote_free(records->remote);
    th_settings_done(&records->settings);
}

int th_command_records(const th_program *program, int argc, char **argv)
{
    struct records records = { 0 };
    th_error err = { .text = "" };
    int code = TH_EXIT_OK;
    th_status status = prepare(&records, argc, argv, &err);
    for (uint32_t i = 0;
         i < records.inputs.count && status == TH_OK && !th_stop_requested; i++) {
        records.path = records.inputs.paths[i];
        status = list_file(&records, &err);
    }
    if (status == TH_OK && records.is_index && !th_stop_requested)
        status = th_capture_index_write(&records.captures, &err);
    if (status == TH_OK && records.is_table && !th_stop_requested)
        status = th_capture_table_finish(&records.table, &err);
    if (status == TH_OK && fflush(stdout) != 0)
        status = th_fail(&err, TH_IO, "cannot write to stdout");
    if (status == TH_END)
        th_print_usage(stdout, program, TH_FOR_RECORDS, records.settings.help_all);
    else if (status != TH_OK)
        code = th_complain(&err);
    else if (th_stop_requested)
        code = TH_EXIT_INTERRUPTED;
    else
        code = records.damaged_files || records.captures.left_out || records.faulty_files
                   ? TH_EXIT_INPUT
                   : TH_EXIT_OK;
    if (status == TH_OK && !records.settings.quiet && records.is_index)
        th_say("%llu captures in the index, %llu omitted",
               (unsigned long long)th_cdxj_index_count(records.captures.index),
               (unsigned long long)records.captures.left_out);
    if (status == TH_OK && !records.settings.quiet && records.is_table)
        th_say("%llu captures in the table", (unsigned long long)records.table.count);
    if (status == TH_OK && !records.settings.quiet && records.is_check)
        th_say("%llu records in %u inputs, %llu of them with problems",
               (unsigned long long)records.record_count, records.inputs.count,
               (unsigned long long)records.faulty_files);
    else if (status == TH_OK && !records.settings.quiet)
        th_say("%llu records in %u inputs, %llu of them with anomalies; damage in %llu "
               "places of %llu inputs",
               (unsigned long long)records.record_count, records.inputs.count,
               (unsigned long long)records.odd_records,
               (unsigned long long)records.damage_count,
               (unsigned long long)records.damaged_files);
    done(&records);
    return code;
}
