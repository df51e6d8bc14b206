/* See the header. */
#include "remote/public_address.h"

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A range of IPv4 addresses: the first `bits` bits. */
struct range {
    uint32_t address;
    unsigned bits;
};

#define IPV4(a, b, c, d)                                                                 \
    ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))

static const struct range special[] = {
    { IPV4(0, 0, 0, 0), 8 },       /* this network */
    { IPV4(10, 0, 0, 0), 8 },      /* private */
    { IPV4(100, 64, 0, 0), 10 },   /* shared */
    { IPV4(127, 0, 0, 0), 8 },     /* loopback */
    { IPV4(169, 254, 0, 0), 16 },  /* link-local, metadata of clouds */
    { IPV4(172, 16, 0, 0), 12 },   /* private */
    { IPV4(192, 0, 0, 0), 24 },    /* IETF */
    { IPV4(192, 0, 2, 0), 24 },    /* documentation */
    { IPV4(192, 88, 99, 0), 24 },  /* 6to4 relays, deprecated */
    { IPV4(192, 168, 0, 0), 16 },  /* private */
    { IPV4(198, 18, 0, 0), 15 },   /* benchmarks */
    { IPV4(198, 51, 100, 0), 24 }, /* documentation */
    { IPV4(203, 0, 113, 0), 24 },  /* documentation */
    { IPV4(224, 0, 0, 0), 4 },     /* multicast */
    { IPV4(240, 0, 0, 0), 4 },     /* reserved, broadcast */
};

static bool is_public_4(uint32_t address)
{
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if ((address ^ special[i].address) >> (32 - special[i].bits) == 0)
            return false;
    return true;
}

static uint32_t ipv4_at(const uint8_t *bytes)
{
    return IPV4(bytes[0], bytes[1], bytes[2], bytes[3]);
}

/* Outside of 2000::/3, only NAT64 and mapped addresses reach the internet. */
static bool is_public_6(const uint8_t bytes[16])
{
    static const uint8_t mapped[12] = { [10] = 0xFF, [11] = 0xFF };
    static const uint8_t nat64[12] = { 0x00, 0x64, 0xFF, 0x9B };
    if (memcmp(bytes, mapped, sizeof mapped) == 0 ||
        memcmp(bytes, nat64, sizeof nat64) == 0)
        return is_public_4(ipv4_at(bytes + 12));
    if (bytes[0] == 0x20 && bytes[1] == 0x02) /* 6to4 */
        return is_public_4(ipv4_at(bytes + 2));
    const bool is_documentation =
        (bytes[0] == 0x20 && bytes[1] == 0x01 && bytes[2] == 0x0D && bytes[3] == 0xB8) ||
        (bytes[0] == 0x3F && bytes[1] == 0xFF);
    const bool is_ietf = bytes[0] == 0x20 && bytes[1] == 0x01 && bytes[2] < 0x02;
    return bytes[0] >> 5 == 1 && !is_documentation && !is_ietf;
}

bool th_address_is_public(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET) {
        struct sockaddr_in in;
        memcpy(&in, address, sizeof in);
        return is_public_4(ntohl(in.sin_addr.s_addr));
    }
    if (address->sa_family != AF_INET6)
        return false;
    struct sockaddr_in6 in;
    memcpy(&in, address, sizeof in);
    return is_public_6(in.sin6_addr.s6_addr);
}
