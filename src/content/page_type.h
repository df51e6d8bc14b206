/* Kinds of pages that the content model distinguishes. */
#ifndef TH_PAGE_TYPE_H
#define TH_PAGE_TYPE_H

/* clang-format off */
#define TH_PAGE_TYPE_LIST(X)                                                             \
    X(ARTICLE,       "article")       /* one text of an author */                        \
    X(COLLECTION,    "collection")    /* products or works of one kind */                \
    X(DOCUMENTATION, "documentation")                                                    \
    X(FORUM,         "forum")         /* posts of several people */                      \
    X(LISTING,       "listing")       /* teasers of other pages */                       \
    X(PRODUCT,       "product")       /* one thing that is sold */                       \
    X(SERVICE,       "service")       /* the services of a company or an office */
/* clang-format on */

enum {
#define TH_PAGE_TYPE_ENUM(name, text) TH_PAGE_TYPE_##name,
    TH_PAGE_TYPE_LIST(TH_PAGE_TYPE_ENUM)
#undef TH_PAGE_TYPE_ENUM
        TH_PAGE_TYPE_COUNT
};

/** Names of the types, "article"; ends with NULL. */
extern const char *const th_page_type_names[];

#endif
