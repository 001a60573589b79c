import CSQLiteShims

/// New files with the content of others. Whoever can't read the content there must not be able to read it here.
package enum NewFile {
    /// Creates an empty file with the permissions of another file.
    ///
    /// - Returns: false if the other file does not exist, or if the file exists or can't be created.
    package static func create(_ path: String, like model: String) -> Bool { strata_create_file(path, model) }

    /// Removes a file.
    package static func remove(_ path: String) { strata_remove_file(path) }
}
