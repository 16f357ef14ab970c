"""Greenlets: executions that switch the C stack inside a call, go on later, or never."""
import threading

from greenlet import getcurrent, greenlet

ROUNDS = 200


def ping(rounds):
    for number in range(rounds):
        ponging.switch(number)
    return rounds


def pong(number):
    while True:
        number = pinging.switch(number)


def descend(depth, home):
    if depth == 0:
        return home.switch("deep")
    return descend(depth - 1, home) + 1


def refuse(home):
    try:
        home.switch()
    except ValueError:
        return "refused"


def count_up(home):
    for number in range(5):
        home.switch(number)
        yield number


def total(home):
    return sum(count_up(home))


def elsewhere():
    other = greenlet(descend)
    other.switch(3, getcurrent())
    other.switch(0)


def leaf():
    pass


main = getcurrent()
pinging, ponging = greenlet(ping), greenlet(pong)
print(pinging.switch(ROUNDS))

waiting = [greenlet(descend) for _ in range(20)]
for each in waiting:
    each.switch(10, main)
del waiting[15:]
leaf()
print(sum(each.switch(1) for each in reversed(waiting)))

refusing = greenlet(refuse)
refusing.switch(main)
print(refusing.throw(ValueError))

totalling = greenlet(total)
print([totalling.switch(main) for _ in range(6)])

thread = threading.Thread(target=elsewhere)
thread.start()
thread.join()
