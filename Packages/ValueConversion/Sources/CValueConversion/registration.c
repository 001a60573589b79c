#include "CValueConversion.h"

#include "CSQLiteShims.h"

// In Swift: DatabaseRegistry+Foundation.swift.
void strata_value_conversion_register(void);

static strata_registration registration = {strata_value_conversion_register, 0};

static int is_registered = 0;

int strata_value_conversion_is_registered(void) {
    return is_registered;
}

// Before `main`, or when a dynamic library is loaded: nothing but this calls the layer in a program that only reads a file whose schema
// names its functions. No Swift runs here, as the runtime may not be ready.
__attribute__((constructor)) static void register_when_loaded(void) {
    strata_register(&registration);
    is_registered = 1;
}
