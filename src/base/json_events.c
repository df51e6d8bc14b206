/* A loop over the tokens of json_reader.h. See the header. */
#include "base/json_events.h"

#include "base/buffer.h"
#include "base/json_reader.h"
#include "base/unicode.h"

/* Decodes the key or string just read, and passes it on. */
static th_status pass_text(const th_json_reader *reader, th_buffer *scratch,
                           bool (*callback)(void *, th_view), void *context)
{
    th_view text = { NULL, 0 };
    th_buffer_reset(scratch);
    if (!th_buffer_reserve(scratch, reader->text.len + 1))
        return TH_NOMEM;
    if (!th_json_text(reader, scratch->data, &text.len))
        return TH_DAMAGED;
    text.data = scratch->data;
    return !callback || callback(context, text) ? TH_OK : TH_DAMAGED;
}

static th_status check(bool (*callback)(void *), void *context)
{
    return !callback || callback(context) ? TH_OK : TH_DAMAGED;
}

th_status th_json_events(th_view text, const th_json_callbacks *callbacks, void *context)
{
    th_json_reader reader;
    th_buffer scratch = { 0 };
    th_status status =
        th_utf8_valid(text.data, text.len) == text.len ? TH_OK : TH_DAMAGED;
    th_json_reader_init(&reader, text);
    while (status == TH_OK) {
        const th_json_token token = th_json_read(&reader);
        if (token == TH_JSON_DONE)
            break;
        if (token == TH_JSON_BAD)
            status = TH_DAMAGED;
        else if (token == TH_JSON_KEY)
            status = pass_text(&reader, &scratch, callbacks->key, context);
        else if (token == TH_JSON_STRING)
            status = pass_text(&reader, &scratch, callbacks->string, context);
        else if (token == TH_JSON_NUMBER && callbacks->number)
            status = callbacks->number(context, reader.text) ? TH_OK : TH_DAMAGED;
        else if (token == TH_JSON_LITERAL)
            status = check(callbacks->literal, context);
        else if (token == TH_JSON_OPEN_OBJECT)
            status = check(callbacks->open_object, context);
        else if (token == TH_JSON_OPEN_ARRAY)
            status = check(callbacks->open_array, context);
        else if (token == TH_JSON_CLOSE_OBJECT || token == TH_JSON_CLOSE_ARRAY)
            status = check(callbacks->close, context);
    }
    th_buffer_done(&scratch);
    return status;
}
