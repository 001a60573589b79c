// swift-tools-version: 6.1

import PackageDescription

/// All packages, nearest first, and not only the umbrella: see the comment in Packages/Strata/Package.swift. `make packages` writes them.
let layers = [
    "StrataTool", "RecordGenerator", "DqliteCluster", "Strata", "DatabaseFiles", "FullTextSearch", "Dumps", "DatabaseObservation",
    "Migrations", "CodableSupport", "Persistence", "QueryInterface", "RowDecoding", "ValueConversion", "SQLiteDriver",
]
let layerProducts = layers.map { Target.Dependency.product(name: $0, package: $0) }

// What crosses the layers. Nothing here is for clients.
let package = Package(
    name: "StrataTests",
    platforms: [.macOS(.v13)],
    products: [
        // For the package in Fuzzing/.
        .library(name: "FuzzTargets", targets: ["FuzzTargets"])
    ],
    dependencies: layers.map { .package(path: "../Packages/\($0)") },
    targets: [
        // The samples of the specification.
        .testTarget(name: "SpecificationTests", dependencies: layerProducts, path: "Tests/SpecificationTests"),
        // Programs as GRDB's users write them.
        .testTarget(name: "CompatibilityTests", dependencies: layerProducts, path: "Tests/CompatibilityTests"),
        // Bad input, bad files, and several processes at once.
        .testTarget(
            name: "ReliabilityTests",
            dependencies: layerProducts + [
                .product(name: "CSQLite", package: "SQLiteDriver"), "sqlite-process", "migration-process", "MigrationScenario",
                "FaultScenarios", "memory-fault-process", "WriterScenario", "writer-process",
                "contention-process", "leak-process", "FuzzTargets",
            ],
            path: "Tests/ReliabilityTests"
        ),
        // What holds for any input: `make fuzz` looks for inputs for which it does not.
        .target(name: "FuzzTargets", dependencies: layerProducts, path: "Sources/FuzzTargets"),
        // A process that migrates a database, and is killed meanwhile.
        .executableTarget(
            name: "migration-process", dependencies: layerProducts + ["MigrationScenario"], path: "Sources/MigrationProcess"),
        .target(name: "MigrationScenario", dependencies: layerProducts, path: "Sources/MigrationScenario"),
        // A process that commits transactions until it is killed.
        .executableTarget(name: "writer-process", dependencies: layerProducts + ["WriterScenario"], path: "Sources/WriterProcess"),
        .target(name: "WriterScenario", dependencies: layerProducts, path: "Sources/WriterScenario"),
        // One of several processes that use a database at once.
        .executableTarget(name: "contention-process", dependencies: layerProducts, path: "Sources/ContentionProcess"),
        // A process that opens, uses and closes databases many times.
        .executableTarget(
            name: "leak-process", dependencies: layerProducts + [.product(name: "CSQLite", package: "SQLiteDriver")],
            path: "Sources/LeakProcess"),
        // A file system for SQLite that fails on command of a test.
        .target(name: "FaultyVFS", dependencies: [.product(name: "CSQLite", package: "SQLiteDriver")], path: "Sources/FaultyVFS"),
        // Work that is done with faults at each of its operations, and a process in which SQLite runs out of memory.
        .target(name: "FaultScenarios", dependencies: layerProducts + ["FaultyVFS"], path: "Sources/FaultScenarios"),
        .executableTarget(
            name: "memory-fault-process", dependencies: layerProducts + ["FaultScenarios"], path: "Sources/MemoryFaultProcess"),
        // A cluster of nodes, each in a process of its own.
        .testTarget(
            name: "ClusterTests", dependencies: layerProducts + ["dqlite-node-process", "sqlite-process"], path: "Tests/ClusterTests"),
        .executableTarget(name: "dqlite-node-process", dependencies: layerProducts, path: "Sources/DqliteNodeProcess"),
        // The other process.
        .executableTarget(
            name: "sqlite-process",
            dependencies: [.product(name: "CSQLite", package: "SQLiteDriver")],
            path: "Sources/SQLiteProcess"
        ),
        // Packages that depend on Strata in the ways that users do.
        .testTarget(name: "ClientTests", path: "Tests/ClientTests"),
        // The programs of Examples/.
        .testTarget(name: "TutorialTests", dependencies: layerProducts, path: "Tests/TutorialTests"),
        // Strata beside the C API, by hand: `make bench`. The program that is the yardstick has nothing of Strata.
        .executableTarget(
            name: "bench",
            dependencies: layerProducts + ["BlackBox", .product(name: "CSQLite", package: "SQLiteDriver")],
            path: "Sources/Bench",
            exclude: ["Generated/schema.sql", "Generated/schema.records"]
        ),
        .executableTarget(
            name: "baseline", dependencies: ["BlackBox", .product(name: "CSQLite", package: "SQLiteDriver")], path: "Sources/Baseline"),
        .target(name: "BlackBox", path: "Sources/BlackBox"),
        .testTarget(name: "BenchTests", dependencies: ["bench", "baseline"], path: "Tests/BenchTests"),
    ],
    swiftLanguageModes: [.v6]
)
