/*
 * What the class of an element says of the facts that it may hold.
 *
 * Nearly every start tag has a class, and nearly none says anything. So a class is asked
 * first whether it has a syllable of which one is in each class that says something.
 */
#ifndef TH_CLASS_ROLES_H
#define TH_CLASS_ROLES_H

#include <stdbool.h>
#include <stdint.h>

#include "thresher/view.h"

/** Whether th_class_roles may find anything; cheap. @param classes  borrowed */
bool th_class_may_have_roles(th_view classes);

/** What a class attribute says, of its first 512 bytes. @return TH_MARK_..., combined */
uint32_t th_class_roles(th_view classes);

#endif
