/* The pipeline with a plain C interface. See the header. */
#include "thresher_python.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse/http/media_type.h"
#include "pipeline/pipeline.h"
#include "settings/settings.h"
#include "thresher/minhash.h"
#include "thresher/version.h"
#include "write/format.h"

struct thresher_extractor {
    th_settings settings;
    th_pipeline *pipeline;
    th_buffer out;
};

const char *thresher_python_version(void)
{
    return TH_VERSION;
}

static void report(const th_error *err, char *error, size_t capacity)
{
    (void)snprintf(error, capacity, "%s",
                   err->text[0] ? err->text : th_status_text(err->status));
}

/* Whether one page's record depends on the option. */
static bool is_for_one_page(const th_option *option)
{
    static const char *const sections[] = { "text", "filter", "sketch" };
    const size_t first = offsetof(th_settings, page);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (strcmp(option->section, sections[i]) == 0)
            return true;
    return option->offset - first < sizeof(th_options) &&
           strcmp(option->section, "sites") != 0;
}

/* Sets an option; refuses a known option that would have no effect. */
static th_status set_option(th_settings *settings, const char *name, const char *value,
                            th_error *err)
{
    const th_option *option = th_option_find(name);
    const char *key = option ? option->key : name;
    if (option && !is_for_one_page(option))
        return th_fail(err, TH_USAGE,
                       "option '%s' has no effect on a single page; use it with "
                       "thresher.records() or the program",
                       key);
    return th_settings_set(settings, key, value, err);
}

static th_status prepare(thresher_extractor *extractor, const char *const *options,
                         th_error *err)
{
    th_settings *settings = &extractor->settings;
    th_status status = th_settings_init(settings, NULL);
    if (status != TH_OK)
        return status;
    for (; options[0] && status == TH_OK; options += 2)
        status = set_option(settings, options[0], options[1], err);
    if (status == TH_OK)
        status = th_settings_check(settings, err);
    if (status == TH_OK)
        status = th_settings_load_models(settings, false, err);
    if (status == TH_OK)
        status = th_settings_load_filter(settings, err);
    if (status != TH_OK)
        return status;
    extractor->pipeline = th_pipeline_new(&settings->page);
    return extractor->pipeline ? TH_OK : TH_NOMEM;
}

thresher_extractor *thresher_extractor_new(const char *const *options, char *error,
                                           size_t capacity)
{
    th_error err = { .status = TH_NOMEM };
    thresher_extractor *extractor = calloc(1, sizeof *extractor);
    if (extractor && (err.status = prepare(extractor, options, &err)) == TH_OK)
        return extractor;
    report(&err, error, capacity);
    thresher_extractor_free(extractor);
    return NULL;
}

void thresher_extractor_free(thresher_extractor *extractor)
{
    if (!extractor)
        return;
    th_pipeline_free(extractor->pipeline);
    th_settings_done(&extractor->settings);
    th_buffer_done(&extractor->out);
    free(extractor);
}

static th_view view_of(const char *text)
{
    return *text ? (th_view){ text, strlen(text) } : (th_view){ NULL, 0 };
}

/* The record's bytes, or why there are none. */
static th_status write_record(thresher_extractor *extractor, const th_record *record,
                              const char **detail)
{
    th_annotated annotated = { 0 };
    th_status status = th_pipeline_run(extractor->pipeline, record, &annotated);
    *detail = th_status_text(status);
    if (status == TH_OK && annotated.status != TH_OK) {
        status = annotated.status;
        *detail = annotated.detail;
    }
    if (status != TH_OK)
        return status;
    const th_format_options format = { .page = &extractor->settings.page,
                                       .compression = TH_PLAIN,
                                       .software = TH_SOFTWARE };
    status = th_jsonl_format.page(&format, &annotated, &extractor->out);
    *detail = th_status_text(status);
    return status;
}

/* Bytes without a media type: the caller states that they are a page. A text that the
 * standard's sniffing does not recognize as HTML (a fragment that starts with <section>) is
 * HTML here. PDF and bytes of binary formats are not. */
static th_view type_of(const char *html, size_t len)
{
    enum { LOOK = 512 };
    static const char pdf[] = "%PDF-";
    bool is_sniffed = false;
    const th_media media =
        th_media_type((th_view){ NULL, 0 }, (th_view){ html, len }, &is_sniffed);
    if (media == TH_MEDIA_HTML || media == TH_MEDIA_XHTML ||
        (len >= sizeof pdf - 1 && memcmp(html, pdf, sizeof pdf - 1) == 0))
        return (th_view){ NULL, 0 };
    for (size_t i = 0; i < len && i < LOOK; i++)
        if (!html[i] ||
            ((unsigned char)html[i] < ' ' && !strchr("\t\n\f\r\x1b", html[i])))
            return (th_view){ NULL, 0 };
    return TH_VIEW("text/html");
}

const char *thresher_extract(thresher_extractor *extractor, const char *html, size_t len,
                             const char *url, const char *content_type, const char **text,
                             size_t *text_len)
{
    const uint64_t most = extractor->settings.page.max_record;
    const size_t kept = len > most ? (size_t)most : len;
    const th_record record = {
        .kind = TH_RECORD_RESOURCE,
        .type = TH_VIEW("resource"),
        .url = view_of(url),
        .content_type = *content_type ? view_of(content_type) : type_of(html, kept),
        .block = { html, kept },
        .block_len = len,
        .flags = kept < len ? TH_FLAG_RECORD_TRUNCATED : 0,
        .position = { .file = TH_VIEW("-") },
    };
    const char *detail = NULL;
    th_pipeline_release_memory(extractor->pipeline);
    th_buffer_reset(&extractor->out);
    const th_status status = write_record(extractor, &record, &detail);
    if (status != TH_OK) {
        th_buffer_reset(&extractor->out);
        th_buffer_append_text(&extractor->out, detail);
    }
    *text = th_buffer_view(&extractor->out).data;
    *text_len = extractor->out.len;
    return status == TH_OK ? "" : th_status_name(status);
}

static th_status sign(const char *preset, th_view text, th_arena *arena,
                      th_signature *signature, th_error *err)
{
    th_minhash_preset parsed;
    th_minhash_signer *signer = NULL;
    th_status status = th_minhash_parse(preset, &parsed, err);
    if (status == TH_NOT_WANTED)
        return th_fail(err, TH_USAGE, "'%s' is not a preset for signatures", preset);
    if (status == TH_OK)
        status = th_minhash_signer_new(&parsed, &signer, err);
    if (status == TH_OK) {
        const th_view normal = th_normalise(text, arena);
        status = normal.data ? th_minhash(signer, normal, arena, signature) : TH_NOMEM;
    }
    th_minhash_signer_free(signer);
    return status;
}

int64_t thresher_sign(const char *preset, const char *text, size_t len, uint64_t *slots,
                      size_t max, char *error, size_t capacity)
{
    th_error err = { .status = TH_NOMEM };
    th_signature signature = { 0 };
    th_arena *arena = th_arena_new(0);
    if (arena)
        err.status = sign(preset, (th_view){ text, len }, arena, &signature, &err);
    const bool is_signed = err.status == TH_OK;
    const size_t count = signature.slot_count < max ? signature.slot_count : max;
    if (is_signed)
        memcpy(slots, signature.slots, count * sizeof *slots);
    else
        report(&err, error, capacity);
    th_arena_free(arena);
    return is_signed ? (int64_t)count : err.status == TH_NO_TOKEN ? 0 : -1;
}
