/*
 * ARC's URL line, read from its right end because old URLs contain spaces:
 *   v1  URL address date type length
 *   v2  URL address date type result checksum location offset file length
 * The line is turned into a WARC header, so the layers above handle one kind of record.
 */
#include "arc_head.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    LINE_MAX_LEN = 8192,
    V1_WORDS = 5,
    V2_WORDS = 10,
    DATE_MIN = 12,
    DATE_MAX = 18,
};

struct arc_line {
    warc_view url, address, date, type, length;
};

/* Takes the last word off `text`. */
static warc_view take_last_word(warc_view *text)
{
    size_t begin = text->len;
    while (begin > 0 && text->data[begin - 1] != ' ')
        begin--;
    const warc_view word = { text->data + begin, text->len - begin };
    text->len = begin > 0 ? begin - 1 : 0;
    return word;
}

static bool is_date(warc_view word)
{
    if (word.len < DATE_MIN || word.len > DATE_MAX)
        return false;
    for (size_t i = 0; i < word.len; i++)
        if (word.data[i] < '0' || word.data[i] > '9')
            return false;
    return true;
}

static bool has_scheme(warc_view url)
{
    size_t i = 0;
    while (i < url.len &&
           ((url.data[i] >= 'a' && url.data[i] <= 'z') ||
            (url.data[i] >= 'A' && url.data[i] <= 'Z') || (i > 0 && url.data[i] == '-')))
        i++;
    return i > 0 && i < url.len && url.data[i] == ':';
}

/* Parses a line as a version of `word_count` words. */
static bool split(warc_view line, size_t word_count, struct arc_line *out)
{
    warc_view words[V2_WORDS];
    for (size_t i = word_count - 1; i > 0; i--)
        words[i] = take_last_word(&line);
    *out = (struct arc_line){ line, words[1], words[2], words[3], words[word_count - 1] };
    return is_date(out->date) && out->address.len > 0 && out->length.len > 0 &&
           has_scheme(out->url);
}

/* Returns the line without its end, if it has one. */
static bool first_line(warc_view bytes, warc_view *line, size_t *len)
{
    const size_t max = bytes.len < LINE_MAX_LEN ? bytes.len : LINE_MAX_LEN;
    const char *lf = max > 0 ? memchr(bytes.data, '\n', max) : NULL;
    if (!lf)
        return false;
    *len = (size_t)(lf - bytes.data) + 1;
    *line = (warc_view){ bytes.data, *len - 1 };
    if (line->len > 0 && line->data[line->len - 1] == '\r')
        line->len--;
    return true;
}

enum head_answer arc_head_begins(warc_view bytes, bool at_end)
{
    warc_view line;
    size_t len;
    struct arc_line words;
    if (first_line(bytes, &line, &len))
        return split(line, V1_WORDS, &words) || split(line, V2_WORDS, &words) ? HEAD_YES
                                                                              : HEAD_NO;
    return at_end || bytes.len >= LINE_MAX_LEN ? HEAD_NO : HEAD_MORE;
}

bool arc_head_is_version_block(warc_view bytes)
{
    static const char word[] = "filedesc:";
    return bytes.len >= sizeof word - 1 &&
           strncasecmp(bytes.data, word, sizeof word - 1) == 0;
}

static bool is_web(warc_view url)
{
    return (url.len >= 7 && strncasecmp(url.data, "http://", 7) == 0) ||
           (url.len >= 8 && strncasecmp(url.data, "https://", 8) == 0);
}

/* Converts 20140216050221 to 2014-02-16T05:02:21Z. Missing digits are 0, further ones
 * are dropped. */
static void write_date(warc_view date, char out[24])
{
    char d[14];
    memset(d, '0', sizeof d);
    memcpy(d, date.data, date.len < sizeof d ? date.len : sizeof d);
    snprintf(out, 24, "%.4s-%.2s-%.2sT%.2s:%.2s:%.2sZ", d, d + 4, d + 6, d + 8, d + 10,
             d + 12);
}

static warc_view literal(const char *text)
{
    return (warc_view){ text, strlen(text) };
}

/* Writes a label and a value, which may contain NUL, and returns the end. */
static char *append(char *to, const char *label, warc_view value)
{
    while (*label)
        *to++ = *label++;
    memcpy(to, value.data, value.len);
    return to + value.len;
}

warc_status arc_head_read(struct warc_head *head, warc_view bytes, size_t *len)
{
    warc_view line = { 0 };
    struct arc_line words;
    if (!first_line(bytes, &line, len) ||
        (!split(line, V1_WORDS, &words) && !split(line, V2_WORDS, &words)))
        return WARC_BAD_ARGUMENT;
    char date[24];
    write_date(words.date, date);
    const bool is_version = arc_head_is_version_block(bytes);
    const bool is_http = !is_version && is_web(words.url);
    char *text = malloc(2 * line.len + 512);
    if (!text)
        return WARC_NOMEM;
    char *end = append(text, "WARC/0.0\r\n", literal(""));
    end = append(end, "WARC-Type: ", literal(is_version ? "warcinfo" : "response"));
    end = append(end, "\r\nWARC-Target-URI: ", words.url);
    end = append(end, "\r\nWARC-Date: ", literal(date));
    end = append(end, "\r\nWARC-IP-Address: ", words.address);
    end = append(end, "\r\nContent-Type: ",
                 is_http ? literal("application/http; msgtype=response") : words.type);
    end = append(end, "\r\nWARC-Identified-Payload-Type: ", words.type);
    end = append(end, "\r\nContent-Length: ", words.length);
    end = append(end, "\r\n\r\n", literal(""));
    const warc_status status =
        warc_head_read(head, (warc_view){ text, (size_t)(end - text) }, SIZE_MAX);
    head->findings = (struct head_findings){ 0 };
    free(text);
    return status;
}
