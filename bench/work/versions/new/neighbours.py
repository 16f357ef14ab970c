"""Neighbours of a cell: the newer version."""
AROUND = [(di, dj) for di in (-1, 0, 1) for dj in (-1, 0, 1)]


def count(cells, size, i, j):
    total = 0
    for di, dj in AROUND:
        total += cells[(i + di) % size][(j + dj) % size]
    return total - cells[i][j]
