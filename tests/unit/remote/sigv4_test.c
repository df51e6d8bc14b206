/* The four examples of Amazon's documentation of S3's signature. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "remote/sigv4.h"

static const char key[] = "AKIAIOSFODNN7EXAMPLE";
static const char secret[] = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
static const char host[] = "examplebucket.s3.amazonaws.com";
static const char time_text[] = "20130524T000000Z";

static void expect_signature(th_sigv4_request request, const char *signature)
{
    th_buffer out = { 0 };
    request.time = time_text;
    request.region = "us-east-1";
    request.service = "s3";
    request.access_key = key;
    request.secret = secret;
    assert_int_equal(th_sigv4_sign(&request, &out), TH_OK);
    th_buffer_append_char(&out, '\0');
    const char *found = strstr(out.data, ",Signature=");
    assert_non_null(found);
    assert_string_equal(found + strlen(",Signature="), signature);
    assert_non_null(strstr(out.data, "Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/"
                                     "s3/aws4_request,SignedHeaders=host;"));
    th_buffer_done(&out);
}

static void get_with_range(void **state)
{
    (void)state;
    const th_sigv4_header headers[] = { { "host", host },
                                        { "range", "bytes=0-9" },
                                        { "x-amz-content-sha256", TH_SIGV4_EMPTY },
                                        { "x-amz-date", time_text } };
    expect_signature((th_sigv4_request){ .method = "GET",
                                         .path = TH_VIEW("/test.txt"),
                                         .query = TH_VIEW(""),
                                         .headers = headers,
                                         .header_count = 4,
                                         .payload_hash = TH_SIGV4_EMPTY },
                     "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

static void put_with_body(void **state)
{
    (void)state;
    char hash[TH_SHA256_HEX];
    assert_int_equal(th_sha256_hex(TH_VIEW("Welcome to Amazon S3."), hash), TH_OK);
    assert_string_equal(
        hash, "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072");
    const th_sigv4_header headers[] = { { "date", "Fri, 24 May 2013 00:00:00 GMT" },
                                        { "host", host },
                                        { "x-amz-content-sha256", hash },
                                        { "x-amz-date", time_text },
                                        { "x-amz-storage-class", "REDUCED_REDUNDANCY" } };
    th_buffer out = { 0 };
    const th_sigv4_request request = { .method = "PUT",
                                       .path = TH_VIEW("/test%24file.text"),
                                       .query = TH_VIEW(""),
                                       .headers = headers,
                                       .header_count = 5,
                                       .payload_hash = hash,
                                       .time = time_text,
                                       .region = "us-east-1",
                                       .service = "s3",
                                       .access_key = key,
                                       .secret = secret };
    assert_int_equal(th_sigv4_sign(&request, &out), TH_OK);
    th_buffer_append_char(&out, '\0');
    assert_non_null(strstr(
        out.data,
        ",Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"));
    th_buffer_done(&out);
}

static const th_sigv4_header plain[] = { { "host", host },
                                         { "x-amz-content-sha256", TH_SIGV4_EMPTY },
                                         { "x-amz-date", time_text } };

static void get_with_valueless_parameter(void **state)
{
    (void)state;
    expect_signature((th_sigv4_request){ .method = "GET",
                                         .path = TH_VIEW("/"),
                                         .query = TH_VIEW("lifecycle="),
                                         .headers = plain,
                                         .header_count = 3,
                                         .payload_hash = TH_SIGV4_EMPTY },
                     "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
}

static void list_with_query(void **state)
{
    (void)state;
    expect_signature((th_sigv4_request){ .method = "GET",
                                         .path = TH_VIEW("/"),
                                         .query = TH_VIEW("max-keys=2&prefix=J"),
                                         .headers = plain,
                                         .header_count = 3,
                                         .payload_hash = TH_SIGV4_EMPTY },
                     "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(get_with_range),
        cmocka_unit_test(put_with_body),
        cmocka_unit_test(get_with_valueless_parameter),
        cmocka_unit_test(list_with_query),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
