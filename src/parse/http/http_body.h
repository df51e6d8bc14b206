/*
 * Decodes the body of an HTTP response: transfer and content codings.
 *
 * The body goes in and comes out in pieces, so that a record of any size costs bounded
 * memory. `thresher records` hashes the output, the pipeline gathers it up to max_body.
 */
#ifndef TH_HTTP_BODY_H
#define TH_HTTP_BODY_H

#include <stdbool.h>
#include <stdint.h>

#include "parse/http/http_head.h"
#include "thresher/status.h"
#include "thresher/view.h"

/** Decodes transfer and content codings of one body. Reused from body to body. */
typedef struct th_body th_body;

/** Takes decoded bytes. Return false to stop. The rest is then neither decoded nor
 * counted. */
typedef bool (*th_body_emit)(void *context, const char *bytes, size_t len);

/** @return NULL without memory. Decoders and buffers are allocated on first use. */
th_body *th_body_new(void);
void th_body_free(th_body *body);

/**
 * Starts a body. Wrong claims are found at its start, in the first 4 KiB: a body that
 * claims chunked or a coding but is not coded so passes unchanged to the next coding, and
 * is flagged. Later damage ends the decoded bytes.
 * @param head         copied from, not kept
 * @param max_codings  more of them are TH_BAD_CODING; at most TH_HTTP_MAX_CODINGS
 * @param emit         gets every decoded byte in order, in non-empty pieces of any size
 * @return TH_OK, TH_BAD_CODING, TH_NOMEM
 */
th_status th_body_begin(th_body *body, const th_http_head *head, uint32_t max_codings,
                        th_body_emit emit, void *context);

/**
 * Takes the next bytes of the stored body. The output does not depend on how the body is
 * cut into calls.
 * @return TH_OK, TH_NOMEM
 */
th_status th_body_write(th_body *body, th_view bytes);

/** Ends the body. TH_OK or TH_NOMEM. All that can be decoded has been emitted. */
th_status th_body_end(th_body *body);

/** Returns TH_FLAG_NOT_CHUNKED, CHUNKED_DAMAGED, CODING_NOT_APPLIED, CODING_UNKNOWN,
 * CODING_DAMAGED. */
uint32_t th_body_flags(const th_body *body);

/**
 * After th_body_end: whether the decoded bytes are the complete payload, not cut, damaged
 * or stopped. Junk after the end of a coding is dropped and flagged as damage. The
 * payload still counts as complete.
 */
bool th_body_is_complete(const th_body *body);

#endif
