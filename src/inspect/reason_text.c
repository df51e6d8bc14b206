/* Expands reasons: "{tokens} > 16 words" to "23 > 16 words". Only this file does so. */
#include "inspect/reason_text.h"

#include <string.h>

#include "base/json.h"

enum { PLACES = 6 }; /* as many as the thresholds of [K11] have */

/* Rounds a probability in 1/65535 to three places. */
static double share(uint16_t score)
{
    const uint32_t thousandths = (score * 1000u + 32767) / 65535;
    return thousandths / 1000.0;
}

static bool begins(const char **at, const char *prefix)
{
    const size_t len = strlen(prefix);
    if (strncmp(*at, prefix, len) != 0)
        return false;
    *at += len;
    return true;
}

/* Writes a learned classifier's feature of the block's paragraph. Scores have only their
 * significant places. */
static bool learned_feature(const th_page *page, uint32_t block, const char *name,
                            double *value)
{
    const th_learned *learned = page->learned;
    const uint32_t number = page->blocks[block].paragraph;
    const th_paragraph *paragraph = &page->paragraphs[number];
    const char *at = name;
    if (!learned)
        return false;
    if (begins(&at, "score}"))
        *value = share(learned->score_of[number]);
    else if (begins(&at, "cut}"))
        *value = share(learned->cut);
    else if (begins(&at, "paragraph.tokens}"))
        *value = page->tokens_before[paragraph->end_block] -
                 page->tokens_before[paragraph->first_block];
    else
        return false;
    return true;
}

/* Returns the value of the feature whose name starts at `name` and ends with '}'. */
static bool feature(const th_page *page, uint32_t block, const char *name, double *value)
{
    const bool is_segment = begins(&name, "segment.");
    if (begins(&name, "prev."))
        block--; /* the block before the first is UINT32_MAX */
    else if (begins(&name, "next."))
        block++;
    const bool is_inside = block < page->block_count;
    *value = 0;
    if (is_segment && begins(&name, "density}"))
        *value = page->segments[page->segment_of[block]].density;
    else if (begins(&name, "tokens}"))
        *value = is_inside ? page->blocks[block].tokens : 0;
    else if (begins(&name, "density}"))
        *value = is_inside ? th_page_density(page, block, block + 1) : 0;
    else if (begins(&name, "link_density}"))
        *value = is_inside ? th_page_link_density(page, block, block + 1) : 0;
    else
        return false;
    return true;
}

void th_reason_text(const th_page *page, uint32_t block, const char *words,
                    th_buffer *out)
{
    while (*words) {
        const size_t plain = strcspn(words, "{");
        th_buffer_append(out, words, plain);
        words += plain;
        if (!*words)
            return;
        const char *end = strchr(words, '}');
        double value = 0;
        if (end && (feature(page, block, words + 1, &value) ||
                    learned_feature(page, block, words + 1, &value))) {
            char number[TH_DECIMAL_MAX];
            th_buffer_append(out, number, th_decimal(value, PLACES, number));
            words = end + 1;
        } else {
            th_buffer_append_char(out, *words++);
        }
    }
}
