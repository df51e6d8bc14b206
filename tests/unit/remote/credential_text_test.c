/* src/remote/credential_text.c: valid and odd profile files and answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "remote/credential_text.h"

static const struct row {
    const char *name, *text; /* @ stands for a comment of 8190 bytes */
    th_status status;
    const char *key, *secret;
} files[] = {
    /* clang-format off */
    { "plain", "[default]\naws_access_key_id=k\naws_secret_access_key=s\n", TH_OK, "k", "s" },
    { "spaces, other names, no end", "[ default ]\n aws_access_key_id = k\t\r\nregion=x\naws_secret_access_key = s=/+", TH_OK, "k", "s=/+" },
    { "another section", "[other]\naws_access_key_id=k\n", TH_ABSENT, "", "" },
    { "after another", "[other]\naws_access_key_id=o\n[default]\naws_access_key_id=k\n", TH_OK, "k", "" },
    { "comment", "[default]\n#aws_access_key_id=o\n;aws_access_key_id=o\n", TH_OK, "", "" },
    { "the rest of a long line is not a line", "[default]\n@aws_access_key_id=o\naws_secret_access_key=s\n", TH_OK, "", "s" },
    { "control character", "[default]\naws_access_key_id=a\x01" "b\n", TH_TOO_LARGE, "", "" },
    /* clang-format on */
}, answers[] = {
    /* clang-format off */
    { "whole", "{\"Code\":[1,{}],\"AccessKeyId\":\"k\",\"SecretAccessKey\":\"s\\/\"}", TH_OK, "k", "s/" },
    { "cut", "{\"AccessKeyId\":\"k\",\"SecretAccessKey\":\"s\"", TH_DAMAGED, NULL, NULL },
    { "cut after a comma", "{\"AccessKeyId\":\"k\",", TH_DAMAGED, NULL, NULL },
    { "more behind", "{\"AccessKeyId\":\"k\"} x", TH_DAMAGED, NULL, NULL },
    { "a header in a value", "{\"AccessKeyId\":\"k\\r\\nX: y\"}", TH_DAMAGED, NULL, NULL },
    { "NUL", "{\"AccessKeyId\":\"k\\u0000\"}", TH_DAMAGED, NULL, NULL },
    { "number", "{\"AccessKeyId\":7}", TH_DAMAGED, NULL, NULL },
    { "no object", "[]", TH_DAMAGED, NULL, NULL },
    /* clang-format on */
};

static char *text_of(const struct row *row)
{
    char *text = calloc(1, strlen(row->text) + 8200);
    assert_non_null(text);
    for (const char *c = row->text; *c; c++) {
        if (*c != '@') {
            text[strlen(text)] = *c;
        } else {
            char *end = text + strlen(text);
            memset(end, '#', 8190);
        }
    }
    return text;
}

static void file_holds(void **state)
{
    const struct row *row = *state;
    th_credentials keys = { .expires_at = 0 };
    char *text = text_of(row);
    FILE *file = fmemopen(text, strlen(text), "r");
    assert_non_null(file);
    assert_int_equal(th_credential_profile_read(file, "default", &keys), row->status);
    (void)fclose(file);
    free(text);
    assert_string_equal(keys.access_key, row->key);
    assert_string_equal(keys.secret, row->secret);
}

static void answer_holds(void **state)
{
    const struct row *row = *state;
    th_credentials keys = { .expires_at = 0 };
    const th_view json = { row->text, strlen(row->text) };
    assert_int_equal(th_credential_json_read(json, &keys), row->status == TH_OK);
    if (row->key) {
        assert_string_equal(keys.access_key, row->key);
        assert_string_equal(keys.secret, row->secret);
    }
}

/* A good answer, then with each part missing or wrong. */
#define STS(keys) "<R><Credentials>" keys "</Credentials></R>"
#define ID "<AccessKeyId>ID</AccessKeyId>"
#define SECRET "<SecretAccessKey>a/b+c=</SecretAccessKey>"
#define TOKEN "<SessionToken>t==</SessionToken>"
#define EXPIRES "<Expiration>2099-01-01T00:00:00Z</Expiration>"
static const struct xml_row {
    const char *name, *text;
    bool is_good;
} xmls[] = {
    { "answer", STS(TOKEN SECRET EXPIRES ID), true },
    { "no element", "<R></R>", false },
    { "empty", "", false },
    { "cut", "<R><Credentials>" TOKEN SECRET EXPIRES ID, false },
    { "keys elsewhere", "<R>" ID SECRET TOKEN EXPIRES "<Credentials></Credentials></R>",
      false },
    { "no key", STS(TOKEN SECRET EXPIRES), false },
    { "no secret", STS(TOKEN EXPIRES ID), false },
    { "no token", STS(SECRET EXPIRES ID), false },
    { "no end", STS(TOKEN SECRET ID), false },
    { "wrong end", STS(TOKEN SECRET "<Expiration>soon</Expiration>" ID), false },
    { "empty key", STS(TOKEN SECRET EXPIRES "<AccessKeyId></AccessKeyId>"), false },
    { "reference", STS(TOKEN SECRET EXPIRES "<AccessKeyId>a&amp;</AccessKeyId>"), false },
    { "markup", STS(TOKEN SECRET EXPIRES "<AccessKeyId><b/></AccessKeyId>"), false },
    { "control character", STS(TOKEN SECRET EXPIRES "<AccessKeyId>a\n</AccessKeyId>"),
      false },
};

static void xml_holds(void **state)
{
    const struct xml_row *row = *state;
    const size_t len = strlen(row->text);
    th_credentials keys = { .expires_at = 0 };
    char *copy = malloc(len ? len : 1); /* of exact size */
    assert_non_null(copy);
    memcpy(copy, row->text, len);
    assert_int_equal(th_credential_xml_read((th_view){ copy, len }, &keys), row->is_good);
    for (size_t part = 0; part < len && row->is_good; part++)
        assert_false(th_credential_xml_read(
            (th_view){ copy, part < len - strlen("/Credentials></R>") ? part : 0 },
            &keys));
    free(copy);
    if (!row->is_good)
        return;
    assert_string_equal(keys.access_key, "ID");
    assert_string_equal(keys.secret, "a/b+c=");
    assert_string_equal(keys.token, "t==");
    assert_int_equal(keys.expires_at, 4070908800);
}

int main(void)
{
    enum {
        FILES = sizeof files / sizeof *files,
        ANSWERS = sizeof answers / sizeof *answers,
        XMLS = sizeof xmls / sizeof *xmls
    };
    static struct CMUnitTest of_files[FILES], of_answers[ANSWERS], of_xmls[XMLS];
    for (size_t i = 0; i < XMLS; i++)
        of_xmls[i] = (struct CMUnitTest){ xmls[i].name, xml_holds, NULL, NULL,
                                          (void *)(uintptr_t)&xmls[i] };
    for (size_t i = 0; i < FILES; i++)
        of_files[i] = (struct CMUnitTest){ files[i].name, file_holds, NULL, NULL,
                                           (void *)(uintptr_t)&files[i] };
    for (size_t i = 0; i < ANSWERS; i++)
        of_answers[i] = (struct CMUnitTest){ answers[i].name, answer_holds, NULL, NULL,
                                             (void *)(uintptr_t)&answers[i] };
    return cmocka_run_group_tests_name("files", of_files, NULL, NULL) +
           cmocka_run_group_tests_name("answers", of_answers, NULL, NULL) +
           cmocka_run_group_tests_name("xmls", of_xmls, NULL, NULL);
}
