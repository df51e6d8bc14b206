/*
 * Doctypes of quirks mode. The standard's list of beginnings of public identifiers, each
 * cut as soon as no other identifier in use has the same beginning.
 */
#include "parse/html/html_quirks.h"

#include "base/ascii.h"

static bool starts_with_any(th_view text, const char *const *starts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (th_ascii_starts_with(text, starts[i]))
            return true;
    return false;
}

static bool is_old(th_view public_id)
{
    static const char *const starts[] = {
        "+//Silmaril//dtd html Pro v0r11 19970101//",
        "-//AS//DTD HTML 3.0 asWedit",
        "-//AdvaSoft Ltd//DTD HTML 3.0 asWedit",
        "-//IETF//DTD HTML 2.",
        "-//IETF//DTD HTML 3",
        "-//IETF//DTD HTML Level ",
        "-//IETF//DTD HTML Strict",
        "-//IETF//DTD HTML//",
        "-//Metrius//DTD Metrius Presentational//",
        "-//Microsoft//DTD Internet Explorer ",
        "-//Netscape Comm. Corp.//DTD ",
        "-//O'Reilly and Associates//DTD HTML",
        "-//SQ//DTD HTML 2.0 HoTMetaL",
        "-//SoftQuad Software//DTD HoTMetaL",
        "-//SoftQuad//DTD HoTMetaL",
        "-//Spyglass//DTD HTML 2.0 Extended//",
        "-//Sun Microsystems Corp.//DTD HotJava",
        "-//W3C//DTD HTML 3",
        "-//W3C//DTD HTML 4.0 Frameset//",
        "-//W3C//DTD HTML 4.0 Transitional//",
        "-//W3C//DTD HTML Experimental ",
        "-//W3C//DTD W3 HTML//",
        "-//W3O//DTD W3 HTML",
        "-//WebTechs//DTD Mozilla HTML",
        "-/W3C/DTD HTML 4.0 Transitional/EN",
    };
    return starts_with_any(public_id, starts, sizeof starts / sizeof *starts);
}

/* Without a system identifier these are old too. */
static bool is_old_alone(th_view public_id)
{
    static const char *const starts[] = {
        "-//W3C//DTD HTML 4.01 Frameset//",
        "-//W3C//DTD HTML 4.01 Transitional//",
    };
    return starts_with_any(public_id, starts, sizeof starts / sizeof *starts);
}

bool th_doctype_has_quirks(const th_html_doctype *doctype)
{
    return doctype->force_quirks || !th_ascii_is(doctype->name, "html") ||
           th_ascii_is(doctype->public_id, "html") || is_old(doctype->public_id) ||
           (!doctype->system_id.data && is_old_alone(doctype->public_id)) ||
           th_ascii_is(doctype->system_id,
                       "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd");
}
