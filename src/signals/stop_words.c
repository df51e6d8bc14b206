/* Eight stop words per language. The English ones are Gopher's. [RAE21 A1.1] */
#include "signals/stop_words.h"

#include <string.h>

static const struct {
    const char *language;
    const char *words[TH_STOP_WORDS];
} lists[] = {
    { "en", { "the", "be", "to", "of", "and", "that", "have", "with" } },
    { "de", { "der", "die", "und", "in", "den", "von", "zu", "mit" } },
    { "fr", { "de", "la", "le", "et", "les", "des", "en", "un" } },
    { "es", { "de", "la", "que", "el", "en", "y", "a", "los" } },
    { "it", { "di", "e", "che", "la", "il", "un", "a", "per" } },
    { "pt", { "de", "a", "o", "que", "e", "do", "da", "em" } },
    { "nl", { "de", "het", "een", "en", "van", "in", "is", "dat" } },
    { "sv", { "och", "i", "att", "det", "som", "en", "på", "är" } },
    { "da", { "og", "i", "at", "det", "er", "en", "til", "af" } },
    { "no", { "og", "i", "det", "er", "på", "en", "til", "som" } },
    { "pl", { "w", "i", "na", "z", "do", "się", "nie", "że" } },
    { "cs", { "a", "se", "v", "na", "je", "že", "s", "z" } },
    { "ru", { "и", "в", "не", "на", "что", "с", "по", "как" } },
    { "uk", { "і", "в", "на", "не", "що", "з", "до", "та" } },
    { "tr", { "ve", "bir", "bu", "da", "de", "için", "ile", "olarak" } },
    { "el", { "και", "το", "του", "η", "να", "της", "την", "με" } },
};

const char *const *th_stop_words(const char *language)
{
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const size_t len = strlen(lists[i].language);
        if (strncmp(language, lists[i].language, len) == 0 &&
            (language[len] == '\0' || language[len] == '-'))
            return lists[i].words;
    }
    return NULL;
}
