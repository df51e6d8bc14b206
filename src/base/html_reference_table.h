/* The named character references of the HTML standard, as html_reference_table.py writes
 * them: a minimal acyclic automaton of the 2,231 names (without their '&'). */
#ifndef TH_HTML_REFERENCE_TABLE_H
#define TH_HTML_REFERENCE_TABLE_H

#include <stdint.h>

/* By first letter, A..Z a..z. */
typedef struct th_reference_root {
    uint16_t skip;  /* names that begin with an earlier letter */
    uint16_t first; /* edge */
} th_reference_root;

/* An edge for one letter. The edges of a node are contiguous. */
typedef struct th_reference_edge {
    char symbol;
    uint8_t skip; /* names that the node's earlier edges lead to */
    /* first edge of the node it leads to (0: none), TH_REFERENCE_LAST,
     * TH_REFERENCE_FINAL */
    uint16_t rest;
} th_reference_edge;

enum {
    TH_REFERENCE_EDGE = 0x0FFF,
    TH_REFERENCE_LAST = 0x1000,  /* the last edge of its node */
    TH_REFERENCE_FINAL = 0x2000, /* a name ends here */
};

/* The text of a name, in UTF-8. */
typedef struct th_reference_text {
    uint8_t len;
    char bytes[7];
} th_reference_text;

extern const th_reference_root th_reference_roots[52];
extern const th_reference_edge th_reference_edges[];
extern const th_reference_text th_reference_texts[];

#endif
