import Migrations

/// Checks the names, parts and order of the files of a folder `Migrations`, and that released files are as they were.
///
/// Databases that have run a file can't undo that. So only files that are not released have errors, and released ones have warnings, except
/// for changed and missing ones.
struct MigrationChecks {
    private(set) var diagnostics: [QueryDiagnostic]

    /// - Parameters:
    ///   - files: the files, in the order of their names.
    ///   - migrations: the files that run, in the order in which they do.
    init(_ files: [MigrationFile], _ migrations: [MigrationFile], _ lock: MigrationLock, _ programs: [SourceText], _ nested: [SourceText]) {
        diagnostics = lock.diagnostics
        let identifiers = Set(files.map(\.identifier))
        for file in files {
            if let entry = file.entry, (entry.checksum == nil) != file.isStep {
                let (one, other) = file.isStep ? ("a file with SQL", "sql") : ("a step in Swift", "swift")
                add("\(file.identifier) was released as \(one): it stays \(file.identifier).\(other)", to: file.source)
            } else if let entry = file.entry, !file.isStep, entry.checksum != file.checksum {
                add(
                    "this migration has changed since it was released: undo the change, and write another migration. If no database has run it, "
                        + "remove its line from \(MigrationLock.name)", to: file.source)
            }
            diagnostics += file.diagnostics(identifiers)
        }
        for entry in lock.entries where !identifiers.contains(entry.name) {
            if let source = lock.source { add("the released migration \(entry.name) is missing", to: source, at: entry.range) }
        }
        checkSteps(files.filter(\.isStep), beside: files.filter { !$0.isStep })
        let running = files.filter(\.runs)
        checkOrder(of: running)
        checkNumbers(of: running)
        checkRelease(of: migrations.filter(\.isReleased), lock)
        for file in nested {
            guard let folder = file.file.split(separator: "/").dropLast().last.map(String.init), !identifiers.contains(folder) else {
                continue
            }
            add("this migration is in a folder of its own: copy it to \(folder).sql", to: file)
        }
        if files.contains(where: { $0.tool == MigrationAnnotation.Tool.goose.rawValue }) { checkPrograms(programs, beside: running) }
    }

    private mutating func add(_ message: String, to source: SourceText, at range: Range<Int> = 0..<1, isWarning: Bool = false) {
        diagnostics.append(source.diagnostic(message, at: range, isWarning: isWarning))
    }

    /// Adds errors for migrations of goose that are written in Go, if no file has their number, and warnings for those before a released file.
    private mutating func checkPrograms(_ programs: [SourceText], beside files: [MigrationFile]) {
        for program in programs {
            let name = program.file.split(separator: "/").last.map(String.init) ?? program.file
            guard let number = MigrationNumber(name), !files.contains(where: { $0.number == number }) else { continue }
            let isPast = files.contains { $0.isReleased && ($0.number ?? number) > number }
            add(
                "goose runs this migration, which is written in Go. Write it in SQL, in a file with its number", to: program,
                isWarning: isPast)
        }
    }

    /// Adds errors for steps in Swift with the name of a file with SQL, or with the function of another step.
    private mutating func checkSteps(_ steps: [MigrationFile], beside files: [MigrationFile]) {
        var functions: [String: MigrationFile] = [:]
        for step in steps {
            if let file = files.first(where: { $0.identifier == step.identifier }) {
                add("\(step.identifier).swift is beside this file, and both are the same migration: rename one of them", to: file.source)
            }
            guard let function = step.stepFunction else { continue }
            if let other = functions.updateValue(step, forKey: function) {
                add("the function \(function) is that of the step \(other.identifier), too: rename this file", to: step.source)
            }
        }
    }

    /// Adds errors for new files whose names come before those of released ones, or whose numbers and names have another order.
    private mutating func checkOrder(of files: [MigrationFile]) {
        let lastReleased = files.lastIndex(where: \.isReleased) ?? 0
        var largest: MigrationFile?
        for (index, file) in files.enumerated() {
            if !file.isReleased, index < lastReleased {
                add(
                    "\(file.identifier) comes before \(files[lastReleased].identifier), which was released: databases that have run that one "
                        + "would get another schema than new ones. Rename this file so that its name comes after it", to: file.source)
            } else if !file.isReleased, let number = file.number, let largest, let other = largest.number, number < other {
                let zeros = String(repeating: "0", count: max(0, other.width - number.width))
                let mark = file.identifier.prefix { $0 == "V" }
                let rest = file.identifier.dropFirst(mark.count).drop { $0 == "0" }
                let example = zeros.isEmpty ? "" : ", for example this one to \(mark)\(zeros)\(rest)"
                add(
                    "\(file.identifier) comes after \(largest.identifier) by its name, and before it by its number, which other tools go by. "
                        + "Rename the files so that both agree\(example)", to: file.source)
            }
            if let number = file.number, largest?.number.map({ $0 < number }) ?? true { largest = file }
        }
    }

    /// Adds diagnostics for files with the same number, if a tool tells migrations apart by their numbers.
    private mutating func checkNumbers(of files: [MigrationFile]) {
        let byNumber = Dictionary(grouping: files.filter { $0.number != nil && !$0.isDown }) { $0.number }
        for (number, group) in byNumber.sorted(by: { $0.value[0].source.file < $1.value[0].source.file }) where group.count > 1 {
            guard let number, let tool = group.compactMap(\.tool).first(where: { $0 != MigrationAnnotation.Tool.sqlMigrate.rawValue }),
                let file = group.last(where: { !$0.isReleased }) ?? group.last,
                let other = group.first(where: { $0.identifier != file.identifier })
            else { continue }
            add(
                "\(other.identifier) has the number \(number.digits), too, and \(tool) tells migrations apart by their numbers",
                to: file.source, isWarning: file.isReleased)
        }
    }

    /// Adds warnings that say in which order released migrations run, where it is not that of their numbers and names.
    private mutating func checkRelease(of migrations: [MigrationFile], _ lock: MigrationLock) {
        func isBefore(_ one: MigrationFile, _ other: MigrationFile) -> Bool {
            if let one = one.number, let other = other.number, one != other { return one < other }
            return one.source.file < other.source.file
        }
        for (earlier, later) in zip(migrations, migrations.dropFirst()) where isBefore(later, earlier) {
            guard let source = lock.source, let entry = later.entry else { continue }
            add(
                "\(later.identifier) runs after \(earlier.identifier), as it was released after it", to: source, at: entry.range,
                isWarning: true)
        }
    }
}
