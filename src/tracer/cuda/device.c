/* Devices; see device.h. The driver's functions: CUDA Driver API, "Device Management". */
#include "tracer/cuda/device.h"

#include "tracer/core/info.h"
#include "tracer/record/cuda.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

_Atomic uint32_t pinsight_cuda_devices_defined[PINSIGHT_CUDA_DEVICES];

/* CUdevice_attribute */
enum { MULTIPROCESSORS = 16, COMPUTE_MAJOR = 75, COMPUTE_MINOR = 76 };

struct driver {
    int (*cuDeviceGet)(int *device, int ordinal);
    int (*cuDeviceGetName)(char *name, int room, int device);
    int (*cuDeviceGetAttribute)(int *value, int attribute, int device);
    int (*cuDeviceTotalMem_v2)(size_t *bytes, int device);
    int (*cuDeviceGetUuid_v2)(uint8_t uuid[16], int device);
    int (*cuDeviceGetPCIBusId)(char *text, int room, int device);
};

/* Finds the driver's functions. The driver is in the process, because it called PInsight. */
static bool find_driver(struct driver *driver) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (!library)
        return false;
#define FIND(name) *(void **)&driver->name = dlsym(library, #name)
    FIND(cuDeviceGet);
    FIND(cuDeviceGetName);
    FIND(cuDeviceGetAttribute);
    FIND(cuDeviceTotalMem_v2);
    FIND(cuDeviceGetUuid_v2); /* from CUDA 11.4 on: a MIG device's own */
    if (!driver->cuDeviceGetUuid_v2)
        *(void **)&driver->cuDeviceGetUuid_v2 = dlsym(library, "cuDeviceGetUuid");
    FIND(cuDeviceGetPCIBusId);
#undef FIND
    dlclose(library); /* another user keeps it open */
    return driver->cuDeviceGet && driver->cuDeviceGetName;
}

static uint32_t attribute(const struct driver *driver, int device, int which) {
    int value;
    return driver->cuDeviceGetAttribute &&
                   driver->cuDeviceGetAttribute(&value, which, device) == 0 && value > 0
               ? (uint32_t)value
               : 0;
}

static void write_hex(char *out, const uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

void pinsight_cuda_device_describe(uint32_t number) {
    uint32_t session_version = pinsight_session_version();
    char name[256] = "?", bus[32] = "?", hex[33] = "?";
    struct driver driver = {0};
    uint8_t uuid[16];
    size_t memory = 0;
    int device;
    if (!pinsight_record_cuda_device_info_enabled())
        return;
    atomic_store_explicit(&pinsight_cuda_devices_defined[number], session_version,
                          memory_order_relaxed);
    if (!find_driver(&driver) || driver.cuDeviceGet(&device, (int)number) != 0)
        return;
    if (driver.cuDeviceGetName(name, sizeof name, device) != 0 || !*name)
        strcpy(name, "?");
    if (driver.cuDeviceGetUuid_v2 && driver.cuDeviceGetUuid_v2(uuid, device) == 0)
        write_hex(hex, uuid, sizeof uuid);
    if (!driver.cuDeviceGetPCIBusId || driver.cuDeviceGetPCIBusId(bus, sizeof bus, device) != 0 ||
        !*bus)
        strcpy(bus, "?");
    if (driver.cuDeviceTotalMem_v2)
        driver.cuDeviceTotalMem_v2(&memory, device);
    PINSIGHT_INFO_TIMED(pinsight_record_cuda_device_info(
        pinsight_process.pid, number, name, hex, bus, memory,
        attribute(&driver, device, MULTIPROCESSORS), attribute(&driver, device, COMPUTE_MAJOR),
        attribute(&driver, device, COMPUTE_MINOR)));
}
