/*
 * Pictures of emoji and smileys. A page shows them as characters of its text, and their ALT
 * has the character or its name. [docs/text.md]
 */
#ifndef TH_EMOJI_H
#define TH_EMOJI_H

#include <stdbool.h>

#include "parse/html/attribute.h"

/**
 * Returns whether an IMG is an emoji or a smiley, by its class.
 * @param words  out: its ALT, at most 40 bytes: a symbol, ":)", or ":name:"; borrowed
 */
bool th_is_emoji(const th_attribute *attrs, size_t attr_count, th_view *words);

#endif
