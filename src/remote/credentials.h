/* Who we are to an object store: keys, found where Amazon's own tools look for them. */
#ifndef TH_CREDENTIALS_H
#define TH_CREDENTIALS_H

#include "remote/http_transfer.h"

/** Names of the ways: auto, env, web-identity, profile, container, instance, none; ends
 * with NULL. */
extern const char *const th_credentials_names[];

typedef struct th_credentials {
    bool is_unsigned;
    char access_key[256], secret[256];
    char token[4096];   /* of a session; "" = none */
    int64_t expires_at; /* seconds since 1970; 0: they stay valid */
} th_credentials;

/**
 * Finds credentials.
 *   env        AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN
 *   web-identity  the token in AWS_WEB_IDENTITY_TOKEN_FILE, exchanged for the keys of
 *              AWS_ROLE_ARN (AssumeRoleWithWebIdentity) at AWS_ENDPOINT_URL_STS,
 *              AWS_ENDPOINT_URL or Amazon's STS; the file is read each time
 *   profile    AWS_PROFILE (or default) in AWS_SHARED_CREDENTIALS_FILE, ~/.aws/credentials
 *   container  AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or _FULL_URI, of ECS and EKS
 *   instance   IMDSv2 of EC2, unless AWS_EC2_METADATA_DISABLED is true
 *   none       requests are not signed: for what everybody may read
 *   auto       the first of env, web-identity, profile, container, instance that has some
 * @param http  used for web-identity, container and instance; what was under way is given up
 * @param out   untouched unless TH_OK
 * @return TH_OK; TH_IO: there are none, or they are incomplete; TH_NOT_YET: an endpoint
 *         does not answer; TH_INTERRUPTED; TH_NOMEM
 */
th_status th_credentials_find(const char *way, th_http *http, th_credentials *out,
                              th_error *err);

/** Whether they end within five minutes and should be fetched anew. */
bool th_credentials_are_old(const th_credentials *credentials);

/** Whether they have ended: no store takes them. */
bool th_credentials_have_ended(const th_credentials *credentials);

#endif
