#!/usr/bin/env python3
"""Prints html_reference_table.c: the named character references of the HTML standard. The build runs it.

The names come from Python's html.entities.html5, which is the standard's entities.json.
They become a minimal acyclic automaton: names with the same rest share it. An edge says
how many names its earlier siblings lead to, so that a walk sums up the number of its name.
"""
from html.entities import html5

EDGE_BITS = 12  # of the number of an edge

# The names that pages use most: their letters come first among their siblings.
COMMON = """nbsp; amp; quot; lt; gt; rsquo; mdash; ndash; lsquo; ldquo; rdquo; hellip; copy; middot; bull; raquo;
laquo; eacute; egrave; agrave; ccedil; auml; ouml; uuml; szlig; times; rarr; larr; reg; trade; euro; pound; deg;
oacute; aacute; iacute; uacute; ntilde; atilde; rsaquo; lsaquo; zwnj; shy; apos;""".split()
LAST, FINAL = 1 << 12, 1 << 13


def rank(prefix):
    def place(symbol):
        uses = [i for i, name in enumerate(COMMON) if name.startswith(prefix + symbol)]
        return (min(uses, default=len(COMMON)), symbol)

    return place


def build(names):
    """Trie of the names, equal sub-tries being one object: (is_final, ((symbol, node), ...))."""
    known = {}

    def node(words, prefix):
        is_final = "" in words
        edges = []
        for symbol in sorted({word[0] for word in words if word}, key=rank(prefix)):
            rest = frozenset(w[1:] for w in words if w and w[0] == symbol)
            edges.append((symbol, node(rest, prefix + symbol)))
        key = (is_final, tuple((symbol, id(child)) for symbol, child in edges))
        return known.setdefault(key, (is_final, tuple(edges)))

    return node(frozenset(names), "")


def count(node, counts):
    if id(node) not in counts:
        counts[id(node)] = node[0] + sum(count(child, counts) for _, child in node[1])
    return counts[id(node)]


def number_of(root, counts, name):
    number, node = 0, root
    for i, symbol in enumerate(name):
        if i:
            number += node[0]
        for other, child in node[1]:
            if other == symbol:
                break
            number += counts[id(child)]
        node = child
    return number


def main():
    names = sorted(html5)
    root = build(names)
    counts = {}
    count(root, counts)
    # Edges of a node are adjacent. Edge 0 does not exist. The root is a table by letter.
    first, order = {}, []
    waiting = [child for _, child in root[1]]
    at = 1
    while waiting:
        node = waiting.pop(0)
        if id(node) in first or not node[1]:
            continue
        first[id(node)] = at
        at += len(node[1])
        order.append(node)
        waiting.extend(child for _, child in node[1])
    assert at <= 1 << EDGE_BITS

    print("/* Made by html_reference_table.py: do not edit. */")
    print('#include "base/html_reference_table.h"\n')
    print("/* clang-format off */")
    print("const th_reference_root th_reference_roots[52] = {")
    skip = 0
    for symbol, child in root[1]:
        assert not child[0]
        place = ord(symbol) - ord("A") if symbol <= "Z" else ord(symbol) - ord("a") + 26
        print(f"    [{place}] = {{ {skip}, {first[id(child)]} }}, /* {symbol} */")
        skip += counts[id(child)]
    print("};\n")
    print(f"const th_reference_edge th_reference_edges[{at}] = {{")
    rows = ["{ 0, 0, 0 }"]
    for node in order:
        skip = 0
        for i, (symbol, child) in enumerate(node[1]):
            rest = first.get(id(child), 0)
            rest |= LAST if i == len(node[1]) - 1 else 0
            rest |= FINAL if child[0] else 0
            assert skip < 256
            rows.append(f"{{ '{symbol}', {skip}, 0x{rest:04X} }}")
            skip += counts[id(child)]
    for i in range(0, len(rows), 5):
        print("    " + ", ".join(rows[i:i + 5]) + ",")
    print("};\n")
    texts = [None] * len(names)
    for name in names:
        texts[number_of(root, counts, name)] = html5[name].encode()
    assert all(texts) and max(map(len, texts)) == 6
    print(f"const th_reference_text th_reference_texts[{len(names)}] = {{")
    rows = ['{ %d, "%s" }' % (len(t), "".join(f"\\x{b:02X}" for b in t)) for t in texts]
    for i in range(0, len(rows), 3):
        print("    " + ", ".join(rows[i:i + 3]) + ",")
    print("};\n/* clang-format on */")


main()
