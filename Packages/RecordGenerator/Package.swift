// swift-tools-version: 6.1

import PackageDescription

/// The layers below, nearest first: `make packages` writes them.
///
/// The list contains all of them, although each re-exports the next: SwiftPM ignores re-exports when it decides what to recompile.
/// If a manifest declared only the nearest layer, a change further down would leave this layer compiled with old memory layouts.
let layersBelow = ["Migrations", "SQLiteDriver"]
let productsBelow = layersBelow.map { Target.Dependency.product(name: $0, package: $0) }

/// Gives the targets of all folders under Packages/ one package name: `package` symbols of a layer are visible to the layers above it, as
/// they are in the root's Package.swift. SwiftPM accepts unsafe flags here, as clients depend on a folder only by path.
let samePackage: [SwiftSetting] = [.unsafeFlags(["-package-name", "strata"])]

let package = Package(
    name: "RecordGenerator",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9)],
    products: [
        .library(name: "RecordGenerator", targets: ["RecordGenerator", "StrataCommandSupport"]),
        .plugin(name: "GenerateRecords", targets: ["GenerateRecords"]),
        .plugin(name: "RecordsFromSchema", targets: ["RecordsFromSchema"]),
    ],
    dependencies: layersBelow.map { .package(path: "../\($0)") },
    targets: [
        .target(
            name: "RecordGenerator", dependencies: ["StrataCommandSupport"] + productsBelow, path: "Sources/RecordGenerator",
            packageAccess: false, swiftSettings: samePackage),
        // Arguments, signals and the opening of files: for the plugins' tool, and the command strata. It has no public symbols.
        .target(
            name: "StrataCommandSupport", dependencies: [.product(name: "SQLiteDriver", package: "SQLiteDriver")],
            path: "Sources/StrataCommandSupport", packageAccess: false, swiftSettings: samePackage),
        // The tool of the plugins. It stands on as little as possible, as each package that uses a plugin compiles it.
        .executableTarget(
            name: "RecordGeneratorCommand", dependencies: ["RecordGenerator", "StrataCommandSupport"] + productsBelow,
            path: "Sources/RecordGeneratorCommand", packageAccess: false, swiftSettings: samePackage),
        // Records for packages that depend on Strata: written by a command, or compiled from schema.sql at each build.
        .plugin(
            name: "GenerateRecords",
            capability: .command(
                intent: .custom(verb: "generate-records", description: "Writes Swift records for a database or a schema.sql"),
                permissions: [.writeToPackageDirectory(reason: "Writes the files with the records.")]
            ),
            dependencies: ["RecordGeneratorCommand"],
            path: "Plugins/GenerateRecords"
        ),
        .plugin(
            name: "RecordsFromSchema", capability: .buildTool(), dependencies: ["RecordGeneratorCommand"],
            path: "Plugins/RecordsFromSchema"),
        .testTarget(
            name: "RecordGeneratorTests", dependencies: ["RecordGenerator", "StrataCommandSupport"] + productsBelow,
            path: "Tests/RecordGeneratorTests", exclude: ["Golden"], packageAccess: false, swiftSettings: samePackage),
    ],
    swiftLanguageModes: [.v6]
)
