// swift-tools-version: 6.1

import PackageDescription

/// The layers below, nearest first: `make packages` writes them.
///
/// The list contains all of them, although each re-exports the next: SwiftPM ignores re-exports when it decides what to recompile.
/// If a manifest declared only the nearest layer, a change further down would leave this layer compiled with old memory layouts.
let layersBelow = [
    "RecordGenerator", "DqliteCluster", "Strata", "DatabaseFiles", "FullTextSearch", "Dumps", "DatabaseObservation", "Migrations",
    "CodableSupport", "Persistence", "QueryInterface", "RowDecoding", "ValueConversion", "SQLiteDriver",
]
let productsBelow = layersBelow.map { Target.Dependency.product(name: $0, package: $0) }

/// Gives the targets of all folders under Packages/ one package name: `package` symbols of a layer are visible to the layers above it, as
/// they are in the root's Package.swift. SwiftPM accepts unsafe flags here, as clients depend on a folder only by path.
let samePackage: [SwiftSetting] = [.unsafeFlags(["-package-name", "strata"])]

let package = Package(
    name: "StrataTool",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9)],
    products: [
        .library(name: "StrataTool", targets: ["StrataTool"]),
        .executable(name: "strata", targets: ["StrataCommand"]),
    ],
    dependencies: layersBelow.map { .package(path: "../\($0)") },
    targets: [
        .target(
            name: "StrataTool", dependencies: productsBelow, path: "Sources/StrataTool", packageAccess: false, swiftSettings: samePackage),
        // The command. Its target has another name than its product: "strata" would be the umbrella's where file names ignore case.
        .executableTarget(
            name: "StrataCommand", dependencies: ["StrataTool"] + productsBelow, path: "Sources/StrataCommand", packageAccess: false,
            swiftSettings: samePackage),
        .testTarget(
            name: "StrataToolTests", dependencies: ["StrataTool", "StrataCommand"] + productsBelow, path: "Tests/StrataToolTests",
            exclude: ["Subcommands/Golden"], packageAccess: false, swiftSettings: samePackage),
    ],
    swiftLanguageModes: [.v6]
)
