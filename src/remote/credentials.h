/* Finds the keys that sign requests to an object store, in the places of Amazon's own
 * tools. */
#ifndef TH_CREDENTIALS_H
#define TH_CREDENTIALS_H

#include "remote/http_transfer.h"

/** Names of the ways to find credentials, from auto to none. Ends with NULL. */
extern const char *const th_credentials_names[];

typedef struct th_credentials {
    bool is_unsigned;
    char access_key[256], secret[256];
    char token[4096];   /* of a session; "" = none */
    int64_t expires_at; /* seconds since 1970; 0 if they do not expire */
} th_credentials;

/**
 * Finds credentials.
 *   env        AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN
 *   web-identity  the token in AWS_WEB_IDENTITY_TOKEN_FILE, exchanged for the keys of
 *              AWS_ROLE_ARN (AssumeRoleWithWebIdentity) at AWS_ENDPOINT_URL_STS,
 *              AWS_ENDPOINT_URL or Amazon's STS; the file is read each time
 *   profile    AWS_PROFILE (or default) in AWS_SHARED_CREDENTIALS_FILE or the file
 *              ~/.aws/credentials
 *   container  AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or _FULL_URI, of ECS and EKS
 *   instance   IMDSv2 of EC2, unless AWS_EC2_METADATA_DISABLED is true
 *   none       requests are not signed: for public objects
 *   auto       the first of env, web-identity, profile, container, instance that has some
 * @param http  used for web-identity, container and instance; cancels its current
 * transfer
 * @param out   untouched unless TH_OK
 * @return TH_OK. TH_IO if there are no credentials, or they are incomplete. TH_NOT_YET if
 * an endpoint does not answer. TH_INTERRUPTED. TH_NOMEM.
 */
th_status th_credentials_find(const char *way, th_http *http, th_credentials *out,
                              th_error *err);

/** Returns whether they expire within five minutes and should be refreshed. */
bool th_credentials_are_old(const th_credentials *credentials);

/** Returns whether they have expired: no store accepts them. */
bool th_credentials_have_ended(const th_credentials *credentials);

#endif
