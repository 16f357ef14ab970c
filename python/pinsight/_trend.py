"""Finds the places in a series of measurements at which its level changes.

A split of a series compares the ranks of the values before and after it (the statistic of Mann and
Whitney, as a number of standard deviations). So single slow runs do not make a change, and no
distribution is assumed. Each part of a split series is searched again.
"""
import math

LEAST = 3  # values on each side of a change
FEWEST = 13  # values of a series that can have a change


def median(values):
    """The median of numbers, of which there is at least one."""
    values, half = sorted(values), len(values) // 2
    return values[half] if len(values) % 2 else (values[half - 1] + values[half]) / 2


def limit(count):
    """The least statistic of a change. A series without a change reaches it in one of 200 cases or
    fewer, whichever its length, because a longer one has more places."""
    return 3 + 0.25 * math.log(count / 12)


def ranks_of(values):
    """The rank of each value from 1 on. Equal values share the mean of their ranks."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks, begin = [0.0] * len(values), 0
    while begin < len(order):
        end = begin
        while end < len(order) and values[order[end]] == values[order[begin]]:
            end += 1
        for place in order[begin:end]:
            ranks[place] = (begin + end + 1) / 2
        begin = end
    return ranks


def best_split(values):
    """The number of values before the most likely change, and its statistic."""
    count, before, best = len(values), 0.0, (0, 0.0)
    for place, rank in enumerate(ranks_of(values), 1):
        before += rank
        if LEAST <= place <= count - LEAST:
            spread = math.sqrt(place * (count - place) * (count + 1) / 3)
            statistic = abs(2 * before - place * (count + 1)) / spread
            if statistic > best[1]:
                best = place, statistic
    return best


def is_change(before, after, share):
    """Whether the medians differ by this share of the earlier one."""
    old, new = median(before), median(after)
    return abs(new - old) > share * abs(old) and new != old


def changes(values, share=0.05):
    """The indexes of the first values after each change, in their order.

    A change exceeds limit(), and this share of the median before it.
    """
    found, parts = [], [(0, len(values))]
    while parts:
        begin, end = parts.pop()
        if end - begin < FEWEST:
            continue
        place, statistic = best_split(values[begin:end])
        middle = begin + place
        if statistic >= limit(end - begin) and is_change(values[begin:middle], values[middle:end], share):
            found.append(middle)
            parts += [(begin, middle), (middle, end)]
    return settle(values, sorted(found), share)


def first_of_level(values, place):
    """The index of the first value of the later level, for a split at `place`.

    Each value is nearer to one of the two medians. One that is far from both counts for none, so a
    disturbed run just before a change does not begin the level."""
    old, new = median(values[:place]), median(values[place:])
    most, cost, best = abs(new - old), 0.0, (0.0, place)
    for at in range(len(values) - LEAST):
        cost += min(abs(values[at] - old), most) - min(abs(values[at] - new), most)
        if at + 1 >= LEAST and (at + 1 == LEAST or cost <= best[0]):
            best = cost, at + 1
    return best[1]


def settle(values, found, share):
    """Places each change again between its neighbours, because the first splits saw later levels,
    too. Leaves out a change that its neighbours explain."""
    settled, ends = [], found[1:] + [len(values)]
    for end in ends:
        begin = settled[-1] if settled else 0
        part = values[begin:end]
        place, statistic = best_split(part)
        if place and statistic >= limit(len(part)) and is_change(part[:place], part[place:], share):
            settled.append(begin + first_of_level(part, place))
    return settled
