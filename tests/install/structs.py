"""A C program that prints the size of each struct of the public headers, the place and size of each member, and the value of each
enumerator: python3 structs.py INCLUDE_FOLDER... > structs.c"""
import glob
import os
import re
import sys

COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*', re.S)
STRUCT = re.compile(r'(?:typedef )?struct (\w+)\s*\{((?:[^{}]|\{[^{}]*\})*)\}\s*(\w*)\s*;')
ENUM = re.compile(r'enum\s*\w*\s*\{([^{}]*)\}')
MEMBER = re.compile(r'(\w+)\s*(?:\[[^\]]*\])*\s*(?::\s*\d+)?$')

headers, rows = [], []
for folder in sys.argv[1:]:
    for path in sorted(glob.glob(os.path.join(folder, '*', '*.h'))):
        name = os.path.relpath(path, folder)
        if name.endswith('version.h') or name in headers:
            continue
        headers.append(name)
        with open(path, encoding='utf-8') as file:
            text = COMMENT.sub(' ', file.read())
        text = re.sub(r'^\s*#(?:[^\n\\]|\\.|\\\n)*$', '', text, flags=re.M)
        for tag, body, alias in STRUCT.findall(text):
            kind = alias or 'struct ' + tag
            rows.append('    printf("%s %%zu\\n", sizeof(%s));' % (kind, kind))
            flat = re.sub(r'\{[^{}]*\}', '', body)
            for declaration in flat.split(';'):
                pointer = re.search(r'\(\*\s*(\w+)\)\s*\(', declaration)
                for part in [pointer[1]] if pointer else re.sub(r'\([^()]*\)', '', declaration).split(','):
                    found = MEMBER.search(part.strip().lstrip('*'))
                    if not found or ':' in part:
                        continue
                    member = found[1]
                    rows.append('    printf("  %s.%s %%zu+%%zu\\n", offsetof(%s, %s), sizeof(((%s *)0)->%s));'
                                % (kind, member, kind, member, kind, member))
        for body in ENUM.findall(text):
            for part in body.split(','):
                found = re.match(r'\s*([A-Z]\w+)', part)
                if found and '(' not in part.split('=')[0]:
                    rows.append('    printf("%s %%lld\\n", (long long)%s);' % (found[1], found[1]))
print('#include <stddef.h>\n#include <stdio.h>')
for header in headers:
    print('#include <%s>' % header)
print('int main(void)\n{\n%s\n    return 0;\n}' % '\n'.join(rows))
