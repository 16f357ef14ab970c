/* The package of some code, by the name that users know: pandas, not pandas.core.frame. */
#ifndef PINSIGHT_READER_KIT_PACKAGES_H
#define PINSIGHT_READER_KIT_PACKAGES_H

/* Returns the package of a function with a file and a module, either of which may be "". Folders
 * identify installed packages and the standard library. For other code, the module's name is used.
 * The caller frees the text. Returns NULL if the package is unknown. */
char *pinsight_package_of(const char *file, const char *module);

#endif
