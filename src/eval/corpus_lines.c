/* zlib reads plain files as they are and gzip'd ones unpacked. */
#include "eval/corpus_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { PIECE = 1 << 16 };

struct th_corpus_lines {
    gzFile file;
    const char *path; /* borrowed */
    uint64_t number;
    size_t at, len; /* of the piece */
    char piece[PIECE];
};

th_status th_corpus_lines_open(const char *path, th_corpus_lines **out, th_error *err)
{
    th_corpus_lines *reader = calloc(1, sizeof *reader);
    if (!reader)
        return th_fail(err, TH_NOMEM, "cannot allocate a reader");
    errno = 0;
    reader->path = path;
    reader->file = gzopen(path, "rbe");
    if (!reader->file) {
        free(reader);
        return th_fail(err, TH_IO, "cannot read '%s': %s", path,
                       errno ? strerror(errno) : "out of memory");
    }
    *out = reader;
    return TH_OK;
}

void th_corpus_lines_free(th_corpus_lines *reader)
{
    if (!reader)
        return;
    gzclose_r(reader->file);
    free(reader);
}

/* @return whether there is a byte more; false at the end and when the file is damaged */
static bool refill(th_corpus_lines *reader)
{
    const int got = gzread(reader->file, reader->piece, PIECE);
    reader->at = 0;
    reader->len = got > 0 ? (size_t)got : 0;
    return got > 0;
}

/* Why refill had nothing more. */
static th_status ending(th_corpus_lines *reader, th_error *err)
{
    int code = Z_OK;
    const char *words = gzerror(reader->file, &code);
    if (code == Z_OK || code == Z_STREAM_END)
        return TH_END;
    return th_fail(err, TH_IO, "%s:%llu: %s", reader->path,
                   (unsigned long long)reader->number + 1,
                   code == Z_ERRNO ? strerror(errno) : words);
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
        if (!has_more && line->len == 0)
            return ending(reader, err);
        const bool is_whole = !has_more || take_piece(reader, line);
        if (line->has_failed)
            return th_fail(err, TH_NOMEM, "no memory for a line of '%s'", reader->path);
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
    const z_off_t offset = gzoffset(reader->file);
    return offset > 0 ? (uint64_t)offset : 0;
}
