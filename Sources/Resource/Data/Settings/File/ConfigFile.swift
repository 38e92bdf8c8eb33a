import Foundation
import Quoting
import TOMLKit

/// A configuration file: its text, read with care, and what TOML makes of it.
struct ConfigFile {
    let path: String
    /// The keys of the top level.
    let entries: [String: SettingEntry]

    /// Bytes. The longest sensible file has some thousand.
    static let limit = 64 * 1024

    /// Nil where there is no such file.
    init?(_ path: String) throws(SettingsError) {
        let file: SmallFile
        do {
            file = try SmallFile(path, limit: ConfigFile.limit)
        } catch {
            switch error {
            case .absent: return nil
            case .notRegular: throw .unreadable(path: path, reason: "it is not a regular file")
            case .tooLarge: throw .tooLarge(path: path, limit: ConfigFile.limit)
            case .unreadable(let reason): throw .unreadable(path: path, reason: reason)
            }
        }
        try self.init(text: ConfigFile.text(file.bytes, path: path), path: path)
    }

    init(text: String, path: String) throws(SettingsError) {
        let scan = KeyScan(text)
        if let line = scan.lineOfTooDeep { throw .tooDeep(path: path, line: line, limit: KeyScan.deepest) }
        let table: TOMLTable
        do {
            table = try TOMLTable(string: text)
        } catch let error as TOMLParseError {
            let position = error.source.begin
            throw .syntax(path: path, line: position.line, column: position.column, reason: reason(error))
        } catch {
            throw .unreadable(path: path, reason: "\(error)")
        }
        // The parser hands C strings over, of which all after an escaped NUL would be left out silently.
        if let line = scan.lineOfNUL { throw .containsNUL(path: path, line: line) }
        self.path = path
        entries = SettingValue.entries(table, scan.places)
    }

    /// Line by line, so that an error can tell where: a line feed is never part of a longer character. The parser takes
    /// a C string, so that all after a NUL would be left out silently.
    private static func text(_ bytes: [UInt8], path: String) throws(SettingsError) -> String {
        if let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) { return text }
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let wrong = lines.firstIndex { $0.contains(0) || String(validating: $0, as: UTF8.self) == nil } ?? 0
        if lines[wrong].contains(0) { throw .containsNUL(path: path, line: wrong + 1) }
        throw .notText(path: path, line: wrong + 1)
    }
}

/// The parser's words without the value of a number that is too large, as it may be a secret without its quotes, and
/// without what a terminal would obey.
private func reason(_ error: TOMLParseError) -> String {
    var words = error.description
    if let start = words.range(of: ": '"), let end = words.range(of: "' ", range: start.upperBound..<words.endIndex) {
        words.replaceSubrange(start.lowerBound..<end.upperBound, with: ": the number ")
    }
    return words.unicodeScalars.map { $0.isUnfitForTerminals ? "?" : String($0) }.joined()
}
