/* The reader's tokens, written with the writer. */
#include "packed_text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/json_reader.h"

static void pack_number(th_json *json, th_view text)
{
    const double value = strtod(text.data, NULL);
    if (memchr(text.data, '.', text.len))
        th_json_signed_decimal(json, value, 6);
    else if (value < 0)
        th_json_signed_decimal(json, value, 0);
    else
        th_json_uint(json, strtoull(text.data, NULL, 10));
}

static void pack_string(th_json *json, const th_json_reader *reader, bool is_key)
{
    char text[256] = "";
    size_t len = 0;
    assert(reader->text.len < sizeof text);
    assert(th_json_text(reader, text, &len));
    text[len] = '\0';
    if (is_key)
        th_json_key(json, text);
    else
        th_json_string(json, (th_view){ text, len });
}

void pack_text(const char *text, th_buffer *out)
{
    th_json_reader reader;
    th_json json;
    th_json_token token;
    th_json_reader_init(&reader, (th_view){ text, strlen(text) });
    th_json_begin_as(&json, out, true);
    while ((token = th_json_read(&reader)) != TH_JSON_DONE && token != TH_JSON_BAD) {
        if (token == TH_JSON_OPEN_OBJECT)
            th_json_open_object(&json);
        else if (token == TH_JSON_CLOSE_OBJECT)
            th_json_close_object(&json);
        else if (token == TH_JSON_OPEN_ARRAY)
            th_json_open_array(&json);
        else if (token == TH_JSON_CLOSE_ARRAY)
            th_json_close_array(&json);
        else if (token == TH_JSON_NUMBER)
            pack_number(&json, reader.text);
        else if (token == TH_JSON_LITERAL)
            th_json_bool(&json, *reader.text.data == 't');
        else
            pack_string(&json, &reader, token == TH_JSON_KEY);
    }
    assert(token == TH_JSON_DONE);
    assert(th_json_end(&json) == TH_OK);
}
