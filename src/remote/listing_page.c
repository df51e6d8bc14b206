/* XML to objects, by libxml2. See the header. */
#include "remote/listing_page.h"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/ascii.h"

struct page {
    th_view bucket;
    th_remote_found found;
    void *context;
};

static bool is_named(const xmlNode *node, const char *name)
{
    return node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, name) == 0;
}

/* Returns the text of a child; NULL if there is none. Freed by xmlFree. */
static char *text_of(xmlNode *node, const char *name)
{
    for (xmlNode *child = node->children; child; child = child->next)
        if (is_named(child, name))
            return (char *)xmlNodeGetContent(child);
    return NULL;
}

/* Returns whether a child has this word, in any letter case, with or without spaces
 * around it. */
static bool is_child_text(xmlNode *node, const char *name, const char *word)
{
    static const char blanks[] = " \t\r\n";
    char *found = text_of(node, name);
    const char *start = found ? found + strspn(found, blanks) : "";
    const size_t len = strcspn(start, blanks);
    const bool is_so = len == strlen(word) && strncasecmp(start, word, len) == 0 &&
                       !start[len + strspn(start + len, blanks)];
    xmlFree(found);
    return is_so;
}

/* Decodes %XX and +, in place. */
static void decode(char *text)
{
    char *out = text;
    for (const char *at = text; *at; at++) {
        if (*at == '+') {
            *out++ = ' ';
        } else if (*at == '%' && th_hex_value(at[1]) >= 0 && th_hex_value(at[2]) >= 0) {
            *out++ = (char)(th_hex_value(at[1]) << 4 | th_hex_value(at[2]));
            at += 2;
        } else {
            *out++ = *at;
        }
    }
    *out = '\0';
}

static th_status take_object(const struct page *page, xmlNode *node, bool is_encoded,
                             th_error *err)
{
    char *key = text_of(node, "Key"), *size = text_of(node, "Size");
    th_buffer name = { 0 };
    th_status status = TH_OK;
    if (key && is_encoded)
        decode(key);
    /* Some tools represent a folder by a key that ends with a slash. */
    if (key && *key && key[strlen(key) - 1] != '/') {
        th_buffer_append_text(&name, "s3://");
        th_buffer_append_view(&name, page->bucket);
        th_buffer_append_char(&name, '/');
        th_buffer_append_text(&name, key);
        th_buffer_append_char(&name, '\0');
        status = name.has_failed ? th_fail(err, TH_NOMEM, "out of memory")
                                 : page->found(page->context, name.data,
                                               size ? strtoull(size, NULL, 10) : 0, err);
    }
    th_buffer_done(&name);
    xmlFree(key);
    xmlFree(size);
    return status;
}

/* Returns TH_END after the last page. */
static th_status take_page(const struct page *page, xmlNode *root, char *token,
                           th_error *err)
{
    th_status status = TH_OK;
    if (!root || !is_named(root, "ListBucketResult"))
        return th_fail(err, TH_IO, "the response is not a listing");
    const bool is_encoded = is_child_text(root, "EncodingType", "url");
    for (xmlNode *node = root->children; node && status == TH_OK; node = node->next)
        if (is_named(node, "Contents"))
            status = take_object(page, node, is_encoded, err);
    if (status != TH_OK)
        return status;
    char *next = text_of(root, "NextContinuationToken");
    if (!is_child_text(root, "IsTruncated", "true"))
        status = TH_END;
    else if (!next || !*next || strlen(next) >= TH_LISTING_TOKEN_MAX ||
             strcmp(next, token) == 0)
        status =
            th_fail(err, TH_IO,
                    "the listing is truncated, but its continuation token is missing");
    else
        memcpy(token, next, strlen(next) + 1);
    xmlFree(next);
    return status;
}

th_status th_listing_page_read(th_view xml, th_view bucket, th_remote_found found,
                               void *context, char token[TH_LISTING_TOKEN_MAX],
                               th_error *err)
{
    const struct page page = { bucket, found, context };
    xmlDoc *doc = xml.len > INT_MAX
                      ? NULL
                      : xmlReadMemory(xml.data, (int)xml.len, NULL, NULL,
                                      XML_PARSE_NONET | XML_PARSE_NOERROR |
                                          XML_PARSE_NOWARNING | XML_PARSE_NOBLANKS);
    if (!doc || doc->intSubset) { /* entities could make it large */
        xmlFreeDoc(doc);
        return th_fail(err, TH_IO, "the response is not a listing");
    }
    const th_status status = take_page(&page, xmlDocGetRootElement(doc), token, err);
    xmlFreeDoc(doc);
    return status;
}
