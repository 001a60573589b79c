// swift-tools-version: 6.1

// The face of Strata for packages that depend on it by URL: SwiftPM refuses a remote package that has path dependencies,
// as those under Packages/ have. It declares their targets once more; `make lint` checks that the two agree.

import PackageDescription

/// The layers, lowest first. Each re-exports those before it.
let layers = ["SQLiteDriver", "ValueConversion", "RowDecoding", "QueryInterface", "Persistence", "CodableSupport", "Strata"]

/// A layer's target depends on all the layers below, and its product lists them, although the nearest one would do to link:
/// SwiftPM follows no re-exports when it decides what to compile again, and would leave a layer, or a client, compiled against
/// old memory layouts after a change further down.
let package = Package(
    name: "Strata",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9)],
    products: [
        .library(name: "CSQLite", targets: ["CSQLite"])
    ]
        + layers.indices.map { index in
            .library(name: layers[index], targets: layers[...index].reversed())
        },
    targets: [
        // The system's SQLite, where no SDK has a module for it.
        .systemLibrary(
            name: "CSQLite",
            path: "Packages/SQLiteDriver/Sources/CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]
        ),
        // The whole C API under one name on every platform, and SQLite's variadic functions as plain ones.
        .target(
            name: "CSQLiteShims",
            dependencies: [
                // On Apple platforms the shims' header imports the SDK's own module, SQLite3, instead.
                .target(name: "CSQLite", condition: .when(platforms: [.linux, .android, .windows, .openbsd]))
            ],
            path: "Packages/SQLiteDriver/Sources/CSQLiteShims"
        ),
        .target(name: "SQLiteDriver", dependencies: ["CSQLiteShims"], path: "Packages/SQLiteDriver/Sources/SQLiteDriver"),
        // Has the functions and collations of ValueConversion registered, in every program that links it.
        .target(
            name: "CValueConversion",
            dependencies: ["SQLiteDriver"],
            path: "Packages/ValueConversion/Sources/CValueConversion"
        ),
    ]
        + layers.indices.dropFirst().map { index in
            .target(
                name: layers[index],
                dependencies: layers[..<index].reversed().map { .target(name: $0) }
                    + (layers[index] == "ValueConversion" ? ["CValueConversion"] : []),
                path: "Packages/\(layers[index])/Sources/\(layers[index])"
            )
        },
    swiftLanguageModes: [.v6]
)
