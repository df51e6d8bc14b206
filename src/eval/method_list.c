/* Names of methods: looked up in the stages' own tables. */
#include "eval/method_list.h"

#include <string.h>

#include "base/ascii.h"
#include "methods/method_names.h"
#include "thresher/classifier.h"

static void add(th_method_list *list, const char *name)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (strcmp(list->names[i], name) == 0)
            return;
    if (list->count < TH_METHODS_MAX)
        list->names[list->count++] = name;
}

/* Adds the table's own name for the word, or all of them. */
static int add_word(th_method_list *list, th_name_at *name, const void *table,
                    const char *word, size_t len)
{
    const int is_all = len == 3 && memcmp(word, "all", 3) == 0;
    int found = is_all;
    for (size_t i = 0; name(table, i); i++) {
        if (is_all || th_view_is((th_view){ word, len }, name(table, i))) {
            add(list, name(table, i));
            found = 1;
        }
    }
    return found;
}

static th_status read_list(const char *text, const char *what, th_name_at *name,
                           const void *table, th_method_list *out, th_error *err)
{
    *out = (th_method_list){ 0 };
    for (const char *at = text; *at;) {
        const size_t len = strcspn(at, ",");
        if (len && !add_word(out, name, table, at, len))
            return th_fail_unknown(err, what, (th_view){ at, len }, name, table);
        at += len + (at[len] == ',');
    }
    return out->count ? TH_OK : th_fail(err, TH_USAGE, "no %s is specified", what);
}

bool th_classifier_is_learned(const char *name)
{
    const th_classifier *classifier = th_classifier_find(name);
    return classifier && classifier->reads;
}

th_status th_classifier_list(const char *text, th_method_list *out, th_error *err)
{
    return read_list(text, "classifier", th_classifier_at, NULL, out, err);
}

th_status th_segmenter_list(const char *text, const th_segmenter *const *methods,
                            th_method_list *out, th_error *err)
{
    return read_list(text, "segmenter", th_segmenter_at, methods, out, err);
}

th_status th_profile_list(const char *text, th_method_list *out, th_error *err)
{
    return read_list(text, "profile", th_profile_at, NULL, out, err);
}
