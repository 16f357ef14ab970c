"""A program that uses a library, of which there are two versions. The fault: one function of the newer version is
a fifth slower.

    pinsight compare -- env PYTHONPATH=old python3 catalogue.py --to env PYTHONPATH=new python3 catalogue.py
"""
import sys

import titles


def index(books):
    words = {}
    for title in books:
        for word in titles.words(title):
            words.setdefault(titles.stem(word), []).append(titles.key(title))
    return words


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 8000
    books = [f"The Art and Practice of Baking Number {i} Loaves" for i in range(count)]
    print(len(index(books)) > count)


main()
