/*
 * Content that a page streams. It is at the end of the source in hidden elements, and a
 * script moves each to the template that keeps its place. React and frameworks based on
 * it write such pages. Without the script they are empty.
 */
#ifndef TH_STREAMED_H
#define TH_STREAMED_H

#include <stdbool.h>

#include "parse/html/attribute.h"
#include "thresher/arena.h"
#include "thresher/status.h"

/** Whether this is the id of an element that holds streamed content: "S:1a". */
bool th_is_streamed_id(th_view id);

/** Whether this is the id of a TEMPLATE that streamed content may replace: "B:0",
 * "P:3". */
bool th_is_stream_place_id(th_view id);

/**
 * Returns the source with streamed content at its templates, instead of their
 * placeholders.
 * @param html  borrowed
 * @param out   the new source in the arena
 * @return TH_OK; TH_ABSENT if nothing is to be moved; TH_NOMEM. Linear.
 */
th_status th_streamed_settle(th_view html, th_arena *arena, th_view *out);

#endif
