/*
 * An HTTP response as archives keep it: head, coded body, and media type. Corner cases:
 * docs/warc.md#http.
 */
#ifndef TH_HTTP_MESSAGE_H
#define TH_HTTP_MESSAGE_H

#include "parse/http/http_body.h"
#include "parse/http/http_head.h"
#include "parse/http/media_type.h"

#endif
