/* Adds notes to their pages. See the header. */
#include "ingest/crawl_note.h"

#include <string.h>

#include "base/ascii.h"
#include "ingest/batch_builder.h"

static const char media[] = "application/warc-fields";
static const char field[] = "languages-cld2:";

bool th_crawl_note_is(const warc_record *record)
{
    const warc_view type = warc_record_get(record, WARC_FIELD_CONTENT_TYPE);
    return warc_record_type(record) == WARC_TYPE_METADATA &&
           type.len >= sizeof media - 1 &&
           th_ascii_equal(type.data, media, sizeof media - 1);
}

/* Finds a note's page among the records before it; NULL if it is not there. A note cannot
 * have notes, because a batch would then have no end. */
static th_record *find_page(const warc_record *record, th_batch *batch)
{
    warc_view id = warc_record_get(record, WARC_FIELD_CONCURRENT_TO);
    if (!id.len)
        id = warc_record_get(record, WARC_FIELD_REFERS_TO);
    for (uint32_t i = 0; id.len && i < TH_CRAWL_NOTE_REACH && i < batch->record_count;
         i++) {
        th_record *before = &batch->records[batch->record_count - 1 - i];
        if (th_record_kind_holds_payload(before->kind) && before->id.len == id.len &&
            memcmp(before->id.data, id.data, id.len) == 0)
            return before;
    }
    return NULL;
}

bool th_crawl_note_belongs(const warc_record *record, const th_batch *batch)
{
    return th_crawl_note_is(record) && find_page(record, (th_batch *)batch);
}

/* Returns the value of a line, without spaces at its ends; absent if there is none. */
static th_view value_of(th_view block)
{
    const char *at = block.data, *const end = block.data + block.len;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop)
            stop = end;
        th_view value = { at, (size_t)(stop - at) };
        at = stop + 1;
        if (value.len < sizeof field - 1 ||
            !th_ascii_equal(value.data, field, sizeof field - 1))
            continue;
        value.data += sizeof field - 1;
        value.len -= sizeof field - 1;
        return th_ascii_trimmed(value);
    }
    return (th_view){ NULL, 0 };
}

void th_crawl_note_join(const warc_record *record, th_view block, th_batch *batch)
{
    const th_view value = value_of(block);
    th_record *page = value.data ? find_page(record, batch) : NULL;
    if (page && !page->crawl_languages.data)
        page->crawl_languages = value;
}
