/* `thresher get`: prints records of a seekable file by their ids. */
#include <stdio.h>
#include <string.h>

#include "app/program.h"
#include "app/say.h"
#include "dedup/seekable_file.h"

const char th_get_usage[] =
    "usage: thresher get RECORDS ID...\n\n"
    "Prints the records with these ids, one JSON line each. RECORDS is a file of\n"
    "`thresher run --compress zstd:seekable`. Only the frames with these records are\n"
    "decompressed.\n"
    "Exit codes: 0 success, 1 an id was not found, or the file is damaged, 2 wrong "
    "usage,\n"
    "74 the file cannot be read.\n";

static th_status print_line(void *context, th_view line, th_error *err)
{
    (void)context;
    if (fwrite(line.data, 1, line.len, stdout) == line.len && putchar('\n') != EOF)
        return TH_OK;
    return th_fail(err, TH_IO, "cannot write to stdout");
}

static th_status get_all(th_seekable_file *file, int count, char **ids, int *code,
                         th_error *err)
{
    th_status status = TH_OK;
    for (int i = 0; i < count && status == TH_OK; i++) {
        uint64_t found = 0;
        status = th_seekable_get(file, (th_view){ ids[i], strlen(ids[i]) }, print_line,
                                 NULL, &found, err);
        if (status != TH_OK || found)
            continue;
        th_say("no record has the id '%.200s'", ids[i]);
        *code = TH_EXIT_INPUT;
    }
    return status;
}

int th_command_get(const th_program *program, int argc, char **argv)
{
    (void)program;
    th_seekable_file *file = NULL;
    th_error err = { .text = "" };
    int code = TH_EXIT_OK;
    th_exit_on_sigpipe();
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        fputs(th_get_usage, stdout);
        return TH_EXIT_OK;
    }
    if (argc < 3 || argv[1][0] == '-') {
        fputs(th_get_usage, stderr);
        return TH_EXIT_USAGE;
    }
    th_status status = th_seekable_open(argv[1], &file, &err);
    if (status == TH_OK)
        status = get_all(file, argc - 2, argv + 2, &code, &err);
    th_seekable_free(file);
    if (status == TH_DAMAGED || status == TH_ABSENT) {
        th_say("%s", err.text);
        return TH_EXIT_INPUT;
    }
    return status == TH_OK ? code : th_complain(&err);
}
