// swift-tools-version: 6.1

import PackageDescription

/// The packages below each package of Strata, nearest first. `make packages` writes them.
let layersBelow: [String: [String]] = [
    "SQLiteDriver": [],
    "ValueConversion": ["SQLiteDriver"],
    "RowDecoding": ["ValueConversion", "SQLiteDriver"],
    "QueryInterface": ["RowDecoding", "ValueConversion", "SQLiteDriver"],
    "Persistence": ["QueryInterface", "RowDecoding", "ValueConversion", "SQLiteDriver"],
    "CodableSupport": ["Persistence", "QueryInterface", "RowDecoding", "ValueConversion", "SQLiteDriver"],
    "Migrations": ["SQLiteDriver"],
    "DatabaseObservation": ["RowDecoding", "ValueConversion", "SQLiteDriver"],
    "Dumps": ["RowDecoding", "ValueConversion", "SQLiteDriver"],
    "FullTextSearch": ["QueryInterface", "RowDecoding", "ValueConversion", "SQLiteDriver"],
    "DatabaseFiles": ["SQLiteDriver"],
    "Strata": [
        "DatabaseFiles", "FullTextSearch", "Dumps", "DatabaseObservation", "Migrations", "CodableSupport", "Persistence", "QueryInterface",
        "RowDecoding", "ValueConversion", "SQLiteDriver",
    ],
    "DqliteCluster": ["SQLiteDriver"],
    "RecordGenerator": ["Migrations", "SQLiteDriver"],
    "StrataTool": [
        "RecordGenerator", "DqliteCluster", "Strata", "DatabaseFiles", "FullTextSearch", "Dumps", "DatabaseObservation", "Migrations",
        "CodableSupport", "Persistence", "QueryInterface", "RowDecoding", "ValueConversion", "SQLiteDriver",
    ],
]

/// A program that imports one layer. It also depends on the layers below, for the reason that Packages/Strata/Package.swift gives. Your
/// own program, which depends on the repository by URL, names only one product.
func program(_ name: String, imports layer: String, exclude: [String] = []) -> Target {
    let products = ([layer] + layersBelow[layer]!).map { Target.Dependency.product(name: $0, package: $0) }
    return .executableTarget(name: name, dependencies: products + ["ExampleSupport"], path: "Sources/\(name)", exclude: exclude)
}

/// The files that the command reads. Those of migrations in Swift are sources.
let sqlFiles =
    ["0001-authors.sql", "0002-ratings.sql", "migrations.lock"].map { "Migrations/\($0)" } + ["Queries.sql", "schema.sql"]

let package = Package(
    name: "Examples",
    platforms: [.macOS(.v13)],
    dependencies: layersBelow.keys.sorted().map { .package(path: "../Packages/\($0)") },
    targets: [
        program("01-SQLAndStatements", imports: "SQLiteDriver"),
        program("02-RowsAndValues", imports: "RowDecoding"),
        program("03-RecordsByHand", imports: "Persistence"),
        program("04-CodableRecords", imports: "CodableSupport"),
        program("05-Queries", imports: "QueryInterface"),
        program("06-AllTogether", imports: "Strata"),
        program("07-ReadersAndWriter", imports: "SQLiteDriver"),
        program("08-TenQuestions", imports: "QueryInterface"),
        program("09-CallbacksAndTimestamps", imports: "CodableSupport"),
        program("10-UpsertsAndBatches", imports: "CodableSupport"),
        program("11-Migrations", imports: "Strata"),
        program("12-FullTextSearch", imports: "Strata"),
        program("13-Cluster", imports: "DqliteCluster"),
        program("14-LiveBoard", imports: "Strata"),
        program("15-Server", imports: "Strata"),
        program("16-SQLFiles", imports: "Strata", exclude: sqlFiles),
        // Code that the programs share: reading the data, printing tables and errors.
        .target(
            name: "ExampleSupport",
            dependencies: (["Dumps"] + layersBelow["Dumps"]!).map { .product(name: $0, package: $0) }, path: "Sources/ExampleSupport"),
    ],
    swiftLanguageModes: [.v6]
)
