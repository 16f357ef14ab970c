// A team far larger than the machine.
#include "constructs.h"

int main(void) {
    empty_regions(2, 24);
    return report();
}
