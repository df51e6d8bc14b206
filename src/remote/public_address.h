/*
 * Tells public addresses from addresses of this machine and of private networks, so that
 * a URL from outside cannot reach a service of the local network.
 */
#ifndef TH_PUBLIC_ADDRESS_H
#define TH_PUBLIC_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

/**
 * Returns whether an address belongs to the public internet. Loopback, private, link-local,
 * shared (RFC 6598), documentation, benchmark, multicast and reserved addresses do not
 * (IANA's registries of special-purpose addresses). An IPv6 address that contains an IPv4
 * address (mapped, 6to4, NAT64) is judged by that address. Other families are not public.
 */
bool th_address_is_public(const struct sockaddr *address);

#endif
