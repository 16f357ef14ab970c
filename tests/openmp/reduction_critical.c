// Reductions of a larger team. Environment: KMP_FORCE_REDUCTION=critical
#include "constructs.h"

static void count_one(void) {
    COUNT("reduction");
}

int main(void) {
    return reductions_of_team(count_one) == 9 ? report() : 1;
}
