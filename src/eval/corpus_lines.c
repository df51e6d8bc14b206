/* Splits unpacked bytes into lines, for pieces of any length. */
#include "eval/corpus_lines.h"

#include <stdlib.h>
#include <string.h>

#include "dedup/decompressed_input.h"

enum { PIECE = 1 << 16 };

struct th_corpus_lines {
    th_decompressed_input *input;
    const char *path; /* borrowed */
    uint64_t number;
    th_status fate; /* TH_OK, or why the input gives nothing more */
    th_error why;   /* the same in words */
    size_t at, len; /* of the piece */
    char piece[PIECE];
};

th_status th_corpus_lines_open(const char *path, const atomic_int *stop,
                               th_corpus_lines **out, th_error *err)
{
    th_corpus_lines *reader = calloc(1, sizeof *reader);
    if (!reader)
        return th_fail(err, TH_NOMEM, "cannot allocate a reader");
    reader->path = path;
    const th_status status = th_decompressed_open(path, NULL, stop, &reader->input, err);
    if (status == TH_OK)
        *out = reader;
    else
        free(reader);
    return status;
}

void th_corpus_lines_free(th_corpus_lines *reader)
{
    if (!reader)
        return;
    th_decompressed_free(reader->input);
    free(reader);
}

/* @return whether there is a byte more; false at the end and when the file is damaged */
static bool refill(th_corpus_lines *reader)
{
    reader->at = reader->len = 0;
    if (reader->fate == TH_OK)
        reader->fate = th_decompressed_read(reader->input, reader->piece, PIECE,
                                            &reader->len, &reader->why);
    return reader->fate == TH_OK;
}

/* Why refill had nothing more. */
static th_status ending(const th_corpus_lines *reader, th_error *err)
{
    if (reader->fate == TH_END)
        return TH_END;
    return th_fail(err, reader->fate == TH_BAD_CODING ? TH_IO : reader->fate,
                   "%s:%llu: %s", reader->path, (unsigned long long)reader->number + 1,
                   reader->why.text);
}

/* Appends up to the end of the line or of the piece. @return whether the line ended */
static bool take_piece(th_corpus_lines *reader, th_buffer *line)
{
    const char *start = reader->piece + reader->at;
    const size_t left = reader->len - reader->at;
    const char *end = memchr(start, '\n', left);
    const size_t len = end ? (size_t)(end - start) : left;
    th_buffer_append(line, start, len);
    reader->at += len + (end != NULL);
    return end != NULL;
}

th_status th_corpus_lines_next(th_corpus_lines *reader, th_buffer *line, th_error *err)
{
    th_buffer_reset(line);
    for (;;) {
        const bool has_more = reader->at < reader->len || refill(reader);
        const bool is_stopped = reader->fate == TH_INTERRUPTED;
        if (!has_more && (line->len == 0 || is_stopped))
            return ending(reader, err);
        const bool is_whole = !has_more || take_piece(reader, line);
        if (line->has_failed)
            return th_fail(err, TH_NOMEM, "out of memory for a line of '%s'",
                           reader->path);
        if (line->len > TH_CORPUS_LINE_MAX)
            return th_fail(err, TH_TOO_LARGE, "%s:%llu: line is longer than %d bytes",
                           reader->path, (unsigned long long)reader->number + 1,
                           (int)TH_CORPUS_LINE_MAX);
        if (!is_whole)
            continue;
        reader->number++;
        if (line->len > 0)
            return TH_OK;
    }
}

uint64_t th_corpus_lines_number(const th_corpus_lines *reader)
{
    return reader->number;
}

uint64_t th_corpus_lines_offset(const th_corpus_lines *reader)
{
    return th_decompressed_report(reader->input);
}
