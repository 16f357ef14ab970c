/* Finds out whether a trace is a copy; see folder.h. */
#include "format/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/safe_files.h"

/* File systems on which each host and each mount sees the same inode of a file. */
static const uint32_t inodes_are_known[] = {
    0x0000ef53, /* ext */
    0x58465342, /* XFS */
    0x9123683e, /* btrfs */
    0x2fc12fc1, /* ZFS */
    0xf2f52010, /* F2FS */
    0x01021994, /* tmpfs */
    0x794c7630, /* overlayfs */
    0x00006969, /* NFS */
    0x0bd00bd0, /* Lustre */
};

static bool knows_inodes(int folder) {
    struct statfs status;
    if (fstatfs(folder, &status) != 0)
        return false;
    for (size_t i = 0; i < sizeof inodes_are_known / sizeof inodes_are_known[0]; i++)
        if ((uint32_t)status.f_type == inodes_are_known[i])
            return true;
    return false;
}

/* Counts a folder of a host, if its control page says where the folder was recorded. */
static void look_at(int folder, unsigned *originals, unsigned *copies) {
    struct pinsight_control control;
    struct stat status;

    if (fstatat(folder, PINSIGHT_FILE_CONTROL, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        !pinsight_file_control_read(folder, &control))
        return;
    if (control.inode && control.inode != status.st_ino && knows_inodes(folder))
        (*copies)++;
    else
        (*originals)++;
}

bool pinsight_file_is_copy(const char *output) {
    unsigned originals = 0, copies = 0;
    int folder = pinsight_open_folder(AT_FDCWD, output, 0);
    int hosts = folder < 0 ? -1 : openat(folder, "trace", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = hosts < 0 ? NULL : fdopendir(hosts);

    if (folder >= 0) {
        look_at(folder, &originals, &copies);
        close(folder);
    }
    for (struct dirent *entry; list && (entry = readdir(list));) {
        int host =
            *entry->d_name == '.' ? -1 : pinsight_open_folder(hosts, entry->d_name, O_NOFOLLOW);
        if (host < 0)
            continue;
        look_at(host, &originals, &copies);
        close(host);
    }
    if (list)
        closedir(list);
    else if (hosts >= 0)
        close(hosts);
    return copies && !originals;
}
