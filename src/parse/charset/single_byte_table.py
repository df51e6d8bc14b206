#!/usr/bin/env python3
"""Prints single_byte_table.h: the indexes of the standard's single-byte encodings. [WHATWG Encoding §5 Indexes] The build runs it.

The mappings come from Python's codecs, with the differences of the standard. A byte that a windows encoding leaves out is a C1 control on
the web. 0 is a byte without a character.
"""

# Encodings of TH_CHARSET_LIST with the names of their codecs.
CODECS = {"IBM866": "cp866", "KOI8_R": "koi8_r", "KOI8_U": "koi8_u", "MACINTOSH": "mac_roman", "X_MAC_CYRILLIC": "mac_cyrillic",
          "WINDOWS_874": "cp874"}
CODECS.update((f"ISO_8859_{n}", f"iso8859_{n}") for n in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16))
CODECS.update((f"WINDOWS_{n}", f"cp{n}") for n in range(1250, 1259))
# Bytes that the standard maps otherwise.
OTHERS = {("KOI8_U", 0xAE): 0x045E, ("KOI8_U", 0xBE): 0x040E, ("WINDOWS_1255", 0xCA): 0x05BA}


def code_of(name, byte):
    text = bytes([byte]).decode(CODECS[name], "ignore")
    is_control = name.startswith("WINDOWS") and byte < 0xA0
    return OTHERS.get((name, byte), ord(text) if text else byte if is_control else 0)


def main():
    print("/* Made by single_byte_table.py. */\nstatic const uint16_t tables[TH_CHARSET_COUNT][128] = {")
    for name in CODECS:
        print(f"[TH_CHARSET_{name}] = {{ {', '.join(hex(code_of(name, byte)) for byte in range(0x80, 0x100))} }},")
    print(f"[TH_CHARSET_X_USER_DEFINED] = {{ {', '.join(hex(0xF780 + i) for i in range(128))} }},\n}};")


if __name__ == "__main__":
    main()
