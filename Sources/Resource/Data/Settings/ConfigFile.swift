import Foundation
import TOMLKit

/// A configuration file: its text, read with care, and what TOML makes of it.
struct ConfigFile {
    let path: String
    private let text: String
    private let table: TOMLTable

    /// Bytes. The longest sensible file has some hundred.
    static let limit = 64 * 1024

    /// Nil where there is no such file.
    init?(_ path: String) throws(SettingsError) {
        guard let bytes = try contents(of: path) else { return nil }
        self.path = path
        text = try ConfigFile.text(bytes, path: path)
        do {
            table = try TOMLTable(string: text)
        } catch let error as TOMLParseError {
            let position = error.source.begin
            throw .syntax(path: path, line: position.line, column: position.column, reason: error.description)
        } catch {
            throw .unreadable(path: path, reason: "\(error)")
        }
    }

    var keys: [String] { table.keys }

    func value(of key: SettingKey) -> (any TOMLValueConvertible)? { table[key.rawValue] }

    /// The line, from 1, on which a key of the top level stands, or nil where it is written with escapes.
    ///
    /// The parser tells no places of values. So each line that begins with the key is a candidate, and it is the key's
    /// if the lines before it are TOML by themselves, which they are not within a multi-line text or array.
    func line(of key: String) -> Int? {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() where begins(line, with: key) {
            let before = lines[..<index].joined(separator: "\n")
            if let table = try? TOMLTable(string: before), table[key] == nil { return index + 1 }
        }
        return nil
    }

    private func begins(_ line: Substring, with key: String) -> Bool {
        var rest = line.drop { $0 == " " || $0 == "\t" || $0 == "[" || $0 == "\u{FEFF}" }
        if let quote = rest.first, quote == "\"" || quote == "'" { rest = rest.dropFirst() }
        guard rest.hasPrefix(key) else { return false }
        rest = rest.dropFirst(key.count)
        return rest.first.map { " \t=.]\"'".contains($0) } ?? false
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

/// The bytes of a file, or nil where there is none.
private func contents(of path: String) throws(SettingsError) -> [UInt8]? {
    func failure(_ code: Int32 = errno) -> SettingsError {
        .unreadable(path: path, reason: String(cString: strerror(code)))
    }
    // Not blocking: the opening of a named pipe waits for a writer, who may never come.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard file >= 0 else {
        if errno == ENOENT || errno == ENOTDIR { return nil }
        throw failure()
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw failure() }
    if status.st_mode & S_IFMT == S_IFDIR { throw failure(EISDIR) }
    guard status.st_mode & S_IFMT == S_IFREG || isNull(status) else {
        throw .unreadable(path: path, reason: "it is not a regular file")
    }

    var bytes = [UInt8](repeating: 0, count: ConfigFile.limit + 1)
    var length = 0
    while length < bytes.count {
        let count = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress.map { $0 + length }, $0.count - length) }
        if count < 0 && errno == EINTR { continue }
        guard count >= 0 else { throw failure() }
        if count == 0 { break }
        length += count
    }
    guard length <= ConfigFile.limit else { throw .tooLarge(path: path, limit: ConfigFile.limit) }
    return Array(bytes[..<length])
}

/// Whether a file is /dev/null, by which one says that there is no configuration.
private func isNull(_ file: stat) -> Bool {
    var null = stat()
    return file.st_mode & S_IFMT == S_IFCHR && stat("/dev/null", &null) == 0 && file.st_rdev == null.st_rdev
}
