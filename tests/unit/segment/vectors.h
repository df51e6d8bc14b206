/*
 * The test vectors of the learned segmenters, made by a reference that shares no code with
 * the program. tests/data/segmentation has a part of them. The whole set is in
 * shared/corpora/segmentation-vectors and may be absent: CTest runs each program with this
 * folder as its argument, as the tests conform.*, and reports them as skipped.
 */
#ifndef SEGMENTATION_VECTORS_H
#define SEGMENTATION_VECTORS_H

#include <stddef.h>
#include <stdint.h>

#include "json_tree.h"
#include "segment/segment_model.h"
#include "thresher/arena.h"
#include "thresher/options.h"
#include "thresher/page.h"

struct CMUnitTest;

/**
 * Runs the tests of a main(), with the vectors of the folder in argv[1], or with the
 * built-in vectors without an argument.
 * @return what main() returns: the number of failed tests, or 77 if the folder cannot be
 *         read, which CTest reports as skipped
 */
int run_vector_tests(int argc, char **argv, const struct CMUnitTest *tests, size_t count);

/** A file of the folder; fails the test if it cannot be read. Freed with json_free. */
json *load_vectors(const char *name);

/** Returns a member by name. Fails the test if it is missing. */
json_val member(json_val object, const char *name);

/** Number of elements of an array, and one of them. Fails the test if the member is not an array. */
uint32_t length_of(json_val array);
json_val element(json_val array, uint32_t i);

/** A string, borrowed; any other value fails the test. */
const char *string(json_val value);

int64_t integer(json_val number);
int64_t integer_at(json_val array, uint32_t i);

/** The parsed page of that name in pages.json. @param arena  owns the page */
th_page *vector_page(const char *name, th_arena *arena);

/** Fails unless the array holds these numbers. */
void check_numbers(json_val want, const uint32_t *have, uint32_t count);

/** Options with the reference's model of that method, which its figures are made with.
 * @param model  borrowed by the options */
th_options vector_options(const th_segment_model *shipped, th_segment_model *model);

#endif
