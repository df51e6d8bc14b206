/* ListObjectsV2: the objects below a prefix, a thousand an answer. */
#include <string.h>

#include "remote/listing_page.h"
#include "remote/remote_call.h"

/* A page is at most 1000 keys of 1024 bytes, each of them three in %XX. */
enum { MAX_PAGE = 8 << 20, MAX_PAGES = 100000 };

struct listing {
    th_remote *remote;
    th_http *http;
    const char *prefix; /* the requested name */
    th_remote_parts parts;
    char token[TH_LISTING_TOKEN_MAX]; /* of the next page, "" for the first or none */
    char seen[TH_LISTING_TOKEN_MAX];  /* of an earlier one; "" = none */
    th_remote_found found;
    void *context;
};

/* A server that names other keys could lead to any object. */
static th_status take(void *context, const char *name, uint64_t size, th_error *err)
{
    const struct listing *listing = context;
    const th_view key = listing->parts.key;
    const char *named = name + strlen("s3://") + listing->parts.bucket.len + 1;
    if (key.len && strncmp(named, key.data, key.len) != 0)
        return th_fail(
            err, TH_IO,
            "the listing contains '%.200s', which is not under the listed prefix", name);
    return listing->found(listing->context, name, size, err);
}

/* Detects tokens that repeat, because such a listing would not end. Each token is
 * compared with the token of the last page whose number is a power of two, so a cycle is
 * found before its third turn. */
static th_status check_token(struct listing *listing, unsigned page, th_error *err)
{
    if (*listing->seen && strcmp(listing->token, listing->seen) == 0)
        return th_fail(err, TH_IO,
                       "the listing repeats: the same continuation token occurred twice");
    if ((page & (page - 1)) == 0)
        memcpy(listing->seen, listing->token, sizeof listing->seen);
    return TH_OK;
}

/* ---- a page ---- */

/* Parameters sorted by name, as the signature wants them. */
static void make_query(const struct listing *listing, th_buffer *out)
{
    if (*listing->token) {
        th_buffer_append_text(out, "continuation-token=");
        th_remote_encode((th_view){ listing->token, strlen(listing->token) }, false, out);
        th_buffer_append_char(out, '&');
    }
    th_buffer_append_text(out, "encoding-type=url&list-type=2&prefix=");
    th_remote_encode(listing->parts.key, false, out);
}

static th_status fetch(struct listing *listing, th_view query, th_buffer *page,
                       th_error *err)
{
    const th_remote_call call = { .name = listing->prefix,
                                  .query = query,
                                  .is_listing = true };
    return th_remote_exchange(listing->remote, listing->http, &call, MAX_PAGE, page, err);
}

th_status th_remote_list(th_remote *remote, const char *prefix, th_remote_found found,
                         void *context, th_error *err)
{
    th_error why = { .text = "" };
    struct listing listing = {
        .remote = remote, .prefix = prefix, .found = found, .context = context
    };
    th_buffer query = { 0 }, page = { 0 };
    th_status status = th_remote_name_parts(prefix, &listing.parts, err);
    if (status != TH_OK)
        return status;
    status = th_remote_transfer(remote, &listing.http, err);
    if (status != TH_OK)
        return status;
    for (unsigned pages = 0; status == TH_OK; pages++) {
        if (pages == MAX_PAGES) {
            status = th_fail(&why, TH_IO, "over %d pages", (int)MAX_PAGES);
            break;
        }
        th_buffer_reset(&query);
        make_query(&listing, &query);
        status = query.has_failed ? th_fail(&why, TH_NOMEM, "out of memory")
                                  : fetch(&listing, th_buffer_view(&query), &page, &why);
        if (status == TH_OK)
            status = th_listing_page_read(th_buffer_view(&page), listing.parts.bucket,
                                          take, &listing, listing.token, &why);
        if (status == TH_OK)
            status = check_token(&listing, pages + 1, &why);
    }
    th_buffer_done(&query);
    th_buffer_done(&page);
    th_remote_give_back(remote, listing.http);
    if (status == TH_OK || status == TH_END)
        return TH_OK;
    return th_fail(err, status, "cannot list '%.200s': %s", prefix, why.text);
}
