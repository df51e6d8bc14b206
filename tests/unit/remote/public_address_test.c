/* src/remote/public_address.c: which addresses belong to the public internet. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <netinet/in.h>
#include <sys/un.h>

#include "remote/public_address.h"

static const struct row {
    const char *address;
    bool is_public;
} rows[] = {
    { "1.1.1.1", true },
    { "9.255.255.255", true },
    { "10.0.0.0", false },
    { "10.255.255.255", false },
    { "11.0.0.0", true },
    { "0.0.0.0", false },
    { "100.63.255.255", true },
    { "100.64.0.0", false },
    { "100.127.255.255", false },
    { "100.128.0.0", true },
    { "127.0.0.1", false },
    { "127.255.255.255", false },
    { "169.254.169.254", false },
    { "169.253.0.1", true },
    { "172.15.255.255", true },
    { "172.16.0.0", false },
    { "172.31.255.255", false },
    { "172.32.0.0", true },
    { "192.168.1.1", false },
    { "192.169.0.0", true },
    { "192.0.0.8", false },
    { "192.0.2.1", false },
    { "198.17.255.255", true },
    { "198.18.0.0", false },
    { "198.19.255.255", false },
    { "198.51.100.7", false },
    { "203.0.113.9", false },
    { "223.255.255.255", true },
    { "224.0.0.1", false },
    { "240.0.0.1", false },
    { "255.255.255.255", false },
    { "::", false },
    { "::1", false },
    { "::ffff:127.0.0.1", false },
    { "::ffff:8.8.8.8", true },
    { "::127.0.0.1", false },
    { "64:ff9b::8.8.8.8", true },
    { "64:ff9b::10.0.0.1", false },
    { "64:ff9b:1::1", false },
    { "100::1", false },
    { "fc00::1", false },
    { "fdff::1", false },
    { "fe80::1", false },
    { "fec0::1", false },
    { "ff02::1", false },
    { "2001::1", false },
    { "2001:db8::1", false },
    { "2001:4860:4860::8888", true },
    { "2002:7f00:1::", false },
    { "2002:808:808::", true },
    { "2606:4700::1111", true },
    { "3fff::1", false },
    { "4000::1", false },
};

static void addresses_are_told_apart(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sockaddr_storage address = { 0 };
        struct sockaddr_in in = { .sin_family = AF_INET };
        struct sockaddr_in6 in6 = { .sin6_family = AF_INET6 };
        if (inet_pton(AF_INET, rows[i].address, &in.sin_addr) == 1) {
            memcpy(&address, &in, sizeof in);
        } else {
            assert_int_equal(inet_pton(AF_INET6, rows[i].address, &in6.sin6_addr), 1);
            memcpy(&address, &in6, sizeof in6);
        }
        if (th_address_is_public((const struct sockaddr *)&address) != rows[i].is_public)
            fail_msg("%s", rows[i].address);
    }
}

static void other_families_are_not_public(void **state)
{
    (void)state;
    const struct sockaddr_un address = { .sun_family = AF_UNIX };
    assert_false(th_address_is_public((const struct sockaddr *)&address));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_told_apart),
        cmocka_unit_test(other_families_are_not_public),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
