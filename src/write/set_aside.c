#include "write/set_aside.h"

#include <string.h>

#include <warc/warc_writer.h>

#include "base/ascii.h"

static const char documents[] =
    "application/pdf,application/epub+zip,application/rtf,text/rtf,application/msword,"
    "application/vnd.*,application/x-mobipocket-ebook,text/plain,text/markdown,text/csv,"
    "application/feed+json,application/rss+xml,application/atom+xml";

/* Whether a media type is an item, or has its beginning if the item ends with "*". */
static bool is_of(th_view media_type, th_view item)
{
    const bool is_prefix = item.len && item.data[item.len - 1] == '*';
    if (!is_prefix)
        return item.len && th_ascii_same(media_type, item);
    item.len--;
    return item.len <= media_type.len &&
           th_ascii_same((th_view){ media_type.data, item.len }, item);
}

/* Returns the next item of a list, empty after the last one. */
static th_view next_item(const char **list)
{
    *list += strspn(*list, ", ");
    const th_view item = { *list, strcspn(*list, ",") };
    *list += item.len;
    return th_ascii_trimmed(item);
}

bool th_set_aside_wants(const th_set_aside *aside, th_view media_type)
{
    th_view item, document;
    for (const char *at = aside->types; (item = next_item(&at)).len;) {
        if (is_of(media_type, item))
            return true;
        const char *inner = th_ascii_is(item, "documents") ? documents : "";
        while ((document = next_item(&inner)).len)
            if (is_of(media_type, document))
                return true;
    }
    return false;
}

static warc_status append(void *context, warc_view bytes)
{
    th_buffer *out = context;
    th_buffer_append(out, bytes.data, bytes.len);
    return out->has_failed ? WARC_NOMEM : WARC_OK;
}

th_status th_set_aside_write(const th_set_aside *aside, const th_record *record,
                             th_buffer *out)
{
    static const warc_packing packings[] = {
        [TH_PLAIN] = WARC_PACK_PLAIN,
        [TH_GZIP] = WARC_PACK_GZIP,
        [TH_ZSTD] = WARC_PACK_ZSTD,
    };
    const warc_output output = { out, append };
    const size_t start = out->len;
    warc_writer_options options;
    warc_writer *writer = NULL;
    if (!record->head.data || record->block_len != record->block.len ||
        record->flags & (TH_FLAG_WARC_DAMAGED | TH_FLAG_RECORD_TRUNCATED))
        return TH_ABSENT;
    warc_writer_options_init(&options);
    options.packing = packings[aside->compression];
    warc_status status = warc_writer_new(&output, &options, &writer, NULL);
    if (status == WARC_OK)
        status =
            warc_writer_copy(writer, (warc_view){ record->head.data, record->head.len },
                             (warc_view){ record->block.data, record->block.len }, NULL);
    warc_writer_free(writer);
    if (status == WARC_OK)
        return TH_OK;
    out->len = start;
    return TH_NOMEM;
}
