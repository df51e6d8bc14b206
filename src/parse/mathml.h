/*
 * Presentation MathML to TeX, as a formula streams in. [MathML Core; MathML 3, chapter 3]
 *
 * An annotation in TeX is preferred to the conversion. Elements without a known meaning
 * are rows. A formula that is too deep or too long is not converted; its text remains.
 */
#ifndef TH_MATHML_H
#define TH_MATHML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "parse/html/attribute.h"
#include "thresher/tag.h"

enum {
    TH_MATHML_DEPTH = 64,    /* open elements of a formula */
    TH_MATHML_CHILDREN = 12, /* of an element whose children have different meanings */
    TH_MATHML_NAMES = 32,
    TH_TEX_MAX = 16 << 10, /* bytes of a formula */
};

/** An open element. */
typedef struct th_mathml_frame {
    uint8_t kind;
    uint8_t child_count;
    bool is_text;       /* the output holds text, not TeX yet */
    bool is_group;      /* SUP or SUB in TeX: a brace is open */
    uint8_t variant;    /* token: its alphabet */
    bool has_alignment; /* table: its first column is aligned right */
    bool has_no_line;   /* fraction without a line */
    uint32_t start;     /* of its output */
    uint32_t child_at[TH_MATHML_CHILDREN];
    char open[8], close[8], separator[8]; /* MFENCED */
} th_mathml_frame;

typedef struct th_mathml {
    th_mathml_frame frames[TH_MATHML_DEPTH];
    uint32_t count;
    uint32_t names[TH_MATHML_NAMES]; /* hashes of element names; 0 before the first use */
    th_buffer out;  /* TeX of ended elements, and text of an open token */
    th_buffer part; /* for one element, while it is rewritten */
    th_buffer tex;  /* the annotation */
    th_buffer text; /* all text, unchanged */
    bool is_open;
    bool is_annotation; /* the text belongs to the annotation */
    uint32_t skipped;   /* open elements that are ignored */
    bool has_failed;    /* too deep or too long, or no memory */
    bool is_text;       /* no MATH: the element's text is TeX */
} th_mathml;

/** Returns whether the brace at the start of a text closes with the last byte. */
bool th_tex_is_group(th_view tex);

void th_mathml_done(th_mathml *math);

/** Begins a MATH element, or with `is_text` another element, whose text is TeX. */
void th_mathml_begin(th_mathml *math, bool is_text);

/**
 * Begins an element in it.
 * @param name  th_tag_name_bits of a TH_TAG_OTHER
 */
void th_mathml_start(th_mathml *math, th_tag tag, uint32_t name,
                     const th_attribute *attrs, size_t attr_count);

/** Ends the innermost element. */
void th_mathml_end(th_mathml *math);

void th_mathml_text(th_mathml *math, const char *bytes, size_t len);

/**
 * Ends the MATH element.
 * @return the annotation in TeX, or the conversion; {"", 0} if there is none. Borrowed
 *         until the next formula.
 */
th_view th_mathml_finish(th_mathml *math);

/** Returns the hash of an element's name: the lower 24 bits of FNV-1a. */
static inline uint32_t th_tag_name_hash(th_view name)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < name.len; i++)
        hash = (hash ^ (unsigned char)name.data[i]) * 16777619u;
    return hash & 0xFFFFFF;
}

#endif
