// swift-tools-version: 6.1

import PackageDescription

/// The layers below, nearest first: `make packages` writes them.
///
/// The list contains all of them, although each re-exports the next: SwiftPM ignores re-exports when it decides what to recompile.
/// If a manifest declared only the nearest layer, a change further down would leave this layer compiled with old memory layouts.
let layersBelow = ["QueryInterface", "RowDecoding", "ValueConversion", "SQLiteDriver"]
let productsBelow = layersBelow.map { Target.Dependency.product(name: $0, package: $0) }

let package = Package(
    name: "FullTextSearch",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9)],
    products: [
        .library(name: "FullTextSearch", targets: ["FullTextSearch"])
    ],
    dependencies: layersBelow.map { .package(path: "../\($0)") },
    targets: [
        // Asks SQLite for FTS5's functions, with which tokenizers are registered.
        .target(
            name: "CFullTextSearch", dependencies: [.product(name: "SQLiteDriver", package: "SQLiteDriver")],
            path: "Sources/CFullTextSearch"),
        .target(name: "FullTextSearch", dependencies: ["CFullTextSearch"] + productsBelow, path: "Sources/FullTextSearch"),
        .testTarget(name: "FullTextSearchTests", dependencies: ["FullTextSearch"] + productsBelow, path: "Tests/FullTextSearchTests"),
    ],
    swiftLanguageModes: [.v6]
)
