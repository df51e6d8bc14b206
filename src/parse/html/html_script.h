/* The escapes of script data: where in a SCRIPT an end tag counts and where not. */
#ifndef TH_HTML_SCRIPT_H
#define TH_HTML_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

/** Where in script data; {0} at its beginning. */
typedef struct th_script {
    uint8_t state;
    uint8_t letters; /* letters of "script" that were read after '<' or "</" */
} th_script;

/** One byte on. '<' that begins the end tag due does not come here; CR comes as LF. */
void th_script_step(th_script *script, char c);

/** Whether a '<' here may begin the end tag. */
bool th_script_may_end(const th_script *script);

/** Whether only '<' changes anything here; whether only '<' and '-' do. */
bool th_script_is_plain(const th_script *script);
bool th_script_is_escaped(const th_script *script);

#endif
