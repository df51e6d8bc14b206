/* Finds the command that the command line names, and runs it. */
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/program.h"
#include "app/say.h"
#include "base/edit_distance.h"
#include "methods/lab_names.h"

static void print_help(FILE *out, const th_program *program)
{
    fprintf(out,
            "usage: %s COMMAND [options] ...\n\n"
            "Extracts pages from web archives: text segments, labels and signatures.\n\n",
            program->name);
    const th_command *command = NULL;
    for (size_t i = 0; (command = th_program_command(program, i)); i++)
        fprintf(out, "  %s %-10s  %s\n", program->name, command->name, command->help);
    fprintf(out,
            "\n`%s COMMAND --help` lists the frequent options of a command, `--help-all` "
            "lists all.\n",
            program->name);
}

int th_complain(const th_error *err)
{
    if (err->status == TH_INTERRUPTED) {
        th_say("interrupted");
        return TH_EXIT_INTERRUPTED;
    }
    const char *text = err->text[0] ? err->text : th_status_text(err->status);
    th_say("%s%s", text,
           err->status == TH_NOMEM && !strstr(text, "memory") ? ": out of memory" : "");
    switch (err->status) {
    case TH_USAGE:
        th_say("--help lists the options");
        return TH_EXIT_USAGE;
    case TH_IO:
    case TH_ABSENT:
    case TH_DAMAGED:
    case TH_NOT_YET: /* passing, but only the daemon waits for its end */
    case TH_NO_ROOM:
    case TH_NO_BROKER:
    case TH_BLOCKED:
        return TH_EXIT_IO;
    default:
        return TH_EXIT_SOFTWARE;
    }
}

bool th_has_more_arguments(int argc, char **argv, int count)
{
    if (argc > count)
        th_say("%s: unexpected argument '%.200s'", argv[0], argv[count]);
    return argc > count;
}

/* The first signal asks for an orderly end; SA_RESETHAND makes the second one final. */
static void request_stop(int signal_number)
{
    (void)signal_number;
    th_stop_requested = 1;
}

static void catch_signals(void)
{
    struct sigaction action = { .sa_handler = request_stop,
                                .sa_flags = (int)SA_RESETHAND };
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    /* The terminal was closed; nohup has set SIGHUP to be ignored, which stays. `serve`
     * reads its configuration again instead. */
    struct sigaction before;
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &action, NULL);
    /* A pipe whose reader has closed it, or a file at its limit of size, is then a failed
     * write with a message, and not the end of the process by a signal. */
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN);
}

/*
 * When stdin, stdout or stderr is closed, the next opened file would get its number, and
 * output would go into that file. So a descriptor takes the number. Its use fails like
 * the use of a closed one.
 */
static void keep_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            _exit(TH_EXIT_IO); /* no /dev/null, and no stderr for a message */
}

static void leave(int signal_number)
{
    (void)signal_number;
    _exit(TH_EXIT_OK);
}

void th_exit_on_sigpipe(void)
{
    (void)signal(SIGPIPE, leave);
}

/* Makes glibc return the memory of a large page when the page is done. By default it
 * raises the threshold after the first one, and each thread keeps its peak. */
static void return_large_memory(void)
{
#ifdef M_MMAP_THRESHOLD
    (void)mallopt(M_MMAP_THRESHOLD, 2 << 20);
    (void)mallopt(M_TRIM_THRESHOLD, 8 << 20);
#endif
}

/* A failed flush of stdout is also a failed output. */
static int end(int code)
{
    const bool is_written = fflush(stdout) == 0 && !ferror(stdout);
    if (is_written || code != TH_EXIT_OK)
        return code;
    th_say("cannot write to stdout");
    return TH_EXIT_IO;
}

const th_command *th_program_command(const th_program *program, size_t i)
{
    const th_command *command = program->commands;
    while (command->name && i) {
        command++;
        i--;
    }
    if (!command->name && program->more_commands)
        for (command = program->more_commands; command->name && i; i--)
            command++;
    return command->name ? command : NULL;
}

const th_command *th_program_find(const th_program *program, const char *name)
{
    const th_command *command = NULL;
    for (size_t i = 0; (command = th_program_command(program, i)); i++)
        if (strcmp(name, command->name) == 0)
            break;
    return command;
}

unsigned th_program_options(const th_program *program)
{
    const th_command *command = NULL;
    unsigned options = program->more_eval_options;
    for (size_t i = 0; (command = th_program_command(program, i)); i++)
        options |= command->options;
    return options;
}

/* NULL: none is near. */
static const char *nearest_command(const th_program *program, const char *name)
{
    const char *nearest = NULL;
    size_t min = SIZE_MAX;
    const th_command *command = NULL;
    for (size_t i = 0; (command = th_program_command(program, i)); i++) {
        const size_t distance = th_edit_distance(name, command->name);
        if (distance < min && th_name_is_near(name, distance)) {
            min = distance;
            nearest = command->name;
        }
    }
    return nearest;
}

/* NAME is not a command's, and may be "". */
static int refuse(const th_program *program, const char *name)
{
    print_help(stderr, program);
    const char *nearest = nearest_command(program, name);
    if (th_is_of_lab(TH_LAB_COMMAND, (th_view){ name, strlen(name) }))
        fprintf(stderr, "\nthresher: '%s' is a command of thresher-lab\n", name);
    else if (*name)
        fprintf(stderr, "\nthresher: unknown command '%.100s'%s%s%s\n", name,
                nearest ? "; did you mean '" : "", nearest ? nearest : "",
                nearest ? "'?" : "");
    return TH_EXIT_USAGE;
}

/* Prints a command's own --help, or the list of commands. */
static int help(const th_program *program, const char *name)
{
    char *words[] = { (char *)name, (char[]){ "--help" }, NULL };
    const th_command *command = th_program_find(program, name);
    if (command)
        return command->run(program, 2, words);
    if (*name)
        return refuse(program, name);
    th_exit_on_sigpipe();
    print_help(stdout, program);
    return TH_EXIT_OK;
}

int th_program_main(const th_program *program, int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    const th_command *command = th_program_find(program, name);
    keep_standard_descriptors();
    catch_signals();
    return_large_memory();
    if (command)
        return end(command->run(program, argc - 1, argv + 1));
    if (strcmp(name, "--version") == 0)
        return end(th_command_version(program, argc - 1, argv + 1));
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return end(help(program, ""));
    if (strcmp(name, "help") == 0)
        return end(help(program, argc > 2 ? argv[2] : ""));
    return end(refuse(program, name));
}
