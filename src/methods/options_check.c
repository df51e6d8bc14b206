/*
 * Checks a page's options: ranges, and names of methods. It knows the methods of every
 * stage, so it is above the stages. After the check the options are const.
 */
#include "thresher/options.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "methods/method_names.h"
#include "page/option_limits.h"
#include "page/options_size.h"
#include "segment/gap_profile.h"
#include "segment/segment_model.h"
#include "select/main_segment.h"
#include "select/strictness.h"
#include "thresher/classifier.h"
#include "thresher/minhash.h"
#include "thresher/page.h"
#include "thresher/segmenter.h"

/* Checks that each format occurs once. */
static th_status check_formats(const th_options *o, th_error *err)
{
    unsigned named = 0;
    th_view list = { o->text_format, strlen(o->text_format) };
    while (list.data) {
        const th_view word = th_text_format_next(&list);
        const char *format = th_text_format_named(word);
        if (!format)
            return th_fail_unknown(err, "text-format", word, th_name_in_array,
                                   th_text_formats);
        unsigned number = 0;
        while (th_text_formats[number] != format)
            number++;
        if (named & 1u << number)
            return th_fail(err, TH_USAGE, "text-format contains '%s' twice", format);
        named |= 1u << number;
    }
    return TH_OK;
}

static th_status check_range(const char *name, uint64_t value, uint64_t low,
                             uint64_t high, th_error *err)
{
    if (value >= low && value <= high)
        return TH_OK;
    return th_fail(err, TH_USAGE, "%s is %llu (expected %llu to %llu)", name,
                   (unsigned long long)value, (unsigned long long)low,
                   (unsigned long long)high);
}

static th_status check_limits(const th_options *o, th_error *err)
{
    const struct {
        const char *name;
        uint64_t value, low, high;
    } rows[] = {
#define ROW(field, name, low, standard, high) { name, o->field, low, high },
        TH_OPTION_LIMITS(ROW)
#undef ROW
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const th_status status =
            check_range(rows[i].name, rows[i].value, rows[i].low, rows[i].high, err);
        if (status != TH_OK)
            return status;
    }
    return TH_OK;
}

static th_status check_methods(const th_options *o, th_error *err)
{
    const char *rule = o->main_segment;
    bool has_rule = !rule; /* NULL is the default */
    for (size_t i = 0; !has_rule && th_main_segment_names[i]; i++)
        has_rule = strcmp(th_main_segment_names[i], rule) == 0;
    if (!th_segmenter_of(o))
        return th_fail_segmenter(err, "segmenter",
                                 (th_view){ o->segmenter, strlen(o->segmenter) },
                                 o->segmenters);
    if (!th_gap_profile_find(o->profile))
        return th_fail_unknown(err, "profile",
                               (th_view){ o->profile, strlen(o->profile) }, th_profile_at,
                               NULL);
    if (!th_classifier_find(o->classifier))
        return th_fail_unknown(err, "classifier",
                               (th_view){ o->classifier, strlen(o->classifier) },
                               th_classifier_at, NULL);
    if (o->segment_model && o->segment_model->features != th_segmenter_of(o)->features)
        return th_fail(err, TH_USAGE,
                       "segmenter-model: model of %s (expected a model of %s)",
                       o->segment_model->features->method, o->segmenter);
    if (!has_rule)
        return th_fail_unknown(err, "main-segment", (th_view){ rule, strlen(rule) },
                               th_name_in_array, th_main_segment_names);
    if (th_strictness_read(o->strictness, NULL) != TH_OK)
        return th_fail(err, TH_USAGE,
                       "strictness is '%s' (expected balanced, strict, wide, several of "
                       "them such as "
                       "strict,balanced,wide, or a score such as .5)",
                       o->strictness);
    bool has_sites_rule = false;
    for (size_t i = 0; th_sites_rules[i]; i++)
        has_sites_rule |= strcmp(th_sites_rules[i], o->sites_rule) == 0;
    if (!has_sites_rule)
        return th_fail_unknown(err, "sites-rule",
                               (th_view){ o->sites_rule, strlen(o->sites_rule) },
                               th_name_in_array, th_sites_rules);
    bool has_detector = false;
    for (size_t i = 0; th_language_detectors[i]; i++)
        has_detector |= strcmp(th_language_detectors[i], o->language_detector) == 0;
    if (!has_detector)
        return th_fail_unknown(
            err, "language-detector",
            (th_view){ o->language_detector, strlen(o->language_detector) },
            th_name_in_array, th_language_detectors);
    bool has_title_rule = !o->text_title;
    for (size_t i = 0; o->text_title && th_text_titles[i]; i++)
        has_title_rule |= strcmp(th_text_titles[i], o->text_title) == 0;
    if (!has_title_rule)
        return th_fail_unknown(err, "text-title",
                               (th_view){ o->text_title, strlen(o->text_title) },
                               th_name_in_array, th_text_titles);
    return check_formats(o, err);
}

th_status th_options_check(const th_options *options, th_error *err)
{
    th_options scratch;
    const th_options *o = th_options_complete(options, &scratch);
    if (!o)
        return th_fail(err, TH_USAGE,
                       "options were not initialized with th_options_init");
    if (options->size > sizeof *options)
        return th_fail(err, TH_USAGE, "options have a newer version than the library");
    th_status status = check_methods(o, err);
    if (status != TH_OK)
        return status;
    th_minhash_preset preset;
    status = th_minhash_parse(o->minhash, &preset, err);
    if (status != TH_OK && status != TH_NOT_WANTED) /* "none" */
        return status;
    if (isnan(o->theta_max))
        return th_fail(err, TH_USAGE, "theta-max is not a number");
    return check_limits(o, err);
}
