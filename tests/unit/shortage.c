/* Runs a command in this process, with calls that fail. See the header. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#define TH_SYNC_NOTHING
#include "app/command.h"
#include "base/buffer.h"
#include "failing_calls.h"
#include "lab/lab.h"
#include "shortage.h"
#include "still_clock.h"

enum { MAX_WORDS = 64, MAX_FILES = 64, PATH_ROOM = 256, INTERRUPT = SYSTEM + 1, KINDS };

static const char *const kinds[] = { "memory", "arena", "system", "interrupt" };

/* A file that a command left. */
struct left {
    char path[PATH_ROOM];
    th_buffer bytes;
};

/* The exit code, the files and the messages of a command. Files are sorted by path. */
struct outcome {
    int code;
    size_t calls; /* of the kind, before it ended */
    struct left files[MAX_FILES];
    size_t count;
    th_buffer said; /* on stderr */
};

/* The state of the wrappers, which have no parameter for it. */
static struct {
    bool is_on, is_onward, interrupts;
    enum failing_kind kind;
    atomic_size_t calls;
    size_t at; /* number of the call that fails; 0: none */
    char top[PATH_ROOM];
} state;

static bool call_fails(enum failing_kind kind, const char *name, int error)
{
    (void)name;
    if (!state.is_on || kind != state.kind)
        return false;
    const size_t number = atomic_fetch_add(&state.calls, 1) + 1;
    if (!state.at || number < state.at || (number > state.at && !state.is_onward))
        return false;
    if (state.interrupts) {
        if (number == state.at)
            (void)raise(SIGTERM);
        return false;
    }
    errno = error;
    return true;
}

time_t __wrap_time(time_t *out); // NOLINT(bugprone-reserved-identifier)
time_t __wrap_time(time_t *out)  // NOLINT(bugprone-reserved-identifier)
{
    const time_t now = (time_t)(still_ms / 1000);
    if (out)
        *out = now;
    return now;
}

/* ---- files ---- */

static void read_file(const char *path, th_buffer *out)
{
    char bytes[4096];
    size_t got = 0;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    while ((got = fread(bytes, 1, sizeof bytes, file)) > 0)
        th_buffer_append(out, bytes, got);
    assert_int_equal(fclose(file), 0);
}

static void write_file(const char *path, const void *bytes, size_t len)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

/* Random letters of a temporary file's name. */
static void hide_chance(char *path)
{
    static const char temporary[] = "/thresher-";
    char *at = strstr(path, temporary);
    if (at && strlen(at + sizeof temporary - 1) == 6)
        memset(at + sizeof temporary - 1, 'X', 6);
}

static int by_path(const void *left, const void *right)
{
    return strcmp(((const struct left *)left)->path, ((const struct left *)right)->path);
}

/* Moves the files of a folder into the outcome, or removes them if it is NULL. */
static void take_folder(const char *folder, struct outcome *out)
{
    DIR *entries = opendir(folder);
    const struct dirent *entry = NULL;
    assert_non_null(entries);
    while ((entry = readdir(entries)) != NULL) {
        char path[PATH_ROOM];
        struct stat facts;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        assert_in_range(snprintf(path, sizeof path, "%s/%s", folder, entry->d_name), 1,
                        sizeof path - 1);
        assert_int_equal(lstat(path, &facts), 0);
        if (S_ISDIR(facts.st_mode)) {
            take_folder(path, out);
            assert_int_equal(rmdir(path), 0);
            continue;
        }
        if (out && S_ISREG(facts.st_mode)) {
            assert_in_range(out->count, 0, MAX_FILES - 1);
            struct left *file = &out->files[out->count++];
            memcpy(file->path, path, sizeof path);
            read_file(path, &file->bytes);
            hide_chance(file->path);
        }
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(closedir(entries), 0);
}

static void free_outcome(struct outcome *outcome)
{
    for (size_t i = 0; i < outcome->count; i++)
        th_buffer_done(&outcome->files[i].bytes);
    th_buffer_done(&outcome->said);
    *outcome = (struct outcome){ 0 };
}

void shortage_begin(void)
{
    static const char memory[] = "/dev/shm"; /* a disk would be slow */
    const char *temp = access(memory, W_OK) == 0 ? memory : getenv("TMPDIR");
    char run[PATH_ROOM + 8];
    (void)snprintf(state.top, sizeof state.top, "%s/shortage-XXXXXX",
                   temp ? temp : "/tmp");
    assert_non_null(mkdtemp(state.top));
    (void)snprintf(run, sizeof run, "%s/run", state.top);
    assert_int_equal(mkdir(run, 0755), 0);
    assert_int_equal(chdir(run), 0);
    assert_int_equal(symlink(TH_TEST_DATA, "../data"), 0);
}

void shortage_end(void)
{
    assert_int_equal(chdir("/"), 0);
    take_folder(state.top, NULL);
    assert_int_equal(rmdir(state.top), 0);
}

void shortage_folder(const char *name)
{
    char path[PATH_ROOM + 8];
    (void)snprintf(path, sizeof path, "../%s", name);
    assert_int_equal(mkdir(path, 0755), 0);
}

void shortage_write(const char *name, const char *bytes, size_t len)
{
    char path[PATH_ROOM + 8];
    (void)snprintf(path, sizeof path, "../%s", name);
    write_file(path, bytes, len);
}

void shortage_input(const char *path, const char *name)
{
    char from[PATH_ROOM + 8];
    th_buffer bytes = { 0 };
    (void)snprintf(from, sizeof from, "../data/%s", path);
    read_file(from, &bytes);
    shortage_write(name, bytes.data, bytes.len);
    th_buffer_done(&bytes);
}

/* ---- commands ---- */

/* Lets a descriptor write to a new file. @return a copy of the old one */
static int redirect(int fd, const char *path)
{
    const int old = dup(fd), new = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    assert_true(old >= 0 && new >= 0);
    assert_int_equal(dup2(new, fd), fd);
    assert_int_equal(close(new), 0);
    return old;
}

static void put_back(int fd, int old)
{
    assert_int_equal(dup2(old, fd), fd);
    assert_int_equal(close(old), 0);
}

/* The lowest free descriptor. A command that leaves one open changes it. */
static int free_descriptor(void)
{
    const int fd = dup(STDIN_FILENO);
    assert_true(fd >= 0);
    assert_int_equal(close(fd), 0);
    return fd;
}

static void run(const char *command, struct outcome *out)
{
    char text[1024], *words[MAX_WORDS + 1] = { (char[]){ "thresher" } };
    int count = 1;
    assert_in_range(snprintf(text, sizeof text, "%s", command), 1, sizeof text - 1);
    char *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word;
         word = strtok_r(NULL, " ", &rest)) {
        assert_in_range(count, 0, MAX_WORDS - 1);
        words[count++] = word;
    }
    words[count] = NULL;
    (void)fflush(NULL);
    const int free_before = free_descriptor();
    const int old_out = redirect(STDOUT_FILENO, "stdout");
    const int old_err = redirect(STDERR_FILENO, "../stderr");
    atomic_store(&th_stop_requested, 0);
    atomic_store(&state.calls, 0);
    still_ms = 1000000;
    state.is_on = true;
    out->code = th_program_main(&th_lab_program, count, words);
    state.is_on = false;
    (void)fflush(stdout);
    clearerr(stdout);
    put_back(STDOUT_FILENO, old_out);
    put_back(STDERR_FILENO, old_err);
    out->calls = atomic_load(&state.calls);
    read_file("../stderr", &out->said);
    take_folder(".", out);
    qsort(out->files, out->count, sizeof *out->files, by_path);
    th_buffer_append(&out->said, "", 1);
    assert_false(out->said.has_failed);
    if (free_descriptor() != free_before)
        fail_msg("%s leaves descriptors open: %s", command, out->said.data);
}

/* Moves ./NAME, or the files below it, to ../NAME. @return how many files */
static unsigned keep(const struct outcome *out, const char *name)
{
    char path[PATH_ROOM], kept[PATH_ROOM + 8];
    struct stat facts;
    unsigned count = 0;
    const size_t len = (size_t)snprintf(path, sizeof path, "./%s/", name) - 1;
    (void)snprintf(kept, sizeof kept, "../%s", name);
    if (lstat(kept, &facts) == 0 && S_ISDIR(facts.st_mode)) {
        take_folder(kept, NULL);
        assert_int_equal(rmdir(kept), 0);
    }
    for (size_t i = 0; i < out->count; i++) {
        const struct left *file = &out->files[i];
        if (strncmp(file->path, path, len) != 0 ||
            (file->path[len] != '\0' && file->path[len] != '/'))
            continue;
        if (file->path[len] && !count)
            assert_int_equal(mkdir(kept, 0755), 0);
        shortage_write(file->path + 2, file->bytes.data, file->bytes.len);
        count++;
    }
    return count;
}

void shortage_prepare(const char *command, const char *name)
{
    struct outcome out = { 0 };
    state.at = 0;
    run(command, &out);
    if (out.code)
        fail_msg("%s: exit %d: %s", command, out.code, out.said.data);
    assert_true(keep(&out, name));
    free_outcome(&out);
}

static bool ends_with(const char *text, const char *end)
{
    const size_t len = strlen(text), end_len = strlen(end);
    return len >= end_len && strcmp(text + len - end_len, end) == 0;
}

/* Removes each text between the end of `from` and `to`. */
static void hide(th_buffer *bytes, const char *from, const char *to)
{
    size_t at = 0;
    const char *found = NULL;
    while (at < bytes->len &&
           (found = memmem(bytes->data + at, bytes->len - at, from, strlen(from)))) {
        at = (size_t)(found - bytes->data) + strlen(from);
        const char *end = memmem(bytes->data + at, bytes->len - at, to, strlen(to));
        if (!end)
            return;
        const size_t len = (size_t)(end - (bytes->data + at));
        memmove(bytes->data + at, bytes->data + at + len, bytes->len - at - len);
        bytes->len -= len;
    }
}

/* Hides numbers that depend on the version, or on the times of files. */
static void hide_surroundings(const char *path, th_buffer *bytes)
{
    if (ends_with(path, ".manifest.json"))
        hide(bytes, "\"version\":\"", "\"");
    if (!ends_with(path, ".state") && !ends_with(path, ".done"))
        return;
    hide(bytes, "\noptions = ", "\n");
    hide(bytes, "\nfiles = ", "\n");
    hide(bytes, "\nindex_mark = ", "\n");
    hide(bytes, "\nchecksum = ", "\n");
}

void note_command(struct outcomes *all, const char *command, const char *kept)
{
    struct outcome out = { 0 };
    state.at = 0;
    state.kind = SYSTEM;
    state.interrupts = false;
    run(command, &out);
    note_line(all, "%s: exit %d: %s", command, out.code, out.said.data);
    if (kept)
        (void)keep(&out, kept);
    for (size_t i = 0; i < out.count; i++) {
        struct left *file = &out.files[i];
        note_line(all, "  %s", file->path);
        /* Bytes depend on a library, and an index has a random number. */
        if (strstr(file->path, ".zst") || strstr(file->path, ".parquet") ||
            strncmp(file->path, "./i/", 4) == 0)
            continue;
        hide_surroundings(file->path, &file->bytes);
        note_view(all, th_buffer_view(&file->bytes));
        if (getenv("TH_TEST_TRACE"))
            (void)fprintf(stderr, "%.*s\n", (int)file->bytes.len, file->bytes.data);
    }
    free_outcome(&out);
}

/* The file of the same path, or NULL. */
static const th_buffer *same_path(const struct outcome *outcome, const char *path)
{
    for (size_t i = 0; i < outcome->count; i++)
        if (strcmp(outcome->files[i].path, path) == 0)
            return &outcome->files[i].bytes;
    return NULL;
}

/* The state of a file, compared with the file that a run without a failure leaves. */
static const char *state_of(const th_buffer *usual, const th_buffer *bytes)
{
    if (!usual)
        return bytes->len ? "more" : "empty";
    const bool is_start =
        usual->len >= bytes->len &&
        (!bytes->len || memcmp(usual->data, bytes->data, bytes->len) == 0);
    if (!is_start)
        return "other";
    return usual->len == bytes->len ? "same" : bytes->len ? "start" : "empty";
}

static void note_outcome(struct outcomes *all, const struct outcome *usual,
                         const struct outcome *now)
{
    note_line(all, "exit %d: %s", now->code, now->said.data);
    for (size_t i = 0; i < now->count; i++) {
        const struct left *file = &now->files[i];
        note_line(all, "  %s %s", file->path,
                  state_of(same_path(usual, file->path), &file->bytes));
    }
}

/* Runs the command with failures of a kind: at each call, or at `runs` calls by chance. */
static void note_kind(struct outcomes *all, const char *command, int kind, unsigned runs)
{
    struct outcome usual = { 0 };
    state.interrupts = kind == INTERRUPT;
    state.kind = kind == INTERRUPT ? SYSTEM : (enum failing_kind)kind;
    state.at = 0;
    run(command, &usual);
    note_line(all, "%s: %s", command, kinds[kind]);
    note_outcome(all, &usual, &usual);
    size_t done = 0;
    const uint32_t step = (uint32_t)(usual.calls / runs) + 1;
    for (size_t i = 1; i <= usual.calls; i += step, done++) {
        struct outcome now = { 0 };
        state.at = i + below(all, step);
        state.is_onward = below(all, 3) == 0;
        if (getenv("TH_TEST_TRACE"))
            (void)fprintf(stderr, "call %zu of %zu%s\n", state.at, usual.calls,
                          state.is_onward ? ", onward" : "");
        run(command, &now);
        note_outcome(all, &usual, &now);
        free_outcome(&now);
    }
    free_outcome(&usual);
}

void note_shortages(struct outcomes *all, const char *command, unsigned runs)
{
    for (int kind = 0; kind < KINDS; kind++)
        note_kind(all, command, kind, runs);
}
