"""A program of very many functions, each of which is called once.

many.py FOLDER [FUNCTIONS]   writes the modules of that many functions into FOLDER, and compiles them
many.py FOLDER run           imports them all and calls each function

Modules of a thousand functions each, so that neither the compiler nor one dictionary is what is measured.
"""

import sys

EACH = 1000


def write(folder, functions):
    import compileall
    import os

    os.makedirs(folder, exist_ok=True)
    for module in range((functions + EACH - 1) // EACH):
        with open(os.path.join(folder, "many_%04d.py" % module), "w", encoding="ascii") as file:
            for number in range(min(EACH, functions - module * EACH)):
                file.write("def function_%d(value):\n    return value + %d\n\n\n" % (number, number))
    sys.dont_write_bytecode = False
    if not compileall.compile_dir(folder, quiet=1):
        raise SystemExit("many.py: the modules cannot be compiled")


def run(folder):
    from posix import listdir

    sys.path.insert(0, folder)
    value = 0
    for name in sorted(listdir(folder)):
        if not name.endswith(".py"):
            continue
        module = __import__(name[:-3])
        for key, function in list(vars(module).items()):
            if key.startswith("function_"):
                value = function(value)
    if value < 0:
        raise SystemExit("many.py: %d" % value)


if __name__ == "__main__":
    if sys.argv[2] == "run":
        run(sys.argv[1])
    else:
        write(sys.argv[1], int(sys.argv[2]))
