/*
 * Reads JSON into a tree, for vectors and as a check of what the program reads and writes.
 * It shares no code with the program, and follows the grammar of RFC 8259 to the letter.
 */
#ifndef JSON_TREE_H
#define JSON_TREE_H

#include <stdbool.h>
#include <stddef.h>

typedef enum json_type {
    JSON_NULL,
    JSON_BOOLEAN,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT
} json_type;

typedef struct json {
    json_type type;
    bool is_true; /* of a boolean */
    /* A string without escapes, or a number as written. It ends with NUL, and may contain
     * NUL. A lone surrogate is U+FFFD. */
    char *text;
    size_t text_len;
    char *key; /* of a member of an object, else NULL; like text */
    size_t key_len;
    struct json *items; /* of an array or an object, in the order of the document */
    size_t count;
} json;

/** A node of a tree, borrowed. */
typedef const json *json_val;

/**
 * Reads a whole document.
 * @return the tree, for json_free; NULL if it is not JSON in UTF-8, or nested deeper than
 *         1,000 containers. Ends the process if out of memory
 */
json *json_read(const char *bytes, size_t len);
void json_free(json *tree);

/** Returns the first member with this name, or NULL. */
json_val json_get(json_val object, const char *name);

/** Returns the number as a double. */
double json_real(json_val number);

/** Whether the number has no fraction and no exponent. */
bool json_is_integer(json_val number);

#endif
