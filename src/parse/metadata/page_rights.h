/*
 * Statements about rights in a page: META, LINK, A and JSON-LD. Read only on request.
 * [th_right]
 */
#ifndef TH_PAGE_RIGHTS_H
#define TH_PAGE_RIGHTS_H

#include "page/rights.h"
#include "parse/html/attribute.h"
#include "parse/metadata/json_ld.h"

/** Collector of a page. */
typedef struct th_page_rights {
    th_rights list;
    th_json_ld_memory memory;
    size_t json_left; /* bytes of JSON-LD that may still be read */
} th_page_rights;

/** Starts a page. Allocates nothing. */
void th_page_rights_begin(th_page_rights *rights, th_arena *arena);

/**
 * Takes a start tag with attributes: META (robots, tdm-reservation, tdm-policy, license),
 * LINK and A (license, RSL, Creative Commons). Others have no effect.
 * @param base  to resolve URLs against
 */
void th_page_rights_tag(th_page_rights *rights, th_view base, th_tag tag,
                        const th_attribute *attrs, size_t attr_count);

/** Takes the text of a SCRIPT of JSON-LD: `license` of its objects, at any depth. Ends
 * where the grammar is broken, and after 1 MiB of a page. O(length). */
void th_page_rights_json(th_page_rights *rights, th_view text);

#endif
