import time


def spin(turns):
    while turns:
        turns -= 1


def solve(n):
    turns = 110000
    while turns:
        turns -= 1
    spin(220000)
    return n if n == 0 else solve(n - 1)


class Model:
    def step(self):
        turns = 10000
        while turns:
            turns -= 1
        solve(2)
        time.sleep(0.01)

    def write(self):
        time.sleep(0.002)


def main():
    turns = 300000
    while turns:
        turns -= 1
    model = Model()
    for _ in range(3):
        model.step()
    model.write()


main()
