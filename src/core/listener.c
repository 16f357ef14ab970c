#include "core/listener.h"
void pinsight_listener_start(void) {
}
void pinsight_listener_fork_child(void) {
}
