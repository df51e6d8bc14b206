#!/usr/bin/env python3
"""Updates month_names.txt by ICU's locale data (needs PyICU), or makes the header of it, for the build.

Usage: month_names.py > month_names.txt
       month_names.py header month_names.txt > month_names.h

A name that means different months in different languages (listopad is October in Croatian
and November in Polish) has one row for each language. Any other name has one row.
Months 13 to 24 are the months 1 to 12 of the Solar Hijri calendar of Iran.
"""
import sys

LANGUAGES = """af ar ar_DZ ar_LB ar_MA az bg bn bs ca cs cy da de el en es et eu fa fi fil fr ga gl he hi hr hu
hy id is it ka kk lt lv mk mn mr ms nb ne nl nn pl pt ro ru sk sl sq sr sr_Latn sv sw th tr uk ur uz vi""".split()
SOLAR_LANGUAGES = ["fa"]
FIRST_CASELESS = "\u0590"
# Frequent spellings that ICU does not have.
SPELLINGS = {
    "hi": {2: ["फरवरी", "फ\u093cरवरी", "\u095eरवरी"], 9: ["सितम्बर"], 10: ["अक्टूबर"], 11: ["नवम्बर"], 12: ["दिसम्बर"]},
    "ar": {3: ["اذار"], 4: ["ابريل", "إبريل"], 5: ["ايار"], 6: ["يونية", "يونيه"], 7: ["يولية", "يوليه"], 8: ["اغسطس"], 9: ["ايلول"], 10: ["اكتوبر"]},
}


def names_of(language, calendar="gregorian"):
    import icu  # only to update the table

    symbols = icu.SimpleDateFormat("d", icu.Locale(f"{language}@calendar={calendar}")).getDateFormatSymbols()
    for context in (symbols.FORMAT, symbols.STANDALONE):
        for width in (symbols.WIDE, symbols.ABBREVIATED):
            for month, name in enumerate(symbols.getMonths(context, width), 1):
                name = name.lower().rstrip(".׳॰").replace("\u0307", "")
                least = 2 if width == symbols.WIDE and name >= FIRST_CASELESS else 3
                most = 1 if name >= FIRST_CASELESS else 0 # spaces
                if len(name) >= least and name.count(" ") <= most and not any(c.isdigit() for c in name):
                    yield name, month
    for month, names in SPELLINGS.get(language, {}).items() if calendar == "gregorian" else ():
        yield from ((name, month) for name in names)


def rows_of_icu():
    """Returns (name, month, language) of each name; the language is empty if all languages agree on the month."""
    months, rows = {}, []
    for language in LANGUAGES:
        for name, month in names_of(language):
            months.setdefault(name, {}).setdefault(month, []).append(language[:2])
    for language in SOLAR_LANGUAGES:
        for name, month in names_of(language, "persian"):
            months.setdefault(name, {}).setdefault(month + 12, []).append(language)
    months.setdefault("sept", {9: ["en"]})
    for name, by_month in months.items():
        if len(by_month) == 1:
            rows.append((name, next(iter(by_month)), ""))
            continue
        for month, languages in by_month.items():
            rows += [(name, month, language) for language in sorted(set(languages))]
    return sorted(rows, key=lambda row: (row[0].encode(), row[2]))


def print_table(rows):
    print("# Names of the months in lower case: the number of the month, then its names. NAME/LANGUAGE: only in this language. _ is a space.")
    for month in range(1, 25):
        line = str(month)
        for name, of, language in rows:
            word = (f"{name}/{language}" if language else name).replace(" ", "_")
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
                    yield name.replace("_", " "), int(month), language


def print_header(rows):
    """Prints the rows sorted by the bytes of the names, for a binary search."""
    print("/* Names of months in lower case, sorted by their bytes. Made of month_names.txt. */")
    print("#ifndef TH_MONTH_NAMES_H\n#define TH_MONTH_NAMES_H\n\n#include <stdint.h>\n")
    print("static const struct th_month_name {")
    print("    const char *name;\n    uint8_t month;    /* 1 to 12; 13 to 24 of the Solar Hijri calendar */")
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
