// swift-tools-version: 6.1

import PackageDescription

/// The layers below, nearest first: `make packages` writes them.
///
/// The list contains all of them, although each re-exports the next: SwiftPM ignores re-exports when it decides what to recompile.
/// If a manifest declared only the nearest layer, a change further down would leave this layer compiled with old memory layouts.
let layersBelow = ["SQLiteDriver"]
let productsBelow = layersBelow.map { Target.Dependency.product(name: $0, package: $0) }

/// Gives the targets of all folders under Packages/ one package name: `package` symbols of a layer are visible to the layers above it, as
/// they are in the root's Package.swift. SwiftPM accepts unsafe flags here, as clients depend on a folder only by path.
let samePackage: [SwiftSetting] = [.unsafeFlags(["-package-name", "strata"])]

let package = Package(
    name: "DatabaseFiles",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9)],
    products: [
        .library(name: "DatabaseFiles", targets: ["DatabaseFiles"])
    ],
    dependencies: layersBelow.map { .package(path: "../\($0)") },
    targets: [
        .target(
            name: "DatabaseFiles", dependencies: productsBelow, path: "Sources/DatabaseFiles", packageAccess: false,
            swiftSettings: samePackage),
        .testTarget(
            name: "DatabaseFilesTests", dependencies: ["DatabaseFiles"] + productsBelow, path: "Tests/DatabaseFilesTests",
            packageAccess: false, swiftSettings: samePackage),
    ],
    swiftLanguageModes: [.v6]
)
