/*
 * A record for the graph: reading it succeeds or fails with a known reason, every address
 * has one key, and the URL of a key has the same key.
 *
 * Input: a line of JSON.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz_target.h"
#include "graph/link_key.h"
#include "graph/link_record.h"

static void must(int holds)
{
    if (!holds)
        abort();
}

static void key_holds(th_view address)
{
    th_buffer key = { 0 }, url = { 0 }, again = { 0 };
    if (th_link_key(address, &key)) {
        const th_view whole = th_buffer_view(&key);
        must(th_link_key_host(whole).len > 0 && th_link_key_local(whole).len > 0);
        must(th_link_key_local(whole).data[0] == '/');
        th_link_key_url(whole, &url);
        if (th_link_key(th_buffer_view(&url), &again)) {
            must(again.len == key.len);
            must(memcmp(again.data, key.data, key.len) == 0);
        } else {
            must(url.len > address.len); /* a scheme and a slash brought it over 8 KiB */
        }
    }
    th_buffer_done(&key);
    th_buffer_done(&url);
    th_buffer_done(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    th_link_record record = { .link_count = 0 };
    const th_view line = { (const char *)data, size };
    const th_status status = th_link_record_read(&record, line);
    must(status == TH_OK || status == TH_DAMAGED);
    key_holds(line);
    if (status == TH_OK && record.url.data)
        key_holds(record.url);
    for (uint32_t i = 0; i < record.link_count && status == TH_OK; i++)
        key_holds(record.links[i].url);
    th_link_record_done(&record);
    return 0;
}
