/* Redirection of calls in loaded objects; see got.h. Relocations are R_*_JUMP_SLOT, R_*_GLOB_DAT
 * and addresses in data, of the System V ABI. */
#include "base/got.h"

#include "base/plain.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__aarch64__)
#define JUMP_SLOT R_AARCH64_JUMP_SLOT
#define GLOB_DAT R_AARCH64_GLOB_DAT
#define DATA R_AARCH64_ABS64
#else
#define JUMP_SLOT R_X86_64_JUMP_SLOT
#define GLOB_DAT R_X86_64_GLOB_DAT
#define DATA R_X86_64_64
#endif

/* The parts of a loaded object that a visit needs, and what visits it. */
struct linked_object {
    const struct dl_phdr_info *info;
    pinsight_got_choose *choose;
    void *data;
    const ElfW(Sym) * symbols;
    const char *strings;
    uintptr_t sealed, sealed_end; /* read-only after relocation (PT_GNU_RELRO) */
};

static int compare(const void *name, const void *redirection) {
    return strcmp(name, ((const struct pinsight_got_redirection *)redirection)->name);
}

static bool is_in(const struct dl_phdr_info *info, const void *address) {
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (uintptr_t)address >= start &&
            (uintptr_t)address - start < info->dlpi_phdr[i].p_memsz)
            return true;
    }
    return false;
}

struct sealed_store {
    void *_Atomic *slot;
    void *value;
};

/* Writes to a page that is read-only after relocation. */
static int write_sealed(struct dl_phdr_info *info, size_t info_size, void *data) {
    const struct sealed_store *store = data;
    uintptr_t page = (uintptr_t)store->slot & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
    size_t size = (uintptr_t)store->slot + sizeof(*store->slot) - page;
    (void)info;
    (void)info_size;
    if (mprotect((void *)page, size, PROT_READ | PROT_WRITE) != 0)
        return 1;
    atomic_store_explicit(store->slot, store->value, memory_order_release);
    mprotect((void *)page, size, PROT_READ);
    return 1;
}

/* Writes an address in one store, because other threads may be calling through the slot. Several
 * libraries of PInsight write, with no lock in common but that of dl_iterate_phdr(). Without it,
 * one may seal a page that another is about to write to. */
static void write_slot(const struct linked_object *object, void *_Atomic *slot, void *value) {
    struct sealed_store store = {slot, value};
    if ((uintptr_t)slot >= object->sealed && (uintptr_t)slot < object->sealed_end)
        dl_iterate_phdr(write_sealed, &store);
    else
        atomic_store_explicit(slot, value, memory_order_release);
}

static void visit_one(const struct linked_object *object, const ElfW(Rela) * relocation) {
    unsigned type = (unsigned)ELF64_R_TYPE(relocation->r_info);
    void *_Atomic *at = (void *_Atomic *)(object->info->dlpi_addr + relocation->r_offset);
    if ((type != JUMP_SLOT && type != GLOB_DAT && type != DATA) || (uintptr_t)at % sizeof(*at))
        return;
    const ElfW(Sym) *symbol = &object->symbols[ELF64_R_SYM(relocation->r_info)];
    void *value = atomic_load_explicit(at, memory_order_relaxed);
    /* Before the first call, a slot leads into the object itself, to code that asks the linker. */
    const struct pinsight_got_slot slot = {.name = object->strings + symbol->st_name,
                                           .value = value,
                                           .is_lazy = type == JUMP_SLOT && value &&
                                                      is_in(object->info, value),
                                           .is_data = type == DATA};
    void *chosen = object->choose(&slot, object->data);
    if (chosen)
        write_slot(object, at, chosen);
}

static void visit_table(const struct linked_object *object, const ElfW(Rela) * table, size_t size) {
    for (size_t i = 0; table && i < size / sizeof(*table); i++)
        visit_one(object, &table[i]);
}

/* glibc relocates the addresses in most objects' dynamic sections, but not in the kernel's
 * object. */
void pinsight_got_visit(const struct dl_phdr_info *info, pinsight_got_choose *choose, void *data) {
    struct linked_object object = {.info = info, .choose = choose, .data = data};
    const ElfW(Dyn) *dynamic = NULL;
    const ElfW(Rela) *jumps = NULL, *others = NULL;
    size_t jumps_size = 0, others_size = 0, relative = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            dynamic = (const ElfW(Dyn) *)start;
        if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO) {
            object.sealed = start;
            object.sealed_end = start + info->dlpi_phdr[i].p_memsz;
        }
    }
    for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
        switch (dynamic->d_tag) {
        case DT_SYMTAB:
            object.symbols = (const void *)dynamic->d_un.d_ptr;
            break;
        case DT_STRTAB:
            object.strings = (const void *)dynamic->d_un.d_ptr;
            break;
        case DT_JMPREL:
            jumps = (const void *)dynamic->d_un.d_ptr;
            break;
        case DT_PLTRELSZ:
            jumps_size = dynamic->d_un.d_val;
            break;
        case DT_RELA:
            others = (const void *)dynamic->d_un.d_ptr;
            break;
        case DT_RELASZ:
            others_size = dynamic->d_un.d_val;
            break;
        case DT_RELACOUNT: /* the first ones have no symbol */
            relative = dynamic->d_un.d_val * sizeof(*others);
            break;
        case DT_PLTREL:
            if (dynamic->d_un.d_val != DT_RELA)
                return;
            break;
        default:
            break;
        }
    }
    if (!object.symbols || !object.strings || !is_in(info, object.symbols) ||
        !is_in(info, object.strings))
        return;
    visit_table(&object, jumps, jumps_size);
    if (others && relative <= others_size)
        visit_table(&object, others + relative / sizeof(*others), others_size - relative);
}

/* Any address but the library's own belongs to another tool, and stays. */
static void *choose_redirection(const struct pinsight_got_slot *slot, void *data) {
    const struct pinsight_got *got = data;
    if (slot->is_data || strncmp(slot->name, got->prefix, strlen(got->prefix)) != 0)
        return NULL;
    const struct pinsight_got_redirection *redirection =
        bsearch(slot->name, got->redirections, got->count, sizeof(*got->redirections), compare);
    return redirection && (slot->value == redirection->real || slot->is_lazy)
               ? redirection->trampoline
               : NULL;
}

static int redirect_object(struct dl_phdr_info *info, size_t size, void *data) {
    const struct pinsight_got *got = data;
    (void)size;
    for (unsigned i = 0; i < PINSIGHT_GOT_EXCLUDED; i++)
        if (got->excluded[i] && is_in(info, got->excluded[i]))
            return 0;
    pinsight_got_visit(info, choose_redirection, data);
    return 0;
}

/* Gets the number of objects that were ever loaded. */
static int count_adds(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size;
    *(unsigned long long *)data = info->dlpi_adds;
    return 1;
}

void pinsight_got_redirect(struct pinsight_got *got) {
    unsigned long long adds = 0;
    if (pinsight_plain_is_asked(secure_getenv(PINSIGHT_PLAIN_VARIABLE)))
        return;
    dl_iterate_phdr(count_adds, &adds);
    if (got->count == 0 || adds == got->seen)
        return;
    got->seen = adds;
    dl_iterate_phdr(redirect_object, got);
}
