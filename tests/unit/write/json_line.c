/* JSON with a few rules that JSON leaves open. */
#include "json_line.h"

#include <string.h>

#include "json_tree.h"

static bool has_key_before(json_val object, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (object->items[k].key_len == object->items[i].key_len &&
            memcmp(object->items[k].key, object->items[i].key,
                   object->items[i].key_len) == 0)
            return true;
    return false;
}

static bool is_strict(json_val value)
{
    if (value->type == JSON_NULL)
        return false;
    for (size_t i = 0; i < value->count; i++)
        if ((value->type == JSON_OBJECT && has_key_before(value, i)) ||
            !is_strict(&value->items[i]))
            return false;
    return true;
}

bool json_line_is_valid(th_view line)
{
    if (line.len < 3 || line.data[0] != '{' ||
        memchr(line.data, '\n', line.len) != line.data + line.len - 1)
        return false;
    json *tree = json_read(line.data, line.len);
    const bool is_valid = tree && is_strict(tree);
    json_free(tree);
    return is_valid;
}
