// swift-tools-version: 6.1

import PackageDescription

/// The packages that have publishers, and those below.
let layers = ["DatabaseObservation", "Migrations", "RowDecoding", "ValueConversion", "SQLiteDriver"]

// The publishers for Combine, with a stand-in for Apple's framework. It is a package of its own, because the layers have publishers only
// where `canImport(Combine)` is true: Scripts/test.sh builds the stand-in first, and the layers in a folder of their own.
let package = Package(
    name: "CombineTests",
    platforms: [.macOS(.v13)],
    dependencies: layers.map { .package(path: "../../Packages/\($0)") },
    targets: [
        .target(name: "Combine", path: "Sources/Combine"),
        .testTarget(
            name: "CombineTests", dependencies: ["Combine"] + layers.map { .product(name: $0, package: $0) }, path: "Tests/CombineTests"),
    ],
    swiftLanguageModes: [.v6]
)
