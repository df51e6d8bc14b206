/*
 * Holds another extractor's results for a corpus in memory, and finds them by a page's
 * id.
 */
#include "eval/peer_output.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/arena_failure.h"
#include "base/ascii.h"
#include "base/json_events.h"
#include "eval/corpus_lines.h"
#include "eval/corpus_path.h"

struct entry {
    uint64_t id; /* hash */
    th_view text;
};

struct th_peer_output {
    struct entry *entries; /* by id */
    size_t count;
};

static uint64_t id_hash(th_view id)
{
    return XXH3_64bits(id.data, id.len);
}

static int by_id(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    return (a->id > b->id) - (a->id < b->id);
}

th_view th_peer_text(const th_peer_output *peer, th_view id)
{
    const struct entry key = { .id = id_hash(id) };
    const struct entry *found =
        peer->count ? bsearch(&key, peer->entries, peer->count, sizeof key, by_id) : NULL;
    return found ? found->text : (th_view){ NULL, 0 };
}

/* ---- a line ---- */

struct line {
    th_arena *arena;
    enum { OTHER, ID, TEXT } member;
    uint32_t depth;
    bool has_id;
    struct entry entry;
};

static bool on_key(void *context, th_view key)
{
    struct line *line = context;
    if (line->depth == 1)
        line->member = th_view_is(key, "id")     ? ID
                       : th_view_is(key, "text") ? TEXT
                                                 : OTHER;
    return true;
}

static bool on_string(void *context, th_view text)
{
    struct line *line = context;
    if (line->depth != 1 || line->member == OTHER)
        return true;
    if (line->member == ID) {
        line->entry.id = id_hash(text);
        line->has_id = true;
        return true;
    }
    line->entry.text = th_arena_copy(line->arena, text);
    return line->entry.text.data != NULL;
}

static bool on_open(void *context)
{
    ((struct line *)context)->depth++;
    return true;
}

static bool on_close(void *context)
{
    ((struct line *)context)->depth--;
    return true;
}

/* @return TH_OK; TH_DAMAGED: no id, or not JSON; TH_NOMEM */
static th_status read_line(th_view bytes, th_arena *arena, struct entry *out)
{
    static const th_json_callbacks callbacks = { .key = on_key,
                                                 .string = on_string,
                                                 .open_object = on_open,
                                                 .open_array = on_open,
                                                 .close = on_close };
    struct line line = { .arena = arena, .entry.text = TH_VIEW_INIT("") };
    const th_status status = th_json_events(bytes, &callbacks, &line);
    *out = line.entry;
    if (th_arena_has_failed(arena))
        return TH_NOMEM;
    return status == TH_OK && !line.has_id ? TH_DAMAGED : status;
}

/* ---- a file ---- */

static th_status read_file(const char *path, const atomic_int *stop, th_arena *arena,
                           th_peer_output *peer, th_error *err)
{
    th_corpus_lines *reader = NULL;
    th_buffer line = { 0 };
    uint64_t bytes = 0;
    th_status status = th_corpus_lines_open(path, stop, &reader, err);
    while (status == TH_OK &&
           (status = th_corpus_lines_next(reader, &line, err)) == TH_OK) {
        const size_t size = peer->count * sizeof *peer->entries;
        bytes += line.len;
        if (bytes > TH_PEER_BYTES_MAX)
            status = th_fail(err, TH_TOO_LARGE, "'%s' is larger than %d bytes", path,
                             (int)TH_PEER_BYTES_MAX);
        if ((peer->count & (peer->count - 1)) == 0) { /* full: twice the room */
            struct entry *entries =
                th_arena_alloc(arena, size ? 2 * size : sizeof *entries);
            if (!entries)
                status = TH_NOMEM;
            else if (size)
                memcpy(entries, peer->entries, size);
            peer->entries = entries;
        }
        if (status == TH_OK)
            status =
                read_line(th_buffer_view(&line), arena, &peer->entries[peer->count++]);
        if (status == TH_DAMAGED)
            status = th_fail(err, TH_IO, "%s:%llu: id or text is missing", path,
                             (unsigned long long)th_corpus_lines_number(reader));
    }
    if (status == TH_END) {
        status = TH_OK;
        if (peer->count)
            qsort(peer->entries, peer->count, sizeof *peer->entries, by_id);
    }
    th_buffer_done(&line);
    th_corpus_lines_free(reader);
    return status;
}

/* ---- a folder ---- */

static const char suffix[] = ".jsonl.gz";

static int is_peer(const struct dirent *entry)
{
    const size_t len = strlen(entry->d_name), tail = sizeof suffix - 1;
    return len > tail && strcmp(entry->d_name + len - tail, suffix) == 0;
}

static th_status add_peer(const char *folder, const char *name, const atomic_int *stop,
                          th_arena *arena, th_peer_list *out, th_error *err)
{
    const char *path = th_corpus_path_join(folder, name, arena);
    th_peer_output *peer = th_arena_calloc(arena, 1, sizeof *peer);
    const size_t len = strlen(name) - (sizeof suffix - 1);
    char *bare = th_arena_calloc(arena, 1, len + 1);
    if (!path || !peer || !bare)
        return TH_NOMEM;
    (void)snprintf(bare, len + 1, "%s", name);
    out->names[out->count] = bare;
    out->peers[out->count++] = peer;
    return read_file(path, stop, arena, peer, err);
}

th_status th_peer_list_read(const char *folder, const atomic_int *stop, th_arena *arena,
                            th_peer_list *out, th_error *err)
{
    struct dirent **found = NULL;
    const char *path = th_corpus_path_join(folder, "peer-outputs", arena);
    *out = (th_peer_list){ 0 };
    if (!path)
        return TH_NOMEM;
    const int count = scandir(path, &found, is_peer, alphasort);
    th_status status = TH_OK;
    for (int i = 0; i < count; i++) {
        if (status == TH_OK && out->count < TH_PEERS_MAX)
            status = add_peer(path, found[i]->d_name, stop, arena, out, err);
        free(found[i]);
    }
    free(found);
    return status;
}
