/* Pages for an index without a pipeline: signatures made up so that what they share is
 * known. */
#ifndef TH_INDEX_SCENE_H
#define TH_INDEX_SCENE_H

#include "index/near_index.h"

/* A page of the scene: pages of one family agree in all slots but `changed` of them. */
typedef struct scene_page {
    const char *id;
    uint32_t family;
    uint32_t changed; /* slots that differ from the family's, spread over the bands */
    int64_t date;
    bool is_short; /* one shingle: compared by digest, which is the family's */
} scene_page;

/** A fresh folder; removed by scene_remove. */
char *scene_folder(void);
void scene_remove(char *dir);

/** Options of an index in `dir`: preset modern, threshold .8, epochs of full segments. */
th_index_options scene_options(const char *dir);

/** Appends the page's entry. */
void scene_append(const th_index_scheme *scheme, const scene_page *page, th_buffer *out);

/** Looks one page up. @return the id it is a near-duplicate of, "" for none; freed by the
 * caller */
char *scene_ask(th_index *index, const th_index_scheme *scheme, const scene_page *page,
                th_index_answer *answer);

/** Opens or fails the test. */
th_index *scene_open(const th_index_options *options);

#endif
