/* `thresher config`: checks a file, shows the effective settings, lists every option. */
#include <stdio.h>
#include <string.h>

#include "app/program.h"
#include "app/say.h"
#include "settings/settings.h"

const char th_config_usage[] =
    "usage: thresher config check FILE     check each line, and the start of serve\n"
    "       thresher config show [FILE]    print the effective values\n"
    "       thresher config options        print each option with its default\n"
    "\n"
    "FILE has the sections and keys of thresher.conf(5). Use it with\n"
    "`thresher serve -c FILE` and `thresher run -c FILE`.\n"
    "Exit codes: 0 success, 2 wrong usage or an invalid line, 74 unreadable file.\n";

/* Reports wrong usage, or prints the usage if it was requested. */
static int explain(const char *verb)
{
    if (strcmp(verb, "--help") == 0 || strcmp(verb, "-h") == 0) {
        fputs(th_config_usage, stdout);
        return TH_EXIT_OK;
    }
    if (strcmp(verb, "check") == 0)
        th_say("config check needs a FILE");
    else if (!*verb)
        th_say("config needs one of: check, show, options");
    else
        th_say("unknown config command '%s'; expected one of: check, show, options",
               verb);
    fputs(th_config_usage, stderr);
    return TH_EXIT_USAGE;
}

/* Prints the settings of some commands as a file that can be read again. */
static void print_settings(const th_settings *settings, unsigned commands, bool has_help)
{
    const char *section = "";
    th_buffer value = { 0 };
    for (const th_option *option = th_option_table; option->key; option++) {
        if (!(option->commands & commands))
            continue;
        if (strcmp(section, option->section) != 0)
            printf("%s[%s]\n", *section ? "\n" : "", option->section);
        section = option->section;
        th_buffer_reset(&value);
        th_settings_print(settings, option, &value);
        if (has_help)
            printf("; %s\n", option->help);
        const char *dot = strchr(option->key, '.');
        printf("%s = %.*s\n", dot ? dot + 1 : option->key, (int)value.len,
               value.data ? value.data : "");
    }
    th_buffer_done(&value);
}

/* Whether the two print the same value. */
static bool is_same(const th_settings *one, const th_settings *two,
                    const th_option *option)
{
    th_buffer a = { 0 }, b = { 0 };
    th_settings_print(one, option, &a);
    th_settings_print(two, option, &b);
    const bool same = a.len == b.len && (!a.len || memcmp(a.data, b.data, a.len) == 0);
    th_buffer_done(&a);
    th_buffer_done(&b);
    return same;
}

/* Whether the file changes anything of the daemon: then `serve` is what it is for. A file
 * that lists every option with its default is for both. */
static bool is_for_serve(const th_settings *settings)
{
    static const char *const sections[] = { "daemon", "endpoint", "spool", "files",
                                            "kafka" };
    th_settings defaults;
    bool is_so = false;
    if (th_settings_init(&defaults, NULL) != TH_OK)
        return false;
    for (size_t i = 0; th_option_table[i].key && !is_so; i++)
        for (size_t j = 0; j < sizeof sections / sizeof *sections; j++)
            is_so |= strcmp(th_option_table[i].section, sections[j]) == 0 &&
                     !is_same(settings, &defaults, &th_option_table[i]);
    th_settings_done(&defaults);
    return is_so;
}

/*
 * Runs the checks of `run`, and of `serve` if the file is for it. Each check reports its
 * errors, so one call finds several. @return the first failure
 */
static th_status check_all(th_settings *settings, th_error *err)
{
    th_status first = TH_OK;
    for (int i = 0; i < 4; i++) {
        th_error why = { .text = "" };
        const th_status status =
            i == 0   ? th_settings_check(settings, &why)
            : i == 1 ? th_settings_check_daemon(settings, is_for_serve(settings), &why)
            : i == 2 ? th_settings_load_models(settings, false, &why)
                     : th_settings_load_filter(settings, &why);
        if (status != TH_OK && first != TH_OK)
            th_say("%s", why.text);
        else if (status != TH_OK)
            *err = why;
        first = first == TH_OK ? status : first;
    }
    return first;
}

int th_command_config(const th_program *program, int argc, char **argv)
{
    const char *verb = argc > 1 ? argv[1] : "";
    const char *path = argc > 2 ? argv[2] : NULL;
    const bool is_check = strcmp(verb, "check") == 0 && path;
    const bool is_show = strcmp(verb, "show") == 0;
    const bool is_options = strcmp(verb, "options") == 0;
    th_settings settings;
    th_error err = { .text = "" };
    th_exit_on_sigpipe();
    if (!is_check && !is_show && !is_options)
        return explain(verb);
    if (th_has_more_arguments(argc, argv, is_options ? 2 : 3))
        return TH_EXIT_USAGE;
    th_status status = th_settings_init(&settings, program->segmenters);
    if (status == TH_OK && path && !is_options)
        status = th_settings_load(&settings, path, is_check ? th_say_line : NULL, &err);
    if (status == TH_OK)
        status = check_all(&settings, &err);
    if (status == TH_OK && is_check)
        printf("%s: ok\n", path);
    else if (status == TH_OK)
        print_settings(&settings, th_program_options(program), is_options);
    th_settings_done(&settings);
    return status == TH_OK ? TH_EXIT_OK : th_complain(&err);
}
