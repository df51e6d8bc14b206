"""The program, as `python -m thresher` and as the script `thresher`."""
import os
import sys

from ._records import program


def main() -> None:
    path = program()
    os.execv(path, [path] + sys.argv[1:])


if __name__ == '__main__':
    main()
