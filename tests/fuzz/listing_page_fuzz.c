/*
 * Any bytes as a page of a listing are read or refused. Names start with the bucket and
 * are not folders, and the continuation differs from the start.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz_target.h"
#include "remote/listing_page.h"

static void require(bool claim)
{
    if (!claim)
        abort();
}

static th_status found(void *context, const char *name, uint64_t size, th_error *err)
{
    unsigned *count = context;
    (void)size;
    (void)err;
    require(strncmp(name, "s3://crawls/", 12) == 0 && name[12]);
    require(name[strlen(name) - 1] != '/');
    return ++*count < 1000 ? TH_OK : TH_INTERRUPTED;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const th_view xml = { (const char *)data, size };
    char token[TH_LISTING_TOKEN_MAX] = "here";
    unsigned count = 0, again = 0;
    th_error err = { .text = "" };
    const th_status status =
        th_listing_page_read(xml, TH_VIEW("crawls"), found, &count, token, &err);
    require(status == TH_OK || status == TH_END || status == TH_IO ||
            status == TH_INTERRUPTED);
    require((status == TH_OK) == (strcmp(token, "here") != 0));
    require(status != TH_OK || (*token && memchr(token, '\0', sizeof token)));
    require(status != TH_IO || *err.text);
    (void)th_listing_page_read(xml, TH_VIEW("crawls"), found, &again,
                               (char[TH_LISTING_TOKEN_MAX]){ "here" }, NULL);
    require(count == again);
    return 0;
}
