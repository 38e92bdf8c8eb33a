import Foundation

/// A file of the package's sources.
struct Source {
    /// From the package's directory on.
    let path: String
    let pathInModule: String
    let lines: [String]

    var name: String { String(path.split(separator: "/").last ?? "") }
    /// Whether it is a file of the program that makes resources.
    var isWiring: Bool { path.hasPrefix("Sources/UI/istep/Wiring/") && name.hasPrefix("Wiring") }

    /// The modules that it imports, with the numbers of the lines.
    var imports: [(line: Int, module: String)] {
        lines.enumerated().compactMap { index, line in
            let words = line.split(separator: " ")
            guard let keyword = words.firstIndex(of: "import"), words[..<keyword].allSatisfy(Self.isModifier),
                words.count > keyword + 1
            else {
                return nil
            }
            // `import struct Module.Name`
            let name = words.last?.split(separator: ".").first ?? ""
            return (index + 1, String(name))
        }
    }

    private static func isModifier(_ word: Substring) -> Bool {
        word.hasPrefix("@") || ["public", "package", "internal", "fileprivate", "private"].contains(word)
    }

    /// Lines without comments, with their numbers.
    var code: [(line: Int, text: String)] {
        lines.enumerated().map { ($0 + 1, $1.trimmingCharacters(in: .whitespaces)) }.filter { !$0.1.hasPrefix("//") }
    }

    /// The package's directory.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// All words of the Swift files below these directories, comments included.
    static func words(below folders: [String]) throws -> Set<String> {
        var words: Set<String> = []
        for folder in folders {
            let directory = root.appendingPathComponent(folder)
            let walk = FileManager.default.enumerator(atPath: directory.path)
            while let path = walk?.nextObject() as? String {
                guard path.hasSuffix(".swift"), !path.hasSuffix("DocumentationTests.swift") else { continue }
                let text = try String(contentsOf: directory.appendingPathComponent(path), encoding: .utf8)
                for word in text.utf8.split(whereSeparator: { !isOfIdentifier($0) }) {
                    words.insert(String(decoding: word, as: UTF8.self))
                }
            }
        }
        return words
    }

    private static func isOfIdentifier(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            || byte == UInt8(ascii: "_")
    }

    /// All Swift files below `Sources`, by module: its directory is the first that is not a group of modules.
    static func modules() throws -> [String: [Source]] {
        let groups: Set = ["UI", "Domain", "Resource", "Simulation", "Data", "Communication", "WebService"]
        let sources = root.appendingPathComponent("Sources")
        let walk = FileManager.default.enumerator(atPath: sources.path)
        var modules: [String: [Source]] = [:]
        while let path = walk?.nextObject() as? String {
            // Examples in a documentation catalog are programs of their own.
            guard path.hasSuffix(".swift"), !path.contains(".docc/") else { continue }
            let parts = path.split(separator: "/")
            guard let index = parts.firstIndex(where: { !groups.contains(String($0)) }) else { continue }
            let text = try String(contentsOf: sources.appendingPathComponent(path), encoding: .utf8)
            modules[String(parts[index]), default: []].append(
                Source(
                    path: "Sources/" + path, pathInModule: parts[(index + 1)...].joined(separator: "/"),
                    lines: text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)))
        }
        return modules
    }
}
