/*
 * The pipeline of one page, from a record's bytes to an annotated page.
 *
 *     record ─ payload ─ parse ─► page ─ segment ─ site ─ select ─ thread ─ redact ─ language ─ sketch ─► annotated page
 *
 * Each step either continues or rejects the record with its status. Read this file first.
 */
#include "pipeline/pipeline.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena_failure.h"
#include "base/ascii.h"
#include "base/buffer.h"
#include "content/thread.h"
#include "language/crawl_languages.h"
#include "language/language.h"
#include "methods/page_parts.h"
#include "page/rendered_name.h"
#include "page/rights.h"
#include "parse/http/http_message.h"
#include "parse/http/http_rights.h"
#include "pipeline/page_filter.h"
#include "redact/redact.h"
#include "robots/robots_lookup.h"
#include "signals/signals.h"
#include "thresher/classifier.h"
#include "thresher/minhash.h"
#include "thresher/segmenter.h"

struct th_pipeline {
    const th_options *opt;
    th_arena *arena; /* of the current page */
    th_parser *parser;
    th_minhash_signer *signer;   /* NULL if no text is signed */
    const th_site_lookup *sites; /* NULL if sites are not used */
    bool parses_only;
    bool wants_rights;
    th_rights rights;        /* of the current page */
    th_robots_lookup robots; /* of the last host */
    th_body *body;           /* decoder of transfer and content codings */
    th_buffer payload;       /* decoded bytes; kept from page to page */
    th_error error;          /* message of a rejection */
};

/* The payload of a record during its processing. */
struct payload {
    th_view bytes;
    th_view charset;    /* of the media type, may be absent */
    th_view media_type; /* without parameters, may be absent */
    uint32_t flags;
};

/* Maximum size of the payload buffer that is kept from one page to the next. */
enum { PAYLOAD_KEEP = 1 << 20 };

/*
 * Returns the limit of the page's arena. A page needs a multiple of its bytes for rows,
 * nodes and text. The limits on their numbers bound most of it. This bounds the rest: at
 * least 64 MiB and twelve times the largest body, or 24 times for a classifier that
 * computes features of every paragraph.
 */
static size_t arena_limit(const th_options *opt)
{
    const uint64_t times = th_options_reads(opt) & TH_READS_CLASSES ? 24 : 12;
    const uint64_t limit = opt->max_body * times;
    return (size_t)(limit < (64u << 20) ? 64u << 20 : limit);
}

static bool make_signer(th_pipeline *pipeline)
{
    th_minhash_preset preset;
    const th_status status = th_minhash_parse(pipeline->opt->minhash, &preset, NULL);
    return status == TH_NOT_WANTED || /* "none" */
           (status == TH_OK &&
            th_minhash_signer_new(&preset, &pipeline->signer, NULL) == TH_OK);
}

th_pipeline *th_pipeline_new(const th_options *opt)
{
    th_pipeline *pipeline = calloc(1, sizeof *pipeline);
    if (!pipeline)
        return NULL;
    pipeline->opt = opt;
    pipeline->wants_rights = th_options_reads(opt) & TH_READS_RIGHTS;
    pipeline->arena = th_arena_new(arena_limit(opt));
    pipeline->parser = th_parser_new(opt);
    pipeline->body = th_body_new();
    th_robots_lookup_begin(&pipeline->robots, opt->robots, opt->agent);
    const bool has_signer = make_signer(pipeline);
    if (!pipeline->arena || !pipeline->parser || !pipeline->body || !has_signer) {
        th_pipeline_free(pipeline);
        return NULL;
    }
    return pipeline;
}

void th_pipeline_free(th_pipeline *pipeline)
{
    if (!pipeline)
        return;
    th_minhash_signer_free(pipeline->signer);
    th_robots_lookup_done(&pipeline->robots);
    th_body_free(pipeline->body);
    th_parser_free(pipeline->parser);
    th_arena_free(pipeline->arena);
    th_buffer_done(&pipeline->payload);
    free(pipeline);
}

static void begin_page(th_pipeline *pipeline)
{
    th_arena_reset(pipeline->arena);
    if (pipeline->payload.capacity > PAYLOAD_KEEP)
        th_buffer_done(&pipeline->payload);
    th_buffer_reset(&pipeline->payload);
    pipeline->error = (th_error){ .status = TH_OK };
    pipeline->rights = (th_rights){ .arena = pipeline->arena };
}

void th_pipeline_set_meter(th_pipeline *pipeline, th_arena_meter meter, void *context)
{
    th_arena_set_meter(pipeline->arena, meter, context);
}

void th_pipeline_set_sites(th_pipeline *pipeline, const th_site_lookup *sites)
{
    pipeline->sites = sites;
}

void th_pipeline_parse_only(th_pipeline *pipeline)
{
    pipeline->parses_only = true;
}

void th_pipeline_release_memory(th_pipeline *pipeline)
{
    begin_page(pipeline);
}

/* Rejects a record of a kind that contains no page. */
static th_status admit(th_pipeline *pipeline, const th_record *record)
{
    th_view page;
    if (record->refusal != TH_OK)
        return th_fail(&pipeline->error, record->refusal, "%s",
                       record->detail ? record->detail : th_status_text(record->refusal));
    switch (record->kind) {
    case TH_RECORD_RESOURCE:
        if (th_rendered_kind_of(record->url, &page) != TH_RENDERED_NONE)
            return th_fail(&pipeline->error, TH_NOT_A_PAGE,
                           "record is a rendered copy of '%.*s'",
                           (int)(page.len > 200 ? 200 : page.len), page.data);
        break;
    case TH_RECORD_RESPONSE:
    case TH_RECORD_CONVERSION:
        break;
    case TH_RECORD_REVISIT:
        return th_fail(&pipeline->error, TH_REVISIT, "payload is in another record");
    case TH_RECORD_CONTINUATION:
    case TH_RECORD_OTHER:
    default:
        return th_fail(&pipeline->error, TH_NOT_A_PAGE, "record of type '%.*s'",
                       (int)(record->type.len > 64 ? 64 : record->type.len),
                       record->type.data ? record->type.data : "");
    }
    if (record->block.len == 0)
        return th_fail(&pipeline->error, TH_NO_PAYLOAD, "block is empty");
    return TH_OK;
}

/* Appends decoded bytes up to max_body; the rest is dropped. */
static bool gather(void *context, const char *bytes, size_t len)
{
    th_pipeline *pipeline = context;
    const size_t capacity = (size_t)pipeline->opt->max_body - pipeline->payload.len;
    th_buffer_append(&pipeline->payload, bytes, len < capacity ? len : capacity);
    return len <= capacity && !pipeline->payload.has_failed;
}

/* Decodes transfer and content codings; a body without any is used in place. */
static th_status decode_body(th_pipeline *pipeline, const th_http_head *head,
                             th_view stored, struct payload *payload)
{
    const size_t cap = (size_t)pipeline->opt->max_body;
    if (!head->is_chunked && head->coding_count == 0 && !head->is_coding_unknown) {
        if (stored.len > cap)
            payload->flags |= TH_FLAG_BODY_TRUNCATED;
        payload->bytes = (th_view){ stored.data, stored.len < cap ? stored.len : cap };
        return TH_OK;
    }
    th_status status =
        th_body_begin(pipeline->body, head, pipeline->opt->max_codings, gather, pipeline);
    if (status == TH_OK)
        status = th_body_write(pipeline->body, stored);
    if (status == TH_OK)
        status = th_body_end(pipeline->body);
    if (pipeline->payload.has_failed)
        return TH_NOMEM;
    if (status != TH_OK)
        return th_fail(&pipeline->error, status, "%u content codings (limit %u)",
                       (unsigned)head->coding_count,
                       (unsigned)pipeline->opt->max_codings);
    payload->flags |= th_body_flags(pipeline->body);
    if (!th_body_is_complete(pipeline->body) && pipeline->payload.len == cap)
        payload->flags |= TH_FLAG_BODY_TRUNCATED;
    payload->bytes = th_buffer_view(&pipeline->payload);
    return TH_OK;
}

/* Returns whether a page is read from its rendered copy: its status must be 2xx, and its
 * media type HTML. */
static bool is_rendered(const th_record *record, const th_http_head *head)
{
    bool sniffed = false;
    if (!record->rendered.len || !th_http_is_page(head->status))
        return false;
    const th_media media = th_media_type(head->media_type, record->rendered, &sniffed);
    return media == TH_MEDIA_HTML || media == TH_MEDIA_XHTML;
}

/* Uses a rendered copy instead of the body. A browser wrote it, as HTML or text in
 * UTF-8. */
static void take_rendered(th_pipeline *pipeline, const th_record *record,
                          struct payload *payload, th_http_facts *facts)
{
    const size_t cap = (size_t)pipeline->opt->max_body;
    th_view bytes = record->rendered;
    if (bytes.len > cap) {
        payload->flags |= TH_FLAG_BODY_TRUNCATED;
        bytes.len = cap;
    }
    facts->rendered = record->rendered_type;
    payload->bytes = bytes;
    payload->charset = TH_VIEW("utf-8");
    payload->media_type = th_view_is(record->rendered_type, "text")
                              ? TH_VIEW("text/plain")
                              : TH_VIEW("text/html");
}

static th_status take_http(th_pipeline *pipeline, const th_record *record,
                           struct payload *payload, th_http_facts *facts)
{
    th_http_head head;
    const th_status status =
        th_http_head_parse(record->block, pipeline->opt->max_head, true, &head);
    if (status == TH_TOO_LARGE)
        return th_fail(&pipeline->error, status, "http head is longer than %u bytes",
                       (unsigned)pipeline->opt->max_head);
    if (status != TH_OK)
        return th_fail(&pipeline->error, TH_BAD_HTTP,
                       "block does not start with a status line");
    facts->status = head.status;
    facts->content_type = head.content_type;
    facts->encoding = head.content_encoding;
    facts->language = head.content_language;
    payload->charset = head.charset;
    payload->media_type = head.media_type;
    if (head.is_malformed)
        payload->flags |= TH_FLAG_MALFORMED_HEAD;
    if (!th_http_is_page(head.status))
        payload->flags |= TH_FLAG_UNSUCCESSFUL;
    const th_status wanted = th_page_filter_head(pipeline->opt->filter, head.status,
                                                 head.media_type, &pipeline->error);
    if (wanted != TH_OK)
        return wanted;
    if (pipeline->wants_rights)
        th_http_rights((th_view){ record->block.data, head.head_len }, record->url,
                       &pipeline->rights);
    if (is_rendered(record, &head)) {
        take_rendered(pipeline, record, payload, facts);
        return TH_OK;
    }
    return decode_body(pipeline, &head,
                       (th_view){ record->block.data + head.head_len,
                                  record->block.len - head.head_len },
                       payload);
}

/* Handles a block without an HTTP head: the record's own Content-Type is used. */
static th_status take_plain(th_pipeline *pipeline, const th_record *record,
                            struct payload *payload, th_http_facts *facts)
{
    const th_view type = record->content_type;
    th_http_head head = { .content_type = type };
    th_content_type_parse(type, &head.media_type, &head.charset);
    payload->charset = head.charset;
    payload->media_type = head.media_type;
    const th_status wanted =
        th_page_filter_head(pipeline->opt->filter, 0, head.media_type, &pipeline->error);
    if (wanted != TH_OK)
        return wanted;
    if (record->rendered_type.data) { /* the record is the copy itself */
        payload->charset = TH_VIEW("utf-8");
        facts->rendered = record->rendered_type;
    }
    return decode_body(pipeline, &head, record->block, payload);
}

/* Returns the payload of the record, or the reason why it has none. */
static th_status take_payload(th_pipeline *pipeline, const th_record *record,
                              struct payload *payload, th_http_facts *facts)
{
    const th_status status = record->is_http
                                 ? take_http(pipeline, record, payload, facts)
                                 : take_plain(pipeline, record, payload, facts);
    if (status == TH_OK && payload->bytes.len == 0)
        return th_fail(&pipeline->error, TH_NO_PAYLOAD, "payload is empty");
    return status;
}

/* Accepts HTML and XHTML, and plain text if the options say so. */
static th_status admit_media(th_pipeline *pipeline, const th_record *record,
                             const th_http_facts *facts, struct payload *payload,
                             th_document *document)
{
    bool sniffed = false;
    if (th_view_is(facts->rendered, "text")) {
        document->is_text = 1;
        return TH_OK;
    }
    const th_media media = th_media_type(payload->media_type, payload->bytes, &sniffed);
    if (pipeline->opt->text_plain &&
        th_media_is_plain_text(payload->media_type, payload->bytes) &&
        !th_ends_with(record->url, "/robots.txt") &&
        !th_ascii_starts_with(record->url, "metadata:")) { /* the log of a crawler */
        document->is_text = 1;
        return TH_OK;
    }
    if (media != TH_MEDIA_HTML && media != TH_MEDIA_XHTML) {
        const th_view type = payload->media_type;
        return th_fail(&pipeline->error, TH_NOT_HTML, "media type '%.*s'%s",
                       (int)(type.len > 100 ? 100 : type.len), type.data ? type.data : "",
                       sniffed ? ", and the bytes are not HTML" : "");
    }
    if (sniffed)
        payload->flags |= TH_FLAG_TYPE_SNIFFED;
    document->is_xml = media == TH_MEDIA_XHTML;
    return TH_OK;
}

/* Joins the statements of header, robots.txt and page. */
static th_status join_rights(th_pipeline *pipeline, const th_record *record,
                             th_page *page)
{
    th_rights *const rights = &pipeline->rights;
    if (pipeline->opt->robots &&
        th_robots_lookup_add(&pipeline->robots, record->url, rights) != TH_OK)
        return TH_NOMEM;
    for (uint32_t i = 0; i < page->right_count; i++)
        th_rights_add(rights, &page->rights[i]);
    page->rights = rights->rows;
    page->right_count = rights->count;
    page->flags |= rights->flags;
    return rights->has_failed ? TH_NOMEM : TH_OK;
}

/* Runs the stages after parsing. Each stage adds its columns. */
static th_status pass_stages(th_pipeline *pipeline, const th_record *record,
                             const th_http_facts *http, th_page *page)
{
    const th_options *opt = pipeline->opt;
    th_status status = th_page_filter_language(opt->filter, page, &pipeline->error);
    if (status == TH_OK && pipeline->wants_rights)
        status = join_rights(pipeline, record, page);
    if (status == TH_OK)
        status = th_page_filter_rights(opt->filter, page, opt->agent, &pipeline->error);
    if (pipeline->parses_only)
        return status;
    if (status == TH_OK)
        status = th_segment_page(page, opt);
    if (status == TH_OK && pipeline->sites)
        status = th_site_recall(pipeline->sites, record->url, page);
    if (status == TH_OK)
        status = th_select_page(page, opt);
    if (status == TH_OK)
        status = th_thread_page(page);
    if (status == TH_OK)
        status = th_page_filter_words(opt->filter, page, &pipeline->error);
    if (status == TH_OK)
        status = th_page_filter_learned(opt->filter, page, &pipeline->error);
    if (status == TH_OK)
        status = th_redact_page(page, opt);
    if (status == TH_OK)
        status = th_language_page(page, opt, http->language, record->url);
    if (status == TH_OK)
        status = th_language_crawl(page, record->crawl_languages);
    if (status == TH_OK)
        status = th_page_filter_detected(opt->filter, page, &pipeline->error);
    if (status == TH_OK)
        status = th_signals_page(page, opt);
    if (status == TH_OK)
        status = th_sketch_page(page, opt, pipeline->signer);
    return status;
}

static th_status annotate(th_pipeline *pipeline, const th_record *record,
                          th_annotated *out)
{
    struct payload payload = { .flags = record->flags };
    th_document document = { .url = record->url };
    th_status status = admit(pipeline, record);
    if (status == TH_OK)
        status = th_page_filter_record(pipeline->opt->filter, record, &pipeline->error);
    if (status == TH_OK)
        status = take_payload(pipeline, record, &payload, &out->http);
    if (status == TH_OK)
        status = admit_media(pipeline, record, &out->http, &payload, &document);
    if (status == TH_NOT_HTML)
        out->media_type = th_media_type_of_document(payload.media_type, payload.bytes);
    if (status != TH_OK)
        return status;

    document.bytes = payload.bytes;
    document.charset = payload.charset;
    th_page *page = NULL;
    status = th_parse_html(pipeline->parser, &document, pipeline->arena, &page,
                           &out->charset, &pipeline->error);
    if (status == TH_OK)
        status = pass_stages(pipeline, record, &out->http, page);
    if (status != TH_OK)
        return status;
    page->flags |= payload.flags;
    out->html = page->html;
    out->page = page;
    return TH_OK;
}

th_status th_pipeline_run(th_pipeline *pipeline, const th_record *record,
                          th_annotated *out)
{
    begin_page(pipeline);
    *out = (th_annotated){ .record = record };
    out->status = annotate(pipeline, record, out);
    if (out->status == TH_OK && th_arena_has_failed(pipeline->arena))
        out->status = TH_NOMEM; /* a part of the page is missing */
    if (out->status == TH_NOMEM && th_arena_is_full(pipeline->arena))
        out->status = th_fail(&pipeline->error, TH_TOO_LARGE,
                              "page needs more than %zu bytes of memory",
                              arena_limit(pipeline->opt));
    out->detail =
        pipeline->error.text[0] ? pipeline->error.text : th_status_text(out->status);
    return th_status_is_refusal(out->status) || out->status == TH_OK ? TH_OK
                                                                     : out->status;
}
