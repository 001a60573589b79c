// Rewrites links in the comments of symbol graphs, so that docc resolves them. In the sources, a comment names a symbol of another layer
// as Swift does: ``DatabaseError``. docc wants the layer, too: ``/SQLiteDriver/DatabaseError``. A link to several overloads has no
// target page, and becomes code.
//
// It adds the groups of topics.txt to the comments of types.
//
// What implements a requirement of a protocol of a layer becomes a member like others: docc would put DatabasePool's `read` on a page named
// “DatabaseReader Implementations”.
//
//     swift Scripts/link-symbols.swift FOLDER LAYER …
//
// FOLDER/LAYER contains the symbol graphs of each layer. The layers are listed from the lowest to the highest.

import Foundation

typealias JSON = [String: Any]

/// The symbols of a layer that links can name.
struct Layer {
    let name: String
    /// The files of the layer's symbol graphs, with their content.
    var graphs: [(file: URL, json: JSON)]
    /// The paths of the symbols that it declares ("Row/decode(_:)"), with their precise identifiers.
    var declared: [String: Set<String>] = [:]
    /// The same for the symbols with which it extends types of other modules, and those modules.
    var extensions: [String: Set<String>] = [:]
    var extendedModules: [String: String] = [:]
    /// The precise identifiers of all symbols that it declares.
    var identifiers: Set<String> = []
    /// The default implementations of requirements, which docc lists on the pages of the requirements.
    var defaultImplementations: Set<String> = []

    init(_ name: String, in folder: URL) throws {
        self.name = name
        let files = try FileManager.default.contentsOfDirectory(at: folder.appendingPathComponent(name), includingPropertiesForKeys: nil)
        graphs = try files.filter { $0.lastPathComponent.hasSuffix(".symbols.json") }.map {
            ($0, try JSONSerialization.jsonObject(with: Data(contentsOf: $0)) as! JSON)
        }
        for (file, json) in graphs {
            let parts = file.lastPathComponent.dropLast(".symbols.json".count).split(separator: "@")
            for relationship in json["relationships"] as! [JSON] where relationship["kind"] as? String == "defaultImplementationOf" {
                defaultImplementations.insert(relationship["source"] as! String)
            }
            for symbol in json["symbols"] as! [JSON] {
                let path = (symbol["pathComponents"] as! [String]).joined(separator: "/")
                let identifier = (symbol["identifier"] as! JSON)["precise"] as! String
                if parts.count == 1 {
                    identifiers.insert(identifier)
                    declared[path, default: []].insert(identifier)
                } else {
                    extensions[path, default: []].insert(identifier)
                    extendedModules[path] = String(parts[1])
                }
            }
        }
    }
}

/// Returns the text for a link in the comment of a symbol.
func rewritten(_ link: String, of symbol: [String], in layer: Layer, above lower: [Layer]) -> String {
    // A link to one of several overloads, "read(_:)-(_)": the overloads of an extension can't be told apart by docc's suffixes.
    if let suffix = link.range(of: "-(") { return rewritten(String(link[..<suffix.lowerBound]), of: symbol, in: layer, above: lower) }
    let code = "`\(link.split(separator: "/").joined(separator: "."))`"
    let unchanged = "``\(link)``"
    if link.hasPrefix("/") || link.contains("-") && !link.contains("(") { return unchanged }
    // Like docc: first the siblings and parents of the symbol, then the layer's own symbols, then those of lower layers.
    for length in stride(from: symbol.count, through: 0, by: -1) {
        let path = (symbol.prefix(length) + [link]).joined(separator: "/")
        if let found = layer.declared[path] { return found.count == 1 ? unchanged : code }
        if let found = layer.extensions[path], let module = layer.extendedModules[path] {
            return found.count == 1 ? "``/\(layer.name)/\(module)/\(path)``" : code
        }
    }
    for other in lower.reversed() {
        for length in stride(from: symbol.count, through: 0, by: -1) {
            let path = (symbol.prefix(length) + [link]).joined(separator: "/")
            if let found = other.declared[path] { return found.count == 1 ? "``/\(other.name)/\(path)``" : code }
        }
    }
    // A layer that extends a type has a page for the type, too: the page of its declaration comes first.
    for other in lower.reversed() {
        for length in stride(from: symbol.count, through: 0, by: -1) {
            let path = (symbol.prefix(length) + [link]).joined(separator: "/")
            if let found = other.extensions[path], let module = other.extendedModules[path] {
                return found.count == 1 ? "``/\(other.name)/\(module)/\(path)``" : code
            }
        }
    }
    return unchanged
}

/// docc's suffix for one of several symbols of the same path: FNV-1 of the identifier, folded to 24 bits.
func suffix(of identifier: String) -> String {
    let hash = identifier.utf8.reduce(UInt32(2_166_136_261)) { ($0 &* 16_777_619) ^ UInt32($1) }
    return String((hash >> 24) ^ (hash & 0xff_ffff), radix: 36)
}

/// The groups of types' members that topics.txt lists: titles and base names.
let topics: [String: [(title: String, names: [String])]] = {
    var topics: [String: [(title: String, names: [String])]] = [:]
    var type = ""
    for line in try! String(contentsOfFile: "Scripts/topics.txt", encoding: .utf8).split(separator: "\n") where !line.hasPrefix("#") {
        let names = line.split(separator: " ").map(String.init)
        if !line.hasPrefix(" ") {
            type = String(line)
        } else if let group = line.wholeMatch(of: #/    (\S.*): (.*)/#) {
            topics[type, default: []].append((String(group.1), group.2.split(separator: " ").map(String.init)))
        } else {
            topics[type]![topics[type]!.count - 1].names += names
        }
    }
    return topics
}()

/// Returns links to all members of a type that have a base name, or to those of another type: “DatabaseWriter/write”.
func members(_ name: String, of type: String, in layer: Layer) -> [String] {
    for path in ["\(type)/\(name)", name] {
        let members = layer.declared.filter {
            $0.key == path || $0.key.hasPrefix("\(path)(") && !$0.key.dropFirst(path.count).contains("/")
        }
        // Of another type, those that the type does not have itself.
        let others = members.filter {
            $0.key.hasPrefix("\(type)/") || layer.declared["\(type)/\($0.key.split(separator: "/").last!)"] == nil
        }
        let links = others.sorted { $0.key < $1.key }.flatMap { path, identifiers in
            identifiers.subtracting(layer.defaultImplementations).sorted().map {
                identifiers.count == 1 ? "``\(path)``" : "``\(path)-\(suffix(of: $0))``"
            }
        }
        if !links.isEmpty { return links }
    }
    return ["``\(name)``"]  // of which docc warns
}

/// The section of a type's comment with its groups.
func topicLines(of type: String, in layer: Layer) -> [JSON] {
    guard let groups = topics[type] else { return [] }
    let lines = groups.flatMap { group in
        ["", "### \(group.title)", ""] + group.names.flatMap { members($0, of: type, in: layer).map { "- \($0)" } }
    }
    return (["", "## Topics"] + lines).map { ["text": $0] }
}

let folder = URL(fileURLWithPath: CommandLine.arguments[1])
var lower: [Layer] = []
for name in CommandLine.arguments.dropFirst(2) {
    var layer = try Layer(name, in: folder)
    for index in layer.graphs.indices {
        layer.graphs[index].json["symbols"] = (layer.graphs[index].json["symbols"] as! [JSON]).map { symbol in
            guard var comment = symbol["docComment"] as? JSON, var lines = comment["lines"] as? [JSON] else { return symbol }
            let path = symbol["pathComponents"] as! [String]
            if path.count == 1, layer.graphs[index].file.lastPathComponent == "\(name).symbols.json" {
                lines += topicLines(of: path[0], in: layer)
            }
            for line in lines.indices {
                let text = lines[line]["text"] as! String
                guard text.contains("``"), !text.contains("```") else { continue }
                lines[line]["text"] = text.replacing(#/``([^`]+)``/#) { rewritten(String($0.1), of: path, in: layer, above: lower) }
            }
            comment["lines"] = lines
            var symbol = symbol
            symbol["docComment"] = comment
            return symbol
        }
        layer.graphs[index].json["relationships"] = (layer.graphs[index].json["relationships"] as! [JSON]).map { relationship in
            guard let origin = (relationship["sourceOrigin"] as? JSON)?["identifier"] as? String,
                ([layer] + lower).contains(where: { $0.identifiers.contains(origin) })
            else { return relationship }
            return relationship.filter { $0.key != "sourceOrigin" }
        }
        let (file, json) = layer.graphs[index]
        try JSONSerialization.data(withJSONObject: json).write(to: file)
    }
    lower.append(layer)
}
