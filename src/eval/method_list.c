/* Names of methods: looked up in the stages' own tables. */
#include "eval/method_list.h"

#include <string.h>

#include "segment/gap_profile.h"
#include "thresher/classifier.h"
#include "thresher/segmenter.h"

/* Name number i of a table, NULL behind its end. */
typedef const char *name_at(size_t i);

static const char *classifier_at(size_t i)
{
    return th_classifiers[i] ? th_classifiers[i]->name : NULL;
}

static const char *segmenter_at(size_t i)
{
    return th_segmenters[i] ? th_segmenters[i]->name : NULL;
}

static const char *profile_at(size_t i)
{
    return th_gap_profiles[i] ? th_gap_profiles[i]->name : NULL;
}

static void add(th_method_list *list, const char *name)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (strcmp(list->names[i], name) == 0)
            return;
    if (list->count < TH_METHODS_MAX)
        list->names[list->count++] = name;
}

/* Adds the table's own name for the word, or all of them. */
static int add_word(th_method_list *list, name_at *name, const char *word, size_t len)
{
    const int is_all = len == 3 && memcmp(word, "all", 3) == 0;
    int found = is_all;
    for (size_t i = 0; name(i); i++) {
        if (is_all || (strlen(name(i)) == len && memcmp(name(i), word, len) == 0)) {
            add(list, name(i));
            found = 1;
        }
    }
    return found;
}

static th_status read_list(const char *text, const char *what, name_at *name,
                           th_method_list *out, th_error *err)
{
    *out = (th_method_list){ 0 };
    for (const char *at = text; *at;) {
        const size_t len = strcspn(at, ",");
        if (len && !add_word(out, name, at, len))
            return th_fail(err, TH_USAGE, "%s '%.*s' is not known", what,
                           (int)(len > 100 ? 100 : len), at);
        at += len + (at[len] == ',');
    }
    return out->count ? TH_OK : th_fail(err, TH_USAGE, "no %s is named", what);
}

th_status th_classifier_list(const char *text, th_method_list *out, th_error *err)
{
    return read_list(text, "classifier", classifier_at, out, err);
}

th_status th_segmenter_list(const char *text, th_method_list *out, th_error *err)
{
    return read_list(text, "segmenter", segmenter_at, out, err);
}

th_status th_profile_list(const char *text, th_method_list *out, th_error *err)
{
    return read_list(text, "profile", profile_at, out, err);
}
