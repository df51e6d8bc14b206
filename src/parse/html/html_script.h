/* The escapes of script data, which decide where an end tag counts in a SCRIPT. */
#ifndef TH_HTML_SCRIPT_H
#define TH_HTML_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

/** The state in script data; {0} at its beginning. */
typedef struct th_script {
    uint8_t state;
    uint8_t letters; /* letters of "script" that were read after '<' or "</" */
} th_script;

/** Processes one byte. '<' that begins the end tag due is not passed here. CR is passed
 * as LF. */
void th_script_step(th_script *script, char c);

/** Whether a '<' here may begin the end tag. */
bool th_script_may_end(const th_script *script);

/** Whether only '<' can change the state; whether only '<' and '-' can. */
bool th_script_is_plain(const th_script *script);
bool th_script_is_escaped(const th_script *script);

#endif
