/* The package that code belongs to, as a user calls it: pandas, not pandas.core.frame. */
#ifndef PINSIGHT_READER_KIT_PACKAGES_H
#define PINSIGHT_READER_KIT_PACKAGES_H

/* Of a function with a file and a module, either of which may be "". Installed packages and the
 * standard library are known by their folders; else the module's name tells. Returns a text that
 * the caller frees, or NULL where nothing tells. */
char *pinsight_package_of(const char *file, const char *module);

#endif
