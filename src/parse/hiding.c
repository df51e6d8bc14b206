/* Finds hidden elements by their attributes alone. Style sheets are not read. */
#include "parse/hiding.h"

#include "base/ascii.h"

/* Returns the part of the view before the first `mark`, and moves the view past the
 * mark. */
static th_view cut_at(th_view *view, char mark)
{
    const char *found = view->len ? memchr(view->data, mark, view->len) : NULL;
    const size_t len = found ? (size_t)(found - view->data) : view->len;
    const th_view part = { view->data, len };
    const size_t step = found ? len + 1 : len;
    view->data += step;
    view->len -= step;
    return part;
}

/* Whether an inline style results in display:none or visibility:hidden. */
static bool style_hides(th_view style)
{
    bool has_no_display = false;
    bool is_invisible = false;
    while (style.len) {
        th_view value = cut_at(&style, ';');
        const th_view property = th_ascii_trimmed(cut_at(&value, ':'));
        if (property.len != 7 && property.len != 10)
            continue;
        value = th_ascii_trimmed(cut_at(&value, '!')); /* !important */
        if (th_ascii_is(property, "display"))
            has_no_display = th_ascii_is(value, "none");
        else if (th_ascii_is(property, "visibility"))
            is_invisible = th_ascii_is(value, "hidden");
    }
    return has_no_display || is_invisible;
}

static bool hides(const th_attribute *attribute)
{
    const th_view value = attribute->value;
    switch (attribute->name.len) {
    case 5:
        return value.len >= 12 && memcmp(attribute->name.data, "style", 5) == 0 &&
               style_hides(value);
    case 6:
        return memcmp(attribute->name.data, "hidden", 6) == 0 &&
               !th_ascii_is(value, "until-found");
    case 11:
        return value.len == 4 && memcmp(attribute->name.data, "aria-hidden", 11) == 0 &&
               th_ascii_is(value, "true");
    default:
        return false;
    }
}

bool th_attributes_hide(const th_attribute *attrs, size_t attr_count)
{
    for (size_t i = 0; i < attr_count; i++)
        if (hides(&attrs[i]))
            return true;
    return false;
}

bool th_hidden_may_be_content(th_tag tag, const th_attribute *attrs, size_t attr_count)
{
    static const char *const answers[] = { "dialog", "alertdialog", "alert",  "tooltip",
                                           "menu",   "listbox",     "status", NULL };
    if (tag == TH_TAG_DIALOG)
        return false;
    const th_attribute *role = th_attribute_find(attrs, attr_count, TH_VIEW("role"));
    for (size_t i = 0; role && answers[i]; i++)
        if (th_ascii_is(th_ascii_trimmed(role->value), answers[i]))
            return false;
    const th_attribute *class = th_attribute_find(attrs, attr_count, TH_VIEW("class"));
    return !class || !class->value.len ||
           !memmem(class->value.data, class->value.len, "tooltip", sizeof "tooltip" - 1);
}
