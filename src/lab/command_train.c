/*
 * `thresher train METHOD CORPUS... --output MODEL`: learns a segmenter's parameters from
 * corpora with gold segments, and writes them as segmenter-model reads them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "app/say.h"
#include "base/file_sink.h"
#include "base/unknown_name.h"
#include "lab/lab.h"
#include "lab/segment/lab_segmenters.h"
#include "lab/train/model_text.h"
#include "lab/train/train.h"
#include "settings/settings.h"

/* Methods that can be trained, and variants of their training. */
static const char *method_at(const void *table, size_t i)
{
    (void)table;
    const th_trainer *trainer = th_trainer_at(i);
    return trainer ? trainer->name : NULL;
}

static const th_trainer *find_trainer(const char *name)
{
    const th_trainer *trainer = NULL;
    for (size_t i = 0; (trainer = th_trainer_at(i)); i++)
        if (strcmp(trainer->name, name) == 0)
            break;
    return trainer;
}

static th_status prepare(th_settings *settings, int argc, char **argv,
                         const th_trainer **trainer, int *first, th_error *err)
{
    th_status status = th_settings_parse(settings, TH_FOR_TRAIN, argc, argv, first, err);
    if (status == TH_OK)
        status = th_settings_check(settings, err);
    if (status != TH_OK)
        return status;
    if (argc - *first < 2)
        return th_fail(err, TH_USAGE, "train needs a METHOD and a CORPUS");
    const char *name = argv[(*first)++];
    *trainer = find_trainer(name);
    if (!*trainer)
        return th_fail_unknown(err, "method", (th_view){ name, strlen(name) }, method_at,
                               NULL);
    if (!*settings->train.output)
        return th_fail(err, TH_USAGE, "train needs --output MODEL");
    return TH_OK;
}

static th_status write_model(const th_settings *settings, const th_segment_model *model,
                             th_error *err)
{
    th_buffer text = { 0 };
    th_model_text_write(model, &text);
    const th_status status =
        text.has_failed
            ? th_fail(err, TH_NOMEM, "out of memory for the model")
            : th_file_replace(settings->train.output, th_buffer_view(&text), err);
    th_buffer_done(&text);
    return status;
}

static th_status train(const th_settings *settings, const th_trainer *trainer,
                       char **inputs, int count, th_error *err)
{
    th_segment_model model;
    uint32_t pages = 0;
    const th_train_request request = {
        .page = &settings->page,
        .trainer = trainer,
        .inputs = (const char *const *)inputs,
        .input_count = (uint32_t)count,
        .field = settings->train.field,
        .without = settings->train.without,
        .has_folds = settings->train.folds,
        .seed = settings->train.seed,
        .stop = &th_stop_requested,
        .warn = th_say_line,
    };
    th_status status = th_train(&request, &model, &pages, err);
    if (status == TH_OK)
        status = write_model(settings, &model, err);
    if (status == TH_OK && !settings->quiet)
        th_say("%s learned from %" PRIu32 " pages: '%s'", model.features->method, pages,
               settings->train.output);
    return status;
}

int th_command_train(const th_program *program, int argc, char **argv)
{
    th_settings settings;
    th_error err = { .text = "" };
    const th_trainer *trainer = NULL;
    int first = 0, code = TH_EXIT_OK;
    th_status status = th_settings_init(&settings, program->segmenters);
    if (status == TH_OK)
        status = prepare(&settings, argc, argv, &trainer, &first, &err);
    if (status == TH_END) {
        th_print_usage(stdout, program, TH_FOR_TRAIN, settings.help_all);
        goto done;
    }
    if (status == TH_OK)
        status = train(&settings, trainer, argv + first, argc - first, &err);
    if (status != TH_OK) {
        err.status = status;
        code = th_complain(&err);
    }
done:
    th_settings_done(&settings);
    return code;
}
