"""Thousands of code objects that are made, run once and freed: their addresses are used again."""
import gc

gc.disable()


def main():
    for number in range(3000):
        namespace = {}
        exec("def made_%d(x):\n    return len([x])\nresult = made_%d(1)" % (number, number), namespace)
        assert namespace["result"] == 1
        del namespace
    for number in range(200):
        assert eval("(lambda x: x + %d)(1)" % number) == number + 1


main()
