#!/usr/bin/env python3
"""Updates month_names.txt by ICU's locale data (needs PyICU), or makes the header of it, for the build.

Usage: month_names.py > month_names.txt
       month_names.py header month_names.txt > month_names.h

A name that means different months in different languages (listopad is October in Croatian
and November in Polish) has one row for each language. Any other name has one row.
"""
import sys

LANGUAGES = """af az bg bn bs ca cs cy da de el en es et eu fa fi fil fr ga gl hr hu hy id is
it ka kk lt lv mk mn ms nb nl nn pl pt ro ru sk sl sq sr sr_Latn sv sw tr uk uz vi""".split()


def names_of(language):
    import icu  # only to update the table

    symbols = icu.DateFormatSymbols(icu.Locale(language))
    for context in (symbols.FORMAT, symbols.STANDALONE):
        for width in (symbols.WIDE, symbols.ABBREVIATED):
            for month, name in enumerate(symbols.getMonths(context, width), 1):
                name = name.lower().rstrip(".").replace("\u0307", "")
                if len(name) >= 3 and " " not in name and not any(c.isdigit() for c in name):
                    yield name, month


def rows_of_icu():
    """Returns (name, month, language) of each name; the language is empty if all languages agree on the month."""
    months, rows = {}, []
    for language in LANGUAGES:
        for name, month in names_of(language):
            months.setdefault(name, {}).setdefault(month, []).append(language[:2])
    months.setdefault("sept", {9: ["en"]})
    for name, by_month in months.items():
        if len(by_month) == 1:
            rows.append((name, next(iter(by_month)), ""))
            continue
        for month, languages in by_month.items():
            rows += [(name, month, language) for language in sorted(set(languages))]
    return sorted(rows, key=lambda row: (row[0].encode(), row[2]))


def print_table(rows):
    print("# Names of the months in lower case: the number of the month, then its names. NAME/LANGUAGE: only in this language.")
    for month in range(1, 13):
        line = str(month)
        for name, of, language in rows:
            word = f"{name}/{language}" if language else name
            if of == month and len(line) + 1 + len(word) > 150:
                print(line)
                line = str(month)
            line += " " + word if of == month else ""
        print(line)


def rows_of_table(path):
    with open(path, encoding="utf-8") as table:
        for line in table:
            month, *names = line.split()
            if month != "#":
                for name in names:
                    name, _, language = name.partition("/")
                    yield name, int(month), language


def print_header(rows):
    """Prints the rows sorted by the bytes of the names, for a binary search."""
    print("/* Names of months in lower case, sorted by their bytes. Made of month_names.txt. */")
    print("#ifndef TH_MONTH_NAMES_H\n#define TH_MONTH_NAMES_H\n\n#include <stdint.h>\n")
    print("static const struct th_month_name {")
    print("    const char *name;\n    uint8_t month;    /* 1 to 12 */")
    print("    char language[3]; /* its language; \"\" if it applies to all languages */")
    print("} th_month_names[] = {")
    for name, month, language in sorted(rows, key=lambda row: (row[0].encode(), row[2])):
        print(f'    {{ "{name}", {month}, "{language}" }},')
    print("};\n\n#endif")


def main():
    if sys.argv[1:2] == ["header"]:
        sys.stdout.reconfigure(encoding="utf-8")
        print_header(rows_of_table(sys.argv[2]))
    else:
        print_table(rows_of_icu())


if __name__ == "__main__":
    sys.exit(main())
