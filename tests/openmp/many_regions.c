// A thousand executions of one region.
#include "constructs.h"

int main(void) {
    empty_regions(1000, 2);
    return report();
}
