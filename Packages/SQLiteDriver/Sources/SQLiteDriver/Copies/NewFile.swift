import CSQLiteShims

/// New files with the content of others. Whoever can't read the content there must not be able to read it here.
package enum NewFile {
    /// Creates an empty file with the permissions of another file.
    ///
    /// - Returns: false if the other file does not exist, or if the file exists or can't be created.
    package static func create(_ path: String, like model: String) -> Bool { strata_create_file(path, model) }

    /// Creates an empty file with the permissions of the file of a main database.
    ///
    /// - Returns: false if the database is in memory, or if the file exists or can't be created.
    package static func create(_ path: String, like db: Database) throws -> Bool {
        try create(path, like: DatabaseFile(of: "main", db.openHandle()).path)
    }

    /// Returns whether there is something else than a regular file at a path, such as a pipe, a device or a folder.
    package static func isSpecial(_ path: String) -> Bool {
        let status = strata_path_status(path)
        return status & CInt(STRATA_PATH_EXISTS) != 0 && status & CInt(STRATA_PATH_IS_REGULAR) == 0
    }

    /// Returns whether there is a folder at a path.
    package static func isFolder(_ path: String) -> Bool { strata_path_status(path) & CInt(STRATA_PATH_IS_FOLDER) != 0 }

    /// Returns whether there is anything at a path.
    package static func exists(_ path: String) -> Bool { strata_path_status(path) != 0 }

    /// Removes a file.
    ///
    /// - Returns: 0, or the number of the error.
    @discardableResult
    package static func remove(_ path: String) -> CInt { strata_remove_file(path) }

    /// Makes the removal of a file survive a loss of power.
    package static func synchronizeFolder(of path: String) { strata_synchronize_folder_of(path) }

    /// Gives a complete file its final name, unless another file has that name.
    ///
    /// - Returns: 0, or the number of the error.
    package static func name(_ path: String, _ newPath: String) -> CInt { strata_name_file(path, newPath) }

    /// Moves a complete, synchronized file to its final name in the same folder, where it replaces the previous file.
    ///
    /// - Returns: 0, or the number of the error.
    package static func replace(_ path: String, with replacement: String) -> CInt { strata_replace_file(path, replacement) }
}

/// The standard output of the process.
package enum StandardOutput {
    /// Writes what the standard library has buffered.
    ///
    /// - Returns: 0, or the number of the error, for example `ENOSPC`.
    package static func flush() -> CInt { strata_flush_standard_output() }
}
