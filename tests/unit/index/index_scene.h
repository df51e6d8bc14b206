/* Pages for an index without a pipeline, with synthetic signatures of known similarity. */
#ifndef TH_INDEX_SCENE_H
#define TH_INDEX_SCENE_H

#include "index/near_index.h"

/* A page of the scene: pages of one family agree in all slots but `changed` of them. */
typedef struct index_scene_page {
    const char *id;
    uint32_t family;
    uint32_t changed; /* slots that differ from the family's, spread over the bands */
    int64_t date;
    bool is_short; /* one shingle: compared by digest, which is the family's */
} index_scene_page;

/** A fresh folder; removed by index_scene_remove. */
char *index_scene_folder(void);
void index_scene_remove(char *dir);

/** Options of an index in `dir`: preset modern, threshold .8, epochs of full segments. */
th_index_options index_scene_options(const char *dir);

/** Appends the page's entry. */
void index_scene_append(const th_index_scheme *scheme, const index_scene_page *page,
                        th_buffer *out);

/** Looks one page up. @return the id it is a near-duplicate of, "" for none; freed by the
 * caller */
char *index_scene_ask(th_index *index, const th_index_scheme *scheme,
                      const index_scene_page *page, th_index_answer *answer);

/** Opens or fails the test. */
th_index *index_scene_open(const th_index_options *options);

#endif
