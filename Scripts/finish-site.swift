// Finishes the site that docc has merged from the archives of all layers:
//
// - one tree of navigation, on each page, with the guides, their sections, and all layers: docc's own has a tree for each layer, in which a
//   search from a guide finds no symbol
// - words under which readers look for a section, from comments below its heading in a guide: `<!-- index: deadline, timeout -->`
// - the name of the site, in its header as a link to the front page, and the titles of pages in their HTML
// - site.css
//
//     swift Scripts/finish-site.swift SITE
//
// It fails if docc writes other files than those that it knows.

import Foundation

typealias JSON = [String: Any]

struct Unknown: Error, CustomStringConvertible {
    var description: String
}

let site = URL(fileURLWithPath: CommandLine.arguments[1], isDirectory: true)

func json(_ path: String) throws -> JSON {
    let data = try Data(contentsOf: site.appendingPathComponent(path))
    guard let object = try JSONSerialization.jsonObject(with: data) as? JSON else { throw Unknown(description: "\(path) is no object") }
    return object
}

/// The words below headings of the guides, by the heading.
func words(of guide: String) throws -> [String: [String]] {
    let folder = "Packages/Strata/Sources/Strata/Strata.docc"
    guard let file = try FileManager.default.contentsOfDirectory(atPath: folder).first(where: { $0.lowercased() == "\(guide).md" }) else {
        return [:]
    }
    var words: [String: [String]] = [:]
    var heading = ""
    for line in try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8).split(separator: "\n") {
        if let match = line.wholeMatch(of: #/#+ (.*)/#) { heading = String(match.1).replacing("`", with: "") }
        if let match = line.wholeMatch(of: #/<!-- index: (.*) -->/#) { words[heading] = match.1.components(separatedBy: ", ") }
    }
    return words
}

/// The sections of a guide, as nodes of the tree.
func sections(of path: String) throws -> [JSON] {
    let words = try words(of: String(path.split(separator: "/").last ?? ""))
    var isUsed: Set<String> = []
    let content = try json("data\(path).json")["primaryContentSections"] as? [JSON] ?? []
    // docc makes quotes typographic.
    func plain(_ title: String) -> String { title.replacing("’", with: "'") }
    let sections: [JSON] = content.flatMap { $0["content"] as? [JSON] ?? [] }.compactMap { block in
        guard block["type"] as? String == "heading", block["level"] as? Int == 3,
            let title = block["text"] as? String, let anchor = block["anchor"] as? String
        else { return nil }
        isUsed.insert(plain(title))
        let target = "\(path)#\(anchor)"
        return [
            "title": title, "path": target, "type": "section",
            "children": words[plain(title), default: []].map { ["title": $0, "path": target, "type": "section"] },
        ]
    }
    if let heading = words.keys.first(where: { !isUsed.contains($0) }) {
        throw Unknown(description: "\(path): words of the index are below \(heading), which is no heading of a section")
    }
    return sections
}

/// Changes the only file of a folder whose name begins with a prefix.
func change(_ prefix: String, in folder: String, _ body: (inout String) throws -> Void) throws {
    let folder = site.appendingPathComponent(folder)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix(prefix) }
    guard files.count == 1 else { throw Unknown(description: "\(files.count) files of \(folder.path) begin with \(prefix)") }
    let file = folder.appendingPathComponent(files[0])
    var text = try String(contentsOf: file, encoding: .utf8)
    try body(&text)
    try text.write(to: file, atomically: true, encoding: .utf8)
}

/// Replaces text that must be there.
func replace(_ old: String, by new: String, in text: inout String) throws {
    guard text.contains(old) else { throw Unknown(description: "the scripts of pages lack \(old)") }
    text = text.replacing(old, with: new)
}

/// Makes one tree of the trees of all modules.
func writeTree() throws {
    var index = try json("index/index.json")
    guard var languages = index["interfaceLanguages"] as? [String: [JSON]], let root = languages["swift"]?.first,
        let modules = root["children"] as? [JSON], let guides = modules.first, guides["path"] as? String == "/documentation/strata",
        languages["swift"]?.count == 1, modules.allSatisfy({ $0["type"] as? String == "module" })
    else { throw Unknown(description: "index/index.json has no tree of modules that begins with Strata") }
    var children: [JSON] = try (guides["children"] as? [JSON] ?? []).map { guide in
        guard guide["type"] as? String == "article", let path = guide["path"] as? String else { return guide }
        return guide.merging(["children": try sections(of: path)]) { $1 }
    }
    children.append(["title": "Layers", "type": "groupMarker"])
    // The page shows the tree of the module in its address, if there is one: here, only the root is a module.
    children += modules.dropFirst().map { $0.merging(["type": "framework"]) { $1 } }
    languages["swift"] = [guides.merging(["children": children]) { $1 }]
    index["interfaceLanguages"] = languages
    try JSONSerialization.data(withJSONObject: index).write(to: site.appendingPathComponent("index/index.json"))
}

/// Puts the name of the site into the header, as a link to the front page, and adds the style sheet.
func nameSite() throws {
    try change("index.", in: "js") { text in
        try replace(#""documentation":{"title":"Documentation""#, by: #""documentation":{"title":"Strata""#, in: &text)
        try replace(#"["meta","title"],"Documentation""#, by: #"["meta","title"],"Strata""#, in: &text)
    }
    try change("documentation-topic.", in: "js") { text in
        try replace(
            #"e.rootLink?"router-link":"h2",{tag:"component",class:n,attrs:{to:e.rootLink}}"#,
            by: #""router-link",{tag:"component",class:n,attrs:{to:e.rootLink||{path:"/documentation/strata/"}}}"#, in: &text)
    }
    try change("documentation-topic.", in: "css") { text in
        guard text.contains(".OnThisPageStickyContainer"), text.contains(".documentation-hero .background-icon") else {
            throw Unknown(description: "pages have other parts than those that site.css names")
        }
        text += try String(contentsOfFile: "Scripts/site.css", encoding: .utf8)
    }
}

/// Puts the titles of pages into their HTML.
func writeTitles() throws {
    let pages = FileManager.default.enumerator(atPath: site.appendingPathComponent("documentation").path)!
    for case let page as String in pages where page.hasSuffix("/index.html") {
        let name = page.dropLast("/index.html".count)
        guard let metadata = try json("data/documentation/\(name).json")["metadata"] as? JSON, let title = metadata["title"] as? String
        else {
            continue
        }
        let escaped = title.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        let file = site.appendingPathComponent("documentation/\(page)")
        let text = try String(contentsOf: file, encoding: .utf8)
        let titled = text.replacing("<title>Documentation</title>", with: "<title>\(escaped) | Strata</title>")
        guard titled != text else { throw Unknown(description: "\(page) has another title") }
        try titled.write(to: file, atomically: false, encoding: .utf8)
    }
}

do {
    try writeTree()
    try nameSite()
    try writeTitles()
} catch {
    FileHandle.standardError.write(Data("Scripts/finish-site.swift: \(error)\n".utf8))
    exit(1)
}
