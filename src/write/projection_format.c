/*
 * Records in other projects' schemas: a projection of our fields, under their names.
 * Fields that we do not know are left out, never made up. A page without main text gives
 * a record with an empty text. docs/record.md#as-others-schemas
 */
#include <string.h>

#include "base/ascii.h"
#include "base/json.h"
#include "write/annotation.h"
#include "write/format.h"
#include "write/formatted_text.h"

static void write_text(th_json *json, const th_format_options *opt,
                       const th_annotated *annotated, const char *name)
{
    const th_view text =
        th_formatted_text(annotated->page, opt->page, annotated->record->url, 0);
    if (text.data)
        th_json_member(json, name, text);
    else
        th_json_fail(json, th_annotation_failure(annotated->page));
}

/* Returns "CC-MAIN-2025-05" in a path of Common Crawl; absent elsewhere. */
static th_view dump_of(th_view path)
{
    static const char start_of[] = "CC-MAIN-";
    enum { START = sizeof start_of - 1, DUMP = START + 7 };
    for (size_t i = 0; i + DUMP < path.len; i++) {
        const char *const at = path.data + i;
        if (memcmp(at, start_of, START) == 0 && th_is_digit(at[START]) &&
            th_is_digit(at[START + 3]) && at[START + 4] == '-' &&
            th_is_digit(at[START + 6]) && at[DUMP] == '/')
            return (th_view){ at, DUMP };
    }
    return (th_view){ NULL, 0 };
}

/* Returns the content's language, or if none was found the language that the page states,
 * without script and country. */
static th_view bare_language(const th_page *page)
{
    const th_languages *const found = page->languages;
    const char *const tag =
        found && found->count && found->is_sure ? found->of[0].tag : NULL;
    const th_view language =
        tag ? (th_view){ tag, strlen(tag) } : page->metadata.language;
    const char *const hyphen =
        language.data ? memchr(language.data, '-', language.len) : NULL;
    return hyphen ? (th_view){ language.data, (size_t)(hyphen - language.data) }
                  : language;
}

static th_status fineweb(const th_format_options *opt, const th_annotated *annotated,
                         th_buffer *out)
{
    const th_record *const record = annotated->record;
    th_json json;
    th_json_begin(&json, out);
    th_json_open_object(&json);
    write_text(&json, opt, annotated, "text");
    th_json_member(&json, "id", record->id);
    th_json_member(&json, "dump", dump_of(record->position.file));
    th_json_member(&json, "url", record->url);
    th_json_member(&json, "date", record->date);
    th_json_member(&json, "file_path", record->position.file);
    th_json_member(&json, "language", bare_language(annotated->page));
    th_json_member_uint(&json, "token_count", annotated->page->content_tokens);
    th_json_close_object(&json);
    return th_json_end(&json);
}

static th_status dolma(const th_format_options *opt, const th_annotated *annotated,
                       th_buffer *out)
{
    const th_record *const record = annotated->record;
    th_json json;
    th_json_begin(&json, out);
    th_json_open_object(&json);
    th_json_member(&json, "id", record->id.data ? record->id : record->url);
    write_text(&json, opt, annotated, "text");
    th_json_member_text(&json, "source", "thresher");
    th_json_member(&json, "created", record->date);
    th_json_key(&json, "metadata");
    th_json_open_object(&json);
    th_json_member(&json, "url", record->url);
    th_json_member(&json, "warc_date", record->date);
    th_json_member(&json, "warc_filename", record->position.file);
    th_json_member(&json, "content_type", annotated->http.content_type);
    th_json_member(&json, "title", annotated->page->metadata.title);
    th_json_member(&json, "author", annotated->page->metadata.author);
    th_json_member(&json, "published", annotated->page->metadata.published);
    th_json_member(&json, "language", annotated->page->metadata.language);
    th_json_close_object(&json);
    th_json_close_object(&json);
    return th_json_end(&json);
}

static th_status dclm(const th_format_options *opt, const th_annotated *annotated,
                      th_buffer *out)
{
    const th_record *const record = annotated->record;
    th_json json;
    th_json_begin(&json, out);
    th_json_open_object(&json);
    write_text(&json, opt, annotated, "text");
    th_json_member(&json, "url", record->url);
    th_json_key(&json, "metadata");
    th_json_open_object(&json);
    th_json_member(&json, "WARC-Type", record->type);
    th_json_member(&json, "WARC-Date", record->date);
    th_json_member(&json, "WARC-Record-ID", record->id);
    th_json_member(&json, "WARC-Target-URI", record->url);
    th_json_member(&json, "WARC-IP-Address", record->ip);
    th_json_member(&json, "WARC-Payload-Digest", record->payload_digest);
    th_json_member(&json, "WARC-Truncated", record->truncated);
    th_json_member(&json, "Content-Type", record->content_type);
    th_json_close_object(&json);
    th_json_close_object(&json);
    return th_json_end(&json);
}

static th_status hplt(const th_format_options *opt, const th_annotated *annotated,
                      th_buffer *out)
{
    const th_record *const record = annotated->record;
    const th_languages *const found = annotated->page->languages;
    const th_view text =
        th_formatted_text(annotated->page, opt->page, annotated->record->url, 0);
    th_json json;
    if (!text.data)
        return th_annotation_failure(annotated->page);
    th_json_begin(&json, out);
    th_json_open_object(&json);
    th_json_member(&json, "f", record->position.file);
    th_json_member_uint(&json, "o", record->position.offset);
    if (record->position.length)
        th_json_member_uint(&json, "s", record->position.length);
    th_json_member_uint(&json, "ps", text.len);
    if (found && found->count && found->is_sure)
        th_json_member_text(&json, "l", found->of[0].tag);
    th_json_member(&json, "u", record->url);
    th_json_member(&json, "c",
                   annotated->http.content_type.data ? annotated->http.content_type
                                                     : record->content_type);
    th_json_member(&json, "ts", record->date);
    th_json_member_text(&json, "de", annotated->charset.name);
    th_json_member(&json, "p", text);
    th_json_close_object(&json);
    return th_json_end(&json);
}

/* Writes two lines for each page: the action, and the document, in the form of
 * `_bulk`. */
static th_status opensearch(const th_format_options *opt, const th_annotated *annotated,
                            th_buffer *out)
{
    const th_record *const record = annotated->record;
    const th_metadata *const facts = &annotated->page->metadata;
    const size_t begin = out->len;
    th_json json;
    th_json_begin(&json, out);
    th_json_open_object(&json);
    th_json_key(&json, "index");
    th_json_open_object(&json);
    th_json_member(&json, "_id", record->id.data ? record->id : record->url);
    th_json_close_object(&json);
    th_json_close_object(&json);
    th_status status = th_json_end(&json);
    if (status != TH_OK)
        return status;
    th_json_begin(&json, out);
    th_json_open_object(&json);
    th_json_member(&json, "url", record->url);
    th_json_member(&json, "crawl_date", record->date);
    th_json_member(&json, "title", facts->title);
    th_json_member(&json, "author", facts->author);
    th_json_member(&json, "published", facts->published);
    th_json_member(&json, "description", facts->description);
    th_json_member(&json, "site_name", facts->site_name);
    th_json_member(&json, "content_language", facts->language);
    write_text(&json, opt, annotated, "content");
    th_json_close_object(&json);
    status = th_json_end(&json);
    if (status != TH_OK)
        out->len = begin;
    return status;
}

#define PROJECTION(schema, is_text, words)                                               \
    const th_format th_##schema##_format = {                                             \
        .name = #schema,                                                                 \
        .help = words,                                                                   \
        .suffix = "jsonl",                                                               \
        .takes_only_success = (is_text),                                                 \
        .not_for_index = "its schema has no field for near-duplicates",                  \
        .not_for_serve = "its schema has no stub for records that are too large",        \
        .page = schema,                                                                  \
    }

PROJECTION(fineweb, true, "JSON lines with the fields of FineWeb and datatrove");
PROJECTION(dolma, true, "JSON lines, documents of Dolma");
PROJECTION(dclm, true, "JSON lines with the fields of DCLM");
PROJECTION(hplt, true, "JSON lines with the fields of HPLT's warc2text");
PROJECTION(opensearch, false, "lines for OpenSearch's and Elasticsearch's _bulk");
