/* Unicode to TeX, for the characters of LaTeX and amsmath. */
#include "parse/tex_symbols.h"

#include <stddef.h>

struct row {
    uint16_t c;
    const char *tex;
};

/* clang-format off */
static const struct row rows[] = { /* sorted by character */
    { 0x00A0, "\\ " },
    { 0x00AC, "\\neg" },
    { 0x00B0, "\\circ" },
    { 0x00B1, "\\pm" },
    { 0x00B7, "\\cdot" },
    { 0x00D7, "\\times" },
    { 0x00F7, "\\div" },
    { 0x02C6, "^" },
    { 0x02DC, "~" },
    { 0x0393, "\\Gamma" },
    { 0x0394, "\\Delta" },
    { 0x0398, "\\Theta" },
    { 0x039B, "\\Lambda" },
    { 0x039E, "\\Xi" },
    { 0x03A0, "\\Pi" },
    { 0x03A3, "\\Sigma" },
    { 0x03A5, "\\Upsilon" },
    { 0x03A6, "\\Phi" },
    { 0x03A8, "\\Psi" },
    { 0x03A9, "\\Omega" },
    { 0x03B1, "\\alpha" },
    { 0x03B2, "\\beta" },
    { 0x03B3, "\\gamma" },
    { 0x03B4, "\\delta" },
    { 0x03B5, "\\varepsilon" },
    { 0x03B6, "\\zeta" },
    { 0x03B7, "\\eta" },
    { 0x03B8, "\\theta" },
    { 0x03B9, "\\iota" },
    { 0x03BA, "\\kappa" },
    { 0x03BB, "\\lambda" },
    { 0x03BC, "\\mu" },
    { 0x03BD, "\\nu" },
    { 0x03BE, "\\xi" },
    { 0x03C0, "\\pi" },
    { 0x03C1, "\\rho" },
    { 0x03C2, "\\varsigma" },
    { 0x03C3, "\\sigma" },
    { 0x03C4, "\\tau" },
    { 0x03C5, "\\upsilon" },
    { 0x03C6, "\\varphi" },
    { 0x03C7, "\\chi" },
    { 0x03C8, "\\psi" },
    { 0x03C9, "\\omega" },
    { 0x03D1, "\\vartheta" },
    { 0x03D5, "\\phi" },
    { 0x03D6, "\\varpi" },
    { 0x03F1, "\\varrho" },
    { 0x03F5, "\\epsilon" },
    { 0x2002, "\\enspace" },
    { 0x2003, "\\quad" },
    { 0x2009, "\\," },
    { 0x200A, "" },
    { 0x200B, "" },
    { 0x2016, "\\|" },
    { 0x2020, "\\dagger" },
    { 0x2021, "\\ddagger" },
    { 0x2022, "\\bullet" },
    { 0x2026, "\\ldots" },
    { 0x2032, "'" },
    { 0x2033, "''" },
    { 0x2061, "" },
    { 0x2062, "" },
    { 0x2063, "" },
    { 0x2064, "" },
    { 0x210F, "\\hbar" },
    { 0x2111, "\\Im" },
    { 0x2113, "\\ell" },
    { 0x2118, "\\wp" },
    { 0x211C, "\\Re" },
    { 0x2135, "\\aleph" },
    { 0x2190, "\\leftarrow" },
    { 0x2191, "\\uparrow" },
    { 0x2192, "\\rightarrow" },
    { 0x2193, "\\downarrow" },
    { 0x2194, "\\leftrightarrow" },
    { 0x2195, "\\updownarrow" },
    { 0x2196, "\\nwarrow" },
    { 0x2197, "\\nearrow" },
    { 0x2198, "\\searrow" },
    { 0x2199, "\\swarrow" },
    { 0x21A6, "\\mapsto" },
    { 0x21A9, "\\hookleftarrow" },
    { 0x21AA, "\\hookrightarrow" },
    { 0x21BC, "\\leftharpoonup" },
    { 0x21C0, "\\rightharpoonup" },
    { 0x21C4, "\\rightleftarrows" },
    { 0x21CC, "\\rightleftharpoons" },
    { 0x21D0, "\\Leftarrow" },
    { 0x21D1, "\\Uparrow" },
    { 0x21D2, "\\Rightarrow" },
    { 0x21D3, "\\Downarrow" },
    { 0x21D4, "\\Leftrightarrow" },
    { 0x2200, "\\forall" },
    { 0x2202, "\\partial" },
    { 0x2203, "\\exists" },
    { 0x2204, "\\nexists" },
    { 0x2205, "\\emptyset" },
    { 0x2207, "\\nabla" },
    { 0x2208, "\\in" },
    { 0x2209, "\\notin" },
    { 0x220B, "\\ni" },
    { 0x220F, "\\prod" },
    { 0x2210, "\\coprod" },
    { 0x2211, "\\sum" },
    { 0x2212, "-" },
    { 0x2213, "\\mp" },
    { 0x2215, "/" },
    { 0x2216, "\\setminus" },
    { 0x2217, "\\ast" },
    { 0x2218, "\\circ" },
    { 0x2219, "\\bullet" },
    { 0x221A, "\\surd" },
    { 0x221D, "\\propto" },
    { 0x221E, "\\infty" },
    { 0x2220, "\\angle" },
    { 0x2223, "\\mid" },
    { 0x2224, "\\nmid" },
    { 0x2225, "\\parallel" },
    { 0x2226, "\\nparallel" },
    { 0x2227, "\\wedge" },
    { 0x2228, "\\vee" },
    { 0x2229, "\\cap" },
    { 0x222A, "\\cup" },
    { 0x222B, "\\int" },
    { 0x222C, "\\iint" },
    { 0x222D, "\\iiint" },
    { 0x222E, "\\oint" },
    { 0x2234, "\\therefore" },
    { 0x2235, "\\because" },
    { 0x223C, "\\sim" },
    { 0x2243, "\\simeq" },
    { 0x2245, "\\cong" },
    { 0x2248, "\\approx" },
    { 0x224D, "\\asymp" },
    { 0x2250, "\\doteq" },
    { 0x2254, "\\coloneqq" },
    { 0x225C, "\\triangleq" },
    { 0x2260, "\\neq" },
    { 0x2261, "\\equiv" },
    { 0x2264, "\\leq" },
    { 0x2265, "\\geq" },
    { 0x226A, "\\ll" },
    { 0x226B, "\\gg" },
    { 0x227A, "\\prec" },
    { 0x227B, "\\succ" },
    { 0x227C, "\\preceq" },
    { 0x227D, "\\succeq" },
    { 0x2282, "\\subset" },
    { 0x2283, "\\supset" },
    { 0x2284, "\\nsubset" },
    { 0x2286, "\\subseteq" },
    { 0x2287, "\\supseteq" },
    { 0x228A, "\\subsetneq" },
    { 0x228E, "\\uplus" },
    { 0x2291, "\\sqsubseteq" },
    { 0x2293, "\\sqcap" },
    { 0x2294, "\\sqcup" },
    { 0x2295, "\\oplus" },
    { 0x2296, "\\ominus" },
    { 0x2297, "\\otimes" },
    { 0x2299, "\\odot" },
    { 0x22A2, "\\vdash" },
    { 0x22A3, "\\dashv" },
    { 0x22A4, "\\top" },
    { 0x22A5, "\\bot" },
    { 0x22A8, "\\models" },
    { 0x22B2, "\\triangleleft" },
    { 0x22B3, "\\triangleright" },
    { 0x22C0, "\\bigwedge" },
    { 0x22C1, "\\bigvee" },
    { 0x22C2, "\\bigcap" },
    { 0x22C3, "\\bigcup" },
    { 0x22C5, "\\cdot" },
    { 0x22C6, "\\star" },
    { 0x22C8, "\\bowtie" },
    { 0x22EE, "\\vdots" },
    { 0x22EF, "\\cdots" },
    { 0x22F1, "\\ddots" },
    { 0x2308, "\\lceil" },
    { 0x2309, "\\rceil" },
    { 0x230A, "\\lfloor" },
    { 0x230B, "\\rfloor" },
    { 0x2329, "\\langle" },
    { 0x232A, "\\rangle" },
    { 0x25A1, "\\square" },
    { 0x25B3, "\\triangle" },
    { 0x25B7, "\\triangleright" },
    { 0x25C1, "\\triangleleft" },
    { 0x25CB, "\\bigcirc" },
    { 0x25EF, "\\bigcirc" },
    { 0x2713, "\\checkmark" },
    { 0x27E8, "\\langle" },
    { 0x27E9, "\\rangle" },
    { 0x27F5, "\\longleftarrow" },
    { 0x27F6, "\\longrightarrow" },
    { 0x27F8, "\\Longleftarrow" },
    { 0x27F9, "\\Longrightarrow" },
    { 0x27FA, "\\Longleftrightarrow" },
    { 0x27FC, "\\longmapsto" },
    { 0x2A00, "\\bigodot" },
    { 0x2A01, "\\bigoplus" },
    { 0x2A02, "\\bigotimes" },
    { 0x2A04, "\\biguplus" },
    { 0x2A06, "\\bigsqcup" },
    { 0x2A7D, "\\leqslant" },
    { 0x2A7E, "\\geqslant" },
    { 0x2AAF, "\\preceq" },
    { 0x2AB0, "\\succeq" },
    { 0x2AC5, "\\subseteqq" },};
/* clang-format on */

const char *th_tex_symbol(uint32_t c)
{
    size_t low = 0, high = sizeof rows / sizeof *rows;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (rows[middle].c == c)
            return rows[middle].tex;
        if (rows[middle].c < c)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* ---- alphabets --------------------------------------------------------------------- */

/* Letters that Unicode had before the alphabets. */
static const struct {
    uint16_t c;
    char letter;
    const char *alphabet;
} early[] = {
    /* clang-format off */
    { 0x2102, 'C', "\\mathbb" },  { 0x210A, 'g', "\\mathcal" }, { 0x210B, 'H', "\\mathcal" },
    { 0x210C, 'H', "\\mathfrak" }, { 0x210D, 'H', "\\mathbb" }, { 0x2110, 'I', "\\mathcal" },
    { 0x2112, 'L', "\\mathcal" }, { 0x2115, 'N', "\\mathbb" },  { 0x2119, 'P', "\\mathbb" },
    { 0x211A, 'Q', "\\mathbb" },  { 0x211B, 'R', "\\mathcal" }, { 0x211D, 'R', "\\mathbb" },
    { 0x2124, 'Z', "\\mathbb" },  { 0x2128, 'Z', "\\mathfrak" }, { 0x212C, 'B', "\\mathcal" },
    { 0x212D, 'C', "\\mathfrak" }, { 0x212F, 'e', "\\mathcal" }, { 0x2130, 'E', "\\mathcal" },
    { 0x2131, 'F', "\\mathcal" }, { 0x2133, 'M', "\\mathcal" }, { 0x2134, 'o', "\\mathcal" },
    /* clang-format on */
};

bool th_tex_letter_of(uint32_t c, th_tex_letter *out)
{
    enum { FIRST = 0x1D400, LETTERS = 52, ALPHABETS = 13, DIGITS = 0x1D7CE };
    static const char *const alphabets[ALPHABETS] = {
        "\\mathbf",   NULL,       "\\mathbf",   "\\mathcal", "\\mathcal",
        "\\mathfrak", "\\mathbb", "\\mathfrak", "\\mathsf",  "\\mathsf",
        "\\mathsf",   "\\mathsf", "\\mathtt",
    };
    static const char *const digits[] = { "\\mathbf", "\\mathbb", "\\mathsf", "\\mathsf",
                                          "\\mathtt" };
    for (size_t i = 0; i < sizeof early / sizeof *early; i++) {
        if (early[i].c != c)
            continue;
        *out = (th_tex_letter){ early[i].alphabet, (unsigned char)early[i].letter };
        return true;
    }
    if (c == 0x210E) { /* the italic h */
        *out = (th_tex_letter){ NULL, 'h' };
        return true;
    }
    if (c >= FIRST && c < FIRST + LETTERS * ALPHABETS) {
        const uint32_t at = (c - FIRST) % LETTERS;
        *out = (th_tex_letter){ alphabets[(c - FIRST) / LETTERS],
                                at < 26 ? 'A' + at : 'a' + at - 26 };
        return true;
    }
    if (c >= DIGITS && c < DIGITS + 50) {
        *out = (th_tex_letter){ digits[(c - DIGITS) / 10], '0' + (c - DIGITS) % 10 };
        return true;
    }
    /* Greek: five alphabets of 58 symbols, capitals from ALPHA, small letters from 26. */
    if (c >= 0x1D6A8 && c < 0x1D6A8 + 58 * 5) {
        const uint32_t at = (c - 0x1D6A8) % 58;
        static const char *const bold[] = { "\\boldsymbol", NULL, "\\boldsymbol",
                                            "\\boldsymbol", "\\boldsymbol" };
        static const uint16_t others[] = { 0x2202, 0x03F5, 0x03D1, 0x03F0,
                                           0x03D5, 0x03F1, 0x03D6 };
        const uint32_t letter = at < 25    ? 0x0391 + at
                                : at == 25 ? 0x2207
                                : at < 51  ? 0x03B1 + at - 26
                                           : others[at - 51];
        *out = (th_tex_letter){ bold[(c - 0x1D6A8) / 58], at == 17 ? 0x0398 : letter };
        return true;
    }
    return false;
}
