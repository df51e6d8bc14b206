/*
 * The roles that the class of an element gives to the facts in it.
 *
 * Nearly every start tag has a class, and nearly all have no role. So a class is first
 * searched for certain syllables. Each class with a role contains one of them.
 */
#ifndef TH_CLASS_ROLES_H
#define TH_CLASS_ROLES_H

#include <stdbool.h>
#include <stdint.h>

#include "parse/html/class_memo.h"

/** Whether th_class_roles may find a role. Cheap. @param classes  borrowed */
bool th_class_may_have_roles(th_view classes);

/** Returns the roles of a class attribute's first 512 bytes. @return TH_MARK_...,
 * combined */
uint32_t th_class_roles(th_view classes);

/** Returns the roles of the class of a start tag. */
static inline uint32_t th_roles_in_class(th_class *class)
{
    th_class_facts *const facts = th_class_facts_of(class);
    if (!facts)
        return 0;
    if (!(facts->known & TH_KNOWS_ROLES)) {
        facts->known |= TH_KNOWS_ROLES;
        facts->roles =
            th_class_may_have_roles(class->words) ? th_class_roles(class->words) : 0;
    }
    return facts->roles;
}

#endif
