/*
 * html_tokenizer FOLDER: the tokenizer cases of html5lib-tests, all files of the folder.
 *
 * Every case is run in each of its initial states, with every width of search: in one
 * piece, cut once at every byte, and byte by byte. Then it is run with text after it, so
 * that its tags are complete for the scanner. One piece and cut pieces must agree. Parse
 * errors are not compared. xmlViolation.test expects changes of characters that XML does
 * not allow. The same changes are made here to the output of the tokenizer.
 *
 * Exit 0 if all cases pass, 1 if not, 77 if the folder is missing.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_tree.h"
#include "token_record.h"

enum { BYTES_MAX = 1 << 24, STATES = 6 };

/* ---- JSON ---------------------------------------------------------------------------- */

/* A value whose text may be replaced. */
typedef struct node {
    json_type type;
    bool is_true;
    th_view text;     /* owned; also the key of a value in a map */
    struct node *key; /* NULL in an array */
    struct node *items, *next;
} node;

static void die(const char *what, const char *why)
{
    fprintf(stderr, "html_tokenizer: %s: %s\n", what, why);
    exit(1);
}

static void *get_memory(size_t size)
{
    void *memory = calloc(1, size);
    if (!memory)
        die("memory", "none");
    return memory;
}

static th_view copy_of(const char *bytes, size_t len)
{
    char *copy = get_memory(len + 1);
    memcpy(copy, bytes, len);
    return (th_view){ copy, len };
}

static void free_node(node *value)
{
    while (value) {
        node *next = value->next;
        free_node(value->items);
        free_node(value->key);
        free((void *)(uintptr_t)value->text.data);
        free(value);
        value = next;
    }
}

/* Copies a value, and the rest of its container. */
static node *copy_nodes(json_val value, size_t count)
{
    node *first = NULL, **end = &first;
    for (size_t i = 0; i < count; i++) {
        const json *from = &value[i];
        node *copy = get_memory(sizeof *copy);
        copy->type = from->type == JSON_NUMBER ? JSON_NULL : from->type;
        copy->is_true = from->is_true;
        if (from->type == JSON_STRING)
            copy->text = copy_of(from->text, from->text_len);
        if (from->key) {
            copy->key = get_memory(sizeof *copy->key);
            copy->key->text = copy_of(from->key, from->key_len);
        }
        copy->items = copy_nodes(from->items, from->count);
        *end = copy;
        end = &copy->next;
    }
    return first;
}

static node *read_nodes(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        die(path, "cannot be opened");
    char *bytes = get_memory(BYTES_MAX);
    const size_t len = fread(bytes, 1, BYTES_MAX, file);
    (void)fclose(file);
    json *tree = json_read(bytes, len);
    free(bytes);
    if (!tree)
        die(path, "is not JSON");
    node *root = copy_nodes(tree, 1);
    json_free(tree);
    return root;
}

static bool is_text(th_view text, const char *word)
{
    return text.len == strlen(word) && memcmp(text.data, word, text.len) == 0;
}

static const node *member(const node *map, const char *name)
{
    for (const node *item = map->items; item; item = item->next)
        if (item->key && is_text(item->key->text, name))
            return item;
    return NULL;
}

/* ---- cases ------------------------------------------------------------------------- */

/* Decodes "\uHHHH" a second time. An unpaired surrogate becomes three bytes, which the
 * tokenizer passes unchanged. */
static uint32_t read_escape(const char *at, const char *end)
{
    uint32_t code = 0;
    if (end - at < 6 || at[0] != '\\' || at[1] != 'u')
        return UINT32_MAX;
    for (int i = 2; i < 6; i++) {
        const char *const digits = "0123456789abcdef";
        const char *digit = strchr(digits, at[i] | 0x20);
        if (!digit || !at[i])
            return UINT32_MAX;
        code = code * 16 + (uint32_t)(digit - digits);
    }
    return code;
}

static void append_code(th_buffer *out, uint32_t code)
{
    char bytes[4];
    if (code < 0x80) {
        bytes[0] = (char)code;
        th_buffer_append(out, bytes, 1);
    } else if (code < 0x800) {
        bytes[0] = (char)(0xC0 | code >> 6);
        bytes[1] = (char)(0x80 | (code & 0x3F));
        th_buffer_append(out, bytes, 2);
    } else if (code < 0x10000) {
        bytes[0] = (char)(0xE0 | code >> 12);
        bytes[1] = (char)(0x80 | (code >> 6 & 0x3F));
        bytes[2] = (char)(0x80 | (code & 0x3F));
        th_buffer_append(out, bytes, 3);
    } else {
        bytes[0] = (char)(0xF0 | code >> 18);
        bytes[1] = (char)(0x80 | (code >> 12 & 0x3F));
        bytes[2] = (char)(0x80 | (code >> 6 & 0x3F));
        bytes[3] = (char)(0x80 | (code & 0x3F));
        th_buffer_append(out, bytes, 4);
    }
}

static void unescape(th_view *text)
{
    th_buffer out = { 0 };
    const char *const end = text->data + text->len;
    for (const char *at = text->data; at < end;) {
        uint32_t code = read_escape(at, end);
        if (code == UINT32_MAX) {
            th_buffer_append_char(&out, *at++);
            continue;
        }
        at += 6;
        const uint32_t low = read_escape(at, end);
        if (code >= 0xD800 && code < 0xDC00 && low >= 0xDC00 && low < 0xE000) {
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
            at += 6;
        }
        append_code(&out, code);
    }
    free((void *)(uintptr_t)text->data);
    *text = copy_of(out.data ? out.data : "", out.len);
    th_buffer_done(&out);
}

static void unescape_all(node *value)
{
    for (; value; value = value->next) {
        if (value->type == JSON_STRING)
            unescape(&value->text);
        if (value->key)
            unescape(&value->key->text);
        unescape_all(value->items);
    }
}

/* The expected tokens go to the same sink as the tokenizer's. */
static void say_tag(th_token_record *record, const node *name, bool is_end)
{
    enum { ATTRIBUTES_MAX = 64 };
    th_attribute attrs[ATTRIBUTES_MAX];
    th_html_tag tag = { .name = name->text,
                        .tag = th_tag_of(name->text),
                        .attrs = attrs };
    const node *map = name->next;
    for (const node *item = map ? map->items : NULL; item; item = item->next) {
        if (tag.attr_count == ATTRIBUTES_MAX)
            die("attributes", "too many");
        attrs[tag.attr_count++] = (th_attribute){ item->key->text, item->text };
    }
    tag.is_self_closing = map && map->next && map->next->is_true;
    if (is_end)
        th_token_record_sink.end_tag(record, &tag);
    else
        (void)th_token_record_sink.start_tag(record, &tag);
}

static void say_text(th_token_record *record, th_view text)
{
    for (size_t i = 0; i < text.len; i++)
        th_token_record_sink.text(record, text.data + i, 1);
}

static void say(th_token_record *record, const node *token)
{
    const th_view kind = token->items->text;
    const node *first = token->items->next;
    if (is_text(kind, "StartTag") || is_text(kind, "EndTag")) {
        say_tag(record, first, is_text(kind, "EndTag"));
    } else if (is_text(kind, "Character")) {
        say_text(record, first->text);
    } else if (is_text(kind, "Comment")) {
        th_token_record_sink.comment(record, first->text);
    } else if (is_text(kind, "DOCTYPE")) {
        const node *public_id = first->next;
        const node *system_id = public_id->next;
        const th_html_doctype doctype = { .name = first->text,
                                          .public_id = public_id->text,
                                          .system_id = system_id->text,
                                          .force_quirks = !system_id->next->is_true };
        th_token_record_sink.doctype(record, &doctype);
    } else {
        die("token", "of an unknown kind");
    }
}

struct conform {
    th_html_tokenizer *tokenizers[TH_HTML_SEARCH_32 + 1];
    size_t cases, runs, failed;
    const char *file;
    bool is_xml;
};

struct input {
    th_view page, last_start_tag;
    th_html_content content;
    const char *description;
};

/* What XML cannot hold, changed as the standard suggests. */
static void coerce(th_buffer *record)
{
    th_buffer out = { 0 };
    const bool is_comment = record->len > 3 && memcmp(record->data, "(--", 3) == 0;
    for (size_t i = 0; i < record->len; i++) {
        const char *at = record->data + i;
        if (*at == '\f') {
            th_buffer_append_char(&out, ' ');
        } else if (record->len - i >= 3 && memcmp(at, "\xEF\xBF\xBF", 3) == 0) {
            th_buffer_append_text(&out, "\xEF\xBF\xBD");
            i += 2;
        } else if (is_comment && i >= 3 && i + 5 <= record->len &&
                   memcmp(at, "--", 2) == 0) {
            th_buffer_append_text(&out, "- ");
        } else {
            th_buffer_append_char(&out, *at);
        }
    }
    th_buffer_done(record);
    *record = out;
}

static bool is_same(const th_buffer *a, const th_buffer *b)
{
    return a->len == b->len && (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

static void complain(struct conform *conform, const struct input *input,
                     const th_buffer *want, const th_buffer *got, size_t first,
                     size_t piece)
{
    conform->failed++;
    printf("FAILED %s: %s (content %d, first piece %zu, others %zu)\n", conform->file,
           input->description, (int)input->content, first, piece);
    printf("  input %.*s\n  want  %.*s\n  got   %.*s\n", (int)input->page.len,
           input->page.data, (int)want->len, want->data, (int)got->len, got->data);
}

/* @return whether that run, cut so, gives what is wanted */
static bool run_cut(struct conform *conform, const struct input *input, int search,
                    const th_buffer *want, size_t first, size_t piece)
{
    th_token_record record = { .is_sorted = true };
    th_token_record_run(&record, conform->tokenizers[search], &th_token_record_sink,
                        input->content, input->last_start_tag, input->page, first, piece);
    if (conform->is_xml)
        coerce(&record.out);
    const bool is_good = is_same(want, &record.out);
    if (!is_good)
        complain(conform, input, want, &record.out, first, piece);
    th_buffer_done(&record.out);
    conform->runs++;
    return is_good;
}

static bool run_every_cut(struct conform *conform, const struct input *input,
                          const th_buffer *want)
{
    bool is_good = true;
    for (int search = TH_HTML_SEARCH_PORTABLE; search <= TH_HTML_SEARCH_32; search++) {
        is_good = is_good && run_cut(conform, input, search, want, 0, 0) &&
                  run_cut(conform, input, search, want, 1, 1);
        for (size_t cut = 1; is_good && cut < input->page.len; cut++)
            is_good = run_cut(conform, input, search, want, cut, 0);
    }
    return is_good;
}

/* The same input followed by text: the reference is the byte-by-byte result. */
static bool run_followed(struct conform *conform, const struct input *input,
                         const char *behind)
{
    th_buffer page = { 0 };
    th_buffer_append_view(&page, input->page);
    th_buffer_append_text(&page, behind);
    struct input followed = *input;
    followed.page = th_buffer_view(&page);
    th_token_record record = { .is_sorted = true };
    th_token_record_run(&record, conform->tokenizers[TH_HTML_SEARCH_PORTABLE],
                        &th_token_record_sink, input->content, input->last_start_tag,
                        followed.page, 1, 1);
    if (conform->is_xml)
        coerce(&record.out);
    const bool is_good = run_every_cut(conform, &followed, &record.out);
    th_buffer_done(&record.out);
    th_buffer_done(&page);
    return is_good;
}

static th_html_content content_of(th_view state)
{
    static const struct {
        const char *name;
        th_html_content content;
    } states[STATES] = {
        { "Data state", TH_HTML_DATA },
        { "RCDATA state", TH_HTML_RCDATA },
        { "RAWTEXT state", TH_HTML_RAWTEXT },
        { "Script data state", TH_HTML_SCRIPT_DATA },
        { "PLAINTEXT state", TH_HTML_PLAINTEXT },
        { "CDATA section state", TH_HTML_CDATA },
    };
    for (int i = 0; i < STATES; i++)
        if (is_text(state, states[i].name))
            return states[i].content;
    die(state.data, "is not a state");
    return TH_HTML_DATA;
}

static void run_case(struct conform *conform, node *test)
{
    const node *escaped = member(test, "doubleEscaped");
    if (escaped && escaped->is_true) {
        for (node *item = test->items; item; item = item->next)
            if (is_text(item->key->text, "input"))
                unescape(&item->text);
            else if (is_text(item->key->text, "output"))
                unescape_all(item->items);
    }
    th_token_record want = { .is_sorted = true };
    for (const node *token = member(test, "output")->items; token; token = token->next)
        say(&want, token);
    th_token_record_close(&want);

    const node *last = member(test, "lastStartTag");
    struct input input = { .page = member(test, "input")->text,
                           .last_start_tag = last ? last->text : (th_view){ 0 },
                           .description = member(test, "description")->text.data };
    const node *states = member(test, "initialStates");
    static const node data = { .text = TH_VIEW_INIT("Data state") };
    for (const node *state = states ? states->items : &data; state; state = state->next) {
        input.content = content_of(state->text);
        conform->cases++;
        if (run_every_cut(conform, &input, &want.out) &&
            run_followed(conform, &input, " <p class=x id='y'>behind it</p>") &&
            run_followed(conform, &input, "\"'>behind it there is much"))
            continue;
    }
    th_buffer_done(&want.out);
}

static int is_test(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && strcmp(dot, ".test") == 0;
}

int main(int argc, char **argv)
{
    struct dirent **files;
    const int count = argc == 2 ? scandir(argv[1], &files, is_test, alphasort) : -1;
    if (count <= 0) {
        printf("skipped: no html5lib tests in '%s'\n", argc == 2 ? argv[1] : "");
        return 77;
    }
    struct conform conform = { 0 };
    for (int search = 0; search <= TH_HTML_SEARCH_32; search++) {
        const th_html_limits limits = { .max_attributes = 64,
                                        .max_tag = 65536,
                                        .search = (th_html_search)search };
        conform.tokenizers[search] = th_html_tokenizer_new(&limits);
        if (!conform.tokenizers[search])
            die("memory", "none");
    }
    for (int i = 0; i < count; i++) {
        char path[4096];
        (void)snprintf(path, sizeof path, "%s/%s", argv[1], files[i]->d_name);
        node *root = read_nodes(path);
        const size_t cases = conform.cases;
        const node *tests = member(root, "tests");
        conform.is_xml = !tests;
        conform.file = files[i]->d_name;
        tests = tests ? tests : member(root, "xmlViolationTests");
        for (node *test = tests ? tests->items : NULL; test; test = test->next)
            run_case(&conform, test);
        printf("%s: %zu cases\n", conform.file, conform.cases - cases);
        free_node(root);
        free(files[i]);
    }
    free(files);
    for (int search = 0; search <= TH_HTML_SEARCH_32; search++)
        th_html_tokenizer_free(conform.tokenizers[search]);
    printf("%d files, %zu cases, %zu runs, %zu failed\n", count, conform.cases,
           conform.runs, conform.failed);
    return conform.failed ? 1 : 0;
}
