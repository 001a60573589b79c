// swift-tools-version: 6.1

import PackageDescription

/// The layers below, nearest first: `make packages` writes them.
///
/// All of them, although each re-exports the next: SwiftPM follows no re-exports when it decides what to compile again, and with
/// only the nearest one declared, a change further down would leave this layer compiled against old memory layouts.
let layersBelow = ["Migrations", "CodableSupport", "Persistence", "QueryInterface", "RowDecoding", "ValueConversion", "SQLiteDriver"]
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
