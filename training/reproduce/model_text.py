"""Models of segmenters as text: other weights, with the checksum that the program expects."""
import re

import xxhash


def changed(text, weight=None, parameters=None):
    """
    @param weight      function of the name and the value of a weight that returns the new value; NULL for no change
    @param parameters  new values by name, in 1/1024
    """
    body = _body(text)
    if weight:
        body = re.sub(r"^weight (\S+) (-?\d+)$", lambda m: f"weight {m[1]} {int(weight(m[1], int(m[2])))}", body, flags=re.M)
    for name, value in (parameters or {}).items():
        body = re.sub(rf"^parameter {name} -?\d+$", f"parameter {name} {int(value)}", body, flags=re.M)
    return _checked(body)


def of_fold(text, fold):
    """A model with only the weights that have not seen the sites of a fold."""
    head, *sets = re.split(r"^fold (\S+)\n", _body(text), flags=re.M)
    return _checked(f"{head}fold final\n{dict(zip(sets[::2], sets[1::2]))[str(fold)]}")


def _body(text):
    return text[:text.rindex("checksum ")]


def _checked(body):
    return body + f"checksum {xxhash.xxh3_64_hexdigest(body.encode())}\n"
