import SQLiteDriver

/// Options with which SQLite was compiled.
enum SQLiteOptions {
    /// Whether SQLite counts the memory that it uses, without which it has no limits of memory. Apple's does not.
    static let countsMemory = !has("DEFAULT_MEMSTATUS=0")

    private static func has(_ option: String) -> Bool {
        (try? DatabaseQueue().inDatabase { try $0.texts("PRAGMA compile_options").contains(option) }) ?? false
    }
}
