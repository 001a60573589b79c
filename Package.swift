// swift-tools-version: 6.1

// The face of Strata for packages that depend on it by URL: SwiftPM refuses a remote package that has path dependencies,
// as those under Packages/ have. It declares their targets once more; `make lint` checks that the two agree.

import PackageDescription

/// The packages under Packages/, each after those that it builds on directly: the one list of them. What else depends on it,
/// `make packages` writes: the packages' own manifests, those of Tests/ and Examples/, what the umbrella exports, the README's table.
///
/// "*" stands for all packages above, which the umbrella exports.
let packages: KeyValuePairs<String, [String]> = [
    "SQLiteDriver": [],
    "ValueConversion": ["SQLiteDriver"],
    "RowDecoding": ["ValueConversion"],
    "QueryInterface": ["RowDecoding"],
    "Persistence": ["QueryInterface"],
    "CodableSupport": ["Persistence"],
    "Migrations": ["SQLiteDriver"],
    "DatabaseObservation": ["RowDecoding"],
    "Dumps": ["RowDecoding"],
    "FullTextSearch": ["QueryInterface"],
    "DatabaseFiles": ["SQLiteDriver"],
    "Strata": ["*"],
    "DqliteCluster": ["SQLiteDriver"],
    "RecordGenerator": ["Migrations"],
    "StrataTool": ["Strata", "RecordGenerator", "DqliteCluster"],
]

/// The names of the packages, and those below each, near and far, nearest first.
var names: [String] = []
var below: [String: [String]] = [:]
for (name, direct) in packages {
    let near = direct == ["*"] ? names : direct
    let all = Set(near + near.flatMap { below[$0]! })
    below[name] = names.reversed().filter(all.contains)
    names.append(name)
}

/// The targets that packages have beside the one of their name, and depend on.
let ownTargets: [String: [Target.Dependency]] = [
    "SQLiteDriver": ["SQLiteShims"], "FullTextSearch": ["CFullTextSearch"],
    "DqliteCluster": ["CDqliteCluster"], "RecordGenerator": ["StrataCommandSupport"],
]

/// A package's targets that packages above it may import: the one of its name, and others, which have no public symbols.
func libraryTargets(_ name: String) -> [String] {
    name == "RecordGenerator" ? [name, "StrataCommandSupport"] : [name]
}

/// A package's target depends on all those below, and its product lists them, although the nearest would do to link:
/// SwiftPM follows no re-exports when it decides what to compile again, and would leave a package, or a client, compiled against
/// old memory layouts after a change further down.
let package = Package(
    name: "Strata",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9)],
    products: [
        .library(name: "CSQLite", targets: ["CSQLite"])
    ]
        + names.map { name in
            .library(name: name, targets: ([name] + below[name]!).flatMap(libraryTargets))
        }
        // The command. Only its product has this name: the target's would be that of the umbrella where file names ignore case, and their
        // files in the build folder (Strata.build, Strata.swiftmodule) overwrite each other. A library product leaves no file of its name.
        + [
            .executable(name: "strata", targets: ["StrataCommand"]),
            .plugin(name: "GenerateRecords", targets: ["GenerateRecords"]),
            .plugin(name: "RecordsFromSchema", targets: ["RecordsFromSchema"]),
        ],
    targets: [
        // The system's SQLite, for platforms whose SDK has no module for it.
        .systemLibrary(
            name: "CSQLite",
            path: "Packages/SQLiteDriver/Sources/CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]
        ),
        // The whole C API under one name on every platform, and plain functions for SQLite's variadic ones.
        .target(
            name: "CSQLiteShims",
            dependencies: [
                // On Apple platforms the shims' header imports the SDK's own module, SQLite3, instead.
                .target(name: "CSQLite", condition: .when(platforms: [.linux, .android, .windows, .openbsd]))
            ],
            path: "Packages/SQLiteDriver/Sources/CSQLiteShims"
        ),
        // Keeps the driver from being compiled again with the C target.
        .target(name: "SQLiteShims", dependencies: ["CSQLiteShims"], path: "Packages/SQLiteDriver/Sources/SQLiteShims"),
        // Asks SQLite for FTS5's functions, with which tokenizers are registered.
        .target(
            name: "CFullTextSearch",
            dependencies: ["SQLiteDriver"],
            path: "Packages/FullTextSearch/Sources/CFullTextSearch"
        ),
        // The C structures of virtual tables, and libdqlite, which is loaded at run time.
        .target(
            name: "CDqliteCluster",
            dependencies: ["SQLiteDriver"],
            path: "Packages/DqliteCluster/Sources/CDqliteCluster"
        ),
        // Arguments, signals and the opening of files: for the plugins' tool, and the command strata. It has no public symbols.
        .target(
            name: "StrataCommandSupport",
            dependencies: ["SQLiteDriver"],
            path: "Packages/RecordGenerator/Sources/StrataCommandSupport"
        ),
        .executableTarget(
            name: "StrataCommand",
            dependencies: (["StrataTool"] + below["StrataTool"]!).flatMap(libraryTargets).map { .target(name: $0) },
            path: "Packages/StrataTool/Sources/StrataCommand"
        ),
        // The tool of the plugins. It stands on as little as possible, as each package that uses a plugin compiles it.
        .executableTarget(
            name: "RecordGeneratorCommand",
            dependencies: (["RecordGenerator"] + below["RecordGenerator"]!).flatMap(libraryTargets).map { .target(name: $0) },
            path: "Packages/RecordGenerator/Sources/RecordGeneratorCommand"
        ),
        // Records for packages that depend on Strata: written by a command, or compiled from schema.sql at each build.
        .plugin(
            name: "GenerateRecords",
            capability: .command(
                intent: .custom(verb: "generate-records", description: "Writes Swift records for a database or a schema.sql"),
                permissions: [.writeToPackageDirectory(reason: "Writes the files with the records.")]
            ),
            dependencies: ["RecordGeneratorCommand"],
            path: "Packages/RecordGenerator/Plugins/GenerateRecords"
        ),
        .plugin(
            name: "RecordsFromSchema", capability: .buildTool(), dependencies: ["RecordGeneratorCommand"],
            path: "Packages/RecordGenerator/Plugins/RecordsFromSchema"),
    ]
        + names.map { name in
            .target(
                name: name,
                dependencies: below[name]!.flatMap(libraryTargets).map { .target(name: $0) } + (ownTargets[name] ?? []),
                path: "Packages/\(name)/Sources/\(name)"
            )
        },
    swiftLanguageModes: [.v6]
)
