/* Credentials in the formats of profile files and of endpoints. */
#ifndef TH_CREDENTIAL_TEXT_H
#define TH_CREDENTIAL_TEXT_H

#include <stdio.h>

#include "remote/credentials.h"
#include "thresher/view.h"

/* Longest line of a profile file and longest member of an answer; a longer line is
 * skipped. */
enum { TH_CREDENTIAL_LINE_MAX = 8192 };

/**
 * Copies a value, and adds a NUL.
 * @return false, without changing `out`, if it does not fit, or has a control character,
 * which would end a header
 */
bool th_credential_put(char *out, size_t capacity, th_view value);

/**
 * Reads the section of a profile: aws_access_key_id, aws_secret_access_key,
 * aws_session_token.
 * @param out  values that are missing are left alone
 * @return TH_OK. TH_ABSENT if there is no such section. TH_TOO_LARGE if a value is too
 * long, or has a control character.
 */
th_status th_credential_profile_read(FILE *file, const char *profile,
                                     th_credentials *out);

/**
 * Reads {"AccessKeyId": "...", "SecretAccessKey": "...", "Token": "...",
 * "Expiration": "2026-11-22T20:30:00Z"}. If a member occurs twice the last counts.
 * @return false if it is not such an object, or a value cannot be used; `out` may be
 * filled in part
 */
bool th_credential_json_read(th_view json, th_credentials *out);

/**
 * Reads the XML that AssumeRoleWithWebIdentity answers: AccessKeyId, SecretAccessKey,
 * SessionToken and Expiration of its element Credentials. [AWS STS API]
 * @return false if one of the four is missing or cannot be used; `out` may be filled in
 * part
 */
bool th_credential_xml_read(th_view xml, th_credentials *out);

#endif
