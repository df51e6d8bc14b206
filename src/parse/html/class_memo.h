/*
 * Facts about the classes of a page. A page has few different classes, even
 * if most of its elements have one, so each question is answered once for each class.
 */
#ifndef TH_CLASS_MEMO_H
#define TH_CLASS_MEMO_H

#include <stdint.h>

#include "thresher/view.h"

/** Answers for one class. An answer that is not known yet is 0. */
typedef struct th_class_facts {
    uint64_t hash;     /* of the class */
    uint32_t set;      /* of elements without other words; 0 is unknown [class_table.h] */
    uint32_t roles;    /* TH_MARK_... [class_roles.h] */
    uint8_t tex;       /* TH_TEX_... [formula.h] */
    uint8_t furniture; /* lists of furniture.c with one of its words, a bit for each */
    uint8_t known;     /* TH_KNOWS_... */
    uint8_t words;     /* of the class, the first of `words_in` */
    uint32_t words_in; /* a set with them; 0 is unknown */
} th_class_facts;

enum {
    TH_KNOWS_ROLES = 1u << 0,
    TH_KNOWS_TEX = 1u << 1,
    TH_KNOWS_FURNITURE = 1u << 2, /* and the next bits, one for each list */
};

typedef struct th_class_memo th_class_memo;

/** The class attribute of a start tag; {0} without one. */
typedef struct th_class {
    th_view words;         /* borrowed */
    th_class_memo *memo;   /* borrowed; may be NULL without words */
    th_class_facts *facts; /* th_class_facts_of; NULL before it is called */
} th_class;

/** Returns the first byte of a class, or 0. */
static inline char th_class_first(const th_class *class)
{
    return (char)(class->words.len ? class->words.data[0] : '\0');
}

enum { TH_CLASS_MEMO_SLOTS = 1024 };

/** A class replaces an earlier class with the same slot. */
struct th_class_memo {
    th_class_facts slots[TH_CLASS_MEMO_SLOTS];
};

/** Empties the memo for a page. */
void th_class_memo_begin(th_class_memo *memo);

/** Returns the facts about a class that is not empty, until the next call. O(bytes). */
th_class_facts *th_class_memo_find(th_class_memo *memo, th_view words);

/** Returns the facts about a class, NULL without words. Only few tags need them. They are
 * valid until the memo finds another class. */
static inline th_class_facts *th_class_facts_of(th_class *class)
{
    if (!class->facts && class->words.len)
        class->facts = th_class_memo_find(class->memo, class->words);
    return class->facts;
}

#endif
