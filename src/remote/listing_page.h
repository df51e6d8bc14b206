/* Reads a page of a listing, ListObjectsV2's XML: its objects, and the token of the next
 * page. */
#ifndef TH_LISTING_PAGE_H
#define TH_LISTING_PAGE_H

#include "remote/remote.h"

/* Longest token of a next page, with its NUL. */
enum { TH_LISTING_TOKEN_MAX = 4096 };

/**
 * Reads a page.
 * @param bucket   of the names
 * @param xml      of another kind than a listing, or with a document type, is TH_IO
 * @param token    in: of this page, "" for the first. out: of the next page.
 * Untouched unless TH_OK
 * @return TH_OK if there is a next page, TH_END if there is none, TH_IO with words,
 * TH_NOMEM, or the status that `found` returned. Keys that are empty or end with a slash
 * are skipped.
 * Cost: libxml2's tree of the page.
 */
th_status th_listing_page_read(th_view xml, th_view bucket, th_remote_found found,
                               void *context, char token[TH_LISTING_TOKEN_MAX],
                               th_error *err);

#endif
