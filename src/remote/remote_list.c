/* ListObjectsV2: the objects below a prefix, a thousand an answer. */
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <stdlib.h>
#include <string.h>

#include "remote/remote_call.h"

/* A page is at most 1000 keys of 1024 bytes, each of them three in %XX. */
enum { MAX_PAGE = 8 << 20, MAX_PAGES = 100000, MAX_TOKEN = 4096 };

struct listing {
    th_remote *remote;
    th_http *http;
    const char *prefix; /* the name that was asked for */
    th_remote_parts parts;
    th_remote_found found;
    void *context;
    char token[MAX_TOKEN]; /* of the next page; "" = the first, or none */
};

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

/* ---- what it says ---- */

static bool is_named(const xmlNode *node, const char *name)
{
    return node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, name) == 0;
}

/* The text of a child; NULL: none. Freed by xmlFree. */
static char *text_of(xmlNode *node, const char *name)
{
    for (xmlNode *child = node->children; child; child = child->next)
        if (is_named(child, name))
            return (char *)xmlNodeGetContent(child);
    return NULL;
}

static bool is_child_text(xmlNode *node, const char *name, const char *text)
{
    char *found = text_of(node, name);
    const bool is_so = found && strcmp(found, text) == 0;
    xmlFree(found);
    return is_so;
}

static int digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                  : -1;
}

/* Undoes %XX and +, in place. */
static void decode(char *text)
{
    char *out = text;
    for (const char *at = text; *at; at++) {
        if (*at == '+') {
            *out++ = ' ';
        } else if (*at == '%' && digit(at[1]) >= 0 && digit(at[2]) >= 0) {
            *out++ = (char)(digit(at[1]) << 4 | digit(at[2]));
            at += 2;
        } else {
            *out++ = *at;
        }
    }
    *out = '\0';
}

static th_status take_object(struct listing *listing, xmlNode *node, bool is_encoded,
                             th_error *err)
{
    char *key = text_of(node, "Key"), *size = text_of(node, "Size");
    th_buffer name = { 0 };
    th_status status = TH_OK;
    if (key && is_encoded)
        decode(key);
    /* A key that ends with a slash is how some tools draw a folder. */
    if (key && *key && key[strlen(key) - 1] != '/') {
        th_buffer_append_text(&name, "s3://");
        th_buffer_append_view(&name, listing->parts.bucket);
        th_buffer_append_char(&name, '/');
        th_buffer_append_text(&name, key);
        th_buffer_append_char(&name, '\0');
        status = name.has_failed
                     ? th_fail(err, TH_NOMEM, "out of memory")
                     : listing->found(listing->context, name.data,
                                      size ? strtoull(size, NULL, 10) : 0, err);
    }
    th_buffer_done(&name);
    xmlFree(key);
    xmlFree(size);
    return status;
}

/* TH_END: this was the last page. */
static th_status take_page(struct listing *listing, xmlNode *root, th_error *err)
{
    th_status status = TH_OK;
    if (!root || !is_named(root, "ListBucketResult"))
        return th_fail(err, TH_IO, "the answer is no listing");
    const bool is_encoded = is_child_text(root, "EncodingType", "url");
    for (xmlNode *node = root->children; node && status == TH_OK; node = node->next)
        if (is_named(node, "Contents"))
            status = take_object(listing, node, is_encoded, err);
    if (status != TH_OK)
        return status;
    char *token = text_of(root, "NextContinuationToken");
    if (!is_child_text(root, "IsTruncated", "true"))
        status = TH_END;
    else if (!token || !*token || strlen(token) >= MAX_TOKEN ||
             strcmp(token, listing->token) == 0)
        status = th_fail(err, TH_IO, "the listing does not say where it goes on");
    else
        memcpy(listing->token, token, strlen(token) + 1);
    xmlFree(token);
    return status;
}

static th_status parse_page(struct listing *listing, const th_buffer *page, th_error *err)
{
    xmlDoc *doc = xmlReadMemory(th_buffer_view(page).data, (int)page->len, NULL, NULL,
                                XML_PARSE_NONET | XML_PARSE_NOERROR |
                                    XML_PARSE_NOWARNING | XML_PARSE_NOBLANKS);
    if (!doc || doc->intSubset) { /* entities could make it large */
        xmlFreeDoc(doc);
        return th_fail(err, TH_IO, "the answer is no listing");
    }
    const th_status status = take_page(listing, xmlDocGetRootElement(doc), err);
    xmlFreeDoc(doc);
    return status;
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
            status = parse_page(&listing, &page, &why);
    }
    th_buffer_done(&query);
    th_buffer_done(&page);
    th_remote_give_back(remote, listing.http);
    if (status == TH_OK || status == TH_END)
        return TH_OK;
    return th_fail(err, status, "cannot list '%.200s': %s", prefix, why.text);
}
