/* Labels and their panels, matched by ids, or by order. */
#include "parse/tab_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "parse/table_room.h"

enum {
    KEPT_BYTES = 1 << 20, /* of the table, from page to page */
    LIST_LEVELS = 8,      /* from a tab to its tablist */
    PANEL_LEVELS = 4,     /* from a panel to the element that also has the tablist */
};

enum { TAB, TABLIST, PANEL, LABELLED, ITEM, RADIO, LABEL };

void th_tab_table_done(th_tab_table *table)
{
    free(table->marks);
    *table = (th_tab_table){ 0 };
}

void th_tab_table_begin(th_tab_table *table, th_arena *arena)
{
    if (table->capacity * sizeof *table->marks > KEPT_BYTES)
        th_tab_table_done(table);
    table->count = 0;
    memset(table->count_of, 0, sizeof table->count_of);
    table->arena = arena;
    table->status = TH_OK;
}

/* ---- contents of the page ---------------------------------------------------------- */

static void *scratch(th_tab_table *table, size_t size)
{
    void *memory = th_arena_alloc(table->arena, size ? size : 1);
    if (!memory)
        table->status = th_arena_is_full(table->arena) ? TH_TOO_LARGE : TH_NOMEM;
    return memory;
}

static th_view value_of(const th_attribute *attrs, size_t count, th_view name)
{
    const th_attribute *found = th_attribute_find(attrs, count, name);
    return found ? th_ascii_trimmed(found->value) : (th_view){ "", 0 };
}

/* Returns the value of an attribute, as it lasts. */
static th_view id_in(th_tab_table *table, const th_attribute *attrs, size_t count,
                     th_view name)
{
    const th_view id = value_of(attrs, count, name);
    char *copy = id.len ? scratch(table, id.len) : NULL;
    if (!copy)
        return (th_view){ "", 0 };
    memcpy(copy, id.data, id.len);
    return (th_view){ copy, id.len };
}

/* Returns the id of the panel that a tab states. */
static th_view panel_of(th_tab_table *table, const th_attribute *attrs, size_t count)
{
    static const char *const names[] = { "href", "data-target", "data-bs-target" };
    th_view id = id_in(table, attrs, count, TH_VIEW("aria-controls"));
    for (size_t i = 0; !id.len && i < sizeof names / sizeof *names; i++) {
        id = id_in(table, attrs, count, (th_view){ names[i], strlen(names[i]) });
        if (id.len && *id.data == '#')
            id = (th_view){ id.data + 1, id.len - 1 };
        else
            id.len = 0;
    }
    return id;
}

static th_tab_mark *add(th_tab_table *table, uint8_t kind, th_tab_place place)
{
    if (!TH_TABLE_HAS_ROOM(table->marks, table->count, table->capacity, table->status))
        return NULL;
    table->count_of[kind]++;
    th_tab_mark *mark = &table->marks[table->count++];
    *mark = (th_tab_mark){ .kind = kind,
                           .id = { "", 0 },
                           .target = { "", 0 },
                           .node = place.node,
                           .link = place.link,
                           .item = TH_NONE };
    return mark;
}

/* Adds an element with a role of tabs. @return whether it has one */
static bool add_role(th_tab_table *table, const th_attribute *attrs, size_t count,
                     th_tab_place place)
{
    const th_view role = value_of(attrs, count, TH_VIEW("role"));
    const bool is_tab = th_ascii_is(role, "tab"),
               is_panel = th_ascii_is(role, "tabpanel");
    if (!is_tab && !is_panel && !th_ascii_is(role, "tablist"))
        return false;
    th_tab_mark *mark = add(table, is_tab ? TAB : is_panel ? PANEL : TABLIST, place);
    if (mark && (is_tab || is_panel)) {
        mark->id = id_in(table, attrs, count, TH_VIEW("id"));
        mark->target = is_tab ? panel_of(table, attrs, count)
                              : id_in(table, attrs, count, TH_VIEW("aria-labelledby"));
    }
    return true;
}

void th_tab_tag(th_tab_table *table, const th_paragraph_table *paragraphs, th_tag tag,
                const th_attribute *attrs, size_t attr_count, th_tab_place place)
{
    if (add_role(table, attrs, attr_count, place))
        return;
    th_tab_mark *mark = NULL;
    th_view id = { "", 0 };
    if (tag == TH_TAG_LABEL || tag == TH_TAG_INPUT) {
        const bool is_label = tag == TH_TAG_LABEL;
        if (place.is_in_form ||
            (!is_label &&
             !th_ascii_is(value_of(attrs, attr_count, TH_VIEW("type")), "radio")))
            return;
        id = id_in(table, attrs, attr_count, is_label ? TH_VIEW("for") : TH_VIEW("id"));
        mark = id.len ? add(table, is_label ? LABEL : RADIO, place) : NULL;
    } else if (tag == TH_TAG_A || tag == TH_TAG_LI) {
        const th_box *box = place.box == TH_NONE ? NULL : &paragraphs->boxes[place.box];
        if (!box || box->kind != TH_BOX_ITEM || box->parent == TH_NONE)
            return;
        id = id_in(table, attrs, attr_count, TH_VIEW("id"));
        mark = id.len ? add(table, ITEM, place) : NULL;
        if (mark)
            mark->item = place.box;
    } else {
        id = id_in(table, attrs, attr_count, TH_VIEW("aria-labelledby"));
        mark = id.len ? add(table, LABELLED, place) : NULL;
    }
    if (mark)
        *(mark->kind == RADIO || mark->kind == ITEM ? &mark->id : &mark->target) = id;
}

/* ---- what belongs together --------------------------------------------------------- */

/* A search for tabs. */
struct search {
    th_tab_table *table;
    const th_paragraph_table *paragraphs;
    const th_node *nodes;
    uint32_t node_count;
    th_tab *tabs;
    uint32_t tab_count;
};

/* A mark by an id, or by a node that marks share. */
struct key {
    th_view id;
    uint32_t shared; /* node */
    uint32_t node;
    uint32_t mark;
};

static int compare_numbers(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int compare_keys(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    int order = th_view_order(x->id, y->id);
    if (!order)
        order = compare_numbers(x->shared, y->shared);
    return order ? order : compare_numbers(x->node, y->node);
}

static void sort(struct key *keys, uint32_t count)
{
    if (count)
        qsort(keys, count, sizeof *keys, compare_keys);
}

/* Keys of the marks of a kind, sorted. */
struct index {
    struct key *keys;
    uint32_t count;
};

enum by { BY_ID, BY_TARGET, BY_PARENT };

static th_view first_word(th_view list)
{
    return list.len ? th_ascii_next_word(&list) : list;
}

static struct index index_of(struct search *s, uint8_t kind, enum by by)
{
    const th_tab_table *table = s->table;
    struct index index = { .count = 0 };
    index.keys = scratch(s->table, table->count_of[kind] * sizeof *index.keys);
    for (uint32_t i = 0; index.keys && i < table->count; i++) {
        const th_tab_mark *mark = &table->marks[i];
        if (mark->kind != kind || (by == BY_ID && !mark->id.len) ||
            (by == BY_TARGET && !mark->target.len))
            continue;
        struct key *key = &index.keys[index.count++];
        *key = (struct key){ .id = { "", 0 }, .node = mark->node, .mark = i };
        if (by == BY_PARENT)
            key->shared = s->nodes[mark->node].parent;
        else if (by == BY_ID)
            key->id = mark->id;
        else
            key->id = first_word(mark->target);
    }
    sort(index.keys, index.count);
    return index;
}

/* Returns the last mark with an id before a node, else the first one after it; NULL if
 * none. */
static th_tab_mark *find(const struct search *s, const struct index *index, th_view id,
                         uint32_t node)
{
    const struct key wanted = { .id = id, .node = node };
    uint32_t low = 0, high = index->count;
    if (!id.len)
        return NULL;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (compare_keys(&index->keys[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low && th_view_order(index->keys[low - 1].id, id) == 0)
        low--;
    return low < index->count && th_view_order(index->keys[low].id, id) == 0
               ? &s->table->marks[index->keys[low].mark]
               : NULL;
}

/* Returns the mark with the id that an attribute is, although ids have no spaces, or with
 * the first of the ids that it lists. */
static th_tab_mark *find_listed(const struct search *s, const struct index *index,
                                th_view list, uint32_t node)
{
    th_tab_mark *mark = find(s, index, list, node);
    return mark || !list.len ? mark : find(s, index, th_ascii_next_word(&list), node);
}

/* Notes a label and its panel. */
static void pair(struct search *s, th_tab_mark *label, uint32_t node, uint32_t panel)
{
    label->is_taken = true;
    s->tabs[s->tab_count++] =
        (th_tab){ .label = node, .link = label->link, .panel = panel };
}

/* Matches tabs and panels by the ids that one of the two states. */
static void pair_by_ids(struct search *s)
{
    const struct index by_id = index_of(s, TAB, BY_ID);
    const struct index by_target = index_of(s, TAB, BY_TARGET);
    th_tab_table *table = s->table;
    for (uint32_t i = 0; !table->status && i < table->count; i++) {
        th_tab_mark *panel = &table->marks[i];
        if (panel->kind != PANEL)
            continue;
        th_tab_mark *tab = find_listed(s, &by_id, panel->target, panel->node);
        if (!tab)
            tab = find(s, &by_target, panel->id, panel->node);
        if (!tab || tab->is_taken || tab->node == panel->node)
            continue;
        pair(s, tab, tab->node, panel->node);
        panel->is_taken = true;
    }
}

/* A tablist and its tabs that have no panel yet. */
struct tablist {
    uint32_t node;
    uint32_t first, count; /* in the index of tabs */
    bool is_taken;
};

/* Tablists in the order of the page. */
struct tablists {
    struct tablist *rows;
    uint32_t count;
    struct index tabs; /* sorted by their list: its index is the shared number */
};

/* Returns the index of the last tablist that begins before a node, or TH_NONE. */
static uint32_t list_before(const struct tablists *lists, uint32_t node)
{
    const uint32_t after = th_first_from(lists->rows, lists->count, sizeof *lists->rows,
                                         offsetof(struct tablist, node), node);
    return after ? after - 1 : TH_NONE;
}

/* Returns the index of the tablist around a tab, or TH_NONE. */
static uint32_t list_around(const struct search *s, const struct tablists *lists,
                            uint32_t tab)
{
    uint32_t node = s->nodes[tab].parent;
    for (unsigned i = 0; i < LIST_LEVELS && node != TH_NONE; i++) {
        const uint32_t list = list_before(lists, node + 1);
        if (list != TH_NONE && lists->rows[list].node == node)
            return list;
        node = s->nodes[node].parent;
    }
    return TH_NONE;
}

/* Returns the end of the keys that share a number with the one at `first`. */
static uint32_t end_of_group(const struct index *index, uint32_t first)
{
    uint32_t end = first + 1;
    while (end < index->count && index->keys[end].shared == index->keys[first].shared)
        end++;
    return end;
}

static struct tablists find_lists(struct search *s)
{
    th_tab_table *table = s->table;
    struct tablists lists = { .count = 0 };
    lists.rows = scratch(table, table->count_of[TABLIST] * sizeof *lists.rows);
    lists.tabs.keys = scratch(table, table->count_of[TAB] * sizeof *lists.tabs.keys);
    if (table->status)
        return lists;
    for (uint32_t i = 0; i < table->count; i++)
        if (table->marks[i].kind == TABLIST)
            lists.rows[lists.count++] = (struct tablist){ .node = table->marks[i].node };
    for (uint32_t i = 0; i < table->count; i++) {
        const th_tab_mark *tab = &table->marks[i];
        if (tab->kind != TAB || tab->is_taken)
            continue;
        const uint32_t list = list_around(s, &lists, tab->node);
        if (list != TH_NONE)
            lists.tabs.keys[lists.tabs.count++] = (struct key){
                .id = { "", 0 }, .shared = list, .node = tab->node, .mark = i
            };
    }
    sort(lists.tabs.keys, lists.tabs.count);
    for (uint32_t i = 0; i < lists.tabs.count;) {
        const uint32_t end = end_of_group(&lists.tabs, i);
        struct tablist *list = &lists.rows[lists.tabs.keys[i].shared];
        list->first = i;
        list->count = end - i;
        i = end;
    }
    return lists;
}

/* Whether an element near a panel contains the tablist too, near to it. */
static bool are_near(const struct search *s, uint32_t panel, uint32_t list)
{
    for (unsigned i = 0; i < PANEL_LEVELS && panel != TH_NONE; i++) {
        uint32_t node = list;
        panel = s->nodes[panel].parent;
        for (unsigned k = 0; k < PANEL_LEVELS && node != TH_NONE; k++) {
            node = s->nodes[node].parent;
            if (node == panel)
                return node != TH_NONE;
        }
    }
    return false;
}

/* Panels of one parent. */
struct group {
    const struct key *panels;
    uint32_t count;
};

static int compare_groups(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    return compare_numbers(x->panels->node, y->panels->node);
}

/* Returns the groups of an index by parents, in the order of their first nodes. */
static struct group *groups_of(struct search *s, const struct index *index,
                               uint32_t *count)
{
    struct group *groups = scratch(s->table, index->count * sizeof *groups);
    *count = 0;
    for (uint32_t i = 0; groups && i < index->count;) {
        const uint32_t end = end_of_group(index, i);
        groups[(*count)++] = (struct group){ &index->keys[i], end - i };
        i = end;
    }
    if (groups && *count)
        qsort(groups, *count, sizeof *groups, compare_groups);
    return groups;
}

/* Matches panels that no id has matched with the tabs of the last tablist before them. */
static void pair_by_order(struct search *s)
{
    th_tab_table *table = s->table;
    struct index panels = index_of(s, PANEL, BY_PARENT);
    const struct tablists lists = find_lists(s);
    uint32_t left = 0, count = 0;
    for (uint32_t i = 0; !table->status && i < panels.count; i++)
        if (!table->marks[panels.keys[i].mark].is_taken)
            panels.keys[left++] = panels.keys[i];
    panels.count = left;
    const struct group *groups = groups_of(s, &panels, &count);
    for (uint32_t i = 0; !table->status && i < count; i++) {
        const uint32_t number = list_before(&lists, groups[i].panels->node);
        struct tablist *list = number == TH_NONE ? NULL : &lists.rows[number];
        if (!list || list->is_taken || list->count != groups[i].count ||
            !are_near(s, groups[i].panels->node, list->node))
            continue;
        list->is_taken = true;
        for (uint32_t k = 0; k < list->count; k++) {
            th_tab_mark *tab = &table->marks[lists.tabs.keys[list->first + k].mark];
            pair(s, tab, tab->node, groups[i].panels[k].node);
        }
    }
}

/* Returns the item with the label that a panel states; NULL if it is in no list, or not
 * after the item. */
static th_tab_mark *item_of(const struct search *s, const struct index *items,
                            const struct key *panel)
{
    th_tab_mark *item = find(s, items, s->table->marks[panel->mark].target, panel->node);
    return item && !item->is_taken && item->node < panel->node ? item : NULL;
}

/* Whether the labels of siblings are all items of one list, in its order. */
static bool are_list(const struct search *s, const struct index *items,
                     const struct group *group)
{
    uint32_t list = TH_NONE, last = 0;
    for (uint32_t i = 0; i < group->count; i++) {
        const th_tab_mark *mark = item_of(s, items, &group->panels[i]);
        if (!mark || (i && mark->item <= last))
            return false;
        last = mark->item;
        const uint32_t parent = s->paragraphs->boxes[last].parent;
        if (i && parent != list)
            return false;
        list = parent;
    }
    return s->paragraphs->boxes[list].count == group->count;
}

/* Matches siblings that state the ids of their labels with items of a list. */
static void pair_with_items(struct search *s)
{
    const struct index items = index_of(s, ITEM, BY_ID);
    const struct index panels = index_of(s, LABELLED, BY_PARENT);
    uint32_t count = 0;
    const struct group *groups = groups_of(s, &panels, &count);
    for (uint32_t i = 0; !s->table->status && i < count; i++) {
        const struct group *group = &groups[i];
        if (group->count < 2 || !are_list(s, &items, group))
            continue;
        for (uint32_t k = 0; k < group->count; k++) {
            th_tab_mark *mark = item_of(s, &items, &group->panels[k]);
            pair(s, mark, s->paragraphs->boxes[mark->item].node, group->panels[k].node);
        }
    }
}

/* Returns the next sibling of each node, or TH_NONE. */
static uint32_t *next_siblings(struct search *s)
{
    uint32_t *next = scratch(s->table, s->node_count * sizeof *next);
    uint32_t *last = scratch(s->table, s->node_count * sizeof *last); /* child so far */
    if (!next || !last)
        return NULL;
    memset(next, 0xFF, s->node_count * sizeof *next); /* TH_NONE */
    memset(last, 0xFF, s->node_count * sizeof *last);
    for (uint32_t i = 1; i < s->node_count; i++) {
        const uint32_t parent = s->nodes[i].parent;
        if (last[parent] != TH_NONE)
            next[last[parent]] = i;
        last[parent] = i;
    }
    return next;
}

static bool is_block(const struct search *s, uint32_t node)
{
    return node != TH_NONE && th_boundaries[s->nodes[node].tag] >= TH_BLOCK;
}

/* Whether a panel is directly after each label. */
static bool are_adjacent(const struct search *s, const uint32_t *next,
                         const struct group *labels)
{
    for (uint32_t i = 0; i < labels->count; i++)
        if (!is_block(s, next[labels->panels[i].node]))
            return false;
    return true;
}

/* Returns the first of as many children of the element after the labels, or TH_NONE. */
static uint32_t panels_after(const struct search *s, const uint32_t *next,
                             const struct group *labels)
{
    const uint32_t around = next[labels->panels->shared];
    const uint32_t first = around == TH_NONE ? TH_NONE : around + 1;
    if (first >= s->node_count || s->nodes[first].parent != around)
        return TH_NONE;
    uint32_t child = first;
    for (uint32_t i = 0; i < labels->count; i++) {
        if (!is_block(s, child))
            return TH_NONE;
        child = next[child];
    }
    return child == TH_NONE ? first : TH_NONE;
}

/* Matches the labels of radio buttons with the elements after them. */
static void pair_radios(struct search *s)
{
    th_tab_table *table = s->table;
    const struct index radios = index_of(s, RADIO, BY_ID);
    struct index labels = index_of(s, LABEL, BY_PARENT);
    uint32_t left = 0, count = 0;
    for (uint32_t i = 0; !table->status && i < labels.count; i++) {
        const th_tab_mark *label = &table->marks[labels.keys[i].mark];
        if (find(s, &radios, label->target, label->node))
            labels.keys[left++] = labels.keys[i];
    }
    labels.count = left;
    const struct group *groups = groups_of(s, &labels, &count);
    const uint32_t *next = count ? next_siblings(s) : NULL;
    for (uint32_t i = 0; !table->status && i < count; i++) {
        const struct group *group = &groups[i];
        if (group->count < 2)
            continue;
        const bool is_adjacent = are_adjacent(s, next, group);
        uint32_t panel = is_adjacent ? TH_NONE : panels_after(s, next, group);
        for (uint32_t k = 0; k < group->count && (is_adjacent || panel != TH_NONE); k++) {
            const struct key *label = &group->panels[k];
            panel = is_adjacent ? next[label->node] : panel;
            pair(s, &table->marks[label->mark], label->node, panel);
            panel = next[panel];
        }
    }
}

static int compare_tabs(const void *a, const void *b)
{
    const th_tab *x = a, *y = b;
    return compare_numbers(x->panel, y->panel);
}

/* Gives each tab its set, the panels of one parent, and its number in the set. */
static void number_sets(struct search *s)
{
    struct key *keys = scratch(s->table, s->tab_count * sizeof *keys);
    uint32_t set = 0, number = 0;
    for (uint32_t i = 0; keys && i < s->tab_count; i++)
        keys[i] = (struct key){ .id = { "", 0 },
                                .shared = s->nodes[s->tabs[i].panel].parent,
                                .node = s->tabs[i].panel,
                                .mark = i };
    if (!keys)
        return;
    sort(keys, s->tab_count);
    for (uint32_t i = 0; i < s->tab_count; i++) {
        const bool is_new = i && keys[i].shared != keys[i - 1].shared;
        set += is_new;
        number = is_new ? 1 : number + 1;
        s->tabs[keys[i].mark].set = set;
        s->tabs[keys[i].mark].number = number;
    }
}

/* Drops all tabs of a panel but the first: two rules may find it. */
static void drop_same_panels(struct search *s)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->tab_count; i++)
        if (!kept || s->tabs[kept - 1].panel != s->tabs[i].panel)
            s->tabs[kept++] = s->tabs[i];
    s->tab_count = kept;
}

th_tab *th_tab_table_finish(th_tab_table *table, const th_paragraph_table *paragraphs,
                            const th_node *nodes, uint32_t node_count, uint32_t *count)
{
    const uint32_t *of = table->count_of;
    struct search s = {
        .table = table, .paragraphs = paragraphs, .nodes = nodes, .node_count = node_count
    };
    const bool has_roles = of[TAB] && of[PANEL], has_items = of[ITEM] && of[LABELLED];
    const bool has_radios = of[RADIO] && of[LABEL];
    *count = 0;
    if (table->status || !(has_roles || has_items || has_radios))
        return NULL;
    s.tabs = scratch(table, table->count * sizeof *s.tabs);
    if (!table->status && has_roles)
        pair_by_ids(&s);
    if (!table->status && has_roles)
        pair_by_order(&s);
    if (!table->status && has_items)
        pair_with_items(&s);
    if (!table->status && has_radios)
        pair_radios(&s);
    if (table->status || !s.tab_count)
        return NULL;
    qsort(s.tabs, s.tab_count, sizeof *s.tabs, compare_tabs);
    drop_same_panels(&s);
    number_sets(&s);
    *count = s.tab_count;
    return table->status ? NULL : s.tabs;
}
