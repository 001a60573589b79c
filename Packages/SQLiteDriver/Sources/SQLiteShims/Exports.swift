// A module between the driver and its C target. Without it, SwiftPM would compile the driver again whenever it compiles the C target again.
// That happens twice in each newly planned build if a plugin's tool links the driver: two build databases build the tool, and each one
// finds that the other has replaced the object files. This module stays the same, so the driver is not compiled again.
@_exported import CSQLiteShims
