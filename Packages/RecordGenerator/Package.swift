// swift-tools-version: 6.1

import PackageDescription

/// The layers below, nearest first: `make packages` writes them.
///
/// The list contains all of them, although each re-exports the next: SwiftPM ignores re-exports when it decides what to recompile.
/// If a manifest declared only the nearest layer, a change further down would leave this layer compiled with old memory layouts.
let layersBelow = ["ValueConversion", "SQLiteDriver"]
let productsBelow = layersBelow.map { Target.Dependency.product(name: $0, package: $0) }

let package = Package(
    name: "RecordGenerator",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9)],
    products: [
        .library(name: "RecordGenerator", targets: ["RecordGenerator"])
    ],
    dependencies: layersBelow.map { .package(path: "../\($0)") },
    targets: [
        .target(name: "RecordGenerator", dependencies: productsBelow, path: "Sources/RecordGenerator"),
        .testTarget(name: "RecordGeneratorTests", dependencies: ["RecordGenerator"] + productsBelow, path: "Tests/RecordGeneratorTests"),
    ],
    swiftLanguageModes: [.v6]
)
