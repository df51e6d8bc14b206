/*
 * Records of robots.txt and tdmrep.json become JSON members in a scratch file. Their
 * origins are sorted with dates, on disk if necessary. So the memory does not depend on
 * the number of hosts.
 */
#include "app/robots_build.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/file_sink.h"
#include "base/json.h"
#include "base/scratch_file.h"
#include "base/stop.h"
#include "graph/text_sort.h"
#include "parse/http/http_message.h"
#include "parse/url/url.h"
#include "robots/robots_file.h"
#include "robots/robots_txt.h"
#include "robots/tdmrep.h"
#include "xxhash.h"

/* The two files of a host. A sort key is: origin, SEPARATOR, kind, date. */
enum { ROBOTS = 'r', TDMREP = 't', SEPARATOR = 1 };

struct work {
    th_robots_build *build;
    th_scratch_file *members;
    th_text_sort *order;
    th_body *body;
    th_arena *arena; /* of the batch */
    th_buffer payload, copy, rules, member, key;
    th_error *err;
};

/* ---- reading ---- */

/* Returns the kind of a URL's file, 0 if it is another one. */
static int kind_of(struct work *work, th_view url)
{
    th_buffer *const path = &work->key;
    th_buffer_reset(path);
    th_robots_path(url, path);
    if (th_view_is(th_buffer_view(path), "/robots.txt"))
        return ROBOTS;
    return th_view_is(th_buffer_view(path), "/.well-known/tdmrep.json") ? TDMREP : 0;
}

static bool gather(void *context, const char *bytes, size_t len)
{
    th_buffer *const payload = context;
    const size_t capacity =
        TH_ROBOTS_TXT_MAX + 1 - payload->len; /* one byte more shows a cut */
    th_buffer_append(payload, bytes, len < capacity ? len : capacity);
    return len <= capacity && !payload->has_failed;
}

static void take_location(void *context, th_view name, th_view value)
{
    th_view *const location = context;
    if (!location->data && th_ascii_is(name, "Location"))
        *location = value;
}

/* Reads the body of a record into `payload`.
 * @return TH_OK; TH_ABSENT: it is not a response that can be read; TH_NOMEM */
static th_status read_payload(struct work *work, const th_record *record, int *code,
                              th_view *location)
{
    th_http_head head = { .status = 0 };
    th_buffer_reset(&work->payload);
    if (record->is_http) {
        if (th_http_head_parse(record->block, work->build->settings->page.max_head, true,
                               &head) != TH_OK)
            return TH_ABSENT;
        th_http_head_fields((th_view){ record->block.data, head.head_len }, take_location,
                            location);
    }
    *code = head.status;
    const th_view stored = { record->block.data + head.head_len,
                             record->block.len - head.head_len };
    th_status status =
        th_body_begin(work->body, &head, work->build->settings->page.max_codings, gather,
                      &work->payload);
    if (status == TH_OK)
        status = th_body_write(work->body, stored);
    if (status == TH_OK)
        status = th_body_end(work->body);
    return work->payload.has_failed || status == TH_NOMEM ? TH_NOMEM
           : status == TH_OK                              ? TH_OK
                                                          : TH_ABSENT;
}

/* Writes the member of a host's line. */
static th_status write_member(struct work *work, int kind, const th_record *record,
                              int code, th_view location, bool is_whole)
{
    th_json json;
    th_buffer_reset(&work->member);
    th_json_begin_members(&json, &work->member, false);
    th_json_key(&json, kind == ROBOTS ? "robots" : "tdmrep");
    th_json_open_object(&json);
    th_json_member(&json, "date", record->date);
    if (code)
        th_json_member_uint(&json, "status", (uint64_t)code);
    if (code / 100 == 3)
        th_json_member(&json, "location", location);
    else if (!code || code / 100 == 2)
        th_json_member_buffer(&json, "rules", &work->rules);
    if (!is_whole) {
        th_json_key(&json, "cut");
        th_json_bool(&json, true);
    }
    th_json_close_object(&json);
    return th_json_end(&json);
}

static th_status store_member(struct work *work, int kind, const th_record *record)
{
    char origin[TH_ROBOTS_ORIGIN_MAX];
    const size_t origin_len = th_robots_origin(record->url, origin);
    const uint32_t len = (uint32_t)work->member.len;
    const th_view date = { record->date.data,
                           record->date.len < 32 ? record->date.len : 32 };
    if (!origin_len)
        return TH_OK;
    th_buffer_reset(&work->key);
    th_buffer_append(&work->key, origin, origin_len);
    th_buffer_append_char(&work->key, SEPARATOR);
    th_buffer_append_char(&work->key, (char)kind);
    th_buffer_append_view(&work->key, date);
    if (work->key.has_failed)
        return TH_NOMEM;
    const uint64_t at = th_scratch_len(work->members);
    th_status status = th_scratch_append(work->members, &len, sizeof len, work->err);
    if (status == TH_OK)
        status = th_scratch_append(work->members, work->member.data, len, work->err);
    if (status == TH_OK)
        status = th_text_sort_add(work->order, th_buffer_view(&work->key), at, work->err);
    work->build->files++;
    return status;
}

static th_status take_record(struct work *work, const th_record *record)
{
    int code = 0;
    th_view location = { NULL, 0 };
    work->build->records++;
    if (record->refusal != TH_OK || !record->url.len || !record->block.len ||
        (record->kind != TH_RECORD_RESPONSE && record->kind != TH_RECORD_RESOURCE))
        return TH_OK;
    const int kind = kind_of(work, record->url);
    if (!kind)
        return work->key.has_failed ? TH_NOMEM : TH_OK;
    th_status status = read_payload(work, record, &code, &location);
    if (status != TH_OK)
        return status == TH_ABSENT ? TH_OK : status;
    if (kind == TDMREP && code && code / 100 != 2)
        return TH_OK;
    bool is_whole = true;
    th_buffer_reset(&work->rules);
    if (kind == TDMREP)
        th_tdmrep_reduce(th_buffer_view(&work->payload), &work->copy, &work->rules);
    else if (!code || code / 100 == 2)
        is_whole = th_robots_txt_reduce(th_buffer_view(&work->payload), &work->rules);
    work->build->cut += !is_whole;
    if (work->rules.has_failed || work->copy.has_failed)
        return TH_NOMEM;
    if (location.len)
        location = th_url_resolve(record->url, location, work->arena);
    status = write_member(work, kind, record, code, location, is_whole);
    return status == TH_OK ? store_member(work, kind, record) : status;
}

static th_status read_batches(struct work *work, th_source *source, th_batch *batch)
{
    static const th_counts none;
    work->arena = batch->arena;
    for (;;) {
        th_arena_reset(batch->arena);
        batch->record_count = 0;
        th_status status = source->read(source, batch, work->err);
        for (uint32_t i = 0; status == TH_OK && i < batch->record_count; i++)
            status = take_record(work, &batch->records[i]);
        if (status != TH_OK)
            return status == TH_END ? TH_OK : status;
        work->build->source = batch->counts;
        th_progress_update(work->build->progress, &batch->counts, &none);
    }
}

static th_status read_inputs(struct work *work)
{
    const th_robots_build *build = work->build;
    const th_file_source_options options = {
        .inputs = build->inputs->paths,
        .input_count = build->inputs->count,
        .max_record = build->settings->page.max_record,
        .warn = build->warn,
        .warn_context = build->warn_context,
        .stop = &th_stop_requested,
        .remote = build->remote,
        .is_only_run = true,
    };
    th_source *source = NULL;
    th_batch *batch = calloc(1, sizeof *batch);
    if (batch)
        batch->arena = th_arena_new(0);
    th_status status = batch && batch->arena
                           ? th_file_source_open(&options, &source, work->err)
                           : TH_NOMEM;
    if (status == TH_OK)
        status = read_batches(work, source, batch);
    if (source)
        source->close(source);
    if (batch)
        th_arena_free(batch->arena);
    free(batch);
    return status;
}

/* ---- writing ---- */

/* The line of a host that is being written. */
struct line {
    th_buffer text;
    th_buffer origin; /* empty: no host yet */
    uint64_t at[2];   /* of the newest members; UINT64_MAX: none */
    XXH3_state_t *sum;
    th_file_sink *sink;
};

static th_status append_member(struct work *work, uint64_t at, th_buffer *out)
{
    uint32_t len = 0;
    th_status status = th_scratch_read(work->members, at, &len, sizeof len, work->err);
    if (status != TH_OK || !th_buffer_reserve(out, len))
        return status != TH_OK ? status : TH_NOMEM;
    status = th_scratch_read(work->members, at + sizeof len, out->data + out->len, len,
                             work->err);
    out->len += len;
    return status;
}

static th_status end_line(struct work *work, struct line *line)
{
    th_status status = TH_OK;
    if (!line->origin.len)
        return TH_OK;
    th_buffer_reset(&line->text);
    th_robots_line_begin(th_buffer_view(&line->origin), &line->text);
    for (unsigned i = 0; i < 2 && status == TH_OK; i++)
        if (line->at[i] != UINT64_MAX)
            status = append_member(work, line->at[i], &line->text);
    th_buffer_append_text(&line->text, "}\n");
    if (status != TH_OK || line->text.has_failed)
        return status != TH_OK ? status : TH_NOMEM;
    (void)XXH3_64bits_update(line->sum, line->text.data, line->text.len);
    work->build->hosts++;
    return th_file_sink_write(line->sink, th_buffer_view(&line->text), work->err);
}

static th_status write_lines(struct work *work, struct line *line)
{
    th_view key;
    uint64_t at;
    th_status status = th_text_sort_finish(work->order, work->err);
    while (status == TH_OK &&
           (status = th_text_sort_next(work->order, &key, &at, work->err)) == TH_OK) {
        const char *const end = memchr(key.data, SEPARATOR, key.len);
        const size_t len = (size_t)(end - key.data);
        if (len != line->origin.len || memcmp(key.data, line->origin.data, len) != 0) {
            status = end_line(work, line);
            th_buffer_reset(&line->origin);
            th_buffer_append(&line->origin, key.data, len);
            line->at[0] = line->at[1] = UINT64_MAX;
        }
        line->at[end[1] == TDMREP] = at;
    }
    if (status == TH_END)
        status = end_line(work, line);
    if (status != TH_OK)
        return status;
    th_buffer_reset(&line->text);
    th_robots_line_end(work->build->hosts, XXH3_64bits_digest(line->sum), &line->text);
    status = line->text.has_failed || line->origin.has_failed
                 ? TH_NOMEM
                 : th_file_sink_write(line->sink, th_buffer_view(&line->text), work->err);
    return status == TH_OK ? th_file_sink_finish(line->sink, work->err) : status;
}

static th_status write_file(struct work *work)
{
    struct line line = { .sum = XXH3_createState() };
    th_status status = line.sum ? TH_OK : TH_NOMEM;
    if (status == TH_OK)
        (void)XXH3_64bits_reset(line.sum);
    if (status == TH_OK)
        status = th_file_sink_open(work->build->settings->robots_build.output, 0,
                                   &line.sink, work->err);
    if (status == TH_OK)
        status = write_lines(work, &line);
    th_file_sink_free(line.sink);
    (void)XXH3_freeState(line.sum);
    th_buffer_done(&line.text);
    th_buffer_done(&line.origin);
    return status;
}

th_status th_robots_build_run(th_robots_build *build, th_error *err)
{
    const th_robots_settings *settings = &build->settings->robots_build;
    struct work work = { .build = build, .err = err, .body = th_body_new() };
    th_status status = work.body ? TH_OK : TH_NOMEM;
    if (status == TH_OK)
        status = th_scratch_open(settings->temp, &work.members, err);
    if (status == TH_OK)
        status = th_text_sort_new(settings->temp, settings->memory, &work.order, err);
    if (status == TH_OK)
        status = read_inputs(&work);
    if (status == TH_OK)
        status = write_file(&work);
    th_text_sort_free(work.order);
    th_scratch_free(work.members);
    th_body_free(work.body);
    th_buffer *const buffers[] = { &work.payload, &work.copy, &work.rules, &work.member,
                                   &work.key };
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        th_buffer_done(buffers[i]);
    return status == TH_NOMEM ? th_fail(err, TH_NOMEM, "out of memory") : status;
}
