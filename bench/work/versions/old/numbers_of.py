"""Numbers in a text: the older version."""


def number(text, at):
    value = 0
    while at < len(text) and text[at].isdigit():
        value = 10 * value + ord(text[at]) - 48
        at += 1
    return value, at
