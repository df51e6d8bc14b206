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

#include "thresher/view.h"

/** Whether th_class_roles may find a role. Cheap. @param classes  borrowed */
bool th_class_may_have_roles(th_view classes);

/** Returns the roles of a class attribute's first 512 bytes. @return TH_MARK_...,
 * combined */
uint32_t th_class_roles(th_view classes);

#endif
