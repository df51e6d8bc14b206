/*
 * Options of a caller that was compiled with an older or a newer th_options, and lists in
 * options.
 */
#ifndef TH_OPTIONS_SIZE_H
#define TH_OPTIONS_SIZE_H

#include "thresher/options.h"
#include "thresher/view.h"

/**
 * Returns the options with every member that this library has. They are unchanged, or a
 * copy in `scratch` with defaults for members that the caller's struct lacks.
 * @return NULL if their size shows that th_options_init has not initialised them
 */
const th_options *th_options_complete(const th_options *options, th_options *scratch);

/** Returns the format in th_text_formats with a name, or NULL. */
const char *th_text_format_named(th_view name);

/**
 * Removes the first name of a list like text_format, and returns it. The list's data is
 * NULL after the last name.
 */
th_view th_text_format_next(th_view *list);

#endif
