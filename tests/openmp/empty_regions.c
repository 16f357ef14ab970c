// Parallel regions with nothing in them.
#include "constructs.h"

int main(void) {
    empty_regions(10, 2);
    return report();
}
