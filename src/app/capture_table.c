/*
 * Captures as Common Crawl's columnar index has them. The columns and their values match
 * its table `ccindex`. Columns that only its crawler can fill (detected charset and
 * languages) are null. [Common Crawl, cc-index-table]
 */
#include "app/capture_table.h"

#include <stdlib.h>
#include <string.h>

#include "app/capture_index.h"
#include "base/ascii.h"
#include "base/json.h"
#include "cdxj/surt.h"
#include "parse/url/url.h"
#include "settings/output_name.h"
#include "site/site_name.h"
#include "thresher/version.h"

static const th_parquet_field fields[] = {
    { 0, "url_surtkey", TH_PARQUET_TEXT, false },
    { 0, "url", TH_PARQUET_TEXT, false },
    { 0, "url_host_name", TH_PARQUET_TEXT, false },
    { 0, "url_host_tld", TH_PARQUET_TEXT, false },
    { 0, "url_host_2nd_last_part", TH_PARQUET_TEXT, false },
    { 0, "url_host_3rd_last_part", TH_PARQUET_TEXT, false },
    { 0, "url_host_4th_last_part", TH_PARQUET_TEXT, false },
    { 0, "url_host_5th_last_part", TH_PARQUET_TEXT, false },
    { 0, "url_host_registry_suffix", TH_PARQUET_TEXT, false },
    { 0, "url_host_registered_domain", TH_PARQUET_TEXT, false },
    { 0, "url_host_private_suffix", TH_PARQUET_TEXT, false },
    { 0, "url_host_private_domain", TH_PARQUET_TEXT, false },
    { 0, "url_host_name_reversed", TH_PARQUET_TEXT, false },
    { 0, "url_protocol", TH_PARQUET_TEXT, false },
    { 0, "url_port", TH_PARQUET_INT32, false },
    { 0, "url_path", TH_PARQUET_TEXT, false },
    { 0, "url_query", TH_PARQUET_TEXT, false },
    { 0, "fetch_time", TH_PARQUET_TIME, false },
    { 0, "fetch_status", TH_PARQUET_INT16, false },
    { 0, "fetch_redirect", TH_PARQUET_TEXT, false },
    { 0, "content_digest", TH_PARQUET_TEXT, false },
    { 0, "content_mime_type", TH_PARQUET_TEXT, false },
    { 0, "content_mime_detected", TH_PARQUET_TEXT, false },
    { 0, "content_charset", TH_PARQUET_TEXT, false },
    { 0, "content_languages", TH_PARQUET_TEXT, false },
    { 0, "content_truncated", TH_PARQUET_TEXT, false },
    { 0, "warc_filename", TH_PARQUET_TEXT, false },
    { 0, "warc_record_offset", TH_PARQUET_INT, false },
    { 0, "warc_record_length", TH_PARQUET_INT, false },
    { 0, "warc_segment", TH_PARQUET_TEXT, false },
    { 0, "crawl", TH_PARQUET_TEXT, false },
    { 0, "subset", TH_PARQUET_TEXT, false },
};

enum { ARENA = 16 << 20, PORT_MOST = 65535, PORT_DIGITS = 5, LABELS = 5 };

th_status th_capture_table_open(th_capture_table *table, const char *path,
                                uint64_t row_group, th_error *err)
{
    static const th_parquet_pair pairs[] = { { "thresher.schema", "captures" },
                                             { "thresher.version", TH_VERSION } };
    const th_parquet_options options = {
        .fields = fields,
        .field_count = sizeof fields / sizeof *fields,
        .codec = TH_PARQUET_ZSTD,
        .row_group = row_group,
        .created_by = "thresher version " TH_VERSION,
        .pairs = pairs,
        .pair_count = sizeof pairs / sizeof *pairs,
    };
    th_compression compression;
    *table = (th_capture_table){ 0 };
    th_status status =
        th_output_compression(path, "auto", th_format_find("parquet"), &compression, err);
    if (status == TH_OK && !(table->arena = th_arena_new(ARENA)))
        status = th_fail(err, TH_NOMEM, "out of memory");
    if (status == TH_OK)
        status = th_file_sink_open(path, 0, &table->sink, err);
    return status == TH_OK
               ? th_parquet_open(&options, table->sink, NULL, &table->file, err)
               : status;
}

void th_capture_table_done(th_capture_table *table)
{
    th_parquet_free(table->file);
    th_file_sink_free(table->sink);
    th_arena_free(table->arena);
    th_buffer_done(&table->row);
    *table = (th_capture_table){ 0 };
}

static th_view view_of(warc_view view)
{
    return (th_view){ view.data, view.len };
}

static th_view part(th_view whole, size_t from, size_t to)
{
    return (th_view){ whole.data + from, to - from };
}

/* ---- the host ---- */

/* Its labels from the end: the last five, and all of them put together. */
static void write_labels(th_json *json, th_view host, th_arena *arena)
{
    static const char *const names[LABELS] = { "url_host_tld", "url_host_2nd_last_part",
                                               "url_host_3rd_last_part",
                                               "url_host_4th_last_part",
                                               "url_host_5th_last_part" };
    char *reversed = th_arena_alloc(arena, host.len + 1);
    size_t len = 0, end = host.len;
    for (unsigned label = 0; reversed && end; label++) {
        size_t from = end;
        while (from && host.data[from - 1] != '.')
            from--;
        const th_view text = part(host, from, end);
        if (label < LABELS)
            th_json_member(json, names[label], text);
        memcpy(reversed + len, text.data, text.len);
        len += text.len;
        end = from ? from - 1 : 0;
        if (from)
            reversed[len++] = '.';
    }
    if (reversed)
        th_json_member(json, "url_host_name_reversed", (th_view){ reversed, len });
}

static void write_host(th_json *json, th_view url, th_arena *arena)
{
    th_site_name host;
    th_host_domain registry, any;
    if (!th_site_name_of(url, TH_SITE_HOST, &host))
        return;
    th_json_member(json, "url_host_name", (th_view){ host.text, host.len });
    if (th_site_is_address(&host))
        return;
    write_labels(json, (th_view){ host.text, host.len }, arena);
    if (th_host_domain_of(&host, false, &registry)) {
        th_json_member_text(json, "url_host_registry_suffix", registry.suffix);
        th_json_member_text(json, "url_host_registered_domain", registry.domain);
    }
    if (th_host_domain_of(&host, true, &any)) {
        th_json_member_text(json, "url_host_private_suffix", any.suffix);
        th_json_member_text(json, "url_host_private_domain", any.domain);
    }
}

/* ---- the rest of the URL ---- */

static size_t find(th_view text, size_t from, const char *stops)
{
    while (from < text.len && !strchr(stops, text.data[from]))
        from++;
    return from;
}

/* A port that the URL names. */
static void write_port(th_json *json, th_view authority)
{
    size_t at = authority.len;
    uint32_t port = 0;
    while (at && th_is_digit(authority.data[at - 1]))
        at--;
    if (!at || at == authority.len || authority.data[at - 1] != ':' ||
        authority.len - at > PORT_DIGITS)
        return;
    for (size_t i = at; i < authority.len; i++)
        port = port * 10 + (uint32_t)(authority.data[i] - '0');
    if (port <= PORT_MOST)
        th_json_member_uint(json, "url_port", port);
}

static void write_url(th_json *json, th_view url)
{
    const size_t colon = find(url, 0, ":/?#");
    if (colon == url.len || url.data[colon] != ':')
        return;
    size_t at = colon + 1;
    th_json_member(json, "url_protocol", part(url, 0, colon));
    if (url.len - at >= 2 && memcmp(url.data + at, "//", 2) == 0) {
        const size_t end = find(url, at + 2, "/?#");
        write_port(json, part(url, at + 2, end));
        at = end;
    }
    const size_t query = find(url, at, "?#");
    th_json_member(json, "url_path", part(url, at, query));
    if (query < url.len && url.data[query] == '?')
        th_json_member(json, "url_query", part(url, query + 1, find(url, query, "#")));
}

/* ---- the capture ---- */

static int64_t days_since_1970(int64_t year, int64_t month, int64_t day)
{
    year -= month <= 2; /* a year begins in March, so that leap days end it */
    const int64_t era = year / 400, of_era = year % 400;
    const int64_t of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/*
 * Converts a WARC-Date, or the fourteen digits of an ARC, to milliseconds since 1970.
 * @return false if it is not a date, or is before 1970
 */
static bool time_of(th_view date, uint64_t *ms)
{
    static const unsigned lengths[] = { 4, 2, 2, 2, 2, 2 };
    int64_t parts[6] = { 0 };
    size_t at = 0;
    for (unsigned i = 0; i < 6; i++) {
        for (unsigned digit = 0; digit < lengths[i]; digit++, at++) {
            if (at >= date.len || !th_is_digit(date.data[at]))
                return false;
            parts[i] = parts[i] * 10 + (date.data[at] - '0');
        }
        if (at < date.len && strchr("-T:", date.data[at]))
            at++;
    }
    if (parts[0] < 1970 || parts[1] < 1 || parts[1] > 12 || parts[2] < 1 ||
        parts[2] > 31 || parts[3] > 23 || parts[4] > 59 || parts[5] > 60)
        return false;
    *ms = (uint64_t)((days_since_1970(parts[0], parts[1], parts[2]) * 86400 +
                      parts[3] * 3600 + parts[4] * 60 + parts[5]) *
                     1000);
    if (at < date.len && date.data[at] == '.')
        for (unsigned unit = 100; unit && ++at < date.len && th_is_digit(date.data[at]);
             unit /= 10)
            *ms += (uint64_t)(date.data[at] - '0') * unit;
    return true;
}

/* Where a redirect leads: the value of the head's field Location. */
static th_view location_of(th_view head)
{
    static const char name[] = "location:";
    for (size_t at = 0; at < head.len; at++) {
        const char *newline = memchr(head.data + at, '\n', head.len - at);
        if (!newline)
            break;
        at = (size_t)(newline - head.data) + 1;
        size_t i = 0;
        while (name[i] && at + i < head.len && th_lower(head.data[at + i]) == name[i])
            i++;
        if (!name[i])
            return part(head, at + i, find(head, at + i, "\r\n"));
        at--;
    }
    return (th_view){ NULL, 0 };
}

static void write_redirect(th_json *json, th_view url, const th_http_head *http,
                           th_view head, th_arena *arena)
{
    if (!http || http->status < 300 || http->status > 399)
        return;
    const th_view location = location_of(head);
    if (location.data)
        th_json_member(json, "fetch_redirect", th_url_resolve(url, location, arena));
}

/* Writes a SHA-1 without its name, because readers of the table expect only SHA-1. */
static void write_digest(th_json *json, const warc_record *record,
                         const warc_digest_value *digest)
{
    char text[WARC_DIGEST_TEXT_MAX];
    static const char sha1[] = "sha1:";
    th_view view = view_of(warc_record_get(record, WARC_FIELD_PAYLOAD_DIGEST));
    if (!view.data && digest)
        view = (th_view){ text, warc_digest_text(digest, text) };
    if (view.data && view.len > strlen(sha1) &&
        th_ascii_is(part(view, 0, strlen(sha1)), sha1))
        view = part(view, strlen(sha1), view.len);
    th_json_member(json, "content_digest", view);
}

static void write_mime(th_json *json, const warc_record *record, const th_http_head *http)
{
    const warc_type type = warc_record_type(record);
    th_view media = { NULL, 0 };
    if (type == WARC_TYPE_REVISIT) {
        media = TH_VIEW("warc/revisit");
    } else if (http) {
        media = http->media_type;
    } else if (type != WARC_TYPE_RESPONSE) {
        media = view_of(warc_record_get(record, WARC_FIELD_CONTENT_TYPE));
        if (media.data)
            media = part(media, 0, find(media, 0, "; "));
    }
    th_json_member(json, "content_mime_type", media);
    th_json_member(json, "content_mime_detected",
                   view_of(warc_record_get(record, WARC_FIELD_IDENTIFIED_PAYLOAD_TYPE)));
}

/* Accepts a path as Common Crawl's: "crawl-data/CRAWL/segments/SEGMENT/SUBSET/NAME". */
static void write_file(th_json *json, const char *path)
{
    static const char data[] = "crawl-data/", segments[] = "/segments/";
    const char *from = strstr(path, data);
    const char *segment = from ? strstr(from, segments) : NULL;
    const bool is_theirs = segment && (from == path || from[-1] == '/');
    th_json_member_text(json, "warc_filename", is_theirs ? from : path);
    if (!is_theirs)
        return;
    const char *crawl = from + strlen(data);
    th_json_member(json, "crawl", (th_view){ crawl, (size_t)(segment - crawl) });
    segment += strlen(segments);
    const char *subset = strchr(segment, '/');
    if (!subset)
        return;
    th_json_member(json, "warc_segment",
                   (th_view){ segment, (size_t)(subset - segment) });
    subset++;
    th_json_member(json, "subset", (th_view){ subset, strcspn(subset, "/") });
}

th_status th_capture_table_add(th_capture_table *table, const char *path,
                               const warc_record *record, const th_http_head *http,
                               th_view head, const warc_digest_value *digest,
                               th_error *err)
{
    if (!th_is_capture(record))
        return TH_OK;
    const th_view url = view_of(warc_record_target_uri(record));
    const warc_position position = warc_record_position(record);
    uint64_t number = 0;
    th_json json;
    th_arena_reset(table->arena);
    th_buffer_reset(&table->row);
    th_json_begin_as(&json, &table->row, true);
    th_json_open_object(&json);
    if (url.data) {
        th_json_member(&json, "url_surtkey", th_surt(url, table->arena));
        th_json_member(&json, "url", url);
        write_host(&json, url, table->arena);
        write_url(&json, url);
    }
    if (time_of(view_of(warc_record_get(record, WARC_FIELD_DATE)), &number))
        th_json_member_uint(&json, "fetch_time", number);
    if (http && http->status)
        th_json_member_uint(&json, "fetch_status", (uint64_t)http->status);
    write_redirect(&json, url, http, head, table->arena);
    write_digest(&json, record, digest);
    write_mime(&json, record, http);
    th_json_member(&json, "content_truncated",
                   view_of(warc_record_get(record, WARC_FIELD_TRUNCATED)));
    write_file(&json, path);
    th_json_member_uint(&json, "warc_record_offset", position.offset);
    if (warc_record_length(record, &number))
        th_json_member_uint(&json, "warc_record_length", number);
    th_json_close_object(&json);
    th_status status = th_json_end(&json);
    if (status != TH_OK)
        return th_fail(err, status, "out of memory");
    table->count++;
    status = th_parquet_add(table->file, th_buffer_view(&table->row), err);
    return status == TH_OK ? th_parquet_settle(table->file, err) : status;
}

th_status th_capture_table_finish(th_capture_table *table, th_error *err)
{
    const th_status status = th_parquet_finish(table->file, err);
    return status == TH_OK ? th_file_sink_finish(table->sink, err) : status;
}
