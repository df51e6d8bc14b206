/*
 * `thresher completion`: writes a shell's completions of `thresher`, from the option
 * table.
 */
#include <stdio.h>
#include <string.h>

#include "app/program.h"
#include "app/say.h"
#include "content/page_type.h"
#include "settings/settings.h"
#include "thresher/minhash.h"

const char th_completion_usage[] =
    "usage: thresher completion bash|zsh|fish\n\n"
    "Prints completions of commands, options and option values.\n"
    "bash: source <(thresher completion bash)\n"
    "zsh:  write to a file _thresher in $fpath\n"
    "fish: write to ~/.config/fish/completions/thresher.fish\n"
    "Exit codes: 0 success, 2 unknown shell.\n";

/*
 * Returns name number i that the option accepts. NULL after the last name, and if no
 * names are known. A preset may be followed by numbers, so its names differ from the
 * names of the table.
 */
static const char *name_of(const th_option *option, size_t i)
{
    if (option->names)
        return option->names->at(option->names->table, i);
    if (strcmp(option->key, "minhash") == 0)
        return th_minhash_presets[i] ? th_minhash_presets[i]->name : NULL;
    if (strcmp(option->key, "filter.page-type") == 0)
        return th_page_type_names[i];
    return NULL;
}

static bool has_names(const th_option *option)
{
    return name_of(option, 0) != NULL;
}

/* Prints the names, separated by spaces. */
static void put_names(FILE *out, const th_option *option)
{
    const char *name;
    for (size_t i = 0; (name = name_of(option, i)); i++)
        fprintf(out, "%s%s", i ? " " : "", name);
}

/* Whether it takes several of its names, commas between. */
static bool is_list(const th_option *option)
{
    return has_names(option) && option->value &&
           (option->type == TH_OPTION_SET || strcmp(option->value, "LIST") == 0);
}

static bool is_number(const th_option *option)
{
    return option->type == TH_OPTION_SIZE || option->type == TH_OPTION_NUMBER ||
           option->type == TH_OPTION_REAL;
}

static bool is_of(const th_option *option, const th_command *command)
{
    return (option->commands & command->options) != 0;
}

/* ---- bash ---- */

static void bash_values(FILE *out, const th_command *command)
{
    if (command->words)
        fprintf(out, "    %s:%s) words=\"%s\" ;;\n", command->name, command->name,
                command->words);
    for (const th_option *option = th_option_table; option->key; option++) {
        if (!is_of(option, command) || !has_names(option))
            continue;
        fprintf(out, "    %s:--%s", command->name,
                th_option_name(option, command->options));
        if (option->letter)
            fprintf(out, "|%s:-%c", command->name, option->letter);
        fputs(") words=\"", out);
        put_names(out, option);
        fputs("\" ;;\n", out);
    }
}

static void bash(FILE *out, const th_program *program)
{
    fputs("# bash completion of thresher, by `thresher completion bash`\n"
          "_thresher() {\n"
          "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} "
          "words=\n"
          "  COMPREPLY=()\n"
          /* --option=value is three words if = separates them, the default */
          "  [ \"$word\" != = ] || word=\n"
          "  [ \"$before\" != = ] || before=${COMP_WORDS[COMP_CWORD-2]}\n"
          "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    words=\"",
          out);
    for (const th_command *command = program->commands; command->name; command++)
        fprintf(out, "%s ", command->name);
    fputs("--help --version\"\n  else case \"${COMP_WORDS[1]}:$before\" in\n", out);
    for (const th_command *command = program->commands; command->name; command++)
        bash_values(out, command);
    fputs("    esac\n  fi\n"
          "  if [ -z \"$words\" ] && [[ $word == -* ]]; then case \"${COMP_WORDS[1]}\" "
          "in\n",
          out);
    for (const th_command *command = program->commands; command->name; command++) {
        fprintf(out, "    %s) words=\"--help%s", command->name,
                command->options ? " --help-all" : "");
        for (const th_option *option = th_option_table; option->key; option++)
            if (is_of(option, command))
                fprintf(out, " --%s", th_option_name(option, command->options));
        fprintf(out, "%s\" ;;\n", command->options ? " --config --option" : "");
    }
    fputs("    esac\n  fi\n"
          "  local list=\n" /* the part before the last comma of a list */
          "  [[ $word == -* || $word != *,* ]] || list=${word%,*},\n"
          "  [ -z \"$words\" ] || mapfile -t COMPREPLY < <(compgen -P \"$list\" -W "
          "\"$words\" -- \"${word##*,}\")\n"
          "  if [ ${#COMPREPLY[@]} -eq 0 ]; then\n"
          "    compopt -o filenames 2>/dev/null\n"
          "    mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
          "  fi\n"
          "}\n"
          "complete -F _thresher thresher\n",
          out);
}

/* ---- zsh ---- */

/*
 * Prints text inside '...:...[...]' of a specification. Omits or escapes characters that
 * would end it.
 */
static void zsh_text(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", out);
        else if (strchr("[]:\\", *text))
            fprintf(out, "\\%c", *text);
        else
            fputc(*text, out);
}

static void zsh_option(FILE *out, const th_option *option, unsigned command)
{
    fprintf(out, " \\\n        '");
    if (option->letter)
        fprintf(out, "(-%c --%s)'{-%c%s,--%s%s}'", option->letter,
                th_option_name(option, command), option->letter, option->value ? "+" : "",
                th_option_name(option, command), option->value ? "=" : "");
    else
        fprintf(out, "--%s%s", th_option_name(option, command), option->value ? "=" : "");
    fputs(option->type == TH_OPTION_LIST ? "-[" : "[", out);
    zsh_text(out, option->help);
    fputc(']', out);
    if (option->value && is_list(option)) {
        fprintf(out, ":%s:_values -s , %s ", option->value, option->value);
        put_names(out, option);
    } else if (option->value) {
        fprintf(out, ":%s:", option->value);
        fputs(has_names(option) ? "(" : is_number(option) ? "" : "_files", out);
        put_names(out, option);
        fputs(has_names(option) ? ")" : "", out);
    }
    fputc('\'', out);
}

static void zsh_words(FILE *out, const th_command *command)
{
    if (command->words)
        fprintf(out,
                "    %s)\n      (( CURRENT == 2 )) && compadd -- %s\n      _files ;;\n",
                command->name, command->words);
}

static void zsh(FILE *out, const th_program *program)
{
    fputs("#compdef thresher\n"
          "# zsh completion of thresher, by `thresher completion zsh`\n"
          "_thresher() {\n"
          "  local -a commands\n"
          "  commands=(\n",
          out);
    for (const th_command *command = program->commands; command->name; command++) {
        fprintf(out, "    '%s:", command->name);
        zsh_text(out, command->help);
        fputs("'\n", out);
    }
    fputs("  )\n"
          "  if (( CURRENT == 2 )); then\n"
          "    _describe command commands\n"
          "    return\n"
          "  fi\n"
          "  local name=$words[2]\n"
          "  shift words\n"
          "  (( CURRENT-- ))\n"
          "  case $name in\n",
          out);
    for (const th_command *command = program->commands; command->name; command++) {
        if (!command->options) {
            zsh_words(out, command);
            continue;
        }
        fprintf(out,
                "    %s)\n      _arguments '(-h --help)'{-h,--help}'[help]'"
                " \\\n        '--help-all[every option]'",
                command->name);
        for (const th_option *option = th_option_table; option->key; option++)
            if (is_of(option, command))
                zsh_option(out, option, command->options);
        if (command->words)
            fprintf(out, " \\\n        '1:first:{compadd %s; _files}'", command->words);
        fputs(
            " \\\n        '*'{-o,--option}'[set any option]:KEY=VALUE:'"
            " \\\n        '(-c --config)'{-c,--config}'[options from a file]:FILE:_files'"
            " \\\n        '*:input:_files' ;;\n",
            out);
    }
    fputs("    *) _files ;;\n"
          "  esac\n"
          "}\n"
          "_thresher \"$@\"\n",
          out);
}

/* ---- fish ---- */

static void fish_text(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; text++)
        fprintf(out, strchr("'\\", *text) ? "\\%c" : "%c", *text);
    fputc('\'', out);
}

static void fish_option(FILE *out, const th_option *option, const th_command *command)
{
    fprintf(out, "complete -c thresher -n '__fish_seen_subcommand_from %s' -l %s",
            command->name, th_option_name(option, command->options));
    if (option->letter)
        fprintf(out, " -s %c", option->letter);
    if (option->value)
        fputs(" -r", out);
    if (is_number(option))
        fputs(" -f", out);
    if (has_names(option)) {
        fputs(is_list(option) ? " -f -a '(__fish_append , " : " -f -a '", out);
        put_names(out, option);
        fputs(is_list(option) ? ")'" : "'", out);
    }
    fputs(" -d ", out);
    fish_text(out, option->help);
    fputc('\n', out);
}

static void fish(FILE *out, const th_program *program)
{
    fputs("# fish completion of thresher, by `thresher completion fish`\n", out);
    for (const th_command *command = program->commands; command->name; command++) {
        fprintf(out, "complete -c thresher -n __fish_use_subcommand -f -a %s -d ",
                command->name);
        fish_text(out, command->help);
        fputc('\n', out);
        if (command->words)
            fprintf(out,
                    "complete -c thresher -n '__fish_seen_subcommand_from %s; and test "
                    "(count (commandline -opc)) -eq 2' -a '%s'\n",
                    command->name, command->words);
    }
    fputs("complete -c thresher -s h -l help -d 'help'\n"
          "complete -c thresher -l help-all -d 'every option'\n",
          out);
    for (const th_command *command = program->commands; command->name; command++)
        for (const th_option *option = th_option_table; option->key; option++)
            if (is_of(option, command))
                fish_option(out, option, command);
}

static const struct {
    const char *name;
    void (*write)(FILE *out, const th_program *program);
} shells[] = { { "bash", bash }, { "zsh", zsh }, { "fish", fish } };

int th_command_completion(const th_program *program, int argc, char **argv)
{
    const char *shell = argc > 1 ? argv[1] : "";
    th_exit_on_sigpipe();
    if (th_has_more_arguments(argc, argv, 2))
        return TH_EXIT_USAGE;
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (strcmp(shell, shells[i].name) == 0) {
            shells[i].write(stdout, program);
            return TH_EXIT_OK;
        }
    const bool is_help = strcmp(shell, "--help") == 0 || strcmp(shell, "-h") == 0;
    if (!is_help && *shell)
        th_say("unknown shell '%s'; expected one of: bash, zsh, fish", shell);
    fputs(th_completion_usage, is_help ? stdout : stderr);
    return is_help ? TH_EXIT_OK : TH_EXIT_USAGE;
}
