/* Complete footnotes: a mark and a note that are both shown. */
#include "write/footnotes.h"

#include <stdbool.h>

enum { HAS_MARK = 1, HAS_NOTE = 2, IS_NOT = 4 };

static uint32_t letters_in(const th_page *page, uint32_t start, uint32_t len)
{
    uint32_t count = 0;
    for (uint32_t i = start; i < start + len; i++)
        count += page->text.data[i] != ' ' && page->text.data[i] != '\n';
    return count;
}

static bool is_in_frame(const th_page *page, uint32_t item)
{
    uint32_t box = page->boxes[page->boxes[item].parent].parent;
    for (; box != TH_NONE; box = page->boxes[box].parent)
        if (page->boxes[box].kind <= TH_BOX_ITEM || page->boxes[box].kind == TH_BOX_QUOTE)
            return true;
    return false;
}

/* Notes which items have a mark that is shown, and which links lead back. */
static void note_links(const th_page *page, const uint8_t *label_of, uint8_t *facts,
                       uint32_t *back_letters)
{
    for (uint32_t i = 0; i < page->note_link_count; i++) {
        const th_note_link *note = &page->note_links[i];
        const th_link *link = &page->links[note->link];
        if (!link->anchor_len)
            continue;
        const uint32_t paragraph = page->blocks[link->block].paragraph;
        if (label_of[paragraph] != TH_CONTENT)
            continue;
        if (note->is_back)
            back_letters[note->item] +=
                letters_in(page, link->anchor_start, link->anchor_len);
        else if (!page->paragraphs[paragraph].is_space_kept)
            facts[note->item] |= is_in_frame(page, note->item) ? IS_NOT : HAS_MARK;
    }
}

const uint8_t *th_footnotes(const th_page *page, const uint8_t *label_of)
{
    uint8_t *facts = th_arena_calloc(page->arena, page->box_count, 1);
    if (!facts || !page->note_link_count)
        return facts;
    uint32_t *back_letters =
        th_arena_calloc(page->arena, page->box_count, sizeof *back_letters);
    uint32_t *letters = th_arena_calloc(page->arena, page->box_count, sizeof *letters);
    if (!back_letters || !letters)
        return NULL;
    note_links(page, label_of, facts, back_letters);
    for (uint32_t i = 0; i < page->paragraph_count; i++) {
        const th_paragraph *paragraph = &page->paragraphs[i];
        const uint32_t box = paragraph->box;
        if (label_of[i] != TH_CONTENT || box == TH_NONE || !(facts[box] & HAS_MARK))
            continue;
        letters[box] += letters_in(page, paragraph->text_start, paragraph->text_len);
        if (!(facts[box] & HAS_NOTE) && paragraph->kind != TH_PARAGRAPH_ITEM)
            facts[box] |= IS_NOT; /* code cannot begin a note */
        facts[box] |= HAS_NOTE;
    }
    for (uint32_t i = 0; i < page->box_count; i++)
        facts[i] = facts[i] == (HAS_MARK | HAS_NOTE) && letters[i] > back_letters[i];
    return facts;
}
