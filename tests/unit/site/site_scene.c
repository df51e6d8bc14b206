#include "site_scene.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

void make_entries(const struct site_page *pages, size_t count, th_buffer *bytes,
                  const th_site_entry **out)
{
    size_t places[MOST];
    for (size_t i = 0; i < count; i++) {
        th_site_entry entry = {
            .site = 7, .url = pages[i].url, .text = pages[i].text, .name_len = 7
        };
        while (entry.hash_count < 8 && pages[i].hashes[entry.hash_count])
            entry.hash_count++;
        places[i] = bytes->len;
        th_buffer_append(bytes, (const char *)&entry, sizeof entry);
        th_buffer_append(bytes, (const char *)pages[i].hashes,
                         entry.hash_count * sizeof(uint64_t));
        th_buffer_append(bytes, "a.large", 8);
    }
    if (bytes->has_failed || count > MOST)
        abort();
    for (size_t i = 0; i < count; i++)
        out[i] = (const th_site_entry *)(const void *)(bytes->data + places[i]);
}

th_site count_pages(const th_site *before, const struct site_page *pages, size_t count,
                    const th_site_limits *limits, th_buffer *scratch)
{
    const th_site_entry *entries[MOST];
    th_buffer bytes = { 0 };
    th_site site = { .pages = 0 };
    make_entries(pages, count, &bytes, entries);
    if (th_site_add(before, entries, count, limits, scratch) != TH_OK ||
        th_site_read(th_buffer_view(scratch), &site, NULL) != TH_OK)
        abort();
    th_buffer_done(&bytes);
    return site;
}
