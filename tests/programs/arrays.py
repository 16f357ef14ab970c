"""NumPy: ufuncs, their methods, array-function dispatchers, array methods, linear algebra."""
import gc

import numpy as np
import numpy.random

gc.disable()


def kernel(values, matrix):
    np.add(values, values)
    np.add.reduce(values)
    np.multiply.outer(values, values)
    np.sqrt(values, out=values)
    np.dot(matrix, matrix)
    np.matmul(matrix, matrix)
    np.sum(values)
    values.sum()
    values.reshape(2, -1).mean(axis=0)
    np.concatenate([values, values])
    np.where(values > 1, values, 0)
    matrix.T.copy()
    np.einsum("ij,j->i", matrix, values)
    return np.linalg.solve(matrix, values)


def square(number):
    return number * number


def main():
    values = np.arange(1.0, 9.0)
    matrix = np.eye(8) * 2
    kernel(values.copy(), matrix)
    for _ in range(3):
        kernel(values.copy(), matrix)
        np.vectorize(square)(values)
        np.apply_along_axis(square, 0, matrix)
        np.fromfunction(square, (4,))
        np.zeros((3, 3)), np.ones(3), np.array([1, 2, 3]), np.linspace(0, 1, 5)
        np.linalg.norm(matrix)
        np.random.RandomState(5).rand(3)


main()
