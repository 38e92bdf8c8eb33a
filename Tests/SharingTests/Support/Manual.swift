import Foundation

/// What a page of the manual shows in fences.
enum Manual {
    /// - Parameters:
    ///   - language: what follows the opening fence, such as `toml`.
    ///   - page: the name of its file.
    static func blocks(_ language: String, on page: String) throws -> [String] {
        let file = URL(filePath: #filePath).appending(path: "../../../../.github/manual/\(page)").standardizedFileURL
        let fence = "```"
        return try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n\(fence)\(language)\n")
            .dropFirst()
            .map { String($0.prefix(upTo: $0.firstRange(of: fence)?.lowerBound ?? $0.endIndex)) }
    }
}
