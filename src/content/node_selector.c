/* Selectors from text to numbers. */
#include "content/node_selector.h"

#include <string.h>

#include "page/class_word.h"

/* @return what follows the word */
static const char *read_word(const char *at, th_node_selector *out)
{
    const bool is_excluded = *at == '!';
    at += is_excluded;
    const unsigned place = *at == '.'   ? TH_WORD_IN_CLASS
                           : *at == '#' ? TH_WORD_IN_ID
                                        : TH_WORD_IN_ITEMPROP;
    at++;
    const size_t len = strcspn(at, ".#@! ");
    const uint32_t number = th_word_number((th_view){ at, len }, place);
    if (is_excluded && out->excluded_count < TH_SELECTOR_WORDS)
        out->excluded[out->excluded_count++] = number;
    else if (!is_excluded && out->needed_count < TH_SELECTOR_WORDS) {
        out->needed[out->needed_count++] = number;
        out->bits |= th_word_bit(number);
    }
    return at + len;
}

uint32_t th_node_selectors_read(const char *text, th_node_selector *out,
                                uint32_t capacity)
{
    uint32_t count = 0;
    while (text && *text && count < capacity) {
        th_node_selector *selector = &out[count++];
        *selector = (th_node_selector){ .tag = TH_TAG_COUNT };
        const size_t tag_len = strcspn(text, ".#@! ");
        if (tag_len)
            selector->tag = th_tag_of((th_view){ text, tag_len });
        text += tag_len;
        while (*text && *text != ' ')
            text = read_word(text, selector);
        text += *text == ' ';
    }
    return count;
}

static bool has(const uint32_t *words, uint32_t count, uint32_t wanted)
{
    for (uint32_t i = 0; i < count; i++)
        if (words[i] == wanted)
            return true;
    return false;
}

bool th_node_selector_fits(const th_node_selector *selector, const th_page *page,
                           const th_class_set *set)
{
    const uint32_t *words = page->class_words + set->first;
    if (!th_node_selector_may_fit(selector, set))
        return false;
    for (unsigned i = 0; i < selector->needed_count; i++)
        if (!has(words, set->count, selector->needed[i]))
            return false;
    for (unsigned i = 0; i < selector->excluded_count; i++)
        if (has(words, set->count, selector->excluded[i]))
            return false;
    return true;
}

static unsigned place_of(uint32_t word)
{
    return word >> 2 & (TH_WORD_FILTER_SIZE - 1);
}

void th_word_filter_fill(th_word_filter *filter, const th_page *page)
{
    memset(filter, 0, sizeof *filter);
    for (uint32_t i = 0; i < page->class_set_count; i++) {
        const th_class_set *set = &page->class_sets[i];
        const uint32_t *words = page->class_words + set->first;
        for (uint32_t k = 0; k < set->count; k++)
            filter->has[place_of(words[k])] = 1;
    }
}

bool th_word_filter_may_fit(const th_word_filter *filter,
                            const th_node_selector *selector)
{
    for (unsigned i = 0; i < selector->needed_count; i++)
        if (!filter->has[place_of(selector->needed[i])])
            return false;
    return true;
}
