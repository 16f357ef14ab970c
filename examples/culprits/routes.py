"""The number of routes through a grid. The fault: no memo, so that the same is computed again and again."""
import sys


def routes(rows, columns):
    if rows == 0 or columns == 0:
        return 1
    return routes(rows - 1, columns) + routes(rows, columns - 1)


def main():
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    print(routes(size, size))


main()
