/* Makes text safe for a terminal or a line of a log. */
#ifndef TH_PRINTABLE_H
#define TH_PRINTABLE_H

/** Replaces each byte of a control character by '?': C0, DEL, and C1 in UTF-8. Until the
 * NUL. */
static inline void th_make_printable(char *text)
{
    for (unsigned char *at = (unsigned char *)text; *at; at++) {
        if (at[0] == 0xC2 && at[1] >= 0x80 && at[1] <= 0x9F)
            at[0] = at[1] = '?';
        if (*at < ' ' || *at == 0x7F)
            *at = '?';
    }
}

#endif
