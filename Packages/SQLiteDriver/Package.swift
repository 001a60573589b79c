// swift-tools-version: 6.1

import PackageDescription

/// Gives the targets of all folders under Packages/ one package name: `package` symbols of a layer are visible to the layers above it, as
/// they are in the root's Package.swift. SwiftPM accepts unsafe flags here, as clients depend on a folder only by path.
let samePackage: [SwiftSetting] = [.unsafeFlags(["-package-name", "strata"])]

let package = Package(
    name: "SQLiteDriver",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9)],
    products: [
        .library(name: "SQLiteDriver", targets: ["SQLiteDriver"]),
        .library(name: "CSQLite", targets: ["CSQLite"]),
    ],
    targets: [
        // The system's SQLite, for platforms whose SDK has no module for it.
        .systemLibrary(
            name: "CSQLite",
            path: "Sources/CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]
        ),
        // The whole C API under one name on every platform, and plain functions for SQLite's variadic ones.
        .target(
            name: "CSQLiteShims",
            dependencies: [
                // On Apple platforms the shims' header imports the SDK's own module, SQLite3, instead.
                .target(name: "CSQLite", condition: .when(platforms: [.linux, .android, .windows, .openbsd]))
            ],
            path: "Sources/CSQLiteShims"
        ),
        // Keeps the driver from being compiled again with the C target.
        .target(name: "SQLiteShims", dependencies: ["CSQLiteShims"], path: "Sources/SQLiteShims"),
        .target(
            name: "SQLiteDriver",
            dependencies: ["SQLiteShims"],
            path: "Sources/SQLiteDriver",
            packageAccess: false,
            swiftSettings: samePackage
        ),
        .testTarget(
            name: "SQLiteDriverTests",
            dependencies: ["SQLiteDriver"],
            path: "Tests/SQLiteDriverTests",
            packageAccess: false,
            swiftSettings: samePackage
        ),
    ],
    swiftLanguageModes: [.v6]
)
