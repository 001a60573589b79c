import Foundation

/// The URL of a program of the package whose tests run: Swift Package Manager puts it beside the tests.
func builtProgram(_ name: String) -> URL {
    #if os(macOS)
        let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") } ?? .main
        let folder = tests.bundleURL.deletingLastPathComponent()
    #else
        let folder = Bundle.main.bundleURL
    #endif
    return folder.appendingPathComponent(name)
}
