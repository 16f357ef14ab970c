"""Three stages of work, one after the other, each with hot functions of its own.

Nothing here knows of PInsight.
"""
import argparse
import math
import zlib


# Stage 1: read records.

def tokens(line):
    found, word = [], ""
    for letter in line:
        if letter == ",":
            found.append(word)
            word = ""
        else:
            word += letter
    found.append(word)
    return found


def number(text):
    value = 0
    for digit in text:
        value = value * 10 + ord(digit) - 48
    return value


def checksum(line):
    total = 1
    for letter in line:
        total = (total * 31 + ord(letter)) % 65521
    return total


def record(line):
    return [number(text) for text in tokens(line)], checksum(line)


def read(n):
    line = ",".join(str(10**23 + n * 7919 + i * 104729) for i in range(6))
    return sum(record(line)[1] for _ in range(16))


# Stage 2: move particles.

def force(x, y):
    fx = fy = 0.0
    for k in range(1, 81):
        d = x * x + y * y + k
        fx -= x / d
        fy -= y / d
    return fx, fy


def drift(position, velocity):
    for _ in range(80):
        position += 0.1 * velocity
        velocity *= 0.999
    return position, velocity


def wrap(x):
    turns = 0
    for _ in range(240):
        if x > 1.0:
            x -= 0.5
            turns += 1
    return x, turns


def move(n):
    x, y, u, v = 0.1, 0.2, 3.0 + n % 5, 2.0
    for _ in range(12):
        fx, fy = force(x, y)
        x, u = drift(x, u + fx)
        y, v = drift(y, v + fy)
        x, y = wrap(x)[0], wrap(y)[0]
    return x + y


# Stage 3: summarise.

def bucket(values):
    counts = [0] * 16
    for value in values * 8:
        counts[value & 15] += 1
    return counts


def quantile(values, q):
    ordered = []
    for value in values:
        at = len(ordered)
        while at > 0 and ordered[at - 1] > value:
            at -= 1
        ordered.insert(at, value)
    return ordered[int(q * (len(ordered) - 1))]


def entropy(counts):
    total, result = sum(counts), 0.0
    for count in counts:
        for part in (count / total / 3,) * 3:
            if part:
                result -= part * math.log(part)
    return result


def summarise(n):
    values = [zlib.crc32(b"%d" % (n * 40 + i)) >> 8 for i in range(24)]
    total = 0.0
    for _ in range(24):
        counts = bucket(values)
        total += entropy(counts) + quantile(values, 0.5)
    return total


def step(stage, n):
    return stage(n)


def main():
    parser = argparse.ArgumentParser(description="three stages of work, each with hot functions of its own")
    parser.add_argument("--steps", type=int, default=2000, help="steps of each stage")
    arguments = parser.parse_args()
    total = 0.0
    for stage in (read, move, summarise):
        for n in range(arguments.steps):
            total += step(stage, n)
    print("total %.6g" % total)


if __name__ == "__main__":
    main()
