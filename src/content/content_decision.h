/*
 * Decides which paragraphs of a page are its content, from their probabilities.
 * [docs/content-model.md]
 *
 *  1. Text in the page's footer has no score. Paragraphs made alike share their scores
 *     (similar_siblings.h).
 *  2. The page's own cut: the prefix by falling score with the highest expected F1, its
 *     cut held between two ends (expected_f1.h).
 *  3. A low score suffices for a long paragraph.
 *  4. If nearly nothing is kept, the element with the highest expected F1 is.
 *  5. A heading in doubt joins the content that it heads, a table of data the content
 *     around it, an item of a list its list; cells of a row go with their majority.
 *     Ingredients of a recipe are content, if the page's JSON-LD states them. Without it,
 *     a list with numbers below a heading like "Ingredients" is content. A list of links
 *     to places in the page is, if it is all that a heading of content heads.
 *  6. Text by readers is comments (comment_area.h), unless the page is a thread. A post in
 *     doubt joins its thread.
 *  7. After the last prose, similar linked items lead to other pages, and lists of teasers
 *     after the prose of an article. An article that may be a listing needs a higher score.
 *     A short line with a link to the editor of a repository is not content.
 *  8. A text that is kept and in doubt is not kept twice, except facts: code, cells,
 *     items.
 *
 * Integers only: the same labels on every machine.
 */
#ifndef TH_CONTENT_DECISION_H
#define TH_CONTENT_DECISION_H

#include "content/expected_f1.h"
#include "thresher/page.h"

/* The reason of the decision about a paragraph: X(NAME, label, words). */
/* clang-format off */
#define TH_CONTENT_VERDICT_LIST(X)                                                          \
    X(BELOW_CUT,     TH_BOILERPLATE, "score {score} is below the page's threshold {cut}")             \
    X(ABOVE_CUT,     TH_CONTENT,     "score {score} reaches the page's threshold {cut}")              \
    X(LONG,          TH_CONTENT,     "score {score} of a long text with {paragraph.tokens} tokens")   \
    X(RESCUED,       TH_CONTENT,     "almost no text reached the page's threshold {cut}; part of the best element, score {score}") \
    X(HEADS_CONTENT, TH_CONTENT,     "heading of content; score {score}")                             \
    X(ENCLOSED,      TH_CONTENT,     "its table is between content; score {score}")                   \
    X(WITH_GROUP,    TH_CONTENT,     "most of its list or row is content; score {score}")             \
    X(AGAINST_GROUP, TH_BOILERPLATE, "most of its row is boilerplate; score {score}")                 \
    X(COMMENT,       TH_BOILERPLATE, "reader's comment; score {score}")                               \
    X(COMMENT_KEPT,  TH_CONTENT,     "reader's comment, kept by option; score {score}")               \
    X(REPEATED,      TH_BOILERPLATE, "the page has the same text elsewhere as content; score {score}") \
    X(BEHIND_END,    TH_BOILERPLATE, "after the last prose of the page; score {score}")      \
    X(PAGE_FOOTER,   TH_BOILERPLATE, "in the page's footer; score {score}")                           \
    X(POST,          TH_CONTENT,     "most posts of its thread are content; score {score}")           \
    X(OUTSIDE_POSTS, TH_BOILERPLATE, "outside of the posts of its thread; score {score}")             \
    X(INGREDIENT,    TH_CONTENT,     "its words are ingredients of the page's recipe; score {score}")  \
    X(EDIT_LINK,     TH_BOILERPLATE, "short line with a link to the editor of the page's source; score {score}") \
    X(CONTENTS,      TH_CONTENT,     "table of contents that is all text of a heading of content; score {score}")
/* clang-format on */
enum {
#define TH_CONTENT_VERDICT_ENUM(name, label, words) TH_VERDICT_##name,
    TH_CONTENT_VERDICT_LIST(TH_CONTENT_VERDICT_ENUM)
#undef TH_CONTENT_VERDICT_ENUM
        TH_VERDICT_COUNT
};

/* The steps, as bits, and their names. Each step can be skipped. */
#define TH_CONTENT_STEP_LIST(X)                                                          \
    X(FOOTER, "footer")                                                                  \
    X(LIKE, "like")                                                                      \
    X(CUT, "cut")                                                                        \
    X(LONG, "long")                                                                      \
    X(RESCUE, "rescue")                                                                  \
    X(HEADINGS, "headings")                                                              \
    X(TABLES, "tables")                                                                  \
    X(GROUPS, "groups")                                                                  \
    X(CONTENTS, "contents")                                                              \
    X(INGREDIENTS, "ingredients")                                                        \
    X(COMMENTS, "comments")                                                              \
    X(EDIT, "edit")                                                                      \
    X(END, "end")                                                                        \
    X(REPEATS, "repeats")
enum {
#define TH_CONTENT_STEP_ENUM(name, text) TH_CONTENT_STEP_BIT_##name,
    TH_CONTENT_STEP_LIST(TH_CONTENT_STEP_ENUM)
#undef TH_CONTENT_STEP_ENUM
        TH_CONTENT_STEP_COUNT
};
#define TH_CONTENT_STEP(name) (1u << TH_CONTENT_STEP_BIT_##name)

/** Names of the steps, "like", by the number of their bit; ends with NULL. */
extern const char *const th_content_step_names[];

/** How the decision is made. */
typedef struct th_content_rules {
    uint32_t left_out; /* TH_CONTENT_STEP(...): steps that are not taken */
    th_cut_taste taste;
    uint16_t lowest_cut, highest_cut; /* of TH_PROBABILITY_ONE */
    /* Probabilities that the page is of the type. */
    uint16_t article, forum, listing, product;
    uint8_t keeps_comments;
    /* Columns of features, for the step "end", which is not taken without them: link share
     * of the largest group of like siblings around each paragraph, its size, and its
     * linked headings. */
    const uint8_t *group_links, *group_size, *group_titles;
    /* The same for the step "footer": levels up to the nearest element of a kind. */
    const uint8_t *level_footer, *level_main, *level_article;
} th_content_rules;

/**
 * Balanced: a missed word counts three quarters of a false one, cuts from .25 to .60,
 * comments excluded.
 */
th_content_rules th_content_rules_standard(void);

/** Results of the decision, in addition to the verdicts. */
typedef struct th_content_choice {
    uint32_t quality;          /* highest expected F1 of any cut, of TH_F1_ONE */
    uint16_t cut;              /* of TH_PROBABILITY_ONE */
    uint8_t is_rescued;        /* nearly nothing reached the cut */
    uint8_t is_comment_thread; /* text that looks like comments is the content */
} th_content_choice;

/**
 * Decides about each paragraph.
 * @param score       uint16_t[page->paragraph_count]: probability that it is content
 * @param scratch     for tables; it may be freed after the call
 * @param verdict_of  uint8_t[page->paragraph_count], out: TH_VERDICT_...
 * @param is_comment  uint8_t[page->paragraph_count], out: 1 for readers' comments
 * @return TH_OK or TH_NOMEM. Linear in paragraphs, nodes and text.
 */
th_status th_content_decide(const th_page *page, const uint16_t *score,
                            const th_content_rules *rules, th_arena *scratch,
                            uint8_t *verdict_of, uint8_t *is_comment,
                            th_content_choice *choice);

#endif
