// Reductions of a larger team. Environment: KMP_FORCE_REDUCTION=tree
#include "constructs.h"

static void count_one(void) {
    COUNT("reduction_any");
    COUNT("barrier_more");
}

int main(void) {
    return reductions_of_team(count_one) == 9 ? report() : 1;
}
