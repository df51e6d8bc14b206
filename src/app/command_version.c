/*
 * `thresher version`: prints the version of the program, and of the libraries that affect
 * its results.
 */
#include <brotli/decode.h>
#include <libxml/xmlversion.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>
#include <unicode/uversion.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

#include "app/program.h"
#include "app/say.h"
#include "base/json.h"
#include "daemon/endpoint.h"
#include "ingest/wacz.h"
#include "isolate/sandbox.h"
#include "kafka/kafka_conf.h"
#include "language/cld2.h"
#include "remote/remote.h"
#include "thresher/minhash.h"
#include "thresher/version.h"

#ifdef OPENSSL_VERSION_STRING
#define LIBCRYPTO_VERSION OPENSSL_VERSION_STRING
#else /* before 3.0: with name and date */
#define LIBCRYPTO_VERSION OPENSSL_VERSION
#endif

const char th_version_usage[] = "usage: thresher version [--json]\n\n"
                                "Prints the program's version. --json prints one object "
                                "with the parts in this build\n"
                                "and the versions of the loaded libraries. Records "
                                "depend on ICU and uchardet, and on\n"
                                "libxml2 for XML documents.\n"
                                "Exit codes: 0 success, 2 wrong usage.\n";

/*
 * Prints the version that is linked, not the version that was compiled against, if the
 * library reports it.
 */
static void libraries(th_json *json)
{
    UVersionInfo icu;
    char text[U_MAX_VERSION_STRING_LENGTH];
    const uint32_t brotli = BrotliDecoderVersion(), xxhash = XXH_versionNumber();
    th_json_key(json, "libraries");
    th_json_open_object(json);
    (void)snprintf(text, sizeof text, "%u.%u.%u", brotli >> 24, brotli >> 12 & 0xFFF,
                   brotli & 0xFFF);
    th_json_member_text(json, "brotli", text);
    th_json_member_text(json, "cld2", th_cld2_version());
    u_getVersion(icu);
    u_versionToString(icu, text);
    th_json_member_text(json, "icu", text);
    th_json_member_text(json, "libcrypto", OpenSSL_version(LIBCRYPTO_VERSION));
    th_json_member_text(json, "libcurl", th_remote_library_version());
    th_json_member_text(json, "libzip", th_wacz_library_version());
    th_json_member_text(json, "libmicrohttpd", th_endpoint_library_version());
    th_json_member_text(json, "librdkafka", th_kafka_library_version());
    th_json_member_text(json, "libxml2", LIBXML_DOTTED_VERSION);
    (void)snprintf(text, sizeof text, "%u.%u.%u", xxhash / 10000, xxhash / 100 % 100,
                   xxhash % 100);
    th_json_member_text(json, "xxhash", text);
    th_json_member_text(json, "zlib", zlibVersion());
    th_json_member_text(json, "zstd", ZSTD_versionString());
    th_json_close_object(json);
}

static int print_json(void)
{
    th_json json;
    th_buffer out = { 0 };
    th_json_begin(&json, &out);
    th_json_open_object(&json);
    th_json_member_text(&json, "version", TH_VERSION);
    th_json_member_text(&json, "schema", "thresher/1");
    th_json_member_uint(&json, "tokenizer", TH_TOKENIZER_VERSION);
    th_json_key(&json, "parts");
    th_json_open_object(&json);
    th_json_key(&json, "kafka");
    th_json_bool(&json, th_kafka_is_built);
    th_json_key(&json, "endpoint");
    th_json_bool(&json, th_endpoint_library_version() != NULL);
    th_json_key(&json, "cld2");
    th_json_bool(&json, th_cld2_is_built);
    th_json_key(&json, "isolation");
    th_json_bool(&json, th_sandbox_is_built());
    th_json_key(&json, "remote");
    th_json_bool(&json, th_remote_library_version() != NULL);
    th_json_key(&json, "wacz");
    th_json_bool(&json, th_wacz_library_version() != NULL);
    th_json_key(&json, "fasttext"); /* these two are in every build */
    th_json_bool(&json, true);
    th_json_key(&json, "parquet");
    th_json_bool(&json, true);
    th_json_close_object(&json);
    libraries(&json);
    th_json_close_object(&json);
    const th_status status = th_json_end(&json);
    if (status == TH_OK)
        (void)fwrite(out.data, 1, out.len, stdout);
    th_buffer_done(&out);
    return status == TH_OK ? TH_EXIT_OK
                           : th_complain(&(const th_error){ .status = status });
}

int th_command_version(const th_program *program, int argc, char **argv)
{
    (void)program;
    const char *wanted = argc > 1 ? argv[1] : "";
    th_exit_on_sigpipe();
    if (th_has_more_arguments(argc, argv, 2))
        return TH_EXIT_USAGE;
    if (strcmp(wanted, "--json") == 0)
        return print_json();
    if (strcmp(wanted, "--help") == 0 || strcmp(wanted, "-h") == 0) {
        fputs(th_version_usage, stdout);
        return TH_EXIT_OK;
    }
    if (*wanted) {
        th_say("unknown argument '%s' of version; expected --json", wanted);
        return TH_EXIT_USAGE;
    }
    puts("thresher " TH_VERSION);
    return TH_EXIT_OK;
}
