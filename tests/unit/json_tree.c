#include "json_tree.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 1000 };

struct input {
    const char *at, *end;
    int depth;
};

static bool read_value(struct input *in, json *out);

static void *get_memory(void *old, size_t size)
{
    void *memory = realloc(old, size);
    if (!memory) {
        fprintf(stderr, "json_tree: out of memory\n");
        exit(1);
    }
    return memory;
}

static void skip_space(struct input *in)
{
    while (in->at < in->end && memchr(" \t\r\n", *in->at, 4))
        in->at++;
}

static bool take(struct input *in, const char *word)
{
    const size_t len = strlen(word);
    if ((size_t)(in->end - in->at) < len || memcmp(in->at, word, len) != 0)
        return false;
    in->at += len;
    return true;
}

/* Skips digits. @return whether there was one */
static bool skip_digits(struct input *in)
{
    const char *first = in->at;
    while (in->at < in->end && *in->at >= '0' && *in->at <= '9')
        in->at++;
    return in->at > first;
}

static bool read_number(struct input *in, json *out)
{
    const char *first = in->at;
    (void)take(in, "-");
    if (!take(in, "0") && !skip_digits(in))
        return false;
    if (take(in, ".") && !skip_digits(in))
        return false;
    if (take(in, "e") || take(in, "E")) {
        if (!take(in, "+"))
            (void)take(in, "-");
        if (!skip_digits(in))
            return false;
    }
    out->type = JSON_NUMBER;
    out->text_len = (size_t)(in->at - first);
    out->text = get_memory(NULL, out->text_len + 1);
    memcpy(out->text, first, out->text_len);
    out->text[out->text_len] = '\0';
    return true;
}

/* Reads four digits. @return -1 if there are fewer */
static int32_t read_hex(struct input *in)
{
    int32_t code = 0;
    for (int i = 0; i < 4; i++) {
        const char c = in->at < in->end ? *in->at++ : ' ';
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0)
            return -1;
        code = code * 16 + digit;
    }
    return code;
}

static size_t put_utf8(char *out, int32_t code)
{
    const size_t len = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const int32_t lead[] = { 0, 0, 0xC0, 0xE0, 0xF0 };
    for (size_t i = len; i-- > 1; code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3F));
    out[0] = (char)(lead[len] | code);
    return len;
}

/* Reads what follows "\u". @return bytes written, 0 if it is not an escape */
static size_t read_code(struct input *in, char *out)
{
    int32_t code = read_hex(in);
    if (code < 0)
        return 0;
    if (code >= 0xD800 && code < 0xDC00 && in->end - in->at >= 6 &&
        memcmp(in->at, "\\u", 2) == 0) {
        struct input ahead = { in->at + 2, in->end, 0 };
        const int32_t low = read_hex(&ahead);
        if (low >= 0xDC00 && low < 0xE000) {
            in->at = ahead.at;
            return put_utf8(out, 0x10000 + (code - 0xD800) * 0x400 + (low - 0xDC00));
        }
    }
    return put_utf8(out, code >= 0xD800 && code < 0xE000 ? 0xFFFD : code);
}

/* Copies one character of UTF-8, as Unicode's table 3-7 permits it. @return its bytes */
static size_t copy_character(struct input *in, char *out)
{
    const unsigned char *at = (const unsigned char *)in->at;
    const size_t left = (size_t)(in->end - in->at);
    const unsigned char low = at[0] == 0xE0 ? 0xA0 : at[0] == 0xF0 ? 0x90 : 0x80;
    const unsigned char high = at[0] == 0xED ? 0x9F : at[0] == 0xF4 ? 0x8F : 0xBF;
    const size_t len = at[0] < 0x80                    ? 1
                       : at[0] >= 0xC2 && at[0] < 0xE0 ? 2
                       : at[0] >= 0xE0 && at[0] < 0xF0 ? 3
                       : at[0] >= 0xF0 && at[0] < 0xF5 ? 4
                                                       : 0;
    if (!len || len > left || (len > 1 && (at[1] < low || at[1] > high)))
        return 0;
    for (size_t i = 2; i < len; i++)
        if ((at[i] & 0xC0) != 0x80)
            return 0;
    memcpy(out, at, len);
    in->at += len;
    return len;
}

static size_t read_escape(struct input *in, char *out)
{
    static const char names[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    if (in->at == in->end)
        return 0;
    const char *name = memchr(names, *in->at, sizeof names - 1);
    if (!name)
        return take(in, "u") ? read_code(in, out) : 0;
    in->at++;
    *out = meanings[name - names];
    return 1;
}

static bool read_string(struct input *in, char **out, size_t *out_len)
{
    if (!take(in, "\""))
        return false;
    char *text = get_memory(NULL, (size_t)(in->end - in->at) + 1);
    size_t len = 0;
    while (in->at < in->end && *in->at != '"') {
        const size_t more = (unsigned char)*in->at < 0x20 ? 0
                            : take(in, "\\")              ? read_escape(in, text + len)
                                             : copy_character(in, text + len);
        if (!more)
            break;
        len += more;
    }
    text[len] = '\0';
    *out = get_memory(text, len + 1);
    *out_len = len;
    return take(in, "\"");
}

/* Reads the values of a container, the first bracket is read. */
static bool read_items(struct input *in, json *out, const char *close)
{
    bool is_good = ++in->depth <= DEPTH_MAX;
    skip_space(in);
    bool has_more = is_good && !take(in, close);
    while (has_more) {
        out->items = get_memory(out->items, (out->count + 1) * sizeof *out->items);
        json *item = &out->items[out->count++];
        *item = (json){ .type = JSON_NULL };
        skip_space(in);
        if (out->type == JSON_OBJECT) {
            is_good = read_string(in, &item->key, &item->key_len);
            skip_space(in);
            is_good = is_good && take(in, ":");
        }
        is_good = is_good && read_value(in, item);
        has_more = is_good && take(in, ",");
        if (is_good && !has_more)
            is_good = take(in, close);
    }
    in->depth--;
    return is_good;
}

/* Reads a value and the space around it. */
static bool read_value(struct input *in, json *out)
{
    bool is_good = true;
    skip_space(in);
    if (in->at < in->end && *in->at == '"') {
        out->type = JSON_STRING;
        is_good = read_string(in, &out->text, &out->text_len);
    } else if (take(in, "{")) {
        out->type = JSON_OBJECT;
        is_good = read_items(in, out, "}");
    } else if (take(in, "[")) {
        out->type = JSON_ARRAY;
        is_good = read_items(in, out, "]");
    } else if (take(in, "true") || take(in, "false")) {
        out->type = JSON_BOOLEAN;
        out->is_true = in->at[-2] == 'u';
    } else if (!take(in, "null")) {
        is_good = read_number(in, out);
    }
    skip_space(in);
    return is_good;
}

static void free_content(json *value)
{
    for (size_t i = 0; i < value->count; i++)
        free_content(&value->items[i]);
    free(value->items);
    free(value->text);
    free(value->key);
}

json *json_read(const char *bytes, size_t len)
{
    struct input in = { bytes, bytes + len, 0 };
    json *tree = get_memory(NULL, sizeof *tree);
    *tree = (json){ .type = JSON_NULL };
    if (read_value(&in, tree) && in.at == in.end)
        return tree;
    json_free(tree);
    return NULL;
}

void json_free(json *tree)
{
    if (tree)
        free_content(tree);
    free(tree);
}

json_val json_get(json_val object, const char *name)
{
    for (size_t i = 0; object && object->type == JSON_OBJECT && i < object->count; i++)
        if (object->items[i].key_len == strlen(name) &&
            memcmp(object->items[i].key, name, strlen(name)) == 0)
            return &object->items[i];
    return NULL;
}

double json_real(json_val number)
{
    return number->type == JSON_NUMBER ? strtod(number->text, NULL) : 0;
}

bool json_is_integer(json_val number)
{
    return number->type == JSON_NUMBER && !strpbrk(number->text, ".eE");
}
