// Checks the manifests of the repository, which check-manifests.sh dumps as JSON into a folder with the same layout.
//
// - The root manifest and those under Packages/ declare the same targets and products, with the same dependencies, settings and
//   platforms. They differ only in test targets, in how they name a layer (as a target, or as a product of another package, which may have
//   several targets), and in the package name that the Swift targets under Packages/ share by a compiler flag.
// - A target that depends on a package also depends on all packages below it. The packages' manifests explain why.
// - The root manifest has no unsafe flags, with which SwiftPM refuses a package to clients that depend on it by URL. Those under Packages/
//   have only the package name. Tests/ and Examples/ do not have it, because they use the public API.

import Foundation

typealias JSON = [String: Any]

struct Manifest {
    let name: String
    let json: JSON

    init(_ name: String, in dumps: URL) throws {
        self.name = name
        let url = dumps.appendingPathComponent(name).appendingPathComponent("manifest.json")
        json = try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as! JSON
    }

    var targets: [JSON] { json["targets"] as! [JSON] }
    var products: [JSON] { json["products"] as! [JSON] }
}

/// Returns a JSON value as normalized text, for comparison and for messages.
func text(_ value: Any?) -> String {
    let options: JSONSerialization.WritingOptions = [.sortedKeys, .fragmentsAllowed, .withoutEscapingSlashes]
    let data = try! JSONSerialization.data(withJSONObject: value ?? NSNull(), options: options)
    return String(decoding: data, as: UTF8.self)
}

var complaints: [String] = []
func compare(_ subject: String, _ ours: String, in name: String, with root: String) {
    if ours != root {
        complaints.append("\(subject) differs: \(ours) in \(name)/Package.swift, \(root) in the root's Package.swift")
    }
}

let dumps = URL(fileURLWithPath: CommandLine.arguments[1])
func folders(in folder: String) throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: dumps.appendingPathComponent(folder).path))
}
let root = try Manifest(".", in: dumps)
let packages = try folders(in: "Packages").sorted().map { try Manifest("Packages/\($0)", in: dumps) }
let others = try folders(in: ".").intersection(["Tests", "Examples"]).sorted().map { try Manifest($0, in: dumps) }

/// The targets of each library of the packages. A target that depends on a library depends on them.
let libraries = Dictionary(
    uniqueKeysWithValues: packages.flatMap(\.products).filter { text($0["type"]).contains("library") }
        .map { ($0["name"] as! String, $0["targets"] as! [String]) })

/// Returns the names of the targets on which a target depends, with their conditions. Dependencies declared as `.target`, as `.product` or
/// by a plain name are lists with the name first and the condition last.
func dependencies(of target: JSON) -> [String: String] {
    var conditions: [String: String] = [:]
    for dependency in target["dependencies"] as! [JSON] {
        for (kind, fields) in dependency {
            guard let fields = fields as? [Any], let name = fields.first as? String else { continue }
            for target in kind == "product" ? libraries[name] ?? [name] : [name] { conditions[target] = text(fields.last) }
        }
    }
    return conditions
}

/// The layers, and what packages have for those above them.
let layers = Set(
    packages.flatMap { package in
        package.targets.filter { $0["type"] as? String == "regular" }.map { $0["name"] as! String }
    }
).intersection(libraries.values.joined())

// MARK: The layers, and the layers below each of them

var layersBelow: [String: Set<String>] = [:]
for package in packages {
    for target in package.targets where target["type"] as? String == "regular" {
        // Only layers count: the shims are internal to the driver.
        layersBelow[target["name"] as! String] = layers.intersection(dependencies(of: target).keys)
    }
}
for manifest in packages + others {
    for target in manifest.targets {
        let declared = Set(dependencies(of: target).keys)
        let missing = declared.reduce(into: Set<String>()) { $0.formUnion(layersBelow[$1] ?? []) }.subtracting(declared)
        if !missing.isEmpty {
            let list = missing.sorted().joined(separator: ", ")
            complaints.append("\(manifest.name)/Package.swift: \(target["name"]!) must also depend on \(list)")
        }
    }
}

// MARK: The root manifest and the packages' manifests

/// Settings that the Swift targets under Packages/ declare and the root's do not, because they are one package there.
let packageName: JSON = [
    "packageAccess": false,
    "settings": [["tool": "swift", "kind": ["unsafeFlags": ["_0": ["-package-name", "strata"]]]]],
]

var rootTargets = Dictionary(uniqueKeysWithValues: root.targets.map { ($0["name"] as! String, $0) })
var rootProducts = Dictionary(uniqueKeysWithValues: root.products.map { ($0["name"] as! String, $0) })
for package in packages {
    for key in ["platforms", "swiftLanguageVersions", "cLanguageStandard", "cxxLanguageStandard", "toolsVersion", "defaultLocalization"] {
        compare(key, text(package.json[key]), in: package.name, with: text(root.json[key]))
    }
    for target in package.targets where target["type"] as? String != "test" {
        let name = target["name"] as! String
        guard let rootTarget = rootTargets.removeValue(forKey: name) else {
            complaints.append("The root's Package.swift lacks the target \(name) of \(package.name)")
            continue
        }
        compare("\(name): dependencies", text(dependencies(of: target)), in: package.name, with: text(dependencies(of: rootTarget)))
        compare("\(name): path", "\(package.name)/\(target["path"] ?? "")", in: package.name, with: rootTarget["path"] as? String ?? "")
        let isSwift = layers.contains(name) || target["type"] as? String == "executable"
        let expected = isSwift ? rootTarget.merging(packageName) { $1 } : rootTarget
        for key in Set(target.keys).union(expected.keys).sorted() where key != "dependencies" && key != "path" {
            compare("\(name): \(key)", text(target[key]), in: package.name, with: text(expected[key]))
        }
    }
    for target in package.targets where target["type"] as? String == "test" {
        if text(target.filter { packageName[$0.key] != nil }) != text(packageName) {
            complaints.append("\(package.name)/Package.swift: \(target["name"]!) must have the settings of the other targets")
        }
    }
    for product in package.products {
        let name = product["name"] as! String
        guard let rootProduct = rootProducts.removeValue(forKey: name) else {
            complaints.append("The root's Package.swift lacks the product \(name) of \(package.name)")
            continue
        }
        // The root's product also lists the layers below, which are products of other packages here.
        let targets = product["targets"] as! [String]
        let expected = targets.reduce(into: Set(targets)) { $0.formUnion(layersBelow[$1] ?? []) }
        let actual = rootProduct["targets"] as! [String]
        compare("product \(name): targets", text(expected.sorted()), in: package.name, with: text(actual.sorted()))
        compare("product \(name): type", text(product["type"]), in: package.name, with: text(rootProduct["type"]))
    }
    for dependency in package.json["dependencies"] as! [JSON] where dependency["fileSystem"] == nil {
        compare("dependencies", text(dependency), in: package.name, with: "none")
    }
}
for name in rootTargets.keys.sorted() {
    complaints.append("No package under Packages/ has the target \(name) of the root's Package.swift")
}
for name in rootProducts.keys.sorted() {
    complaints.append("No package under Packages/ has the product \(name) of the root's Package.swift")
}
for manifest in [root] + others where text(manifest.json).contains("unsafeFlags") {
    complaints.append("\(manifest.name)/Package.swift has unsafe flags")
}

for complaint in complaints {
    FileHandle.standardError.write(Data("\(complaint)\n".utf8))
}
exit(complaints.isEmpty ? 0 : 1)
