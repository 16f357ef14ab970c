"""Conway's game on a small torus, in plain Python. The newer version of `count` visits the cell itself, too."""
import sys

from neighbours import count


def step(cells, size):
    return [[1 if count(cells, size, i, j) == 3 or (cells[i][j] and count(cells, size, i, j) == 2) else 0
             for j in range(size)] for i in range(size)]


def seed(size):
    state, cells = 1, []
    for _ in range(size):
        row = []
        for _ in range(size):
            state = state * 1103515245 + 12345 & 0x7fffffff
            row.append(state >> 16 & 1)
        cells.append(row)
    return cells


def alive(cells):
    return sum(map(sum, cells))


def main():
    size = 32
    cells = seed(size)
    for _ in range(int(sys.argv[1])):
        cells = step(cells, size)
        alive(cells)
    print(alive(cells))


main()
