/*
 * The writer: header text into a buffer, then header, block and terminator through the
 * packer. Common Crawl's WET files are the model of the derived records.
 */
#include "fail.h"
#include "output_buffer.h"
#include "warc_head.h"
#include "warc_packer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct warc_writer {
    struct packer *packer;
    bool version_1_0;
    bool is_broken;   /* the output failed: a record may be half written */
    warc_buffer head; /* text of the present header */
    warc_buffer uri;  /* escaped */
    warc_buffer body; /* of the warcinfo record */
    warc_digest *digest;
};

static warc_view text(const char *string)
{
    return (warc_view){ string, strlen(string) };
}

/* Minimum size of the struct: all versions have the fields up to this one. */
enum { FIRST_SIZE = offsetof(warc_writer_options, version_1_0) + sizeof(bool) };

void warc_writer_options_init_sized(warc_writer_options *options, size_t size)
{
    memset(options, 0, size);
    options->size = size;
}

warc_status warc_writer_new(const warc_output *output, const warc_writer_options *options,
                            warc_writer **out, warc_error *error)
{
    warc_writer_options known; /* with defaults for fields unknown to the caller */
    warc_writer_options_init(&known);
    if (options && (options->size < FIRST_SIZE || options->size > sizeof known))
        return warc_fail(error, WARC_BAD_ARGUMENT,
                         "writer options were not initialized with "
                         "warc_writer_options_init of this libwarc");
    if (options)
        memcpy(&known, options, options->size);
    options = &known;
    warc_writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return warc_fail(error, WARC_NOMEM, "cannot allocate a writer");
    writer->version_1_0 = options->version_1_0;
    warc_status status =
        packer_new(output, options->packing, options->level, &writer->packer);
    if (status == WARC_OK)
        status = warc_digest_new(&writer->digest);
    if (status != WARC_OK) {
        warc_writer_free(writer);
        return warc_fail(error, status,
                         "cannot initialize a writer with compression level %d: %s",
                         options->level, warc_status_text(status));
    }
    *out = writer;
    return WARC_OK;
}

void warc_writer_free(warc_writer *writer)
{
    if (writer) {
        packer_free(writer->packer);
        warc_buffer_done(&writer->head);
        warc_buffer_done(&writer->uri);
        warc_buffer_done(&writer->body);
        warc_digest_free(writer->digest);
    }
    free(writer);
}

/* ---- the header ---- */

static bool is_good_name(warc_view name)
{
    for (size_t i = 0; i < name.len; i++)
        if (name.data[i] <= ' ' || name.data[i] > '~' || name.data[i] == ':')
            return false;
    return name.len > 0;
}

static bool is_good_value(warc_view value)
{
    for (size_t i = 0; i < value.len; i++)
        if (value.data[i] == '\r' || value.data[i] == '\n' || value.data[i] == '\0')
            return false;
    return true;
}

static warc_status check_fields(const warc_header_field *fields, size_t count,
                                bool is_header, warc_error *error)
{
    for (size_t i = 0; i < count; i++) {
        const warc_view name = fields[i].name;
        if (!is_good_name(name) || !is_good_value(fields[i].value) ||
            (is_header && warc_equal_nocase(name, "Content-Length")))
            return warc_fail(
                error, WARC_REFUSED_FIELD, "field %zu '%.*s' is not allowed or invalid",
                i, name.len < 64 ? (int)name.len : 64, name.len ? name.data : "");
    }
    return WARC_OK;
}

/* Appends "name: value CRLF". */
static warc_status add_line(warc_buffer *to, warc_view name, warc_view value)
{
    warc_status status = warc_buffer_append(to, name);
    if (status == WARC_OK)
        status = warc_buffer_append(to, text(": "));
    if (status == WARC_OK)
        status = warc_buffer_append(to, value);
    return status == WARC_OK ? warc_buffer_append(to, text("\r\n")) : status;
}

static warc_status add_lines(warc_buffer *to, const warc_header_field *fields,
                             size_t count)
{
    warc_status status = WARC_OK;
    for (size_t i = 0; i < count && status == WARC_OK; i++)
        status = add_line(to, fields[i].name, fields[i].value);
    return status;
}

static warc_status make_head(warc_writer *writer, const warc_header_field *fields,
                             size_t count, size_t block_len)
{
    char length[24];
    snprintf(length, sizeof length, "%zu", block_len);
    writer->head.len = 0;
    warc_status status = warc_buffer_append(
        &writer->head, text(writer->version_1_0 ? "WARC/1.0\r\n" : "WARC/1.1\r\n"));
    if (status == WARC_OK)
        status = add_lines(&writer->head, fields, count);
    if (status == WARC_OK)
        status = add_line(&writer->head, text("Content-Length"), text(length));
    return status == WARC_OK ? warc_buffer_append(&writer->head, text("\r\n")) : status;
}

/* A block: its bytes, or how they are made. */
struct block {
    warc_view bytes;
    const warc_made_block *made; /* NULL: bytes */
    uint64_t len;
};

static warc_status pack(void *context, warc_view bytes)
{
    return packer_add(context, bytes);
}

static warc_status add_block(struct packer *packer, const struct block *block)
{
    const warc_output to = { packer, pack };
    return block->made ? block->made->make(block->made->context, &to)
                       : packer_add(packer, block->bytes);
}

/* Writes a record below its header. */
static warc_status write_below(warc_writer *writer, warc_view head,
                               const struct block *block, warc_error *error)
{
    static const char terminator[] = "\r\n\r\n";
    const warc_view end = { terminator, sizeof terminator - 1 };
    if (writer->is_broken)
        return warc_fail(error, WARC_IO, "an earlier write failed");
    warc_status status =
        packer_begin(writer->packer, (uint64_t)head.len + block->len + end.len);
    if (status == WARC_OK)
        status = packer_add(writer->packer, head);
    if (status == WARC_OK)
        status = add_block(writer->packer, block);
    if (status == WARC_OK)
        status = packer_add(writer->packer, end);
    if (status == WARC_OK)
        status = packer_end(writer->packer);
    if (status == WARC_OK)
        return WARC_OK;
    writer->is_broken = true;
    return warc_fail(error, status, "cannot write a record: %s",
                     warc_status_text(status));
}

static warc_status write_record(warc_writer *writer, const warc_header_field *fields,
                                size_t field_count, const struct block *block,
                                warc_error *error)
{
    if (writer->is_broken)
        return warc_fail(error, WARC_IO, "an earlier write failed");
    warc_status status = check_fields(fields, field_count, true, error);
    if (status != WARC_OK)
        return status;
    status = make_head(writer, fields, field_count, block->len);
    if (status != WARC_OK)
        return warc_fail(error, status, "out of memory for a record header");
    return write_below(writer, (warc_view){ writer->head.data, writer->head.len }, block,
                       error);
}

warc_status warc_writer_copy(warc_writer *writer, warc_view header, warc_view block,
                             warc_error *error)
{
    const struct block whole = { .bytes = block, .len = block.len };
    return write_below(writer, header, &whole, error);
}

warc_status warc_writer_record(warc_writer *writer, const warc_header_field *fields,
                               size_t field_count, warc_view block, warc_error *error)
{
    const struct block whole = { .bytes = block, .len = block.len };
    return write_record(writer, fields, field_count, &whole, error);
}

/* ---- records made from others ---- */

/* A list of fields to be written; absent values are left out. */
struct fields {
    warc_header_field list[12];
    size_t count;
};

static void add(struct fields *fields, warc_field field, warc_view value)
{
    if (value.data)
        fields->list[fields->count++] =
            (warc_header_field){ text(warc_field_name(field)), value };
}

/* Writes bytes of a captured URI that would break a header as %XX. */
static warc_status escape(warc_buffer *to, warc_view uri)
{
    static const char digits[] = "0123456789ABCDEF";
    warc_status status = WARC_OK;
    to->len = 0;
    for (size_t i = 0; i < uri.len && status == WARC_OK; i++) {
        const unsigned char c = (unsigned char)uri.data[i];
        const char code[3] = { '%', digits[c >> 4], digits[c & 15] };
        const bool is_control = c < ' ' || c == 0x7f;
        status = warc_buffer_append(to, is_control ? (warc_view){ code, sizeof code }
                                                   : (warc_view){ uri.data + i, 1 });
    }
    return status;
}

/* Takes the bytes of a block that is made only for its digest and its length. */
struct measure {
    warc_digest *digest;
    uint64_t len;
};

static warc_status measure(void *context, warc_view bytes)
{
    struct measure *measured = context;
    warc_digest_update(measured->digest, bytes);
    measured->len += bytes.len;
    return WARC_OK;
}

static warc_status measure_block(warc_writer *writer, struct block *block,
                                 char out[WARC_DIGEST_TEXT_MAX])
{
    warc_digest_value value;
    struct measure measured = { .digest = writer->digest };
    const warc_output to = { &measured, measure };
    warc_status status = warc_digest_begin(writer->digest, WARC_DIGEST_SHA1);
    if (status == WARC_OK)
        status = block->made ? block->made->make(block->made->context, &to)
                             : measure(&measured, block->bytes);
    if (status != WARC_OK)
        return status;
    block->len = measured.len;
    warc_digest_end(writer->digest, &value);
    warc_digest_text(&value, out);
    return WARC_OK;
}

static warc_view first_of(warc_view wish, const char *otherwise)
{
    return wish.data ? wish : text(otherwise);
}

static warc_status write_derived(warc_writer *writer, warc_type type,
                                 const char *media_type, const warc_derived *about,
                                 struct block *block, warc_error *error)
{
    if (!about->record_id.data && !about->refers_to.data)
        return warc_fail(error, WARC_BAD_ARGUMENT,
                         "record_id and refers_to are both missing");
    char id[WARC_ID_SIZE];
    char digest[WARC_DIGEST_TEXT_MAX];
    warc_status status = WARC_OK;
    if (!about->record_id.data)
        status = warc_derive_id(about->refers_to, warc_type_name(type), id);
    if (status == WARC_OK)
        status = measure_block(writer, block, digest);
    if (status == WARC_OK)
        status = escape(&writer->uri, about->target_uri);
    if (status != WARC_OK)
        return warc_fail(error, status, "cannot create a record header");
    warc_view uri = { 0 };
    if (about->target_uri.data)
        uri = (warc_view){ writer->uri.data ? writer->uri.data : "", writer->uri.len };
    const warc_view language = text("WARC-Identified-Content-Language");

    struct fields fields = { .count = 0 };
    add(&fields, WARC_FIELD_TYPE, text(warc_type_name(type)));
    add(&fields, WARC_FIELD_TARGET_URI, uri);
    add(&fields, WARC_FIELD_DATE, about->date);
    add(&fields, WARC_FIELD_RECORD_ID,
        about->record_id.data ? about->record_id : text(id));
    add(&fields, WARC_FIELD_WARCINFO_ID, about->warcinfo_id);
    add(&fields, WARC_FIELD_REFERS_TO, about->refers_to);
    add(&fields, WARC_FIELD_BLOCK_DIGEST, text(digest));
    if (about->languages.data)
        fields.list[fields.count++] = (warc_header_field){ language, about->languages };
    add(&fields, WARC_FIELD_CONTENT_TYPE, first_of(about->content_type, media_type));
    return write_record(writer, fields.list, fields.count, block, error);
}

warc_status warc_writer_conversion(warc_writer *writer, const warc_derived *about,
                                   warc_view block, warc_error *error)
{
    struct block whole = { .bytes = block };
    return write_derived(writer, WARC_TYPE_CONVERSION, "text/plain", about, &whole,
                         error);
}

warc_status warc_writer_metadata(warc_writer *writer, const warc_derived *about,
                                 warc_view body, warc_error *error)
{
    struct block whole = { .bytes = body };
    return write_derived(writer, WARC_TYPE_METADATA, "application/json", about, &whole,
                         error);
}

warc_status warc_writer_metadata_made(warc_writer *writer, const warc_derived *about,
                                      const warc_made_block *body, warc_error *error)
{
    struct block made = { .made = body };
    return write_derived(writer, WARC_TYPE_METADATA, "application/json", about, &made,
                         error);
}

warc_status warc_writer_warcinfo(warc_writer *writer, warc_view filename, warc_view date,
                                 warc_view record_id, const warc_header_field *fields,
                                 size_t field_count, warc_error *error)
{
    char id[WARC_ID_SIZE];
    warc_status status = check_fields(fields, field_count, false, error);
    if (status != WARC_OK)
        return status;
    writer->body.len = 0;
    status = warc_buffer_append(&writer->body, filename);
    if (status == WARC_OK)
        status = warc_buffer_append(&writer->body, date);
    if (status == WARC_OK)
        status = warc_derive_id((warc_view){ writer->body.data, writer->body.len },
                                "warcinfo", id);
    writer->body.len = 0;
    if (status == WARC_OK)
        status = add_lines(&writer->body, fields, field_count);
    if (status != WARC_OK)
        return warc_fail(error, status, "cannot create a warcinfo record");
    struct fields header = { .count = 0 };
    add(&header, WARC_FIELD_TYPE, text("warcinfo"));
    add(&header, WARC_FIELD_DATE, date);
    add(&header, WARC_FIELD_RECORD_ID, record_id.data ? record_id : text(id));
    add(&header, WARC_FIELD_FILENAME, filename);
    add(&header, WARC_FIELD_CONTENT_TYPE, text("application/warc-fields"));
    const warc_view body = { writer->body.data, writer->body.len };
    return warc_writer_record(writer, header.list, header.count, body, error);
}
