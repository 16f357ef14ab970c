"""NumPy: products, solves and element-wise functions, on small arrays (where the calls cost) and on
large ones (where the work does)."""

import numpy


def diagonal(size):
    matrix = numpy.eye(size) * size
    return matrix + numpy.arange(size * size, dtype=float).reshape(size, size) / size**2


def small_step(matrix, vector):
    vector = numpy.dot(matrix, vector)
    vector = numpy.linalg.solve(matrix, vector)
    vector = numpy.add(numpy.sin(vector), numpy.sqrt(numpy.abs(vector)))
    return vector / numpy.linalg.norm(vector)


def small(n):
    matrix = diagonal(4)
    vector = numpy.ones(4)
    for _ in range(n):
        vector = small_step(matrix, vector)
    return round(float(numpy.sum(vector)), 9)


def large_step(matrix, field, vector):
    vector = numpy.linalg.solve(matrix, numpy.matmul(matrix, vector))
    field = numpy.exp(-numpy.square(field)) + 0.5 * numpy.cos(field)
    return field, vector


def large(n):
    matrix = diagonal(160)
    vector = numpy.ones(160)
    field = numpy.linspace(0.0, 1.0, 200_000)
    for _ in range(n):
        field, vector = large_step(matrix, field, vector)
    return round(float(numpy.sum(field) + numpy.sum(vector)), 6)
