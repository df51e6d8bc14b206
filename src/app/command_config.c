/* `thresher config`: check a file, show what is in force, list every option. */
#include <stdio.h>
#include <string.h>

#include "app/command.h"
#include "app/say.h"
#include "settings/settings.h"

const char th_config_usage[] =
    "usage: thresher config check FILE     checks that every line is known and valid\n"
    "       thresher config show [FILE]    prints the values that would be in force\n"
    "       thresher config options        prints every option with its default, as a "
    "file\n"
    "\n"
    "FILE: sections and keys as thresher.conf(5) has them; `thresher serve -c FILE` and\n"
    "`thresher run -c FILE` take it.\n"
    "Exit codes: 0 all well; 2 wrong usage, or a line of the file is wrong; 74 the file\n"
    "cannot be read.\n";

/* Words for wrong usage, or the usage itself where it is asked for. */
static int explain(const char *verb)
{
    if (strcmp(verb, "--help") == 0 || strcmp(verb, "-h") == 0) {
        fputs(th_config_usage, stdout);
        return TH_EXIT_OK;
    }
    if (strcmp(verb, "check") == 0)
        th_say("config check needs a FILE");
    else if (!*verb)
        th_say("config needs check, show or options");
    else
        th_say("config '%s' is not known", verb);
    fputs(th_config_usage, stderr);
    return TH_EXIT_USAGE;
}

/* Prints the settings as a file that can be read again. */
static void print_settings(const th_settings *settings, bool has_help)
{
    const char *section = "";
    th_buffer value = { 0 };
    for (const th_option *option = th_option_table; option->key; option++) {
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

int th_command_config(int argc, char **argv)
{
    const char *verb = argc > 1 ? argv[1] : "";
    const char *path = argc > 2 ? argv[2] : NULL;
    const bool is_check = strcmp(verb, "check") == 0 && path;
    const bool is_show = strcmp(verb, "show") == 0;
    const bool is_options = strcmp(verb, "options") == 0;
    th_settings settings;
    th_error err = { .text = "" };
    th_let_reader_go();
    if (!is_check && !is_show && !is_options)
        return explain(verb);
    th_status status = th_settings_init(&settings);
    if (status == TH_OK && path && !is_options)
        status = th_settings_load(&settings, path, &err);
    if (status == TH_OK)
        status = th_settings_check(&settings, &err);
    if (status == TH_OK)
        status = th_settings_check_daemon(&settings, false, &err);
    if (status == TH_OK)
        status = th_settings_load_models(&settings, false, &err);
    if (status == TH_OK)
        status = th_settings_load_filter(&settings, &err);
    if (status == TH_OK && is_check)
        printf("%s: ok\n", path);
    else if (status == TH_OK)
        print_settings(&settings, is_options);
    th_settings_done(&settings);
    return status == TH_OK ? TH_EXIT_OK : th_complain(&err);
}
