/* The word for ingredients begins the heading: "Ingredients for 4", "Zutaten:". */
#include "content/ingredient_section.h"

#include <string.h>

#include "base/ascii.h"

enum {
    LABELS_MOST = 50, /* of a page */
    LABEL_BYTES = 64,
    LABEL_TOKENS = 6,
    ROWS = 80,
    ROW_TOKENS = 25, /* more are prose */
    NUMBERS = 2,     /* rows with a number, */
    NUMBER_PARTS = 3 /* and one in three rows */
};

/* Letters that are not ASCII stand in both cases if a heading in capitals has them. */
static const char *const labels[] = {
    "ingredien", /* English, Spanish, Portuguese, Italian, Romanian, Swedish, Dutch */
    "ingredië",
    "INGREDIË",
    "ingrédien",
    "INGRÉDIEN",
    "zutaten",
    "składniki",
    "SKŁADNIKI",
    "hozzávalók",
    "HOZZÁVALÓK",
    "sastojci",
    "sestavine",
    "suroviny",
    "ainekset",
    "ainesosat",
    "koostisosad",
    "sudedamosios",
    "malzeme",
    "bahan",
    "nguyên liệu",
    "NGUYÊN LIỆU",
    "υλικά",
    "Υλικά",
    "ΥΛΙΚΑ",
    "συστατικά",
    "Συστατικά",
    "ингредиент",
    "Ингредиент",
    "ИНГРЕДИЕНТ",
    "інгредієнт",
    "Інгредієнт",
    "необходимые продукты",
    "Необходими продукти",
    "състав",
    "Съставки",
    "Продукти",
    "المكونات",
    "المقادير",
    "مقادير",
    "مواد لازم",
    "מצרכים",
    "רכיבים",
    "सामग्री",
    "ส่วนผสม",
    "วัตถุดิบ",
    "材料",
    "食材",
    "用料",
    "主料",
    "재료",
};

static bool is_label(const th_page *page, uint32_t number)
{
    const th_paragraph *paragraph = &page->paragraphs[number];
    const uint32_t tokens = page->tokens_before[paragraph->end_block] -
                            page->tokens_before[paragraph->first_block];
    if (paragraph->text_len > LABEL_BYTES || tokens > LABEL_TOKENS ||
        paragraph->is_hidden)
        return false;
    const th_view text = th_paragraph_text(page, number);
    const char first = (char)(text.len ? th_lower(text.data[0]) : 0);
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        if (first == th_lower(labels[i][0]) && th_ascii_starts_with(text, labels[i]))
            return true;
    return false;
}

/* Whether a text has a digit, or a fraction (U+00BC to U+00BE, U+2150 to U+215E). */
static bool has_number(th_view text)
{
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char *at = (const unsigned char *)text.data + i;
        const size_t left = text.len - i;
        if (th_is_digit((char)*at) ||
            (left > 1 && at[0] == 0xC2 && at[1] >= 0xBC && at[1] <= 0xBE) ||
            (left > 2 && at[0] == 0xE2 && at[1] == 0x85 && at[2] >= 0x90 &&
             at[2] <= 0x9E))
            return true;
    }
    return false;
}

/* Returns the end of the list after a label. @param numbers  out: rows with a number */
static uint32_t end_of_list(const th_page *page, uint32_t label, uint32_t *numbers)
{
    const uint8_t level = page->paragraphs[label].level;
    uint32_t i = label + 1;
    *numbers = 0;
    for (; i < page->paragraph_count && i <= label + ROWS; i++) {
        const th_paragraph *row = &page->paragraphs[i];
        const uint32_t tokens =
            page->tokens_before[row->end_block] - page->tokens_before[row->first_block];
        /* "Ingredients" may be followed by "Cake", with the same level. */
        const bool is_end = row->level && (!level || row->level <= level) && *numbers;
        if (tokens > ROW_TOKENS || is_end)
            break;
        *numbers += has_number(th_paragraph_text(page, i));
    }
    return i;
}

bool th_ingredient_section_find(const th_page *page, uint8_t *is_ingredient)
{
    bool has_section = false;
    unsigned label_count = 0;
    for (uint32_t i = 0; i < page->paragraph_count && label_count < LABELS_MOST; i++) {
        if (!is_label(page, i))
            continue;
        label_count++;
        uint32_t numbers;
        const uint32_t end = end_of_list(page, i, &numbers);
        if (numbers < NUMBERS || numbers * NUMBER_PARTS < end - i - 1)
            continue;
        memset(is_ingredient + i, 1, end - i);
        has_section = true;
        i = end - 1;
    }
    return has_section;
}
