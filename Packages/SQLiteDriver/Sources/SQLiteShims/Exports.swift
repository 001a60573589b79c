// Stands between the driver and its C target, of which SwiftPM compiles the driver again whenever it compiles the C target again. It does
// that twice in each build that it plans anew, if a plugin's tool links the driver: the tool is built by two build databases, each of which
// finds that the other has replaced the object files. The module of this file stays the same, and the driver as it is.
@_exported import CSQLiteShims
