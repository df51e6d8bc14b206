#!/usr/bin/env python3
"""Makes the JSON files of this folder: a small part of the test vectors of the segmenters and of the link graph.

usage: extract_vectors.py CORPORA/segmentation-vectors

The values were computed by a reference in Python that shares no code with the program. The pages were written for it. The weights are those of models.json, which belong to
no shipped model. Rows are copied without a change: those of the pages named below, and the first rows of each list that is not about pages.
tests/unit/segment/vectors.h reads this folder, or the whole set if a test is given its folder.
"""
import json
import os
import sys

PAGES = ('header-menu-text-footer', 'nested-lists', 'outlier', 'text-between-elements')
FIRST = {'toys': 8, 'graphs': 12, 'problems': 8, 'pairs': 16}
FILES = ('arithmetic', 'boundary_graph', 'boundary_graph_toy', 'cclus', 'dom_cohesion', 'gcuts', 'gcuts_toy', 'link_graph', 'max_flow', 'models', 'pages', 'random',
         'text_tree', 'tree_edit_distance')

for name in FILES:
    with open(os.path.join(sys.argv[1], name + '.json'), encoding='utf-8') as file:
        vectors = json.load(file)
    for key, rows in vectors.items():
        if key in FIRST:
            vectors[key] = rows[:FIRST[key]]
        elif isinstance(rows, list) and rows and isinstance(rows[0], dict) and rows[0].get('name'):
            vectors[key] = [row for row in rows if row['name'] in PAGES]
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), name + '.json'), 'w', encoding='utf-8') as out:
        json.dump(vectors, out, ensure_ascii=False, separators=(',', ':'))
        out.write('\n')
