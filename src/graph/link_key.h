/*
 * The graph's key of a URL: a string whose byte order is by reversed host, then by the
 * part after the host.
 *
 *     com.example NUL /path?query NUL https://www.example.com:8080
 *
 * The host is lower-case, without a leading `www.` that leaves a name with a dot, without
 * port and final dot, its labels reversed; an address (IPv4, IPv6) stays as it is.
 */
#ifndef TH_LINK_KEY_H
#define TH_LINK_KEY_H

#include <stdbool.h>

#include "base/buffer.h"
#include "thresher/view.h"

/**
 * Makes the key of a URL, without its fragment, user and standard port.
 * @param key  its contents are replaced by the key
 * @return false if the URL is not absolute, not http or https, has no usable host (at
 *         most 253 bytes without control characters and spaces), has a control character,
 *         or is over 8 KiB; or memory is used up (key->has_failed)
 * O(length).
 */
bool th_link_key(th_view url, th_buffer *key);

/** Returns only the key's host, reversed. */
th_view th_link_key_host(th_view key);

/** Returns the part after the host: "/path?query". */
th_view th_link_key_local(th_view key);

/** Appends the URL. */
void th_link_key_url(th_view key, th_buffer *out);

#endif
