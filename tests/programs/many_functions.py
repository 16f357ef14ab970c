"""2000 distinct functions."""
import gc

gc.disable()
source = "\n".join("def function_%d(x):\n    return abs(x)" % number for number in range(2000))
namespace = {}
exec(compile(source, "many.py", "exec"), namespace)
functions = [namespace["function_%d" % number] for number in range(2000)]


def main():
    for _ in range(2):
        for function in functions:
            function(-1)


main()
