"""Titles of books: the older version."""
ENDINGS = ("ing", "ed", "es", "s")


def words(title):
    return [word for word in title.lower().split() if word not in ("the", "and", "of")]


def stem(word):
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return word[:-len(ending)]
    return word


def key(title):
    total = 0
    for letter in title:
        total = (total * 31 + ord(letter)) % 1000003
    return total
