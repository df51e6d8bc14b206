/* Answers about a record. */
#include "warc/warc_record.h"

#include "record_state.h"

#include <string.h>
#include <strings.h>

static const char *const type_names[] = { "unknown",
#define X(code, name) name,
                                          WARC_TYPE_LIST(X)
#undef X
};

const char *warc_type_name(warc_type type)
{
    return (unsigned)type < WARC_TYPE_COUNT ? type_names[type] : "?";
}

warc_type warc_type_by_name(warc_view word)
{
    for (unsigned i = WARC_TYPE_UNKNOWN + 1; word.data && i < WARC_TYPE_COUNT; i++)
        if (warc_equal_nocase(word, type_names[i]))
            return (warc_type)i;
    return WARC_TYPE_UNKNOWN;
}

void warc_record_version(const warc_record *record, unsigned *major, unsigned *minor)
{
    *major = record->head.major;
    *minor = record->head.minor;
}

bool warc_record_is_arc(const warc_record *record)
{
    return record->is_arc;
}

warc_type warc_record_type(const warc_record *record)
{
    return record->type;
}

warc_view warc_record_get(const warc_record *record, warc_field field)
{
    return (unsigned)field < WARC_FIELD_COUNT ? record->head.known[field]
                                              : (warc_view){ 0 };
}

warc_view warc_record_find(const warc_record *record, const char *name)
{
    for (size_t i = 0; i < record->head.field_count; i++)
        if (warc_equal_nocase(record->head.fields[i].name, name))
            return record->head.fields[i].value;
    return (warc_view){ 0 };
}

size_t warc_record_field_count(const warc_record *record)
{
    return record->head.field_count;
}

warc_header_field warc_record_field_at(const warc_record *record, size_t index)
{
    return index < record->head.field_count ? record->head.fields[index]
                                            : (warc_header_field){ 0 };
}

warc_view warc_strip_brackets(warc_view text)
{
    if (text.len >= 2 && text.data[0] == '<' && text.data[text.len - 1] == '>')
        return (warc_view){ text.data + 1, text.len - 2 };
    return text;
}

warc_view warc_record_target_uri(const warc_record *record)
{
    return warc_strip_brackets(record->head.known[WARC_FIELD_TARGET_URI]);
}

bool warc_record_content_length(const warc_record *record, uint64_t *length)
{
    if (record->has_content_length)
        *length = record->content_length;
    return record->has_content_length;
}

/* The content of a resource or a conversion is its block, even if the block looks like a
 * message. */
static bool holds_message(warc_type type)
{
    return type != WARC_TYPE_RESOURCE && type != WARC_TYPE_CONVERSION;
}

bool warc_record_is_http(const warc_record *record)
{
    static const char word[] = "application/http";
    const size_t len = sizeof word - 1;
    const warc_view type = record->head.known[WARC_FIELD_CONTENT_TYPE];
    if (!type.data)
        return record->is_http_block && holds_message(warc_record_type(record));
    return type.len >= len && strncasecmp(type.data, word, len) == 0 &&
           (type.len == len || strchr("; \t", type.data[len]) != NULL);
}

size_t warc_record_header_len(const warc_record *record)
{
    return record->header_len;
}

warc_view warc_record_header(const warc_record *record)
{
    return record->is_arc ? (warc_view){ NULL, 0 }
                          : (warc_view){ record->head.text, record->header_len };
}

uint64_t warc_record_block_len(const warc_record *record)
{
    return record->block_len;
}

warc_position warc_record_position(const warc_record *record)
{
    return record->position;
}

bool warc_record_length(const warc_record *record, uint64_t *length)
{
    if (record->has_length)
        *length = record->length;
    return record->has_length;
}

bool warc_record_is_damaged(const warc_record *record)
{
    return record->is_damaged;
}

warc_digest_result warc_record_block_digest(const warc_record *record)
{
    return record->block_digest;
}

size_t warc_record_diag_count(const warc_record *record)
{
    return record->diag_count;
}

const warc_diag *warc_record_diag_at(const warc_record *record, size_t index)
{
    return index < record->diag_count ? &record->diags[index] : NULL;
}
