// Rewrites links in the comments of symbol graphs, so that docc resolves them. In the sources, a comment names a symbol of another layer
// as Swift does: ``DatabaseError``. docc wants the layer, too: ``/SQLiteDriver/DatabaseError``. A link to several overloads has no
// target page, and becomes code.
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

    init(_ name: String, in folder: URL) throws {
        self.name = name
        let files = try FileManager.default.contentsOfDirectory(at: folder.appendingPathComponent(name), includingPropertiesForKeys: nil)
        graphs = try files.filter { $0.lastPathComponent.hasSuffix(".symbols.json") }.map {
            ($0, try JSONSerialization.jsonObject(with: Data(contentsOf: $0)) as! JSON)
        }
        for (file, json) in graphs {
            let parts = file.lastPathComponent.dropLast(".symbols.json".count).split(separator: "@")
            for symbol in json["symbols"] as! [JSON] {
                let path = (symbol["pathComponents"] as! [String]).joined(separator: "/")
                let identifier = (symbol["identifier"] as! JSON)["precise"] as! String
                if parts.count == 1 {
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
            if let found = other.extensions[path], let module = other.extendedModules[path] {
                return found.count == 1 ? "``/\(other.name)/\(module)/\(path)``" : code
            }
        }
    }
    return unchanged
}

let folder = URL(fileURLWithPath: CommandLine.arguments[1])
var lower: [Layer] = []
for name in CommandLine.arguments.dropFirst(2) {
    var layer = try Layer(name, in: folder)
    for index in layer.graphs.indices {
        layer.graphs[index].json["symbols"] = (layer.graphs[index].json["symbols"] as! [JSON]).map { symbol in
            guard var comment = symbol["docComment"] as? JSON, var lines = comment["lines"] as? [JSON] else { return symbol }
            let path = symbol["pathComponents"] as! [String]
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
        let (file, json) = layer.graphs[index]
        try JSONSerialization.data(withJSONObject: json).write(to: file)
    }
    lower.append(layer)
}
