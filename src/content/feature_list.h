/*
 * The only list of the features of a paragraph and of a page: names, groups and meanings.
 *
 * Each is a byte. "log" is 16 log2(1 + n), at most 254. A "share" is in units of 1/255. A
 * "level" is the number of elements to go up: at most 254, or 255 if there is no such
 * element. Other columns in which 255 means unknown say so. A row is a paragraph, hidden
 * ones included.
 */
#ifndef TH_FEATURE_LIST_H
#define TH_FEATURE_LIST_H

/* X(GROUP, "name", "its contents") */
/* clang-format off */
#define TH_FEATURE_GROUP_LIST(X)                                                                  \
    X(TEXT,       "text",       "the paragraph's own text")                                       \
    X(TAG,        "tag",        "the element that contains it")                                   \
    X(LEVEL,      "level",      "levels up to the nearest element of a kind, by tag or role")     \
    X(FAMILY,     "family",     "levels up to the nearest class, id or itemprop of a family")     \
    X(TOKEN,      "token",      "log-odds by the words of classes and of short texts")            \
    X(POSITION,   "position",   "its position in the page")                                       \
    X(NEIGHBOUR,  "neighbour",  "the paragraphs around it")                                       \
    X(SUBTREE,    "subtree",    "the enclosing elements with more text")                          \
    X(REPETITION, "repetition", "similar elements and texts")                                     \
    X(RULE,       "rule",       "results of the rules")                                           \
    X(AGREEMENT,  "agreement",  "words shared with title, description and JSON-LD")               \
    X(PAGE,       "page",       "the page that contains it")                                      \
    X(SITE,       "site",       "its occurrences on other pages of the site")                     \
    X(TYPE,       "type",       "the type of the page, by the model of pages")

/* X(NAME, "name", GROUP, "meaning"). The families' names are from class_family.c. */
#define TH_FEATURE_LIST(X)                                                                        \
    X(TOKENS, "tokens", TEXT, "log of tokens")                                                    \
    X(BYTES, "bytes", TEXT, "log of bytes")                                                       \
    X(WORD_LEN, "word_len", TEXT, "16 times the bytes per word")                                  \
    X(LINK_SHARE, "link_share", TEXT, "share of linked tokens")                                   \
    X(COMMAS, "commas", TEXT, "log of commas")                                                    \
    X(SENTENCES, "sentences", TEXT, "log of . ! ? after a letter and before a space or the end")  \
    X(ENDS_SENTENCE, "ends_sentence", TEXT, "1: ends with . ! ? or an ellipsis")                  \
    X(ENDS_COLON, "ends_colon", TEXT, "1: ends with a colon")                                     \
    X(CAPITAL_WORDS, "capital_words", TEXT, "share of words that begin with a capital")           \
    X(CAPITALS, "capitals", TEXT, "share of capitals among ASCII letters")                        \
    X(DIGITS, "digits", TEXT, "share of digits among bytes")                                      \
    X(SHORT_WORDS, "short_words", TEXT, "share of words of at most 3 letters")                    \
    X(HIGH_BYTES, "high_bytes", TEXT, "share of bytes that are not ASCII")                        \
    X(STARTS_LOWER, "starts_lower", TEXT, "1: begins with a lower-case letter")                   \
    X(STARTS_DIGIT, "starts_digit", TEXT, "1: begins with a digit")                               \
    X(COPYRIGHT, "copyright", TEXT, "1: a copyright sign")                                        \
    X(SEPARATORS, "separators", TEXT, "log of | / bullets, middle dots, guillemets, arrows")      \
    X(PRICES, "prices", TEXT, "log of currency signs next to a number")                           \
    X(DATES, "dates", TEXT, "log of years, names of months, 12:30, 1/2/2003")                     \
    X(QUESTIONS, "questions", TEXT, "log of question marks")                                      \
    X(EXCLAMATIONS, "exclamations", TEXT, "log of exclamation marks")                             \
    X(ADDRESSES, "addresses", TEXT, "log of :// www. and @ between letters")                      \
    X(BRACKETS, "brackets", TEXT, "log of ( [ { and quotation marks")                             \
    X(CODE_SIGNS, "code_signs", TEXT, "log of ; = < > _ $ # & *")                                 \
    X(CHROME_WORDS, "chrome_words", TEXT, "share of words of menus, forms and notices")           \
    X(LINES, "lines", TEXT, "log of lines when wrapped")                                          \
    X(DENSITY, "density", TEXT, "12 times the tokens per line")                                   \
    X(PIECES, "pieces", TEXT, "log of atomic blocks")                                             \
    X(LINKS, "links", TEXT, "log of links that begin in it")                                      \
    \
    X(IN_P, "in_p", TAG, "1: P")                                                                  \
    X(IN_DIV, "in_div", TAG, "1: DIV")                                                            \
    X(IN_ITEM, "in_item", TAG, "1: item of a list")                                               \
    X(IN_CELL, "in_cell", TAG, "1: cell of a table")                                              \
    X(IN_DEFINITION, "in_definition", TAG, "1: DT or DD")                                         \
    X(IN_QUOTE, "in_quote", TAG, "1: BLOCKQUOTE")                                                 \
    X(IN_CAPTION, "in_caption", TAG, "1: CAPTION, FIGCAPTION, LEGEND")                            \
    X(IN_CONTROL, "in_control", TAG, "1: words on buttons, LABEL")                                \
    X(IN_SECTIONING, "in_sectioning", TAG, "1: directly in BODY, MAIN, ARTICLE, SECTION")         \
    X(HEADING, "heading", TAG, "7 minus its level; 0 if not a heading")                           \
    X(HIDDEN, "hidden", TAG, "1: not shown")                                                      \
    X(CODE, "code", TAG, "share of tokens in PRE, CODE, KBD, SAMP, TT")                           \
    X(BOLD, "bold", TAG, "share of tokens in B and STRONG")                                       \
    X(SMALL, "small", TAG, "share of tokens in SMALL, SUP, SUB, TIME, CITE, LABEL")               \
    X(BARE_INLINE, "bare_inline", TAG, "1: one inline element contains all of it")                \
    X(IS_APART, "is_apart", TAG, "1: displayed with a gap before it")                             \
    X(LIST_DEPTH, "list_depth", TAG, "number of enclosing lists")                                 \
    X(IS_DATA, "is_data", TAG, "1: in a table whose rows are lines of short cells")               \
    \
    X(LEVEL_MAIN, "level_main", LEVEL, "MAIN")                                                    \
    X(LEVEL_ARTICLE, "level_article", LEVEL, "ARTICLE")                                           \
    X(LEVEL_SECTION, "level_section", LEVEL, "SECTION, role region")                              \
    X(LEVEL_NAV, "level_nav", LEVEL, "NAV, role navigation, menu, menubar")                       \
    X(LEVEL_HEADER, "level_header", LEVEL, "HEADER, role banner")                                 \
    X(LEVEL_FOOTER, "level_footer", LEVEL, "FOOTER, role contentinfo")                            \
    X(LEVEL_ASIDE, "level_aside", LEVEL, "ASIDE, role complementary")                             \
    X(LEVEL_FORM, "level_form", LEVEL, "FORM, FIELDSET, role form, search")                       \
    X(LEVEL_TABLE, "level_table", LEVEL, "TABLE")                                                 \
    X(LEVEL_LIST, "level_list", LEVEL, "UL, OL, DL, MENU, role list")                             \
    X(LEVEL_DIALOG, "level_dialog", LEVEL, "DIALOG, role dialog, alertdialog, alert")             \
    X(LEVEL_FIGURE, "level_figure", LEVEL, "FIGURE")                                              \
    X(LEVEL_QUOTE, "level_quote", LEVEL, "BLOCKQUOTE, Q")                                         \
    X(LEVEL_PRE, "level_pre", LEVEL, "PRE, CODE")                                                 \
    X(LEVEL_DETAILS, "level_details", LEVEL, "DETAILS, role tabpanel")                            \
    X(LEVEL_LINK, "level_link", LEVEL, "A, BUTTON, role button, tab")                             \
    \
    X(FAMILY_CONTENT, "family_content", FAMILY, "content, entry, body, text")                     \
    X(FAMILY_MAIN, "family_main", FAMILY, "main, primary, article, story")                        \
    X(FAMILY_NAV, "family_nav", FAMILY, "nav, menu, breadcrumb")                                  \
    X(FAMILY_HEADER, "family_header", FAMILY, "header, masthead, banner, topbar")                 \
    X(FAMILY_FOOTER, "family_footer", FAMILY, "footer, copyright, legal")                         \
    X(FAMILY_SIDE, "family_side", FAMILY, "sidebar, aside, widget")                               \
    X(FAMILY_COMMENT, "family_comment", FAMILY, "comment, reply, discussion")                     \
    X(FAMILY_POST, "family_post", FAMILY, "post, thread, message, topic")                         \
    X(FAMILY_RELATED, "family_related", FAMILY, "related, popular, recommended, more")            \
    X(FAMILY_SHARE, "family_share", FAMILY, "share, social, follow, and the networks")            \
    X(FAMILY_ADVERT, "family_advert", FAMILY, "ad, advert, promo, sponsor")                       \
    X(FAMILY_NOTICE, "family_notice", FAMILY, "cookie, modal, popup, newsletter, subscribe")      \
    X(FAMILY_BYLINE, "family_byline", FAMILY, "author, byline, date, meta")                       \
    X(FAMILY_PRODUCT, "family_product", FAMILY, "product, price, cart, shop")                     \
    X(FAMILY_REVIEW, "family_review", FAMILY, "review, rating, testimonial")                      \
    X(FAMILY_PAGING, "family_paging", FAMILY, "pagination, pager, next, previous")                \
    X(FAMILY_SEARCH, "family_search", FAMILY, "search, filter, sort, facet")                      \
    X(FAMILY_CARD, "family_card", FAMILY, "card, item, tile, grid, teaser")                       \
    X(FAMILY_HERO, "family_hero", FAMILY, "hero, jumbotron, carousel, slider")                    \
    X(FAMILY_TOC, "family_toc", FAMILY, "toc, contents, outline, anchor")                         \
    X(FAMILY_HIDDEN, "family_hidden", FAMILY, "hidden, skip, visually, sr, print")                \
    X(FAMILY_DESCRIPTION, "family_description", FAMILY, "description, summary, spec, detail, tab")\
    X(FAMILY_TITLE, "family_title", FAMILY, "title, headline, heading")                           \
    X(FAMILY_BUTTON, "family_button", FAMILY, "button, btn, cta, link, action")                   \
    \
    X(TOKEN_OWN, "token_own", TOKEN, "of the row: 128 + 12 x log-odds; 128: unknown (all of this group)")\
    X(TOKEN_CLASSES, "token_classes", TOKEN, "by its classes alone")                              \
    X(TOKEN_WORDS, "token_words", TOKEN, "by its words alone")                                    \
    X(TOKEN_PREVIOUS, "token_previous", TOKEN, "of the row before")                               \
    X(TOKEN_NEXT, "token_next", TOKEN, "of the row after")                                        \
    X(TOKEN_WINDOW_4, "token_window_4", TOKEN, "mean of 4 rows on either side, by tokens")        \
    X(TOKEN_WINDOW_10, "token_window_10", TOKEN, "mean of 10 rows on either side")                \
    X(TOKEN_SUBTREE_1, "token_subtree_1", TOKEN, "mean of the first enclosing element with more rows")\
    X(TOKEN_SUBTREE_2, "token_subtree_2", TOKEN, "of the second")                                 \
    X(TOKEN_SUBTREE_3, "token_subtree_3", TOKEN, "of the third")                                  \
    X(TOKEN_SUBTREE_4, "token_subtree_4", TOKEN, "of the fourth")                                 \
    X(TOKEN_PAGE, "token_page", TOKEN, "of the page")                                             \
    X(TOKEN_MIN, "token_min", TOKEN, "minimum by the classes of one of 8 enclosing elements")     \
    X(TOKEN_MAX, "token_max", TOKEN, "largest")                                                   \
    X(TOKEN_HEADING, "token_heading", TOKEN, "by the words of the last heading")                  \
    X(TOKEN_HEADING_ABOVE, "token_heading_above", TOKEN, "by the words of the heading above it")  \
    X(TOKEN_COUNT, "token_count", TOKEN, "log of class words of 8 enclosing elements; never unknown")\
    \
    X(ROWS_BEFORE, "rows_before", POSITION, "share of rows before")                               \
    X(TOKENS_BEFORE, "tokens_before", POSITION, "share of tokens before")                         \
    X(ROWS_FROM_H1, "rows_from_h1", POSITION, "128 +- half the log of rows from the H1; 255: no H1")\
    X(TOKENS_FROM_H1, "tokens_from_h1", POSITION, "128 +- half the log of tokens; 255: no H1")    \
    X(ROWS_FROM_HEADING, "rows_from_heading", POSITION, "log of rows since the last heading; 255: no heading")\
    X(TOKENS_FROM_HEADING, "tokens_from_heading", POSITION, "log of tokens since it; 255: no heading")\
    X(LAST_HEADING, "last_heading", POSITION, "7 minus the level of the last heading; 0: no heading")\
    X(DEPTH, "depth", POSITION, "number of enclosing elements")                                   \
    X(SIBLING, "sibling", POSITION, "log of its element's position among siblings with text")     \
    X(SIBLINGS, "siblings", POSITION, "log of the number of these siblings")                      \
    X(ROWS_AFTER, "rows_after", POSITION, "log of rows after it")                                 \
    X(PROSE_BEFORE, "prose_before", POSITION, "share of the tokens of prose before it (rows of at least 25 tokens, most not linked)")\
    X(ROWS_FROM_PROSE, "rows_from_prose", POSITION, "log of rows since the last row of prose; 255: none")\
    X(ROWS_TO_PROSE, "rows_to_prose", POSITION, "log of rows to the next row of prose; 255: none")\
    \
    X(LINK_SHARE_1_BEFORE, "link_share_1_before", NEIGHBOUR, "of the row before; 0 outside of the page (all of this group)")\
    X(LINK_SHARE_2_BEFORE, "link_share_2_before", NEIGHBOUR, "two before")                        \
    X(LINK_SHARE_3_BEFORE, "link_share_3_before", NEIGHBOUR, "three before")                      \
    X(LINK_SHARE_1_AFTER, "link_share_1_after", NEIGHBOUR, "of the row after")                    \
    X(LINK_SHARE_2_AFTER, "link_share_2_after", NEIGHBOUR, "two after")                           \
    X(LINK_SHARE_3_AFTER, "link_share_3_after", NEIGHBOUR, "three after")                         \
    X(TOKENS_1_BEFORE, "tokens_1_before", NEIGHBOUR, "log of tokens of the row before")           \
    X(TOKENS_2_BEFORE, "tokens_2_before", NEIGHBOUR, "two before")                                \
    X(TOKENS_3_BEFORE, "tokens_3_before", NEIGHBOUR, "three before")                              \
    X(TOKENS_1_AFTER, "tokens_1_after", NEIGHBOUR, "log of tokens of the row after")              \
    X(TOKENS_2_AFTER, "tokens_2_after", NEIGHBOUR, "two after")                                   \
    X(TOKENS_3_AFTER, "tokens_3_after", NEIGHBOUR, "three after")                                 \
    X(WINDOW_4_LINKS, "window_4_links", NEIGHBOUR, "link share of the row and 4 rows on either side")\
    X(WINDOW_4_WORDS, "window_4_words", NEIGHBOUR, "their log of tokens per row")                 \
    X(WINDOW_4_LONG, "window_4_long", NEIGHBOUR, "share of rows of at least 10 tokens")           \
    X(WINDOW_10_LINKS, "window_10_links", NEIGHBOUR, "the same with 10 rows")                     \
    X(WINDOW_10_WORDS, "window_10_words", NEIGHBOUR, "log of tokens per row")                     \
    X(WINDOW_10_LONG, "window_10_long", NEIGHBOUR, "share of long rows")                          \
    X(WINDOW_25_LINKS, "window_25_links", NEIGHBOUR, "the same with 25 rows")                     \
    X(WINDOW_25_WORDS, "window_25_words", NEIGHBOUR, "log of tokens per row")                     \
    X(WINDOW_25_LONG, "window_25_long", NEIGHBOUR, "share of long rows")                          \
    X(SAME_ELEMENT_BEFORE, "same_element_before", NEIGHBOUR, "1: the element of the row before has the same tag and class")\
    X(SAME_ELEMENT_AFTER, "same_element_after", NEIGHBOUR, "1: the element of the row after has") \
    \
    X(SUBTREE_1_TOKENS, "subtree_1_tokens", SUBTREE, "first enclosing element with more rows: log of tokens")\
    X(SUBTREE_1_LINKS, "subtree_1_links", SUBTREE, "link share")                                  \
    X(SUBTREE_1_SHARE, "subtree_1_share", SUBTREE, "share of the page's tokens")                  \
    X(SUBTREE_1_WORDS, "subtree_1_words", SUBTREE, "log of tokens per row")                       \
    X(SUBTREE_1_LONG, "subtree_1_long", SUBTREE, "share of rows of at least 10 tokens")           \
    X(SUBTREE_1_HEADINGS, "subtree_1_headings", SUBTREE, "log of headings")                       \
    X(SUBTREE_1_P, "subtree_1_p", SUBTREE, "share of tokens in P")                                \
    X(SUBTREE_1_LIKE, "subtree_1_like", SUBTREE, "log of siblings of the same tag and class")     \
    X(SUBTREE_2_TOKENS, "subtree_2_tokens", SUBTREE, "second enclosing element: log of tokens")   \
    X(SUBTREE_2_LINKS, "subtree_2_links", SUBTREE, "link share")                                  \
    X(SUBTREE_2_SHARE, "subtree_2_share", SUBTREE, "share of the page's tokens")                  \
    X(SUBTREE_2_WORDS, "subtree_2_words", SUBTREE, "log of tokens per row")                       \
    X(SUBTREE_2_LONG, "subtree_2_long", SUBTREE, "share of long rows")                            \
    X(SUBTREE_2_HEADINGS, "subtree_2_headings", SUBTREE, "log of headings")                       \
    X(SUBTREE_2_P, "subtree_2_p", SUBTREE, "share of tokens in P")                                \
    X(SUBTREE_2_LIKE, "subtree_2_like", SUBTREE, "log of similar siblings")                       \
    X(SUBTREE_3_TOKENS, "subtree_3_tokens", SUBTREE, "third enclosing element: log of tokens")    \
    X(SUBTREE_3_LINKS, "subtree_3_links", SUBTREE, "link share")                                  \
    X(SUBTREE_3_SHARE, "subtree_3_share", SUBTREE, "share of the page's tokens")                  \
    X(SUBTREE_3_WORDS, "subtree_3_words", SUBTREE, "log of tokens per row")                       \
    X(SUBTREE_3_LONG, "subtree_3_long", SUBTREE, "share of long rows")                            \
    X(SUBTREE_3_HEADINGS, "subtree_3_headings", SUBTREE, "log of headings")                       \
    X(SUBTREE_3_P, "subtree_3_p", SUBTREE, "share of tokens in P")                                \
    X(SUBTREE_3_LIKE, "subtree_3_like", SUBTREE, "log of similar siblings")                       \
    X(SUBTREE_4_TOKENS, "subtree_4_tokens", SUBTREE, "fourth enclosing element: log of tokens")   \
    X(SUBTREE_4_LINKS, "subtree_4_links", SUBTREE, "link share")                                  \
    X(SUBTREE_4_SHARE, "subtree_4_share", SUBTREE, "share of the page's tokens")                  \
    X(SUBTREE_4_WORDS, "subtree_4_words", SUBTREE, "log of tokens per row")                       \
    X(SUBTREE_4_LONG, "subtree_4_long", SUBTREE, "share of long rows")                            \
    X(SUBTREE_4_HEADINGS, "subtree_4_headings", SUBTREE, "log of headings")                       \
    X(SUBTREE_4_P, "subtree_4_p", SUBTREE, "share of tokens in P")                                \
    X(SUBTREE_4_LIKE, "subtree_4_like", SUBTREE, "log of similar siblings")                       \
    X(LARGEST_TOKENS, "largest_tokens", SUBTREE, "largest enclosing element with less than 70 % of the page: log of tokens")\
    X(LARGEST_LINKS, "largest_links", SUBTREE, "link share")                                      \
    X(LARGEST_SHARE, "largest_share", SUBTREE, "share of the page's tokens")                      \
    X(LARGEST_WORDS, "largest_words", SUBTREE, "log of tokens per row")                           \
    X(LARGEST_LONG, "largest_long", SUBTREE, "share of long rows")                                \
    X(LARGEST_HEADINGS, "largest_headings", SUBTREE, "log of headings")                           \
    X(LARGEST_P, "largest_p", SUBTREE, "share of tokens in P")                                    \
    X(LARGEST_LIKE, "largest_like", SUBTREE, "log of similar siblings")                           \
    \
    X(GROUP_SIZE, "group_size", REPETITION, "log of the size of its largest group of similar siblings")\
    X(GROUP_TOKENS, "group_tokens", REPETITION, "log of the group's mean tokens")                 \
    X(GROUP_LINKS, "group_links", REPETITION, "the group's link share")                           \
    X(GROUP_SHARE, "group_share", REPETITION, "the group's share of the page's tokens")           \
    X(GROUP_HEADINGS, "group_headings", REPETITION, "16 times the headings per member")           \
    X(GROUP_TITLES, "group_titles", REPETITION, "16 times the linked headings per member")        \
    X(GROUP_LONG, "group_long", REPETITION, "share of the group's rows with at least 10 tokens")  \
    X(SAME_TEXTS, "same_texts", REPETITION, "log of other rows with the same words")              \
    \
    X(NUM_WORDS, "num_words", RULE, "1: num-words labels the paragraph as content")               \
    X(DENSITOMETRIC, "densitometric", RULE, "1: densitometric labels the paragraph as content")   \
    X(IN_LARGEST_RUN, "in_largest_run", RULE, "1: in the largest run of num-words")               \
    X(READABILITY, "readability", RULE, "score of its element and its parent, as share of the best score")\
    X(READABILITY_BEST, "readability_best", RULE, "levels up to the element with the best score") \
    \
    X(TITLE_WORDS, "title_words", AGREEMENT, "share of its words that are in the title")          \
    X(WORDS_OF_TITLE, "words_of_title", AGREEMENT, "these words, as share of the title")          \
    X(H1_WORDS, "h1_words", AGREEMENT, "share of its words that are in the H1")                   \
    X(DESCRIPTION_WORDS, "description_words", AGREEMENT, "share of its words that are in the description")\
    X(WORDS_OF_DESCRIPTION, "words_of_description", AGREEMENT, "these words, as share of the description")\
    X(IN_BODY, "in_body", AGREEMENT, "share of its 3-word shingles in articleBody; 255: unknown") \
    \
    X(PAGE_TOKENS, "page_tokens", PAGE, "log of tokens")                                          \
    X(PAGE_ROWS, "page_rows", PAGE, "log of rows")                                                \
    X(PAGE_LINKS, "page_links", PAGE, "link share")                                               \
    X(PAGE_P, "page_p", PAGE, "share of tokens in P")                                             \
    X(PAGE_ITEMS, "page_items", PAGE, "share of tokens in items of lists")                        \
    X(PAGE_CODE, "page_code", PAGE, "share of tokens in PRE")                                     \
    X(PAGE_LONG, "page_long", PAGE, "share of rows of at least 10 tokens")                        \
    X(PAGE_HIDDEN, "page_hidden", PAGE, "share of hidden tokens")                                 \
    X(PAGE_ARTICLES, "page_articles", PAGE, "log of ARTICLE elements")                            \
    X(PAGE_FORMS, "page_forms", PAGE, "log of FORM elements")                                     \
    X(PAGE_BUTTONS, "page_buttons", PAGE, "log of BUTTON and INPUT elements")                     \
    X(PAGE_IMAGES, "page_images", PAGE, "log of IMG elements")                                    \
    X(PAGE_PRICES, "page_prices", PAGE, "log of rows with a price")                               \
    X(PAGE_GROUP, "page_group", PAGE, "largest share of tokens in a group of similar siblings")   \
    X(PAGE_OG_TYPE, "page_og_type", PAGE, "og:type: 0 none, 1 website, 2 other, 3 product, 4 article")\
    X(PAGE_LD_ARTICLE, "page_ld_article", PAGE, "1: JSON-LD has an article")                      \
    X(PAGE_LD_PRODUCT, "page_ld_product", PAGE, "1: a product")                                   \
    X(PAGE_LD_FORUM, "page_ld_forum", PAGE, "1: questions, comments")                             \
    X(PAGE_LD_RECIPE, "page_ld_recipe", PAGE, "1: a recipe")                                      \
    X(PAGE_HAS_CLASSES, "page_has_classes", PAGE, "share of elements with text whose classes have known words")\
    \
    X(SITE_PAGES, "site_pages", SITE, "log of the site's other pages that contain it; 255: unknown")\
    X(SITE_SHARE, "site_share", SITE, "share of the site's other pages that contain it, or 255 if fewer than two are known")\
    \
    X(TYPE_ARTICLE, "type_article", TYPE, "probability that the page is an article")              \
    X(TYPE_COLLECTION, "type_collection", TYPE, "a collection")                                   \
    X(TYPE_DOCUMENTATION, "type_documentation", TYPE, "documentation")                            \
    X(TYPE_FORUM, "type_forum", TYPE, "a forum")                                                  \
    X(TYPE_LISTING, "type_listing", TYPE, "a listing")                                            \
    X(TYPE_PRODUCT, "type_product", TYPE, "a product")                                            \
    X(TYPE_SERVICE, "type_service", TYPE, "a service")

/* X(NAME, "name", "meaning"): the features for the model of page types. */
#define TH_PAGE_FEATURE_LIST(X)                                                                   \
    X(TOKENS, "tokens", "log of tokens")                                                          \
    X(ROWS, "rows", "log of rows")                                                                \
    X(WORDS, "words", "log of tokens per row")                                                    \
    X(LINKS, "links", "link share")                                                               \
    X(P, "p", "share of tokens in P")                                                             \
    X(ITEMS, "items", "share of tokens in items of lists")                                        \
    X(CELLS, "cells", "share of tokens in cells")                                                 \
    X(CODE, "code", "share of tokens in PRE")                                                     \
    X(HEADINGS, "headings", "log of headings")                                                    \
    X(H1, "h1", "log of H1 paragraphs")                                                           \
    X(LONG, "long", "share of rows of at least 10 tokens")                                        \
    X(VERY_LONG, "very_long", "share of tokens in rows of at least 40")                           \
    X(HIDDEN, "hidden", "share of hidden tokens")                                                 \
    X(ARTICLES, "articles", "log of ARTICLE elements")                                            \
    X(SECTIONS, "sections", "log of SECTION elements")                                            \
    X(FORMS, "forms", "log of FORM elements")                                                     \
    X(BUTTONS, "buttons", "log of BUTTON and INPUT elements")                                     \
    X(IMAGES, "images", "log of IMG elements")                                                    \
    X(TABLES, "tables", "log of TABLE elements")                                                  \
    X(VIDEOS, "videos", "log of VIDEO and IFRAME elements")                                       \
    X(TIMES, "times", "log of TIME elements")                                                     \
    X(PRICES, "prices", "log of rows with a price")                                               \
    X(DATES, "dates", "log of rows with a date")                                                  \
    X(QUESTIONS, "questions", "log of rows with a question mark")                                 \
    X(GROUP_SIZE, "group_size", "log of the size of the group of similar siblings with most tokens")\
    X(GROUP_TOKENS, "group_tokens", "log of the group's mean tokens")                             \
    X(GROUP_SHARE, "group_share", "the group's share of tokens")                                  \
    X(GROUP_LINKS, "group_links", "the group's link share")                                       \
    X(RUN_SHARE, "run_share", "share of tokens in the largest run of num-words")                  \
    X(NUM_WORDS_SHARE, "num_words_share", "share of tokens that num-words keeps")                 \
    X(TITLE_ROW, "title_row", "largest share of the title's words in one row")                    \
    X(IN_MAIN, "in_main", "share of tokens in MAIN or ARTICLE")                                   \
    X(IN_NAV, "in_nav", "share of tokens in NAV, HEADER, FOOTER, ASIDE")                          \
    X(IN_FORM, "in_form", "share of tokens in a form")                                            \
    X(IN_COMMENT, "in_comment", "share of tokens in elements with classes of comments")           \
    X(PROSE_APART, "prose_apart", "log of tokens of prose outside of comments")                   \
    X(PROSE_BEFORE_GROUP, "prose_before_group", "log of tokens of prose before the group with most tokens")\
    X(IN_POST, "in_post", "of posts and threads")                                                 \
    X(IN_PRODUCT, "in_product", "of products")                                                    \
    X(IN_CARD, "in_card", "of cards")                                                             \
    X(IN_TOC, "in_toc", "of tables of contents")                                                  \
    X(IN_REVIEW, "in_review", "of reviews")                                                       \
    X(IN_HERO, "in_hero", "of heroes and sliders")                                                \
    X(IN_BYLINE, "in_byline", "of authors and dates")                                             \
    X(OG_ARTICLE, "og_article", "1: og:type is article")                                          \
    X(OG_PRODUCT, "og_product", "1: og:type is product")                                          \
    X(OG_WEBSITE, "og_website", "1: og:type is website")                                          \
    X(LD_ARTICLE, "ld_article", "1: JSON-LD has an article")                                      \
    X(LD_PRODUCT, "ld_product", "1: a product")                                                   \
    X(LD_FORUM, "ld_forum", "1: questions, comments")                                             \
    X(LD_LIST, "ld_list", "1: a list")                                                            \
    X(LD_TECH, "ld_tech", "1: documentation")                                                     \
    X(LD_BUSINESS, "ld_business", "1: a business, a service")                                     \
    X(LD_EVENT, "ld_event", "1: an event, a job")                                                 \
    X(LD_MEDIA, "ld_media", "1: a video, a book")                                                 \
    X(LD_FAQ, "ld_faq", "1: questions and answers")                                               \
    X(LD_RECIPE, "ld_recipe", "1: a recipe")                                                      \
    X(LD_BODY, "ld_body", "log of bytes of articleBody")                                          \
    X(GENERATOR_BLOG, "generator_blog", "1: generated by a program for blogs")                    \
    X(GENERATOR_FORUM, "generator_forum", "1: by a program for forums")                           \
    X(GENERATOR_DOCS, "generator_docs", "1: by a program for documentation")                      \
    X(GENERATOR_SHOP, "generator_shop", "1: by a program for shops")
/* clang-format on */

#endif
