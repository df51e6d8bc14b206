#include "app/capture_index.h"

#include <stdio.h>
#include <string.h>

#include "app/say.h"
#include "base/ascii.h"
#include "base/file_name.h"
#include "base/file_sink.h"

enum { SORT_MEMORY = 64 << 20 }; /* bytes; further lines are sorted on the disk */

static th_view view_of(warc_view view)
{
    return (th_view){ view.data, view.len };
}

th_status th_capture_index_init(th_capture_index *captures, const char *blocks_path,
                                th_error *err)
{
    *captures = (th_capture_index){ .blocks_path = blocks_path };
    return th_cdxj_index_new(SORT_MEMORY, &captures->index, err);
}

void th_capture_index_done(th_capture_index *captures)
{
    th_cdxj_index_free(captures->index);
    captures->index = NULL;
}

bool th_is_capture(const warc_record *record)
{
    const warc_type type = warc_record_type(record);
    const th_view media = view_of(warc_record_get(record, WARC_FIELD_CONTENT_TYPE));
    if (type == WARC_TYPE_RESPONSE || type == WARC_TYPE_REVISIT)
        return true;
    return (type == WARC_TYPE_RESOURCE || type == WARC_TYPE_METADATA) &&
           !th_ascii_is(media, "application/warc-fields");
}

bool th_capture_needs_digest(const warc_record *record)
{
    return th_is_capture(record) && warc_record_type(record) != WARC_TYPE_REVISIT &&
           !warc_record_get(record, WARC_FIELD_PAYLOAD_DIGEST).data;
}

/* Returns the MIME type of the payload. A revisit has no payload. */
static th_view mime_of(const warc_record *record, const th_http_head *http)
{
    const warc_type type = warc_record_type(record);
    if (type == WARC_TYPE_REVISIT)
        return TH_VIEW("warc/revisit");
    if (type == WARC_TYPE_RESPONSE)
        return http ? http->content_type : (th_view){ NULL, 0 };
    return view_of(warc_record_get(record, WARC_FIELD_CONTENT_TYPE));
}

th_status th_capture_index_add(th_capture_index *captures, const char *path,
                               const warc_record *record, const th_http_head *http,
                               const warc_digest_value *digest, th_error *err)
{
    const char *name = th_last_name(path);
    const warc_position position = warc_record_position(record);
    char text[WARC_DIGEST_TEXT_MAX];
    th_error why = { .text = "" };
    if (!th_is_capture(record))
        return TH_OK;
    th_cdxj_capture capture = {
        .url = view_of(warc_record_target_uri(record)),
        .date = view_of(warc_record_get(record, WARC_FIELD_DATE)),
        .mime = mime_of(record, http),
        .digest = view_of(warc_record_get(record, WARC_FIELD_PAYLOAD_DIGEST)),
        .status = http ? http->status : 0,
        .offset = position.offset,
        .filename = { name, strlen(name) },
    };
    capture.has_length = warc_record_length(record, &capture.length);
    if (!capture.digest.data && digest)
        capture.digest = (th_view){ text, warc_digest_text(digest, text) };
    const th_status status = th_cdxj_index_add(captures->index, &capture, &why);
    if (status == TH_NOT_WANTED) {
        captures->left_out++;
        th_say("%s: offset %llu: omitted from the index: %s", path,
               (unsigned long long)position.offset, why.text);
        return TH_OK;
    }
    return status == TH_OK ? TH_OK : th_fail(err, status, "%s", why.text);
}

/* ---- the output ---- */

static th_status write_lines(void *context, th_view bytes, th_error *err)
{
    (void)context;
    if (fwrite(bytes.data, 1, bytes.len, stdout) != bytes.len)
        return th_fail(err, TH_IO, "cannot write to stdout");
    return TH_OK;
}

static th_status write_blocks(void *context, th_view bytes, th_error *err)
{
    return th_file_sink_write(context, bytes, err);
}

th_status th_capture_index_write(th_capture_index *captures, th_error *err)
{
    th_file_sink *blocks = NULL;
    if (!*captures->blocks_path)
        return th_cdxj_index_write(captures->index, write_lines, NULL, NULL, "", err);
    th_status status = th_file_sink_open(captures->blocks_path, 0, &blocks, err);
    if (status == TH_OK)
        status = th_cdxj_index_write(captures->index, write_lines, write_blocks, blocks,
                                     th_last_name(captures->blocks_path), err);
    if (status == TH_OK)
        status = th_file_sink_finish(blocks, err);
    th_file_sink_free(blocks);
    return status;
}
