/*
 * The spool's ledger: lines of text, `CHECKSUM WORDS...`, with the words of one commit:
 *
 *     f ID STATE OFFSET SKIP UOFFSET DICT CHECK RECORDS NAME    a file, any number
 *     n NOTE                                                    the output's note
 *
 * Names and notes are percent-escaped, so a word holds no space. The checksum is XXH3 of
 * the bytes after it. Every line contains the whole state of its files, not a change:
 * the next line about the same file replaces a lost line. Earlier versions wrote STATE
 * as a small letter, no CHECK, and an ID of four numbers (spool_id.h).
 *
 * In memory a file is found by its inode and by the digest of its bytes. Only one file of
 * an inode is known at a time. A finished file whose inode is withdrawn, or has gone to
 * another file, is still found by its digest: its device and inode are 0 then.
 */
#include "spool/spool_ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/file_sink.h"
#include "base/io_status.h"
#include "base/whole_file.h"
#include "warc/warc_record.h"

enum {
    MAX_LOG = 1 << 28, /* bytes of a log that are read */
    MAX_BAD = 1 << 20, /* bytes that PATH.bad may grow to */
    SLACK = 1 << 20,   /* bytes a log may grow before it is rewritten */
    CHECKSUM_LEN = 16, /* hexadecimal digits */
    MIN_TABLE = 1 << 6 /* slots of the smallest hash table */
};

static const char state_letters[TH_SPOOL_STATES] = { 'A', 'D', 'X', 'W' };
static const char old_letters[TH_SPOOL_STATES] = { 'a', 'd', 'x', 'w' };

/* An entry in memory: th_spool_entry with a name of variable length. */
struct row {
    th_spool_id id;
    th_checkpoint next;
    uint64_t records;
    char *name; /* owned */
    th_spool_state state;
};

struct th_spool_ledger {
    th_spool_ledger_options options;
    struct row *rows; /* the oldest first */
    size_t count, capacity;
    size_t forget_at;   /* count at which to look for entries to forget */
    uint32_t *by_inode; /* index into rows + 1, by device and inode; 0 is free */
    uint32_t *by_bytes; /* the same by size, ends and digest: the first that has them */
    size_t table_len;   /* slots of each, a power of 2, at least twice `capacity` */
    th_buffer note;
    th_buffer line; /* scratch */
    int lock_fd, fd;
    uint64_t len;        /* bytes of the log that are good and durable */
    uint64_t rewrite_at; /* length at which the log is rewritten */
    uint64_t damaged;
    bool must_rewrite; /* before anything is appended */
};

/* ---- words ---- */

static bool is_plain(unsigned char c)
{
    return c > 0x20 && c < 0x7F && c != '%';
}

static void append_escaped(th_buffer *out, th_view text)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char c = (unsigned char)text.data[i];
        if (is_plain(c)) {
            th_buffer_append_char(out, text.data[i]);
        } else {
            th_buffer_append_char(out, '%');
            th_buffer_append_char(out, digits[c >> 4]);
            th_buffer_append_char(out, digits[c & 15]);
        }
    }
}

/* Reverses append_escaped. Returns false if the text is cut or not an escape. */
static bool append_unescaped(th_buffer *out, th_view word)
{
    for (size_t i = 0; i < word.len; i++) {
        if (word.data[i] != '%') {
            th_buffer_append_char(out, word.data[i]);
            continue;
        }
        if (word.len - i < 3)
            return false;
        const int high = th_spool_hex_value(word.data[i + 1]);
        const int low = th_spool_hex_value(word.data[i + 2]);
        if (high < 0 || low < 0)
            return false;
        th_buffer_append_char(out, (char)(high << 4 | low));
        i += 2;
    }
    return true;
}

/* Takes the next word, up to `end`; false when nothing is left. */
static bool next_word(th_view *rest, char end, th_view *word)
{
    if (!rest->data)
        return false;
    const char *at = memchr(rest->data, end, rest->len);
    *word = (th_view){ rest->data, at ? (size_t)(at - rest->data) : rest->len };
    *rest = at ? (th_view){ at + 1, rest->len - word->len - 1 } : (th_view){ NULL, 0 };
    return true;
}

static bool next_number(th_view *rest, char end, unsigned base, uint64_t *number)
{
    th_view word;
    if (!next_word(rest, end, &word) || word.len == 0 || word.len > 20)
        return false;
    *number = 0;
    for (size_t i = 0; i < word.len; i++) {
        const int digit = th_spool_hex_value(word.data[i]);
        if (digit < 0 || (unsigned)digit >= base ||
            __builtin_mul_overflow(*number, base, number) ||
            __builtin_add_overflow(*number, (unsigned)digit, number))
            return false;
    }
    return true;
}

/* ---- entries as text ---- */

void th_spool_entry_write(const th_spool_entry *entry, th_buffer *out)
{
    th_buffer_printf(
        out, "%c %llu %llu %llu %llu %llu %llu ", state_letters[entry->state],
        (unsigned long long)entry->next.offset, (unsigned long long)entry->next.skip,
        (unsigned long long)entry->next.uoffset,
        (unsigned long long)entry->next.dict_offset,
        (unsigned long long)entry->next.version, (unsigned long long)entry->records);
    append_escaped(out, (th_view){ entry->name, strlen(entry->name) });
}

static bool read_state(th_view word, th_spool_state *state, bool *is_old)
{
    for (unsigned i = 0; word.len == 1 && i < TH_SPOOL_STATES; i++) {
        if (word.data[0] == state_letters[i] || word.data[0] == old_letters[i]) {
            *state = (th_spool_state)i;
            *is_old = word.data[0] == old_letters[i];
            return true;
        }
    }
    return false;
}

/* Whether a path leads to a name below its folder, and nowhere else. */
static bool is_below(const char *path)
{
    for (;;) {
        const size_t len = strcspn(path, "/");
        if (len == 0 || (len == 1 && path[0] == '.') ||
            (len == 2 && path[0] == '.' && path[1] == '.'))
            return false;
        if (!path[len])
            return true;
        path += len + 1;
    }
}

/* Reads a name that a spool could hold: the escaped word becomes a path again. */
static bool read_name(th_view word, char name[TH_SPOOL_NAME])
{
    th_buffer text = { 0 };
    bool is_name = append_unescaped(&text, word) && !text.has_failed && text.len > 0 &&
                   text.len < TH_SPOOL_NAME && !memchr(text.data, '\0', text.len);
    if (is_name) {
        memcpy(name, text.data, text.len);
        name[text.len] = '\0';
        is_name = is_below(name);
    }
    th_buffer_done(&text);
    return is_name;
}

/* Reads an entry's words from the front of `rest`. */
static bool next_entry(th_view *rest, th_spool_entry *entry)
{
    th_view state, name;
    bool is_old = false;
    entry->next.input = 0;
    entry->next.version = 0;
    return next_word(rest, ' ', &state) && read_state(state, &entry->state, &is_old) &&
           next_number(rest, ' ', 10, &entry->next.offset) &&
           next_number(rest, ' ', 10, &entry->next.skip) &&
           next_number(rest, ' ', 10, &entry->next.uoffset) &&
           next_number(rest, ' ', 10, &entry->next.dict_offset) &&
           (is_old || next_number(rest, ' ', 10, &entry->next.version)) &&
           next_number(rest, ' ', 10, &entry->records) && next_word(rest, ' ', &name) &&
           read_name(name, entry->name);
}

bool th_spool_entry_read(th_view text, th_spool_entry *entry)
{
    th_view rest = text;
    return next_entry(&rest, entry) && !rest.data;
}

/* ---- entries in memory ---- */

static bool has_inode(const th_spool_id *id)
{
    return id->inode || id->device;
}

static bool is_finished(th_spool_state state)
{
    return state == TH_SPOOL_DONE || state == TH_SPOOL_FAILED;
}

static size_t inode_slot(const th_spool_ledger *ledger, const th_spool_id *id)
{
    const uint64_t key[2] = { id->device, id->inode };
    size_t slot = (size_t)XXH3_64bits(key, sizeof key) & (ledger->table_len - 1);
    while (ledger->by_inode[slot] &&
           !th_spool_id_is_inode(&ledger->rows[ledger->by_inode[slot] - 1].id, id))
        slot = (slot + 1) & (ledger->table_len - 1);
    return slot;
}

static size_t bytes_slot(const th_spool_ledger *ledger, const th_spool_id *id)
{
    size_t slot = (size_t)(id->digest[0] ^ id->size) & (ledger->table_len - 1);
    while (ledger->by_bytes[slot] &&
           !th_spool_id_is_content(&ledger->rows[ledger->by_bytes[slot] - 1].id, id))
        slot = (slot + 1) & (ledger->table_len - 1);
    return slot;
}

/* Enters a row into both tables. If digests are equal, the first row is kept, unless it
 * no longer counts. */
static void index_row(th_spool_ledger *ledger, size_t index)
{
    const struct row *row = &ledger->rows[index];
    if (has_inode(&row->id))
        ledger->by_inode[inode_slot(ledger, &row->id)] = (uint32_t)(index + 1);
    if (!th_spool_id_has_digest(&row->id) || row->state == TH_SPOOL_WITHDRAWN)
        return;
    uint32_t *first = &ledger->by_bytes[bytes_slot(ledger, &row->id)];
    if (!*first || ledger->rows[*first - 1].state == TH_SPOOL_WITHDRAWN)
        *first = (uint32_t)(index + 1);
}

static void index_rows(th_spool_ledger *ledger)
{
    memset(ledger->by_inode, 0, ledger->table_len * sizeof *ledger->by_inode);
    memset(ledger->by_bytes, 0, ledger->table_len * sizeof *ledger->by_bytes);
    for (size_t i = 0; i < ledger->count; i++)
        index_row(ledger, i);
}

static th_status grow(th_spool_ledger *ledger)
{
    const size_t capacity = ledger->capacity ? ledger->capacity * 2 : MIN_TABLE / 2;
    if (capacity > UINT32_MAX / 4)
        return TH_NOMEM;
    struct row *rows = realloc(ledger->rows, capacity * sizeof *rows);
    if (!rows)
        return TH_NOMEM;
    ledger->rows = rows;
    uint32_t *by_inode = calloc(capacity * 2, sizeof *by_inode);
    uint32_t *by_bytes = calloc(capacity * 2, sizeof *by_bytes);
    if (!by_inode || !by_bytes) {
        free(by_inode);
        free(by_bytes);
        return TH_NOMEM;
    }
    free(ledger->by_inode);
    free(ledger->by_bytes);
    ledger->by_inode = by_inode;
    ledger->by_bytes = by_bytes;
    ledger->table_len = capacity * 2;
    ledger->capacity = capacity;
    index_rows(ledger);
    return TH_OK;
}

/* Makes room for `count` more rows. */
static th_status reserve(th_spool_ledger *ledger, size_t count)
{
    while (ledger->count + count > ledger->capacity)
        if (grow(ledger) != TH_OK)
            return TH_NOMEM;
    return TH_OK;
}

static void fill_entry(const struct row *row, th_spool_entry *entry)
{
    *entry = (th_spool_entry){
        .id = row->id, .state = row->state, .next = row->next, .records = row->records
    };
    (void)snprintf(entry->name, sizeof entry->name, "%s", row->name);
}

/* Returns the row of a slot's index; NULL if it no longer counts or there is none. */
static const struct row *valid_row(const th_spool_ledger *ledger, uint32_t index)
{
    const struct row *row = index ? &ledger->rows[index - 1] : NULL;
    return row && row->state != TH_SPOOL_WITHDRAWN ? row : NULL;
}

bool th_spool_ledger_find(const th_spool_ledger *ledger, const th_spool_id *id,
                          th_spool_entry *entry)
{
    const struct row *row =
        ledger->count && has_inode(id)
            ? valid_row(ledger, ledger->by_inode[inode_slot(ledger, id)])
            : NULL;
    if (row && entry)
        fill_entry(row, entry);
    return row != NULL;
}

bool th_spool_ledger_find_copy(const th_spool_ledger *ledger, const th_spool_id *id,
                               th_spool_entry *entry)
{
    const struct row *row =
        ledger->count && th_spool_id_has_digest(id)
            ? valid_row(ledger, ledger->by_bytes[bytes_slot(ledger, id)])
            : NULL;
    if (row && entry)
        fill_entry(row, entry);
    return row != NULL;
}

static bool is_done_inode(const struct row *row)
{
    return row->state == TH_SPOOL_DONE && has_inode(&row->id);
}

void th_spool_ledger_visit_done(const th_spool_ledger *ledger, size_t max,
                                void (*visit)(void *context, const th_spool_entry *entry),
                                void *context)
{
    size_t first = ledger->count;
    for (size_t found = 0; first > 0 && found < max; first--)
        found += is_done_inode(&ledger->rows[first - 1]);
    for (size_t i = first; i < ledger->count; i++) {
        th_spool_entry entry;
        if (!is_done_inode(&ledger->rows[i]))
            continue;
        fill_entry(&ledger->rows[i], &entry);
        visit(context, &entry);
    }
}

size_t th_spool_ledger_count(const th_spool_ledger *ledger)
{
    return ledger->count;
}

static bool may_forget(const th_spool_ledger *ledger, const struct row *row)
{
    th_spool_entry entry;
    if (row->state == TH_SPOOL_WITHDRAWN || !has_inode(&row->id) ||
        !ledger->options.is_present)
        return true;
    fill_entry(row, &entry);
    return !ledger->options.is_present(ledger->options.context, &entry);
}

/* Forgets the oldest entries, down to `keep`, but no entry whose file still exists.
 * Checks again only when a quarter more entries have been added, so the amortised cost
 * is small.
 */
static void forget(th_spool_ledger *ledger)
{
    if (ledger->count <= ledger->forget_at)
        return;
    size_t excess = ledger->count - ledger->options.keep;
    size_t kept = 0;
    for (size_t i = 0; i < ledger->count; i++) {
        if (excess && may_forget(ledger, &ledger->rows[i])) {
            free(ledger->rows[i].name);
            excess--;
            continue;
        }
        if (kept != i)
            ledger->rows[kept] = ledger->rows[i];
        kept++;
    }
    ledger->count = kept;
    const size_t base = kept > ledger->options.keep ? kept : ledger->options.keep;
    ledger->forget_at = base + base / 4;
    index_rows(ledger);
}

static th_status append_row(th_spool_ledger *ledger, const th_spool_entry *entry)
{
    char *name = strdup(entry->name);
    if (!name)
        return TH_NOMEM;
    ledger->rows[ledger->count++] = (struct row){ .id = entry->id,
                                                  .next = entry->next,
                                                  .records = entry->records,
                                                  .name = name,
                                                  .state = entry->state };
    index_row(ledger, ledger->count - 1);
    return TH_OK;
}

/* Handles an inode with new content: a finished row is still found by its digest. */
static void detach(struct row *row)
{
    row->id.device = row->id.inode = 0;
    if (!is_finished(row->state))
        row->state = TH_SPOOL_WITHDRAWN;
}

/* Returns whether an entry describes the same content as its row. Then the row's digest
 * may change only from unknown to known. */
static bool is_update(const struct row *row, const th_spool_entry *entry)
{
    if (!th_spool_id_has_digest(&row->id))
        return true;
    return th_spool_id_is_content(&row->id, &entry->id) &&
           (entry->state != TH_SPOOL_WITHDRAWN || !is_finished(row->state));
}

static th_status rename_row(struct row *row, const char *name)
{
    if (strcmp(row->name, name) == 0)
        return TH_OK;
    char *copy = strdup(name);
    if (!copy)
        return TH_NOMEM;
    free(row->name);
    row->name = copy;
    return TH_OK;
}

th_status th_spool_ledger_put(th_spool_ledger *ledger, const th_spool_entry *entry)
{
    if (reserve(ledger, 1) != TH_OK)
        return TH_NOMEM;
    if (!has_inode(&entry->id))
        return th_spool_ledger_find_copy(ledger, &entry->id, NULL)
                   ? TH_OK
                   : append_row(ledger, entry);
    const uint32_t index = ledger->by_inode[inode_slot(ledger, &entry->id)];
    struct row *row = index ? &ledger->rows[index - 1] : NULL;
    if (!row || !is_update(row, entry)) {
        const size_t slot = inode_slot(ledger, &entry->id);
        if (append_row(ledger, entry) != TH_OK)
            return TH_NOMEM;
        ledger->by_inode[slot] = (uint32_t)ledger->count;
        if (row)
            detach(row);
        return TH_OK;
    }
    if (rename_row(row, entry->name) != TH_OK)
        return TH_NOMEM;
    row->id = entry->id;
    row->state = entry->state;
    row->next = entry->next;
    row->records = entry->records;
    index_row(ledger, index - 1);
    return TH_OK;
}

/* ---- lines ---- */

static void append_entry(th_buffer *line, const th_spool_entry *entry)
{
    th_buffer_append_text(line, "f ");
    th_spool_id_write(&entry->id, line);
    th_buffer_append_char(line, ' ');
    th_spool_entry_write(entry, line);
}

static void append_note(th_buffer *line, th_view note)
{
    th_buffer_append_text(line, "n ");
    append_escaped(line, note);
}

/* Reserves space for the checksum. Returns where the line starts. */
static size_t begin_line(th_buffer *out)
{
    const size_t start = out->len;
    th_buffer_append_text(out, "0000000000000000 ");
    return start;
}

static void end_line(th_buffer *out, size_t start)
{
    if (out->has_failed)
        return;
    char checksum[CHECKSUM_LEN + 1];
    const size_t body = start + CHECKSUM_LEN + 1;
    (void)snprintf(checksum, sizeof checksum, "%016llx",
                   (unsigned long long)XXH3_64bits(out->data + body, out->len - body));
    memcpy(out->data + start, checksum, CHECKSUM_LEN);
    th_buffer_append_char(out, '\n');
}

/* Reads the words after a line's checksum. Returns false if the checksum does not
 * match. */
static bool check_line(th_view line, th_view *words)
{
    uint64_t checksum;
    *words = line;
    return line.len > CHECKSUM_LEN && line.data[CHECKSUM_LEN] == ' ' &&
           next_number(words, ' ', 16, &checksum) && words->data &&
           checksum == XXH3_64bits(words->data, words->len);
}

static bool take_note(th_spool_ledger *ledger, th_view word)
{
    th_buffer_reset(&ledger->note);
    return append_unescaped(&ledger->note, word);
}

/* Reads an intact line's words. Returns false if they are invalid. Sets *status to
 * TH_NOMEM if out of memory. */
static bool take_words(th_spool_ledger *ledger, th_view rest, th_status *status)
{
    th_view word;
    while (*status == TH_OK && next_word(&rest, ' ', &word)) {
        th_spool_entry entry;
        if (word.len == 1 && word.data[0] == 'n') {
            if (!next_word(&rest, ' ', &word) || !take_note(ledger, word))
                return false;
        } else if (word.len == 1 && word.data[0] == 'f') {
            memset(&entry, 0, sizeof entry);
            if (!next_word(&rest, ' ', &word) || !th_spool_id_read(word, &entry.id) ||
                !next_entry(&rest, &entry))
                return false;
            *status = th_spool_ledger_put(ledger, &entry);
        } else {
            return false;
        }
    }
    if (ledger->note.has_failed)
        *status = TH_NOMEM;
    return true;
}

/* Keeps damaged bytes in PATH.bad for inspection. Failures are ignored, because the bytes
 * are not needed. */
static void set_aside(th_spool_ledger *ledger, th_view bytes)
{
    char *path = NULL;
    ledger->damaged++;
    if (asprintf(&path, "%s.bad", ledger->options.path) < 0)
        return;
    struct stat facts;
    const int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    free(path);
    if (fd < 0)
        return;
    if (fstat(fd, &facts) == 0 && facts.st_size < MAX_BAD) {
        const size_t capacity = MAX_BAD - (size_t)facts.st_size;
        ssize_t put = write(fd, bytes.data, bytes.len < capacity ? bytes.len : capacity);
        if (put >= 0)
            put = write(fd, "\n", 1);
        (void)put;
    }
    (void)close(fd);
}

/* Returns whether a file never was a ledger. Such a file has no intact line, and starts
 * with text that is not a checksum, even if a bit or two of it are damaged. It is not
 * rewritten as a ledger. */
static bool is_foreign(th_view log)
{
    unsigned strange = 0;
    th_view rest = log, line, words;
    for (size_t i = 0; i < log.len && i < CHECKSUM_LEN; i++)
        strange += log.data[i] != '\0' && th_spool_hex_value(log.data[i]) < 0;
    bool is_intact = strange <= 2;
    while (!is_intact && next_word(&rest, '\n', &line))
        is_intact = check_line(line, &words);
    return !is_intact;
}

static th_status take_log(th_spool_ledger *ledger, th_view log)
{
    th_status status = TH_OK;
    th_view line, words;
    /* Bytes after the last line's end are a line that was cut. */
    while (status == TH_OK && next_word(&log, '\n', &line)) {
        if (!log.data && line.len == 0)
            break;
        if (!log.data)
            ledger->must_rewrite = true;
        if (check_line(line, &words) && take_words(ledger, words, &status))
            continue;
        set_aside(ledger, line);
        ledger->must_rewrite = true;
    }
    return status;
}

/* ---- the log on disk ---- */

static th_status read_log(th_spool_ledger *ledger, th_error *err)
{
    const char *path = ledger->options.path;
    th_buffer log = { 0 };
    th_status status =
        th_whole_file_read(path, "the ledger ", MAX_LOG, TH_TOO_LARGE, &log, err);
    if (status == TH_ABSENT || status == TH_TOO_LARGE)
        ledger->must_rewrite = true;
    if (status == TH_TOO_LARGE) {
        log.len = MAX_LOG;
        status = TH_OK;
    }
    if (status == TH_OK && is_foreign(th_buffer_view(&log)))
        status = th_fail(err, TH_USAGE, "'%s' is not a ledger", path);
    if (status == TH_OK && take_log(ledger, th_buffer_view(&log)) != TH_OK)
        status = th_fail(err, TH_NOMEM, "cannot read the ledger '%s'", path);
    ledger->len = log.len;
    th_buffer_done(&log);
    return status == TH_ABSENT ? TH_OK : status;
}

/* Returns TH_NO_ROOM if no descriptor is free: then the log is closed. */
static th_status open_log(th_spool_ledger *ledger, th_error *err)
{
    if (ledger->fd >= 0)
        (void)close(ledger->fd);
    ledger->fd = open(ledger->options.path, O_WRONLY | O_CLOEXEC);
    return ledger->fd >= 0
               ? TH_OK
               : th_fail(err, th_io_status(errno), "cannot open the ledger '%s': %s",
                         ledger->options.path, strerror(errno));
}

static void append_note_line(const th_spool_ledger *ledger, th_buffer *log)
{
    const size_t start = begin_line(log);
    append_note(log, th_buffer_view(&ledger->note));
    end_line(log, start);
}

/* Returns whether the open log is the one on the disk. */
static bool is_in_force(const th_spool_ledger *ledger)
{
    struct stat open, named;
    return ledger->fd >= 0 && fstat(ledger->fd, &open) == 0 &&
           stat(ledger->options.path, &named) == 0 && open.st_ino == named.st_ino &&
           open.st_dev == named.st_dev;
}

/*
 * Rewrites the log with one line for each file, so damage costs one file's position. The
 * note is at both ends: without it, output that counts would be lost.
 */
static th_status rewrite(th_spool_ledger *ledger, th_error *err)
{
    th_buffer log = { 0 };
    append_note_line(ledger, &log);
    for (size_t i = 0; i < ledger->count; i++) {
        th_spool_entry entry;
        if (ledger->rows[i].state == TH_SPOOL_WITHDRAWN)
            continue;
        fill_entry(&ledger->rows[i], &entry);
        const size_t start = begin_line(&log);
        append_entry(&log, &entry);
        end_line(&log, start);
    }
    append_note_line(ledger, &log);
    th_status status =
        log.has_failed ? th_fail(err, TH_NOMEM, "out of memory for the ledger's text")
                       : th_file_replace(ledger->options.path, th_buffer_view(&log), err);
    /* It may fail after the rename. Then lines also go to the new log, not to a file that
     * has no name any more. The log is our own file, which it may replace. */
    if (status == TH_OK || (ledger->fd >= 0 && !is_in_force(ledger))) {
        ledger->must_rewrite = false;
        ledger->len = log.len;
        ledger->rewrite_at = 2 * ledger->len + SLACK;
        const th_status opened = open_log(ledger, err);
        status = status == TH_OK ? opened : status;
    }
    th_buffer_done(&log);
    return status;
}

/* Takes back the bytes of a failed commit, so none of them comes into force. */
static th_status take_back(th_spool_ledger *ledger, int error, th_error *err)
{
    const bool is_back = ftruncate(ledger->fd, (off_t)ledger->len) == 0;
    return th_fail(err, is_back ? th_io_status(error) : TH_IO,
                   "cannot write the ledger '%s': %s", ledger->options.path,
                   strerror(error));
}

static th_status append_line(th_spool_ledger *ledger, th_view line, th_error *err)
{
    size_t at = 0;
    while (at < line.len) {
        const ssize_t put =
            pwrite(ledger->fd, line.data + at, line.len - at, (off_t)(ledger->len + at));
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return take_back(ledger, errno, err);
        at += (size_t)put;
    }
    if (fdatasync(ledger->fd) != 0)
        return take_back(ledger, errno, err);
    ledger->len += line.len;
    return TH_OK;
}

th_status th_spool_ledger_commit(th_spool_ledger *ledger, const th_spool_entry *entries,
                                 size_t count, th_view note, th_error *err)
{
    th_buffer *line = &ledger->line;
    if (count == 0 && !note.data)
        return TH_OK;
    th_buffer_reset(line);
    const size_t start = begin_line(line);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            th_buffer_append_char(line, ' ');
        append_entry(line, &entries[i]);
    }
    if (note.data) {
        if (count > 0)
            th_buffer_append_char(line, ' ');
        append_note(line, note);
    }
    end_line(line, start);
    /* Reserves memory first. After this only the disk can fail. */
    if (reserve(ledger, count) != TH_OK)
        return th_fail(err, TH_NOMEM, "out of memory for the ledger");
    if (line->has_failed ||
        (note.data && !th_buffer_reserve(&ledger->note, note.len + 1)))
        return th_fail(err, TH_NOMEM, "out of memory for a line of the ledger");
    th_status status = ledger->fd < 0 ? open_log(ledger, err) : TH_OK;
    if (status == TH_OK)
        status = append_line(ledger, th_buffer_view(line), err);
    if (status != TH_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        if (th_spool_ledger_put(ledger, &entries[i]) !=
            TH_OK) /* only its name, which is durable */
            return th_fail(err, TH_NOMEM, "cannot note '%s'", entries[i].name);
    if (note.data) {
        th_buffer_reset(&ledger->note);
        th_buffer_append_view(&ledger->note, note);
    }
    forget(ledger);
    if (ledger->len < ledger->rewrite_at)
        return TH_OK;
    /* This only tidies up: on failure the log continues, and a later commit tries again.
     * A new log that could not be opened is opened before the next line. */
    if (rewrite(ledger, NULL) != TH_OK && ledger->fd >= 0)
        ledger->rewrite_at = ledger->len + SLACK;
    return TH_OK;
}

th_view th_spool_ledger_note(const th_spool_ledger *ledger)
{
    return th_buffer_view(&ledger->note);
}

uint64_t th_spool_ledger_damaged(const th_spool_ledger *ledger)
{
    return ledger->damaged;
}

static th_status lock(th_spool_ledger *ledger, th_error *err)
{
    char *path = NULL;
    if (asprintf(&path, "%s.lock", ledger->options.path) < 0)
        return th_fail(err, TH_NOMEM, "out of memory for the path of the ledger's lock");
    ledger->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    th_status status = TH_OK;
    if (ledger->lock_fd < 0)
        status = th_fail(err, TH_IO, "cannot open '%s': %s", path, strerror(errno));
    else if (flock(ledger->lock_fd, LOCK_EX | LOCK_NB) != 0)
        status = th_fail(err, TH_USAGE, "the ledger '%s' is in use by another process",
                         ledger->options.path);
    free(path);
    return status;
}

void th_spool_ledger_close(th_spool_ledger *ledger)
{
    if (!ledger)
        return;
    if (ledger->fd >= 0)
        (void)close(ledger->fd);
    if (ledger->lock_fd >= 0)
        (void)close(ledger->lock_fd);
    th_buffer_done(&ledger->line);
    th_buffer_done(&ledger->note);
    for (size_t i = 0; i < ledger->count; i++)
        free(ledger->rows[i].name);
    free(ledger->by_inode);
    free(ledger->by_bytes);
    free(ledger->rows);
    free(ledger);
}

th_status th_spool_ledger_open(const th_spool_ledger_options *options,
                               th_spool_ledger **out, th_error *err)
{
    th_spool_ledger *ledger = calloc(1, sizeof *ledger);
    if (!ledger)
        return th_fail(err, TH_NOMEM, "cannot allocate a ledger");
    ledger->options = *options;
    ledger->lock_fd = -1;
    ledger->fd = -1;
    ledger->forget_at = options->keep + options->keep / 4;
    th_status status = lock(ledger, err);
    if (status == TH_OK)
        status = read_log(ledger, err);
    if (status == TH_OK)
        forget(ledger);
    ledger->rewrite_at = ledger->len + SLACK;
    if (status == TH_OK)
        status = ledger->must_rewrite ? rewrite(ledger, err) : open_log(ledger, err);
    if (status == TH_OK) {
        *out = ledger;
        ledger = NULL; /* the caller owns it now */
    }
    th_spool_ledger_close(ledger);
    return status;
}
