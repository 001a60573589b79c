// swift-tools-version: 6.1

import PackageDescription

/// The layers below, nearest first: `make packages` writes them.
///
/// All of them, although each re-exports the next: SwiftPM follows no re-exports when it decides what to compile again, and with
/// only the nearest one declared, a change further down would leave this layer compiled against old memory layouts.
let layersBelow = ["SQLiteDriver"]
let productsBelow = layersBelow.map { Target.Dependency.product(name: $0, package: $0) }

let package = Package(
    name: "Migrations",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9)],
    products: [
        .library(name: "Migrations", targets: ["Migrations"])
    ],
    dependencies: layersBelow.map { .package(path: "../\($0)") },
    targets: [
        .target(name: "Migrations", dependencies: productsBelow, path: "Sources/Migrations"),
        .testTarget(name: "MigrationsTests", dependencies: ["Migrations"] + productsBelow, path: "Tests/MigrationsTests"),
    ],
    swiftLanguageModes: [.v6]
)
