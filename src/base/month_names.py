#!/usr/bin/env python3
"""Writes month_names.h: the names of the months by ICU's locale data (PyICU).

Usage: month_names.py > month_names.h

A name that means different months in different languages (listopad is October in Croatian
and November in Polish) stands once for each language; the others stand once, for all.
"""
import sys

import icu

LANGUAGES = """af az bg bn bs ca cs cy da de el en es et eu fa fi fil fr ga gl hr hu hy id is
it ka kk lt lv mk mn ms nb nl nn pl pt ro ru sk sl sq sr sr_Latn sv sw tr uk uz vi""".split()


def names_of(language):
    symbols = icu.DateFormatSymbols(icu.Locale(language))
    for context in (symbols.FORMAT, symbols.STANDALONE):
        for width in (symbols.WIDE, symbols.ABBREVIATED):
            for month, name in enumerate(symbols.getMonths(context, width), 1):
                name = name.lower().rstrip(".").replace("\u0307", "")
                if len(name) >= 3 and " " not in name and not any(c.isdigit() for c in name):
                    yield name, month


def main():
    months = {}
    for language in LANGUAGES:
        for name, month in names_of(language):
            months.setdefault(name, {}).setdefault(month, []).append(language[:2])
    months.setdefault("sept", {9: ["en"]})
    rows = []
    for name, by_month in months.items():
        if len(by_month) == 1:
            rows.append((name, next(iter(by_month)), ""))
            continue
        for month, languages in by_month.items():
            rows += [(name, month, language) for language in sorted(set(languages))]
    rows.sort(key=lambda row: (row[0].encode(), row[2]))
    print("/* Names of months in lower case, sorted by their bytes. Made by month_names.py from")
    print(f" * ICU {icu.ICU_VERSION}'s locale data; do not edit. */")
    print("#ifndef TH_MONTH_NAMES_H\n#define TH_MONTH_NAMES_H\n\n#include <stdint.h>\n")
    print("/* clang-format off */")
    print("static const struct th_month_name {")
    print("    const char *name;\n    uint8_t month;    /* 1 to 12 */")
    print("    char language[3]; /* of which it is the name; \"\": of all that have it */")
    print("} th_month_names[] = {")
    for name, month, language in rows:
        print(f'    {{ "{name}", {month}, "{language}" }},')
    print("};\n/* clang-format on */\n\n#endif")


if __name__ == "__main__":
    sys.exit(main())
