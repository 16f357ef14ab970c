"""mpi4py's own tests, of which each rank writes down how every one of them went: mpi4py_suite.py ARGUMENT...

The environment names the folder with the tests (MPI4PY_TESTS) and the file to write to (MPI4PY_OUTCOMES, with the
rank behind it): "start NAME" before a test and "ok NAME", "skip NAME", "failure NAME", "error NAME" after it.
"""
import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.environ["MPI4PY_TESTS"])


class Result(unittest.TextTestResult):
    def startTestRun(self):
        super().startTestRun()
        from mpi4py import MPI

        self.file = open("%s.%d" % (os.environ["MPI4PY_OUTCOMES"], MPI.COMM_WORLD.Get_rank()), "w", buffering=1)

    def note(self, how, test):
        self.file.write("%s %s\n" % (how, test.id()))

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err:
            self.note("failure", subtest)


def noting(method, how):
    def noted(self, test, *about):
        getattr(super(Result, self), method)(test, *about)
        self.note(how, test)
    return noted


for method, how in {"startTest": "start", "addSuccess": "ok", "addError": "error", "addFailure": "failure", "addSkip": "skip",
                    "addExpectedFailure": "expected-failure", "addUnexpectedSuccess": "unexpected-success"}.items():
    setattr(Result, method, noting(method, how))


class Runner(unittest.TextTestRunner):
    resultclass = Result


if __name__ == "__main__":  # what it spawns imports this file again
    import main

    sys.argv[0] = os.path.join(os.environ["MPI4PY_TESTS"], "main.py")
    main.main(module=None, testRunner=Runner)
