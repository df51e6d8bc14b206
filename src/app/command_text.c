/* `thresher text`: the content of single pages. */
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "app/output_path.h"
#include "app/program.h"
#include "app/same_file.h"
#include "app/say.h"
#include "base/file_sink.h"
#include "inspect/page_source.h"
#include "pipeline/pipeline.h"
#include "remote/page_fetch.h"
#include "remote/remote_name.h"
#include "settings/remote_settings.h"
#include "settings/settings.h"
#include "thresher/version.h"
#include "write/format.h"
#include "write/formatted_text.h"

enum { NAME_BYTES = 100 }; /* of a page's name in an output's name */

/* The state of the command. */
struct texts {
    th_settings settings;
    th_remote *remote;
    th_pipeline *pipeline;
    th_batch *batch;      /* of one record */
    th_buffer out;        /* of one page */
    th_file_sink *sink;   /* stdout or a file; NULL if each page has a file */
    void *paths;          /* of the outputs in a folder: a tree of struct path */
    const char **outputs; /* the path of each page in that tree; NULL: one output */
    bool has_text;        /* some page was written to the sink: an empty line follows */
    bool has_failed;      /* some page was not printed, or only a part of it */
};

/* The path of an output in a folder. */
struct path {
    char *text;
    unsigned copies; /* pages that had the same name and got a number */
};

/* ---- paths of outputs ---- */

static const char *suffix_of(const struct texts *texts)
{
    const char *format = texts->settings.page.text_format;
    return texts->settings.text.json         ? "json"
           : strcmp(format, "markdown") == 0 ? "md"
           : strcmp(format, "html") == 0     ? "html"
                                             : "txt";
}

/* Writes the last part of a page's name without its suffix: letters, digits and ._- of
 * ASCII, '_' for each other byte. */
static void name_of(const char *page, char name[NAME_BYTES + 1])
{
    const char *end =
        page + (th_remote_is_page(page) ? strcspn(page, "?#") : strlen(page));
    while (end > page && end[-1] == '/')
        end--;
    const char *begin = end;
    while (begin > page && begin[-1] != '/')
        begin--;
    for (const char *dot = end - 1; dot > begin; dot--)
        if (*dot == '.' &&
            (strncasecmp(dot, ".htm", 4) == 0 || strncasecmp(dot, ".xht", 4) == 0))
            end = dot;
    size_t len = 0;
    for (; begin < end && len < NAME_BYTES; begin++) {
        const unsigned char byte = (unsigned char)*begin;
        const bool is_kept = (byte >= '0' && byte <= '9') ||
                             (byte >= 'A' && byte <= 'Z') ||
                             (byte >= 'a' && byte <= 'z') || byte == '-' || byte == '_' ||
                             (byte == '.' && len);
        name[len] = '_';
        if (is_kept)
            name[len] = *begin;
        len++;
    }
    name[len] = '\0';
    if (strcmp(page, "-") == 0 || len == 0)
        (void)snprintf(name, NAME_BYTES + 1, "%s", len == 0 ? "page" : "stdin");
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(((const struct path *)a)->text, ((const struct path *)b)->text);
}

static void free_path(void *path)
{
    free(((struct path *)path)->text);
    free(path);
}

/* Adds a path to the tree. Frees the text if the tree has it already. @param is_new  out:
 * whether it was added. @return the path in the tree, or NULL without memory */
static struct path *add_path(struct texts *texts, char *text, bool *is_new)
{
    struct path *path = calloc(1, sizeof *path);
    if (!path) {
        free(text);
        return NULL;
    }
    path->text = text;
    void **found = tsearch(path, &texts->paths, compare_paths);
    *is_new = found && *found == path;
    if (!*is_new)
        free_path(path);
    return found ? *found : NULL;
}

/* Returns the path for a page's output. A second page of a name gets a number. NULL
 * without memory. */
static const char *path_of(struct texts *texts, const char *page)
{
    const char *folder = texts->settings.text.output, *suffix = suffix_of(texts);
    char name[NAME_BYTES + 1];
    char *text = NULL;
    bool is_new = false;
    name_of(page, name);
    if (asprintf(&text, "%s%s.%s", folder, name, suffix) < 0)
        return NULL;
    struct path *first = add_path(texts, text, &is_new), *path = first;
    while (path && !is_new) {
        if (asprintf(&text, "%s%s.%u.%s", folder, name, ++first->copies, suffix) < 0)
            return NULL;
        path = add_path(texts, text, &is_new);
    }
    return path ? path->text : NULL;
}

/* Names the outputs before any page is read, so that none replaces an input. */
static th_status name_outputs(struct texts *texts, int count, char **pages, th_error *err)
{
    texts->outputs = calloc((size_t)count, sizeof *texts->outputs);
    if (!texts->outputs)
        return th_fail(err, TH_NOMEM, "out of memory");
    for (int i = 0; i < count; i++)
        if (!(texts->outputs[i] = path_of(texts, pages[i])))
            return th_fail(err, TH_NOMEM, "out of memory");
    return TH_OK;
}

/* ---- settings ---- */

static th_status check_files(struct texts *texts, int count, char **pages, th_error *err)
{
    th_file_uses files = { 0 };
    const char *output = texts->settings.text.output;
    th_status status = th_output_is_folder(output)
                           ? name_outputs(texts, count, pages, err)
                           : th_file_uses_output(&files, "output", output, err);
    for (int i = 0; i < count && status == TH_OK; i++)
        if (!th_remote_is_name(pages[i]))
            status = th_file_uses_input(&files, pages[i], err);
    for (int i = 0; i < count && status == TH_OK && texts->outputs; i++)
        status = th_file_uses_output(&files, "output", texts->outputs[i], err);
    if (status == TH_OK)
        status = th_file_uses_check(&files, err);
    th_file_uses_done(&files);
    return status;
}

static th_status check(struct texts *texts, int count, char **pages, th_error *err)
{
    const th_settings *settings = &texts->settings;
    if (count < 1)
        return th_fail(err, TH_USAGE,
                       "text needs PAGE (a file, - for stdin, or https://...)");
    if (*settings->text.url && count > 1)
        return th_fail(err, TH_USAGE, "--url is the URL of one page, but there are %d",
                       count);
    if (!settings->text.json && strchr(settings->page.text_format, ','))
        return th_fail(err, TH_USAGE,
                       "'%.100s' contains several formats; use one format, or add --json",
                       settings->page.text_format);
    return check_files(texts, count, pages, err);
}

static th_status prepare(struct texts *texts, const th_program *program, int argc,
                         char **argv, int *first, th_error *err)
{
    th_settings *settings = &texts->settings;
    th_status status = th_settings_init(settings, program->segmenters);
    if (status != TH_OK)
        return th_fail(err, status, "cannot allocate the settings");
    status = th_settings_parse(settings, TH_FOR_TEXT, argc, argv, first, err);
    if (status == TH_OK)
        status = th_settings_check(settings, err);
    if (status == TH_OK)
        status = check(texts, argc - *first, argv + *first, err);
    if (status == TH_OK)
        status = th_settings_load_models(settings, false, err);
    if (status == TH_OK)
        status =
            th_settings_open_remote(settings, th_say_line, NULL, &texts->remote, err);
    if (status != TH_OK)
        return status;
    texts->pipeline = th_pipeline_new(&settings->page);
    texts->batch = calloc(1, sizeof *texts->batch);
    if (texts->batch)
        texts->batch->arena = th_arena_new(0);
    if (!texts->pipeline || !texts->batch || !texts->batch->arena)
        return th_fail(err, TH_NOMEM, "cannot allocate a pipeline");
    const char *output = settings->text.output;
    const bool is_folder = th_output_is_folder(output);
    if (is_folder && mkdir(output, 0777) != 0 && errno != EEXIST)
        return th_fail(err, TH_IO, "cannot create '%s': %s", output, strerror(errno));
    if (strcmp(output, "-") == 0)
        th_exit_on_sigpipe();
    return is_folder ? TH_OK : th_file_sink_open(output, 0, &texts->sink, err);
}

/* ---- one page ---- */

static th_status fetch(struct texts *texts, const char *url, th_error *err)
{
    const th_settings *settings = &texts->settings;
    const th_fetch_options options = { .ca_file = settings->remote.ca_file,
                                       .connect_ms = settings->remote.connect_ms,
                                       .stall_ms = settings->remote.stall_ms,
                                       .min_rate = (uint32_t)settings->remote.min_rate,
                                       .min_rate_ms = settings->remote.min_rate_ms,
                                       .max_bytes = settings->page.max_body,
                                       .allow_private = settings->text.allow_private,
                                       .stop = &th_stop_requested };
    th_fetched_page page;
    const th_status status =
        th_page_fetch(url, &options, texts->batch->arena, &page, err);
    if (status != TH_OK)
        return status;
    texts->batch->records[texts->batch->record_count++] =
        (th_record){ .kind = TH_RECORD_RESPONSE,
                     .type = TH_VIEW("response"),
                     .is_http = true,
                     .url = page.url,
                     .block = page.block,
                     .block_len = page.block.len,
                     .position.file = { url, strlen(url) },
                     .flags = page.is_cut ? TH_FLAG_RECORD_TRUNCATED : 0 };
    return TH_OK;
}

static th_status read_page(struct texts *texts, const char *page, th_error *err)
{
    texts->batch->record_count = 0;
    th_arena_reset(texts->batch->arena);
    if (th_remote_is_page(page))
        return fetch(texts, page, err);
    const th_page_name name = { .place = page,
                                .base = texts->settings.text.url,
                                .verify_digests = texts->settings.verify_digests,
                                .remote = texts->remote };
    return th_page_source_read(&name, &texts->settings.page, &th_stop_requested, NULL,
                               NULL, texts->batch, err);
}

/* Reports that the text is of a part of the page. A record has the flag instead. */
static void report_part(struct texts *texts, const char *page, uint32_t flags)
{
    static const struct {
        uint32_t flag;
        const char *reason;
    } parts[] = {
        { TH_FLAG_CODING_DAMAGED, "its compressed data is damaged or ends early" },
        { TH_FLAG_CHUNKED_DAMAGED, "its chunks are damaged or end early" },
        { TH_FLAG_WARC_DAMAGED, "its record is damaged" },
        { TH_FLAG_RECORD_TRUNCATED, "it is larger than max-record, or a fetch max-body" },
        { TH_FLAG_BODY_TRUNCATED, "it is larger than max-body" },
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if ((flags & parts[i].flag) && !texts->settings.text.json) {
            th_say("%.300s: only a part could be read: %s", page, parts[i].reason);
            texts->has_failed = true;
        }
}

/* Appends the text of a page, or its record. */
static th_status print(struct texts *texts, const th_annotated *annotated)
{
    const th_options *opt = &texts->settings.page;
    if (texts->settings.text.json) {
        const th_format_options options = { .page = opt, .software = TH_SOFTWARE };
        return th_jsonl_format.page(&options, annotated, &texts->out);
    }
    return th_formatted_text_append(annotated, opt, &texts->out);
}

static th_status convert(struct texts *texts, const char *page, th_error *err)
{
    th_annotated annotated;
    th_status status = read_page(texts, page, err);
    if (status != TH_OK)
        return status;
    status = th_pipeline_run(texts->pipeline, &texts->batch->records[0], &annotated);
    if (status != TH_OK)
        return th_fail(err, status, "out of memory");
    if (annotated.status != TH_OK)
        return th_fail(err, annotated.status, "%.300s: %s: %s", page,
                       th_status_name(annotated.status), annotated.detail);
    report_part(texts, page, annotated.page->flags);
    status = print(texts, &annotated);
    return status == TH_OK
               ? status
               : th_fail(err, status, "%.300s: %s", page, th_status_text(status));
}

/* ---- outputs ---- */

/* Writes the page's output to its file in the folder, or to the sink. */
static th_status write_page(struct texts *texts, int page, th_error *err)
{
    const th_view bytes = th_buffer_view(&texts->out);
    if (texts->sink) {
        th_status status = TH_OK;
        if (texts->has_text && bytes.len && !texts->settings.text.json)
            status = th_file_sink_write(texts->sink, TH_VIEW("\n"), err);
        texts->has_text |= bytes.len > 0;
        return status == TH_OK ? th_file_sink_write(texts->sink, bytes, err) : status;
    }
    return th_file_replace(texts->outputs[page], bytes, err);
}

/* Reports a page that was not printed. Returns the status if the command must end. */
static th_status refuse(struct texts *texts, th_status status, th_error *err)
{
    if (status == TH_NOMEM || status == TH_INTERRUPTED)
        return status;
    th_say("%s", err->text);
    *err = (th_error){ .text = "" };
    texts->has_failed = true;
    return TH_OK;
}

static th_status convert_all(struct texts *texts, int count, char **pages, th_error *err)
{
    th_status status = TH_OK;
    for (int i = 0; i < count && status == TH_OK; i++) {
        th_buffer_reset(&texts->out);
        status = convert(texts, pages[i], err);
        status = status == TH_OK ? write_page(texts, i, err) : refuse(texts, status, err);
    }
    return status == TH_OK && texts->sink ? th_file_sink_finish(texts->sink, err)
                                          : status;
}

int th_command_text(const th_program *program, int argc, char **argv)
{
    struct texts texts = { .remote = NULL };
    th_error err = { .text = "" };
    int first = 0;
    int code = TH_EXIT_OK;
    th_status status = prepare(&texts, program, argc, argv, &first, &err);
    if (status == TH_END) {
        th_print_usage(stdout, program, TH_FOR_TEXT, texts.settings.help_all);
    } else {
        if (status == TH_OK)
            status = convert_all(&texts, argc - first, argv + first, &err);
        code = status != TH_OK    ? th_complain(&err)
               : texts.has_failed ? TH_EXIT_INPUT
                                  : TH_EXIT_OK;
    }
    free(texts.outputs);
    tdestroy(texts.paths, free_path);
    th_file_sink_free(texts.sink);
    th_buffer_done(&texts.out);
    th_pipeline_free(texts.pipeline);
    if (texts.batch)
        th_arena_free(texts.batch->arena);
    free(texts.batch);
    th_remote_free(texts.remote);
    th_settings_done(&texts.settings);
    return code;
}
