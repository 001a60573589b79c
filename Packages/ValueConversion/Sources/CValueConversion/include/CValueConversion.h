#ifndef CVALUE_CONVERSION_H
#define CVALUE_CONVERSION_H

/// Whether the layer's functions and collations are registered, which they always are: Swift code that asks has this file, and
/// with it the constructor, linked from a library that is an archive.
int strata_value_conversion_is_registered(void);

#endif
