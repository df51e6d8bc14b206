/* Adds the metadata of a page to a digest. */
#ifndef TH_TEST_NOTED_METADATA_H
#define TH_TEST_NOTED_METADATA_H

#include "outcomes.h"
#include "thresher/page.h"

static inline void note_metadata(struct outcomes *all, const th_page *page)
{
    const th_metadata *m = &page->metadata;
    const th_view views[] = { m->title,          m->title_from,    m->page_title,
                              m->author,         m->author_from,   m->published,
                              m->published_from, m->modified,      m->modified_from,
                              m->description,    m->canonical_url, m->language,
                              m->site_name };
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        note_line(all, "%.*s", (int)views[i].len, views[i].len ? views[i].data : "");
    for (uint32_t i = 0; i < page->right_count; i++) {
        const th_right *right = &page->rights[i];
        note_line(all, "right %s, %s: %.*s", right->signal, right->from,
                  (int)right->value.len, right->value.data);
    }
    for (unsigned list = 0; page->structured && list < TH_STRUCTURED_LISTS; list++)
        for (uint32_t i = 0; i < page->structured->counts[list]; i++) {
            const th_statement *row = &page->structured->rows[list][i];
            note_line(all, "%u: %.*s", list, (int)row->property.len, row->property.data);
            note_view(all, row->item);
            note_view(all, row->value);
            note_view(all, row->ref);
        }
}

#endif
