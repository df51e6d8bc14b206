/* The word for ingredients begins the heading: "Ingredients for 4", "Zutaten:". */
#include "content/ingredient_section.h"

#include <pthread.h>
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

/* Sorted by the first byte. In small letters of ASCII; others are in both cases if a
 * heading in capitals has them. English, Spanish, Portuguese, Italian, Romanian, Swedish
 * and Dutch have the same first letters. */
static const char *const labels[] = {
    "ainekset",
    "ainesosat",
    "bahan",
    "hozzávalók",
    "hozzÁvalÓk",
    "ingredien",
    "ingredië",
    "ingrediË",
    "ingrédien",
    "ingrÉdien",
    "koostisosad",
    "malzeme",
    "nguyên liệu",
    "nguyÊn liỆu",
    "składniki",
    "skŁadniki",
    "sastojci",
    "sestavine",
    "suroviny",
    "sudedamosios",
    "zutaten",
    "Υλικά",
    "ΥΛΙΚΑ",
    "Συστατικά",
    "υλικά",
    "συστατικά",
    "ингредиент",
    "Ингредиент",
    "ИНГРЕДИЕНТ",
    "Інгредієнт",
    "необходимые продукты",
    "Необходими продукти",
    "Съставки",
    "інгредієнт",
    "състав",
    "מצרכים",
    "רכיבים",
    "المكونات",
    "المقادير",
    "مقادير",
    "مواد لازم",
    "सामग्री",
    "ส่วนผสม",
    "วัตถุดิบ",
    "主料",
    "材料",
    "用料",
    "食材",
    "재료",
};

enum { LABELS = sizeof labels / sizeof *labels };

/* For each byte, 1 + the first label that begins with it, or 0. */
static uint8_t label_of[256];

static void read_labels(void)
{
    for (size_t i = LABELS; i-- > 0;)
        label_of[(unsigned char)labels[i][0]] = (uint8_t)(i + 1);
}

static bool is_label(const th_page *page, uint32_t number)
{
    const th_paragraph *paragraph = &page->paragraphs[number];
    const th_view text = th_paragraph_text(page, number);
    if (!text.len || text.len > LABEL_BYTES)
        return false;
    const char first = th_lower(text.data[0]);
    size_t i = label_of[(unsigned char)first];
    if (!i || paragraph->is_hidden ||
        page->tokens_before[paragraph->end_block] -
                page->tokens_before[paragraph->first_block] >
            LABEL_TOKENS)
        return false;
    const char second = (char)(text.len > 1 ? th_lower(text.data[1]) : '\0');
    for (i--; i < LABELS && labels[i][0] == first; i++)
        if (labels[i][1] == second && th_ascii_starts_with(text, labels[i]))
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
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    bool has_section = false;
    unsigned label_count = 0;
    (void)pthread_once(&once, read_labels);
    memset(is_ingredient, 0, page->paragraph_count);
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
