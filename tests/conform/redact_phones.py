"""Compares `--redact phone` with the numbers that Google's libphonenumber finds in the same texts.

usage: redact_phones.py PROGRAM SHARED [--show N] CORPUS...
Needs phonenumbers (PyPI), a port of libphonenumber. CORPUS as in redact_peer.py. A match of thresher is confirmed if libphonenumber calls it valid, as an
international number or in one of the regions of the corpora's languages, and possible if only its length fits. libphonenumber's matcher (VALID) searches
without a region and for the United States; one is missed if the redacted text still has it. Prints a row for each corpus, then --show examples of each kind of difference.
"""
import argparse
import collections

import phonenumbers
from redact_peer import inputs_of, spans, texts

REGIONS = ('US', 'GB', 'DE', 'FR', 'IT', 'ES', 'PL', 'CZ', 'GR', 'RU', 'CN', 'JP', 'IN', 'AU', 'NL', 'CH', 'AT', 'BR', 'TR', 'RO')


def verdict(text):
    """'valid', 'possible' or 'neither'."""
    best = 'neither'
    for region in (None, *REGIONS):
        try:
            number = phonenumbers.parse(text, region)
        except phonenumbers.NumberParseException:
            continue
        if phonenumbers.is_valid_number(number):
            return 'valid'
        if phonenumbers.is_possible_number(number):
            best = 'possible'
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('program')
    parser.add_argument('shared')
    parser.add_argument('corpus', nargs='+')
    parser.add_argument('--show', type=int, default=5)
    args = parser.parse_args()
    examples = collections.defaultdict(list)
    for name in args.corpus:
        inputs, row = inputs_of(args.shared, name), collections.Counter()
        plain = texts(args.program, inputs)
        for text, after in zip(plain, texts(args.program, inputs, '--redact', 'phone')):
            ours = [(start, end) for _, start, end in spans(text, after)]
            theirs = {(m.start, m.end) for region in (None, 'US') for m in phonenumbers.PhoneNumberMatcher(text, region)}
            for start, end in ours:
                kind = verdict(text[start:end])
                row[kind] += 1
                examples['thresher, ' + kind].append(text[max(0, start - 30):start] + '[' + text[start:end] + ']' + text[end:end + 20])
            for start, end in sorted(theirs):
                is_found = text[start:end] not in after
                row['found' if is_found else 'missed'] += 1
                if not is_found:
                    examples['libphonenumber only'].append(text[max(0, start - 30):start] + '[' + text[start:end] + ']' + text[end:end + 20])
        print('| %s | %d | %s |' % (name, len(plain), ' | '.join(str(row[key]) for key in ('valid', 'possible', 'neither', 'found', 'missed'))), flush=True)
    for kind, found in sorted(examples.items()):
        print('%s: %d' % (kind, len(found)))
        for text in found[::max(1, len(found) // args.show)][:args.show]:
            print('   ', ' '.join(text.split()))


main()
