"""Numbers in a text: the newer version, which looks for their end first."""


def number(text, at):
    value, end = 0, at
    while end < len(text) and text[end].isdigit():
        end += 1
    while at < end:
        value = 10 * value + ord(text[at]) - 48
        at += 1
    return value, at
