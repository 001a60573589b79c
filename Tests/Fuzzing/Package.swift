// swift-tools-version: 6.1

import PackageDescription

// The program that Scripts/fuzz.sh runs. It is a package of its own, as it needs the fuzzer's main function: only a build with
// `--sanitize=fuzzer` has that.
let package = Package(
    name: "Fuzzing",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "StrataTests", path: "..")],
    targets: [
        .executableTarget(
            name: "fuzzer", dependencies: [.product(name: "FuzzTargets", package: "StrataTests")], path: "Sources/Fuzzer",
            swiftSettings: [.unsafeFlags(["-parse-as-library"])])
    ],
    swiftLanguageModes: [.v6]
)
