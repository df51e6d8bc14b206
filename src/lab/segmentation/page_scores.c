/* Rows of `eval segmentation --output`: the scores of a page by one method. */
#include "lab/segmentation/page_scores.h"

#include <stddef.h>
#include <string.h>

#include "base/json.h"

#define FIGURE(member)                                                                   \
    {                                                                                    \
#member, offsetof(th_segmentation_score, member)                                 \
    }
static const struct figure {
    const char *key;
    size_t offset;
} figures[] = {
    FIGURE(coverage),      FIGURE(gold_segments), FIGURE(found_segments),
    FIGURE(adjusted_rand), FIGURE(nmi),           FIGURE(b3_p),
    FIGURE(b3_r),          FIGURE(b3_f),          FIGURE(b3_chars_f),
    FIGURE(b3_nodes_f),    FIGURE(largest_found),
};

static th_status put_row(const th_segmentation_scores *scores, uint32_t page,
                         uint32_t field, uint32_t number, th_buffer *out)
{
    const th_segmentation_variant *variant = &scores->variants.items[number];
    const char *score =
        (const char *)th_segmentation_score_at(scores, page, field, number);
    th_json json;
    th_json_begin(&json, out);
    th_json_open_object(&json);
    th_json_member_text(&json, "corpus", scores->name);
    th_json_member_text(&json, "field", scores->gold.fields[field]);
    th_json_member_uint(&json, "page", page);
    th_json_member_text(&json, "segmenter", variant->segmenter);
    if (th_segmentation_has_profile(variant->segmenter))
        th_json_member_text(&json, "profile", variant->profile);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        double value = 0;
        memcpy(&value, score + figures[i].offset, sizeof value);
        th_json_key(&json, figures[i].key);
        th_json_signed_decimal(&json, value, 6);
    }
    th_json_close_object(&json);
    return th_json_end(&json);
}

th_status th_page_scores_append(const th_segmentation_scores *scores, th_buffer *out)
{
    th_status status = TH_OK;
    for (uint32_t field = 0; field < scores->gold.field_count; field++)
        for (uint32_t i = 0; i < scores->gold.count; i++)
            for (uint32_t j = 0; status == TH_OK && scores->gold.pages[i].labels[field] &&
                                 j < scores->variants.table_count;
                 j++)
                status = put_row(scores, scores->gold.pages[i].number, field, j, out);
    return status;
}
