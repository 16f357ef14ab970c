"""Tiles of an image in a pool of processes. The faults: each task gets the whole image, pickled, and one tile takes far
longer than the others."""
import multiprocessing
import sys

SIZE = 400000


def smooth(pixels, rounds):
    total = 0
    for _ in range(rounds):
        for pixel in pixels:
            total += pixel & 7
    return total


def work(task):
    image, number = task
    part = image[number * 1000:number * 1000 + 20000]
    return smooth(part, 900 if number == 5 else 2)


def main():
    tiles = int(sys.argv[1]) if len(sys.argv) > 1 else 16
    image = [i * 7919 % 65521 for i in range(SIZE)]
    with multiprocessing.Pool(2) as pool:
        sums = pool.map(work, [(image, number) for number in range(tiles)], chunksize=1)
    print(len(sums))


if __name__ == "__main__":
    main()
