/*
 * Decodes one HTTP body, outermost coding first. Each coding is a stage. It takes bytes
 * from the one before and passes its output to the next. The last stage passes it to the
 * caller. The codings themselves are in decoder.h.
 *
 * A stage gathers its input into blocks of one size before its decoder sees it. The
 * amount that a decoder outputs before it meets damage can depend on how its input was
 * cut. With the blocks the output depends on the bytes alone. A stage's first block also
 * shows whether the coding was applied at all: servers, crawlers and proxies undo a
 * coding and leave the header that claims it (docs/warc.md#http).
 */
#include "parse/http/http_body.h"

#include <stdlib.h>
#include <string.h>

#include "parse/http/decoder.h"
#include "thresher/page.h"

enum {
    BLOCK_LEN = 16 * 1024, /* >= every probe_len */
    ROOM_LEN = 64 * 1024,
    MAX_STAGES = 1 + TH_HTTP_MAX_CODINGS,
    CHUNKED = TH_CODING_ZSTD + 1, /* numbered after enum th_coding */
    KINDS
};

static const th_decoder *const decoders[KINDS] = {
    [TH_CODING_GZIP] = &th_gzip_decoder, [TH_CODING_DEFLATE] = &th_deflate_decoder,
    [TH_CODING_BR] = &th_brotli_decoder, [TH_CODING_ZSTD] = &th_zstd_decoder,
    [CHUNKED] = &th_chunked_decoder,
};

enum mode {
    PROBING,  /* nothing was decoded yet */
    DECODING, /* the coding is what it claims to be */
    PASSING,  /* it is not: bytes pass unchanged */
    ENDED,    /* complete: the rest is junk */
    BROKEN    /* damaged: the rest is lost */
};

struct stage {
    const th_decoder *decoder;
    void *state; /* of the decoder; one of `states` */
    enum mode mode;
    size_t block_len; /* bytes gathered in block */
    /* The next are kept from body to body. */
    char *block;         /* BLOCK_LEN */
    char *scratch;       /* ROOM_LEN, for decoded bytes */
    void *states[KINDS]; /* NULL until first used */
};

struct th_body {
    struct stage stages[MAX_STAGES];
    uint32_t stage_count;
    th_body_emit emit;
    void *context;
    uint32_t flags;
    bool is_whole;
    bool is_stopped; /* by the caller, or without memory */
    th_status status;
};

static void stage_write(th_body *body, uint32_t number, const char *bytes, size_t len);

/* Passes bytes to stage `number`, or to the caller after the last stage. */
static void push(th_body *body, uint32_t number, const char *bytes, size_t len)
{
    if (len == 0 || body->is_stopped)
        return;
    if (number < body->stage_count) {
        stage_write(body, number, bytes, len);
    } else if (!body->emit(body->context, bytes, len)) {
        body->is_stopped = true;
        body->is_whole = false;
    }
}

static void fail(th_body *body)
{
    body->status = TH_NOMEM;
    body->is_stopped = true;
    body->is_whole = false;
}

/* Line ends and zero padding after a coding come from sloppy writers and lose nothing. */
static void note_junk(th_body *body, const struct stage *stage, const char *bytes,
                      size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (bytes[i] != '\r' && bytes[i] != '\n' && bytes[i] != '\0') {
            body->flags |= stage->decoder->damaged_flag;
            return;
        }
}

static void note_damage(th_body *body, struct stage *stage)
{
    stage->mode = BROKEN;
    body->flags |= stage->decoder->damaged_flag;
    if (!stage->decoder->is_complete(stage->state))
        body->is_whole = false;
}

/* Tries the coding on the probe. `is_all`: the probe is the whole body, so no later bytes
 * can prove it. */
static bool fits(struct stage *stage, const char *probe, size_t len, bool is_all)
{
    th_decode_span span = { probe, len, stage->scratch, ROOM_LEN };
    const th_decode_result result = stage->decoder->step(stage->state, &span);
    const bool has_output = span.out != stage->scratch;
    if (stage->decoder->is_proven && stage->decoder->is_proven(stage->state))
        return true;
    switch (result) {
    case TH_DECODE_END:
        return has_output || span.in_len == 0;
    case TH_DECODE_MORE:
        return has_output || !is_all;
    default:
        return false;
    }
}

/* Determines whether the coding was applied, and prepares the decoder for it. */
static void probe(th_body *body, struct stage *stage, const char *bytes, size_t len,
                  bool is_all)
{
    const th_decoder *const decoder = stage->decoder;
    const size_t probe_len = len < decoder->probe_len ? len : decoder->probe_len;
    for (unsigned variant = 0; variant < decoder->variant_count; variant++) {
        if (!decoder->reset(stage->state, variant)) {
            fail(body);
            return;
        }
        if (fits(stage, bytes, probe_len, is_all && probe_len == len)) {
            if (!decoder->reset(stage->state, variant))
                fail(body);
            stage->mode = DECODING;
            return;
        }
    }
    stage->mode = PASSING;
    body->flags |= decoder->unfitting_flag;
}

static void decode(th_body *body, uint32_t number, const char *bytes, size_t len)
{
    struct stage *const stage = &body->stages[number];
    th_decode_span span = { .in = bytes, .in_len = len };
    while (!body->is_stopped) {
        const size_t in_len = span.in_len;
        span.out = stage->scratch;
        span.out_len = ROOM_LEN;
        const th_decode_result result = stage->decoder->step(stage->state, &span);
        push(body, number + 1, stage->scratch, ROOM_LEN - span.out_len);
        if (result == TH_DECODE_NOMEM) {
            fail(body);
        } else if (result == TH_DECODE_DAMAGED) {
            note_damage(body, stage);
            return;
        } else if (result == TH_DECODE_END) {
            stage->mode = ENDED;
            note_junk(body, stage, span.in, span.in_len);
            return;
        } else if (span.out_len) { /* there was room, so all output of the input is out */
            if (span.in_len == 0)
                return;
            if (span.in_len == in_len && span.out_len == ROOM_LEN) { /* stuck */
                note_damage(body, stage);
                return;
            }
        }
    }
}

/* Takes a full block of a stage's input, or the last one. */
static void take_block(th_body *body, uint32_t number, const char *bytes, size_t len,
                       bool is_last)
{
    struct stage *const stage = &body->stages[number];
    if (stage->mode == PROBING)
        probe(body, stage, bytes, len, is_last);
    if (stage->mode == PASSING)
        push(body, number + 1, bytes, len);
    else if (stage->mode == DECODING)
        decode(body, number, bytes, len);
    else if (stage->mode == ENDED)
        note_junk(body, stage, bytes, len);
}

static void stage_write(th_body *body, uint32_t number, const char *bytes, size_t len)
{
    struct stage *const stage = &body->stages[number];
    while (len && !body->is_stopped) {
        if (stage->mode >= PASSING && stage->block_len == 0) {
            take_block(body, number, bytes, len, false);
            return;
        }
        if (stage->block_len == 0 && len >= BLOCK_LEN) {
            take_block(body, number, bytes, BLOCK_LEN, false);
            bytes += BLOCK_LEN;
            len -= BLOCK_LEN;
            continue;
        }
        const size_t scratch = BLOCK_LEN - stage->block_len;
        const size_t part = len < scratch ? len : scratch;
        memcpy(stage->block + stage->block_len, bytes, part);
        stage->block_len += part;
        bytes += part;
        len -= part;
        if (stage->block_len == BLOCK_LEN) {
            stage->block_len = 0;
            take_block(body, number, stage->block, BLOCK_LEN, false);
        }
    }
}

static void stage_end(th_body *body, uint32_t number)
{
    struct stage *const stage = &body->stages[number];
    if (stage->block_len && !body->is_stopped)
        take_block(body, number, stage->block, stage->block_len, true);
    stage->block_len = 0;
    /* An empty body is complete, because HEAD and 304 have the header of the body they
     * lack. */
    if (stage->mode == DECODING && !body->is_stopped &&
        !stage->decoder->is_complete(stage->state))
        note_damage(body, stage);
    if (stage->decoder->shrink)
        stage->decoder->shrink(stage->state);
}

static th_status add_stage(th_body *body, int kind)
{
    struct stage *const stage = &body->stages[body->stage_count];
    if (!stage->block)
        stage->block = malloc(BLOCK_LEN);
    if (!stage->scratch)
        stage->scratch = malloc(ROOM_LEN);
    if (!stage->states[kind])
        stage->states[kind] = decoders[kind]->create();
    if (!stage->block || !stage->scratch || !stage->states[kind])
        return TH_NOMEM;
    stage->decoder = decoders[kind];
    stage->state = stage->states[kind];
    stage->mode = PROBING;
    stage->block_len = 0;
    body->stage_count++;
    return TH_OK;
}

th_body *th_body_new(void)
{
    return calloc(1, sizeof(th_body));
}

void th_body_free(th_body *body)
{
    if (!body)
        return;
    for (size_t i = 0; i < MAX_STAGES; i++) {
        for (size_t kind = 0; kind < KINDS; kind++)
            decoders[kind]->destroy(body->stages[i].states[kind]);
        free(body->stages[i].block);
        free(body->stages[i].scratch);
    }
    free(body);
}

th_status th_body_begin(th_body *body, const th_http_head *head, uint32_t max_codings,
                        th_body_emit emit, void *context)
{
    body->stage_count = 0;
    body->emit = emit;
    body->context = context;
    body->flags = head->is_coding_unknown ? TH_FLAG_CODING_UNKNOWN : 0;
    body->is_whole = true;
    body->is_stopped = false;
    body->status = TH_OK;
    if (head->coding_count > max_codings || head->coding_count > TH_HTTP_MAX_CODINGS)
        return TH_BAD_CODING;

    th_status status = head->is_chunked ? add_stage(body, CHUNKED) : TH_OK;
    for (uint32_t i = head->coding_count; i > 0 && status == TH_OK; i--)
        status = add_stage(body, head->codings[i - 1]);
    return status;
}

th_status th_body_write(th_body *body, th_view bytes)
{
    push(body, 0, bytes.data, bytes.len);
    return body->status;
}

th_status th_body_end(th_body *body)
{
    for (uint32_t i = 0; i < body->stage_count; i++)
        stage_end(body, i);
    return body->status;
}

uint32_t th_body_flags(const th_body *body)
{
    return body->flags;
}

bool th_body_is_complete(const th_body *body)
{
    return body->is_whole;
}
