// swift-tools-version: 6.1

import PackageDescription

/// The layers below, nearest first: `make packages` writes them.
///
/// The list contains all of them, although each re-exports the next: SwiftPM ignores re-exports when it decides what to recompile.
/// If a manifest declared only the nearest layer, a change further down would leave this layer compiled with old memory layouts.
let layersBelow = [
    "FullTextSearch", "Dumps", "DatabaseObservation", "Migrations", "CodableSupport", "Persistence", "QueryInterface", "RowDecoding",
    "ValueConversion", "SQLiteDriver",
]
let productsBelow = layersBelow.map { Target.Dependency.product(name: $0, package: $0) }

let package = Package(
    name: "Strata",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9)],
    products: [
        .library(name: "Strata", targets: ["Strata"])
    ],
    dependencies: layersBelow.map { .package(path: "../\($0)") },
    targets: [
        .target(name: "Strata", dependencies: productsBelow, path: "Sources/Strata"),
        .testTarget(name: "StrataTests", dependencies: ["Strata"] + productsBelow, path: "Tests/StrataTests"),
    ],
    swiftLanguageModes: [.v6]
)
