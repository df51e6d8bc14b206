/* Calls CLD2. No C++ exception or type leaves this file. */
#include "language/cld2.h"

#include <cstdio> /* missing in CLD2's header */
#include <cstring>

#include <cld2/public/compact_lang_det.h>
#include <cld2/public/encodings.h>

const bool th_cld2_is_built = true;

const char *th_cld2_version(void)
{
    return CLD2::DetectLanguageVersion();
}

/* Returns false for unknown languages, and for scripts that CLD2 returns instead of a
 * language: "un", "xxx", "xx-Copt". */
static bool is_language(const char *code)
{
    return std::strcmp(code, "un") != 0 && std::strncmp(code, "xx", 2) != 0;
}

th_status th_cld2_detect(th_view text, const th_cld2_hints *hints, th_languages *out)
{
    const CLD2::CLDHints known = { hints->languages, hints->tld, CLD2::UNKNOWN_ENCODING,
                                   CLD2::UNKNOWN_LANGUAGE };
    CLD2::Language languages[TH_LANGUAGES_MAX];
    int percents[TH_LANGUAGES_MAX], bytes = 0, valid = 0;
    double scores[TH_LANGUAGES_MAX];
    bool is_sure = false;
    *out = th_languages();
    try {
        CLD2::ExtDetectLanguageSummaryCheckUTF8(
            text.data, static_cast<int>(text.len), true, &known, 0, languages, percents,
            scores, nullptr, &bytes, &is_sure, &valid);
    } catch (...) { /* only out of memory is possible */
        return TH_NOMEM;
    }
    if (valid < static_cast<int>(text.len))
        return TH_OK;
    out->bytes = static_cast<uint32_t>(bytes);
    out->has_shares = 1;
    for (int i = 0; i < TH_LANGUAGES_MAX; i++) {
        const char *code = CLD2::LanguageCode(languages[i]);
        if (!is_language(code) || percents[i] <= 0)
            continue;
        th_language *language = &out->of[out->count++];
        language->tag = code;
        language->percent = static_cast<uint8_t>(percents[i]);
        language->score = static_cast<uint32_t>(scores[i] > 0 ? scores[i] : 0);
    }
    out->is_sure = is_sure && out->count && is_language(CLD2::LanguageCode(languages[0]));
    return TH_OK;
}
