/*
 * Any bytes as credentials of a profile file, of an endpoint and of STS: accepted values
 * are valid in a header, and nothing is accepted from a truncated text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_target.h"
#include "remote/credential_text.h"

static void require(bool claim)
{
    if (!claim)
        abort();
}

static void is_header_text(const char *text, size_t capacity)
{
    const char *end = memchr(text, '\0', capacity);
    require(end != NULL);
    for (; text < end; text++)
        require((unsigned char)*text >= ' ' && *text != 0x7f);
}

static void check(const th_credentials *keys)
{
    is_header_text(keys->access_key, sizeof keys->access_key);
    is_header_text(keys->secret, sizeof keys->secret);
    is_header_text(keys->token, sizeof keys->token);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    th_credentials of_file = { .expires_at = 0 }, of_json = { .expires_at = 0 };
    char *copy = malloc(size + 1);
    if (!copy)
        abort();
    memcpy(copy, data, size);
    copy[size] = '\n'; /* fmemopen takes no empty buffer */
    FILE *file = fmemopen(copy, size + 1, "r");
    if (!file)
        abort();
    const th_status status = th_credential_profile_read(file, "default", &of_file);
    (void)fclose(file);
    require(status == TH_OK || status == TH_ABSENT || status == TH_TOO_LARGE);
    require(status != TH_ABSENT || (!*of_file.access_key && !*of_file.secret));
    check(&of_file);
    const th_view json = { copy, size };
    if (th_credential_json_read(json, &of_json)) {
        th_credentials of_cut = { .expires_at = 0 };
        size_t len = size;
        while (len && copy[len - 1] != '}')
            len--;
        require(len > 0 && !th_credential_json_read((th_view){ copy, len - 1 }, &of_cut));
    }
    check(&of_json);
    th_credentials of_xml = { .expires_at = 0 };
    if (th_credential_xml_read(json, &of_xml))
        require(*of_xml.access_key && *of_xml.secret && *of_xml.token &&
                of_xml.expires_at > 0);
    check(&of_xml);
    free(copy);
    return 0;
}
