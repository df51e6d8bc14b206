/*
 * The program, started once for each place that allocates memory or calls the system, and
 * there this call fails. failing.py compares the outputs of the starts.
 *
 * usage: thresher_failing memory|arena|system|interrupt DEPTH once|onward FOLDER
 *                         [--until FILE] COMMAND...
 *
 * memory is the memory of the C library, arena the memory of thresher/arena.h. interrupt
 * has the places of system: SIGTERM comes before the call, which does not fail.
 * A place is the code that calls: the addresses of DEPTH callers. The command runs in
 * FOLDER/0 without a failure, which lists the places. Then each place that is not in the
 * file FOLDER/seen is added to it, and has a run in FOLDER/1, FOLDER/2, .... There its
 * first call fails; "onward": and each later call of the same kind (memory), or of the
 * same function (system). A run is a child process with its stdout and stderr in files.
 * --until: the command is a daemon, and gets SIGTERM when FILE is in its folder, or after
 * 20 s. Its folder spool has links to the files of FOLDER/template.
 * Descriptors that the command left open make its exit code 98. Prints a line for each
 * run: number, exit code or minus the signal, name of the function, and the addresses of
 * the callers.
 */
#include <dirent.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "failing_calls.h"
#include "lab/lab.h"

enum {
    MAX_DEPTH = 8,
    SLOTS = 1 << 14,
    SECONDS = 120,
    UNTIL_MS = 20000,
    STEP_MS = 5,
    PATH_ROOM = 4096
};

/* Frames of backtrace(): call_fails(), the wrapper, and a function of AddressSanitizer. */
#ifdef __SANITIZE_ADDRESS__
enum { OWN_FRAMES = 3 };
#else
enum { OWN_FRAMES = 2 };
#endif

static const char *const kinds[] = { "memory", "arena", "system" };

struct place {
    _Atomic uint64_t hash; /* 0: unused */
    const char *name;
    void *callers[MAX_DEPTH];
};

/* The state of the wrappers, which have no parameter for it. */
static struct {
    bool is_on, is_onward, interrupts;
    enum failing_kind kind;
    int depth;
    uint64_t wanted;      /* hash of the place that fails; 0 while places are listed */
    const char *function; /* of that place */
    const char *until;    /* a file that ends a daemon, or NULL */
    atomic_bool has_failed;
    struct place *places; /* shared with the children; [SLOTS] */
} state;

/* NOLINTBEGIN(bugprone-reserved-identifier): the names are the linker's */
extern const char __executable_start[];

/* The offset of an address in the program, the same in each process. */
static uint64_t offset_of(const void *address)
{
    return (uint64_t)((const char *)address - __executable_start);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

static void note(uint64_t hash, const char *name, void *const *callers)
{
    for (size_t i = hash % SLOTS;; i = (i + 1) % SLOTS) {
        struct place *place = &state.places[i];
        uint64_t old = 0;
        if (atomic_compare_exchange_strong(&place->hash, &old, hash)) {
            place->name = name;
            memcpy(place->callers, callers, (size_t)state.depth * sizeof *callers);
            return;
        }
        if (old == hash)
            return;
    }
}

__attribute__((noinline)) static bool call_fails(enum failing_kind kind, const char *name,
                                                 int error)
{
    if (!state.is_on || kind != state.kind)
        return false;
    void *frames[OWN_FRAMES + MAX_DEPTH] = { 0 };
    const int saved = errno;
    (void)backtrace(frames, OWN_FRAMES + state.depth);
    uint64_t hash = kind == SYSTEM ? offset_of(name) : 1;
    for (int i = 0; i < state.depth; i++)
        hash = mix(hash, offset_of(frames[OWN_FRAMES + i]));
    hash |= 1;
    errno = saved;
    if (!state.wanted) {
        note(hash, name, frames + OWN_FRAMES);
        return false;
    }
    const bool is_first =
        hash == state.wanted && !atomic_exchange(&state.has_failed, true);
    const bool is_later = state.is_onward && atomic_load(&state.has_failed) &&
                          (kind != SYSTEM || strcmp(name, state.function) == 0);
    if (state.interrupts) {
        if (is_first)
            (void)raise(SIGTERM);
        errno = saved;
        return false;
    }
    if (is_first || is_later)
        errno = error;
    return is_first || is_later;
}

static void redirect(const char *path, int flags, int to)
{
    const int fd = __real_open(path, flags, 0644);
    if (fd < 0 || dup2(fd, to) < 0)
        _exit(99);
    (void)close(fd);
}

/* Whether descriptors other than the standard ones are open; says which. */
static bool is_left_open(void)
{
    bool is_open = false;
    for (int fd = STDERR_FILENO + 1; fd < 1024; fd++) {
        char name[64], path[PATH_ROOM] = "";
        (void)snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
        if (readlink(name, path, sizeof path - 1) > 0) {
            (void)dprintf(STDERR_FILENO, "left open: %s\n", path);
            is_open = true;
        }
    }
    return is_open;
}

static void fill_spool(const char *folder)
{
    char from[PATH_ROOM], name[PATH_ROOM];
    (void)snprintf(from, sizeof from, "%s/template", folder);
    DIR *files = __real_opendir(from);
    const struct dirent *file;
    if (!files || __real_mkdir("spool", 0755) != 0)
        _exit(99);
    while ((file = readdir(files)) != NULL) {
        (void)snprintf(name, sizeof name, "spool/%s", file->d_name);
        if (*file->d_name != '.' &&
            linkat(dirfd(files), file->d_name, AT_FDCWD, name, 0) != 0)
            _exit(99);
    }
    (void)closedir(files);
}

/* Ends the daemon when its file exists, or when it takes too long. */
static void end_daemon(pid_t pid, const char *folder)
{
    char path[2 * PATH_ROOM];
    struct stat facts;
    (void)snprintf(path, sizeof path, "%s/%s", folder, state.until);
    for (int ms = 0; ms < UNTIL_MS && __real_stat(path, &facts) != 0; ms += STEP_MS) {
        siginfo_t end = { 0 };
        if (waitid(P_PID, (id_t)pid, &end, WEXITED | WNOHANG | WNOWAIT) == 0 &&
            end.si_pid == pid)
            return;
        (void)usleep(STEP_MS * 1000);
    }
    (void)kill(pid, SIGTERM);
}

/* One run, in a child. place: where it fails, or NULL. Returns the exit code, or minus
 * the signal. */
static int run(const char *folder, int number, const struct place *place, int argc,
               char **argv)
{
    char path[PATH_ROOM], numbered[PATH_ROOM];
    (void)snprintf(path, sizeof path, "%s/run", folder); /* some outputs name it */
    (void)snprintf(numbered, sizeof numbered, "%s/%d", folder, number);
    (void)__real_fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
        if (__real_mkdir(path, 0755) != 0 || chdir(path) != 0)
            _exit(99);
        if (state.until)
            fill_spool(folder);
        redirect("/dev/null", O_RDONLY, STDIN_FILENO);
        redirect("stdout", O_WRONLY | O_CREAT, STDOUT_FILENO);
        redirect("stderr", O_WRONLY | O_CREAT, STDERR_FILENO);
        (void)alarm(SECONDS);
        if (place) {
            state.wanted = place->hash;
            state.function = place->name;
        }
        state.is_on = true;
        const int code = th_program_main(&th_lab_program, argc, argv);
        state.is_on = false;
        exit(is_left_open() ? 98 : code);
    }
    int status = 0;
    if (pid > 0 && state.until)
        end_daemon(pid, path);
    if (pid < 0 || waitpid(pid, &status, 0) != pid || __real_rename(path, numbered) != 0)
        abort();
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void print(int number, int code, const struct place *place)
{
    printf("%d %d %s", number, code, place ? place->name : "-");
    for (int i = 0; place && i < state.depth; i++)
        printf(" %#" PRIx64, offset_of(place->callers[i]));
    printf("\n");
}

/* Stable for any order of threads. */
static int in_order(const void *left, const void *right)
{
    const struct place *a = *(const struct place *const *)left;
    const struct place *b = *(const struct place *const *)right;
    const int names = strcmp(a->name, b->name);
    for (int i = 0; !names && i < state.depth; i++)
        if (a->callers[i] != b->callers[i])
            return a->callers[i] < b->callers[i] ? -1 : 1;
    return names;
}

static bool is_in(const char *path, uint64_t hash)
{
    uint64_t seen = 0;
    bool is_found = false;
    FILE *file = __real_fopen(path, "r");
    while (file && !is_found && fread(&seen, sizeof seen, 1, file) == 1)
        is_found = seen == hash;
    if (file)
        (void)fclose(file);
    return is_found;
}

static void add_to(const char *path, uint64_t hash)
{
    FILE *file = __real_fopen(path, "a");
    if (!file || fwrite(&hash, sizeof hash, 1, file) != 1 || fclose(file) != 0)
        abort();
}

int main(int argc, char **argv)
{
    static const struct place *found[SLOTS];
    char seen[PATH_ROOM];
    void *frame[1];
    int count = 0, number = 0;
    if (argc < 6)
        return 2;
    state.interrupts = strcmp(argv[1], "interrupt") == 0;
    state.kind = SYSTEM;
    for (int i = 0; i <= SYSTEM; i++)
        if (strcmp(argv[1], kinds[i]) == 0)
            state.kind = (enum failing_kind)i;
    state.depth = atoi(argv[2]) < MAX_DEPTH ? atoi(argv[2]) : MAX_DEPTH;
    state.is_onward = strcmp(argv[3], "onward") == 0;
    state.places = __real_mmap(NULL, SLOTS * sizeof *state.places, PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (state.places == MAP_FAILED)
        abort();
    (void)backtrace(frame, 1); /* its first call allocates memory */
    const char *folder = argv[4];
    (void)snprintf(seen, sizeof seen, "%s/seen", folder);
    if (argc > 7 && strcmp(argv[5], "--until") == 0) {
        state.until = argv[6];
        argc -= 2;
        argv += 2;
    }
    print(0, run(folder, 0, NULL, argc - 4, argv + 4), NULL);
    for (size_t i = 0; i < SLOTS; i++)
        if (state.places[i].hash)
            found[count++] = &state.places[i];
    qsort(found, (size_t)count, sizeof *found, in_order);
    for (int i = 0; i < count; i++)
        if (!is_in(seen, found[i]->hash)) {
            add_to(seen, found[i]->hash);
            number++;
            print(number, run(folder, number, found[i], argc - 4, argv + 4), found[i]);
        }
    return 0;
}
/* NOLINTEND(bugprone-reserved-identifier) */
