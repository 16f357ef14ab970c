// Six hundred regions, each in a function of its own.
#include "counting.h"

#define REGION(name)                                                                               \
    __attribute__((noinline)) void region_##name(void) {                                           \
        COUNT("parallel");                                                                         \
        _Pragma("omp parallel num_threads(2)") {                                                   \
            be_member();                                                                           \
        }                                                                                          \
    }
#define TIMES_10(what, n)                                                                          \
    what(n##0) what(n##1) what(n##2) what(n##3) what(n##4) what(n##5) what(n##6) what(n##7)        \
        what(n##8) what(n##9)
#define HUNDRED(what, n)                                                                           \
    TIMES_10(what, n##0)                                                                           \
    TIMES_10(what, n##1)                                                                           \
    TIMES_10(what, n##2)                                                                           \
    TIMES_10(what, n##3)                                                                           \
    TIMES_10(what, n##4)                                                                           \
    TIMES_10(what, n##5)                                                                           \
    TIMES_10(what, n##6)                                                                           \
    TIMES_10(what, n##7)                                                                           \
    TIMES_10(what, n##8)                                                                           \
    TIMES_10(what, n##9)
#define ALL(what)                                                                                  \
    HUNDRED(what, 1)                                                                               \
    HUNDRED(what, 2) HUNDRED(what, 3) HUNDRED(what, 4) HUNDRED(what, 5) HUNDRED(what, 6)
#define CALL(name) region_##name();

ALL(REGION)

int main(void) {
    for (int turn = 0; turn < 2; turn++) {
        ALL(CALL)
    }
    return report();
}
