import Foundation

/// The tables of destinations that the manual shows.
enum ManualTables {
    static func services() throws -> [String] {
        let file = URL(filePath: #filePath).appending(path: "../../../../.github/manual/services.md")
            .standardizedFileURL
        let manual = try String(contentsOf: file, encoding: .utf8)
        return manual.matches(of: /```toml\n(.*?)```/.dotMatchesNewlines()).map { String($0.1) }
    }
}
