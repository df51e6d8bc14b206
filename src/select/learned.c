/*
 * The learned classifier. A model of trees estimates the probability that a paragraph is
 * content, and the page as a whole decides the cut. [docs/content-model.md]
 *
 * It reads more of a page than the rules: words of classes, hidden text, and the page's
 * statements about its type. Hidden text that it selects is content. Other hidden text is
 * omitted.
 */
#include <string.h>

#include "content/content_decision.h"
#include "content/content_scores.h"
#include "content/cut_of_kind.h"
#include "content/page_type.h"
#include "content/thread.h"
#include "select/classifiers.h"
#include "select/strictness.h"

/* clang-format off */
static const th_reason reasons[] = {
#define REASON(name, label, words) { label, words },
    TH_CONTENT_VERDICT_LIST(REASON)
#undef REASON
    { 0, NULL },
};
/* clang-format on */

/* The most probable type. A page with a recipe is an article rather than a service. */
static unsigned likeliest_type(const uint16_t *probability, bool is_recipe)
{
    unsigned best = 0;
    for (unsigned i = 1; i < TH_PAGE_TYPE_COUNT; i++)
        best = probability[i] > probability[best] ? i : best;
    return is_recipe && best == TH_PAGE_TYPE_SERVICE ? TH_PAGE_TYPE_ARTICLE : best;
}

/* Whether lists of links at the end of such a page are its own parts or offers. */
static bool ends_with_parts(const uint16_t *probability)
{
    return (uint32_t)probability[TH_PAGE_TYPE_DOCUMENTATION] +
               probability[TH_PAGE_TYPE_COLLECTION] + probability[TH_PAGE_TYPE_PRODUCT] +
               probability[TH_PAGE_TYPE_SERVICE] >=
           TH_PROBABILITY_ONE / 2;
}

static bool has_recipe(const th_page *page)
{
    return page->hints && ((page->hints->ld_types >> TH_LD_TYPE_BIT_RECIPE & 1) ||
                           page->hints->has_recipe_item);
}

static th_content_rules rules_of(const th_page *page, const th_options *opt,
                                 const th_content_scores *scores, const char *strictness)
{
    th_content_rules rules = th_content_rules_standard();
    th_strictness_apply(strictness, &rules);
    th_cut_for_kind(scores->type_probability, has_recipe(page), &rules);
    rules.left_out = opt->content_left_out;
    rules.group_links = scores->columns.column[TH_FEATURE_GROUP_LINKS];
    rules.group_size = scores->columns.column[TH_FEATURE_GROUP_SIZE];
    rules.group_titles = scores->columns.column[TH_FEATURE_GROUP_TITLES];
    rules.level_footer = scores->columns.column[TH_FEATURE_LEVEL_FOOTER];
    rules.level_main = scores->columns.column[TH_FEATURE_LEVEL_MAIN];
    rules.level_article = scores->columns.column[TH_FEATURE_LEVEL_ARTICLE];
    if (ends_with_parts(scores->type_probability))
        rules.left_out |= TH_CONTENT_STEP(END);
    rules.article = scores->type_probability[TH_PAGE_TYPE_ARTICLE];
    rules.forum = scores->type_probability[TH_PAGE_TYPE_FORUM];
    rules.product = scores->type_probability[TH_PAGE_TYPE_PRODUCT];
    rules.keeps_comments = opt->comments;
    return rules;
}

static th_status decide(th_page *page, const th_options *opt,
                        const th_content_scores *scores, const char *strictness,
                        th_learned *learned, uint8_t *reason_of)
{
    const unsigned type = likeliest_type(scores->type_probability, has_recipe(page));
    const th_content_rules rules = rules_of(page, opt, scores, strictness);
    th_content_choice choice;
    const th_status status =
        th_content_decide(page, learned->score_of, &rules, page->arena, reason_of,
                          learned->is_comment, &choice);
    if (status != TH_OK)
        return status;
    learned->page_type = th_page_type_names[type];
    learned->page_type_score = scores->type_probability[type];
    learned->cut = choice.cut;
    learned->is_comment_thread = choice.is_comment_thread;
    learned->missed_weight = (uint16_t)(rules.taste.missed * 100 / TH_TASTE_ONE);
    learned->quality =
        (uint16_t)((uint64_t)choice.quality * TH_PROBABILITY_ONE / TH_F1_ONE);
    if (choice.is_rescued)
        page->flags |= TH_FLAG_CONTENT_UNSURE;
    return TH_OK;
}

/* Labels the paragraphs for further texts. */
static th_status decide_others(th_page *page, const th_options *opt,
                               const th_content_scores *scores, const th_learned *learned)
{
    uint8_t *is_comment =
        th_arena_calloc(page->arena, (size_t)page->paragraph_count + 1, 1);
    th_status status = is_comment ? TH_OK : TH_NOMEM;
    for (unsigned i = 0; status == TH_OK && i < learned->other_count; i++) {
        const th_strictness_labels *labels = &learned->others[i];
        const th_content_rules rules = rules_of(page, opt, scores, labels->strictness);
        th_content_choice choice;
        status = th_content_decide(page, learned->score_of, &rules, page->arena,
                                   labels->label_of, is_comment, &choice);
        for (uint32_t at = 0; status == TH_OK && at < page->paragraph_count; at++)
            labels->label_of[at] = reasons[labels->label_of[at]].label;
    }
    return status;
}

/* Prepares room for the labels of further texts. */
static th_status begin_others(th_page *page, const th_strictness_list *list,
                              th_learned *learned)
{
    for (unsigned i = 1; i < list->count; i++) {
        uint8_t *labels =
            th_arena_calloc(page->arena, (size_t)page->paragraph_count + 1, 1);
        if (!labels)
            return TH_NOMEM;
        learned->others[learned->other_count++] =
            (th_strictness_labels){ list->of[i], labels };
    }
    return TH_OK;
}

/* Judges the paragraphs. Frees its scratch memory before the next stage. */
static th_status judge(th_page *page, const th_options *opt, uint8_t *reason_of)
{
    const size_t count = (size_t)page->paragraph_count + 1;
    th_learned *learned = th_arena_calloc(page->arena, 1, sizeof *learned);
    uint16_t *score_of = th_arena_calloc(page->arena, count, sizeof *learned->score_of);
    uint8_t *is_comment = th_arena_calloc(page->arena, count, 1);
    if (!learned || !score_of || !is_comment)
        return TH_NOMEM;
    learned->score_of = score_of;
    learned->is_comment = is_comment;
    th_strictness_list list;
    (void)th_strictness_read(opt->strictness, &list); /* checked before */
    th_status status = th_thread_known(page);         /* stays with the page */
    if (status == TH_OK)
        status = begin_others(page, &list, learned);
    if (status != TH_OK)
        return status;
    const th_content_model *model =
        opt->content_model ? opt->content_model : th_content_model_shipped();
    const th_arena_mark mark = th_arena_get_mark(page->arena);
    th_content_scores scores;
    status = th_content_score(model, page, page->arena, &scores);
    if (status == TH_OK) {
        memcpy(score_of, scores.probability, page->paragraph_count * sizeof *score_of);
        status = decide(page, opt, &scores, list.of[0], learned, reason_of);
    }
    if (status == TH_OK && learned->other_count)
        status = decide_others(page, opt, &scores, learned);
    th_arena_rewind(page->arena, mark);
    page->learned = learned;
    return status;
}

const th_classifier th_learned_classifier = {
    .name = "learned",
    .cites = "[K11 §4.4.2]",
    .help = "decision trees on 200 features of a paragraph and its page",
    .reasons = reasons,
    .judge = judge,
    .reads = TH_READS_CLASSES | TH_READS_HIDDEN | TH_READS_HINTS,
};
