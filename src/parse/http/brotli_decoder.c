/* Decodes br. [RFC 7932] The format has neither a magic number nor a checksum, so only
 * decoding shows whether a body has it. */
#include <stdlib.h>

#include <brotli/decode.h>

#include "parse/http/decoder.h"
#include "thresher/page.h"

/* libbrotli cannot be reset, so each body has its own instance. */
struct brotli {
    BrotliDecoderState *stream;
};

static void *create(void)
{
    return calloc(1, sizeof(struct brotli));
}

/* The window may be 16 MiB, so it is freed when its body ends. */
static void shrink(void *state)
{
    struct brotli *const brotli = state;
    if (brotli->stream)
        BrotliDecoderDestroyInstance(brotli->stream);
    brotli->stream = NULL;
}

static void destroy(void *state)
{
    if (state)
        shrink(state);
    free(state);
}

static bool reset(void *state, unsigned variant)
{
    (void)variant;
    struct brotli *const brotli = state;
    shrink(brotli);
    brotli->stream = BrotliDecoderCreateInstance(NULL, NULL, NULL);
    return brotli->stream != NULL;
}

static bool is_memory_error(const BrotliDecoderState *stream)
{
    const BrotliDecoderErrorCode code = BrotliDecoderGetErrorCode(stream);
    return code <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES &&
           code >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES;
}

static th_decode_result step(void *state, th_decode_span *span)
{
    BrotliDecoderState *const stream = ((struct brotli *)state)->stream;
    const uint8_t *in = (const uint8_t *)span->in;
    uint8_t *out = (uint8_t *)span->out;
    const BrotliDecoderResult result = BrotliDecoderDecompressStream(
        stream, &span->in_len, &in, &span->out_len, &out, NULL);
    span->in = (const char *)in;
    span->out = (char *)out;
    switch (result) {
    case BROTLI_DECODER_RESULT_SUCCESS:
        return TH_DECODE_END;
    case BROTLI_DECODER_RESULT_ERROR:
        return is_memory_error(stream) ? TH_DECODE_NOMEM : TH_DECODE_DAMAGED;
    default:
        return TH_DECODE_MORE;
    }
}

static bool is_complete(const void *state)
{
    return BrotliDecoderIsFinished(((const struct brotli *)state)->stream);
}

const th_decoder th_brotli_decoder = {
    .name = "br",
    .damaged_flag = TH_FLAG_CODING_DAMAGED,
    .unfitting_flag = TH_FLAG_CODING_NOT_APPLIED,
    .probe_len = 4096,
    .variant_count = 1,
    .create = create,
    .destroy = destroy,
    .reset = reset,
    .step = step,
    .is_complete = is_complete,
    .shrink = shrink,
};
