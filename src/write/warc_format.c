/*
 * Annotated pages as a WARC file that accompanies their source file. A `conversion`
 * record has the page's title and main content, as in Common Crawl's WET files. In the
 * format "warc", a `metadata` record has all other fields: the record `thresher/1`
 * without its text. Both refer to the source record. A page without content has no
 * conversion. docs/record.md#as-warc
 *
 * Their ids are made from the source's id, and their date is the capture's, so a second
 * run gives the same bytes.
 */
#include "write/annotation.h"
#include "write/format.h"

#include <stdio.h>
#include <string.h>

#include <warc/warc_writer.h>

#include "base/ascii.h"
#include "thresher/classifier.h"

/* The field is obligatory, but the output must not depend on the time of the run. */
#define WARCINFO_DATE "1970-01-01T00:00:00Z"

/* Written regardless of the emit options, because the labels are the purpose of the
 * file. */
enum { ALWAYS = TH_EMIT_SEGMENTS | TH_EMIT_BLOCKS };

enum { LANGUAGES_ROOM = 4 * TH_LANGUAGES_MAX };

static warc_view warc_of(th_view view)
{
    return (warc_view){ view.data, view.len };
}

static warc_view warc_of_text(const char *text)
{
    return (warc_view){ text, strlen(text) };
}

static th_status status_of(warc_status status)
{
    switch (status) {
    case WARC_OK:
        return TH_OK;
    case WARC_TOO_LARGE:
        return TH_TOO_LARGE;
    default: /* the buffer has no other error, and all fields are checked */
        return TH_NOMEM;
    }
}

static warc_status append(void *context, warc_view bytes)
{
    th_buffer *out = context;
    th_buffer_append(out, bytes.data, bytes.len);
    return out->has_failed ? WARC_NOMEM : WARC_OK;
}

static th_status open_writer(const th_format_options *opt, th_buffer *out,
                             warc_writer **writer)
{
    static const warc_packing packings[] = {
        [TH_PLAIN] = WARC_PACK_PLAIN,
        [TH_GZIP] = WARC_PACK_GZIP,
        [TH_ZSTD] = WARC_PACK_ZSTD,
    };
    const warc_output output = { out, append };
    warc_writer_options options;
    warc_writer_options_init(&options);
    options.packing = packings[opt->compression];
    return status_of(warc_writer_new(&output, &options, writer, NULL));
}

/* Frees the writer; takes back what it wrote if the call failed. */
static th_status close_writer(warc_writer *writer, th_status status, th_buffer *out,
                              size_t start)
{
    warc_writer_free(writer);
    if (status != TH_OK) {
        out->len = start;
        out->has_failed = false;
    }
    return status;
}

/* Appends the text with control characters as %XX, so that it stays on one line. */
static void append_line(th_buffer *out, th_view text)
{
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char byte = (unsigned char)text.data[i];
        if (byte >= 0x20 && byte != 0x7F)
            th_buffer_append_char(out, text.data[i]);
        else
            th_buffer_printf(out, "%%%02X", byte);
    }
}

/* Returns a file's name without its folders, which are unrelated to the capture. */
static th_view bare_name(th_view path)
{
    for (size_t i = path.len; i > 0; i--)
        if (path.data[i - 1] == '/')
            return (th_view){ path.data + i, path.len - i };
    return path;
}

static warc_status write_warcinfo(warc_writer *writer, const th_format_options *opt,
                                  th_view source, th_view source_line)
{
    const warc_header_field fields[] = {
        { warc_of_text("software"), warc_of_text(opt->software) },
        { warc_of_text("format"), warc_of_text("WARC File Format 1.1") },
        { warc_of_text("isPartOf"), warc_of(source_line) }, /* last: may be left out */
    };
    const size_t count = sizeof fields / sizeof *fields - (source.data ? 0 : 1);
    char id[WARC_ID_SIZE];
    const warc_status status = warc_derive_id(
        source.data ? warc_of(source) : warc_of_text(opt->software), "warcinfo", id);
    if (status != WARC_OK)
        return status;
    return warc_writer_warcinfo(writer, (warc_view){ NULL, 0 },
                                warc_of_text(WARCINFO_DATE), warc_of_text(id), fields,
                                count, NULL);
}

static th_status start(const th_format_options *opt, th_view source, th_buffer *out)
{
    if (out->has_failed)
        return TH_NOMEM;
    const size_t begin = out->len;
    warc_writer *writer = NULL;
    th_buffer line = { 0 };
    append_line(&line, bare_name(source));
    th_status status = line.has_failed ? TH_NOMEM : open_writer(opt, out, &writer);
    if (status == TH_OK)
        status = status_of(write_warcinfo(writer, opt, source, th_buffer_view(&line)));
    th_buffer_done(&line);
    return close_writer(writer, status, out, begin);
}

/* Returns the fields about the source that both records have. A value that would break a
 * header is left out. */
static warc_derived about_record(const th_record *record)
{
    warc_derived about = { .target_uri = warc_of(record->url) };
    if (th_is_one_line(record->date))
        about.date = warc_of(record->date);
    if (th_is_one_line(record->id))
        about.refers_to = warc_of(record->id);
    return about;
}

/* Writes the id of a record derived from this one: by its id, or by its position if it
 * has none. */
static warc_status derive_id(const th_record *record, const char *type,
                             char id[WARC_ID_SIZE])
{
    if (record->id.len)
        return warc_derive_id(warc_of(record->id), type, id);
    const th_position *position = &record->position;
    th_buffer name = { 0 };
    th_buffer_append_view(&name, position->file);
    th_buffer_printf(&name, "#%llu+%llu", (unsigned long long)position->offset,
                     (unsigned long long)position->skip);
    const warc_status status =
        name.has_failed ? WARC_NOMEM
                        : warc_derive_id(warc_of(th_buffer_view(&name)), type, id);
    th_buffer_done(&name);
    return status;
}

/* Writes "deu,eng", as in Common Crawl's WET files, or "" if no language was found. */
static void list_languages(const th_languages *languages, char codes[LANGUAGES_ROOM])
{
    char *at = codes;
    for (uint32_t i = 0; languages && i < languages->count; i++) {
        const char *const iso = languages->of[i].iso;
        if (strlen(iso) == 3)
            at += sprintf(at, "%s%s", at > codes ? "," : "", iso);
    }
    *at = '\0';
}

static warc_status write_conversion(warc_writer *writer, const th_annotated *annotated,
                                    th_view text)
{
    const th_record *const record = annotated->record;
    char id[WARC_ID_SIZE], codes[LANGUAGES_ROOM];
    list_languages(annotated->page->languages, codes);
    warc_derived about = about_record(record);
    const warc_status status = derive_id(record, "conversion", id);
    if (status != WARC_OK)
        return status;
    about.record_id = warc_of_text(id);
    about.languages = warc_of_text(codes);
    if (!*codes)
        about.languages = (warc_view){ NULL, 0 };
    return warc_writer_conversion(writer, &about, warc_of(text), NULL);
}

/* ---- the metadata's block: kept while it is small, else made when it is needed ---- */

enum { BODY = 2 << 20, BODY_PIECE = 256 << 10 };

struct body {
    const th_format_options *opt;
    const th_annotated *annotated;
    th_arena_mark mark; /* of the page's arena, before the body is made */
    const warc_output *to;
    bool is_large; /* it did not fit: the output is incomplete */
    th_status status;
};

static th_status annotate(const struct body *body, th_buffer *out)
{
    const th_annotation_parts parts = { .emit = body->opt->page->emit | ALWAYS,
                                        .has_no_text = true };
    th_arena_rewind(body->annotated->page->arena, body->mark);
    return th_annotation_write(body->opt->page, body->annotated, parts, out);
}

static void note_large(th_buffer *bytes, void *context)
{
    struct body *body = context;
    body->is_large = true;
    bytes->len = 0;
}

static void pass_on(th_buffer *bytes, void *context)
{
    struct body *body = context;
    const warc_status status =
        body->to->write(body->to->context, (warc_view){ bytes->data, bytes->len });
    if (status != WARC_OK && body->status == TH_OK)
        body->status = status_of(status);
    bytes->has_failed = body->status != TH_OK;
    bytes->len = 0;
}

static warc_status make(void *context, const warc_output *to)
{
    struct body *body = context;
    th_buffer bytes = { .drain = pass_on, .drain_context = body, .drain_at = BODY_PIECE };
    body->to = to;
    body->status = TH_OK;
    const th_status status = annotate(body, &bytes);
    if (status == TH_OK)
        pass_on(&bytes, body);
    th_buffer_done(&bytes);
    /* The block was made once without a failure, so only memory can fail now. */
    return status == TH_OK && body->status == TH_OK ? WARC_OK : WARC_NOMEM;
}

static warc_status write_metadata(warc_writer *writer, const th_record *record,
                                  th_view whole, struct body *body)
{
    char id[WARC_ID_SIZE];
    warc_derived about = about_record(record);
    const warc_made_block made = { body, make };
    const warc_status status = derive_id(record, "metadata", id);
    if (status != WARC_OK)
        return status;
    about.record_id = warc_of_text(id);
    return body->is_large ? warc_writer_metadata_made(writer, &about, &made, NULL)
                          : warc_writer_metadata(writer, &about, warc_of(whole), NULL);
}

/* The title's line, then the content. TH_ABSENT without content. */
static th_status put_text(const th_annotated *annotated, th_buffer *body)
{
    const th_view title = annotated->page->metadata.title;
    const th_view text = th_page_content_text(annotated->page);
    if (!text.data)
        return th_annotation_failure(annotated->page);
    if (!text.len)
        return TH_ABSENT;
    if (title.len) {
        th_buffer_append_view(body, title);
        th_buffer_append_char(body, '\n');
    }
    th_buffer_append_view(body, text);
    return body->has_failed ? TH_NOMEM : TH_OK;
}

static th_status put_conversion(const th_annotated *annotated, warc_writer *writer)
{
    th_buffer body = { 0 };
    th_status status = put_text(annotated, &body);
    if (status == TH_OK)
        status = status_of(write_conversion(writer, annotated, th_buffer_view(&body)));
    th_buffer_done(&body);
    return status == TH_ABSENT ? TH_OK : status;
}

static th_status put_metadata(const th_format_options *opt, const th_annotated *annotated,
                              warc_writer *writer)
{
    struct body body = { .opt = opt, .annotated = annotated };
    th_buffer bytes = { .drain = note_large, .drain_context = &body, .drain_at = BODY };
    body.mark = th_arena_get_mark(annotated->page->arena);
    th_status status = annotate(&body, &bytes);
    if (body.is_large)
        th_buffer_done(&bytes);
    if (status == TH_OK)
        status = status_of(
            write_metadata(writer, annotated->record, th_buffer_view(&bytes), &body));
    th_buffer_done(&bytes);
    return status;
}

static th_status put_records(const th_format_options *opt, const th_annotated *annotated,
                             bool has_metadata, th_buffer *out)
{
    if (out->has_failed)
        return TH_NOMEM;
    const size_t begin = out->len;
    warc_writer *writer = NULL;
    th_status status = open_writer(opt, out, &writer);
    if (status == TH_OK)
        status = put_conversion(annotated, writer);
    if (status == TH_OK && has_metadata)
        status = put_metadata(opt, annotated, writer);
    return close_writer(writer, status, out, begin);
}

static th_status warc_page(const th_format_options *opt, const th_annotated *annotated,
                           th_buffer *out)
{
    return put_records(opt, annotated, true, out);
}

static th_status wet_page(const th_format_options *opt, const th_annotated *annotated,
                          th_buffer *out)
{
    return put_records(opt, annotated, false, out);
}

const th_format th_warc_format = {
    .name = "warc",
    .help = "WARC conversion records with the main content (WET), and metadata records "
            "with other fields",
    .suffix = "warc",
    .twin_suffix = "warc.wet", /* as Common Crawl calls the text of x.warc.gz */
    .is_compressing = true,
    .tries_first = true,
    .not_for_index = "WARC records are compressed before their near-duplicates are known",
    .start = start,
    .page = warc_page,
};

const th_format th_wet_format = {
    .name = "wet",
    .help = "only WARC conversion records, as in Common Crawl's WET files",
    .suffix = "warc",
    .takes_only_success = true,
    .twin_suffix = "warc.wet",
    .is_compressing = true,
    .not_for_index = "WARC records are compressed before their near-duplicates are known",
    .start = start,
    .page = wet_page,
};
