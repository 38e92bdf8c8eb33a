import Foundation
import Support
import TOMLKit

/// A configuration file: its text, and the result of parsing it as TOML.
struct ConfigFile {
    let path: String
    /// The keys of the top level.
    let entries: [String: SettingEntry]

    /// In bytes. The longest useful file has a few thousand.
    static let limit = 64 * 1024

    /// Nil if there is no such file.
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
        if let fault = scan.fault {
            throw .syntax(path: path, line: fault.line, column: fault.column, reason: fault.reason)
        }
        let table: TOMLTable
        do {
            table = try TOMLTable(string: text)
        } catch let error as TOMLParseError {
            let position = error.source.begin
            throw .syntax(path: path, line: position.line, column: position.column, reason: reason(error))
        } catch {
            throw .unreadable(path: path, reason: "\(error)")
        }
        // The parser returns C strings, so all text after an escaped NUL would be lost without an error.
        if let line = scan.lineOfNUL { throw .containsNUL(path: path, line: line) }
        self.path = path
        entries = SettingValue.entries(table, scan.positions)
    }

    /// Decodes the text line by line, so that an error can name the line: a line feed is never part of a longer
    /// character. The parser takes a C string, so all text after a NUL would be lost without an error.
    private static func text(_ bytes: [UInt8], path: String) throws(SettingsError) -> String {
        if let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) { return text }
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let wrong = lines.firstIndex { $0.contains(0) || String(validating: $0, as: UTF8.self) == nil } ?? 0
        if lines[wrong].contains(0) { throw .containsNUL(path: path, line: wrong + 1) }
        throw .notText(path: path, line: wrong + 1)
    }
}

/// The parser's message without the value of a number that is too large, because it may be a secret without quotes, and
/// without characters that a terminal would interpret.
private func reason(_ error: TOMLParseError) -> String {
    var words = error.description
    if let start = words.range(of: ": '"), let end = words.range(of: "' ", range: start.upperBound..<words.endIndex) {
        words.replaceSubrange(start.lowerBound..<end.upperBound, with: ": the number ")
    }
    return replaced(words, with: "?")
}

/// The line of each key of a TOML document.
///
/// A tree in an array: a document may be nested deeply, but no function recurses that deeply.
struct KeyPositions {
    /// A key, by its index in the array.
    struct Key: Hashable {
        fileprivate let index: Int
        /// The key of the top level, which has no line.
        static let root = Key(index: 0)
    }

    private struct Node {
        var line: Int?
        /// Whether the line is that of a header or a value, and not only that of a nested key.
        var isDefined = false
        var children: [String: Key] = [:]
    }

    private var nodes = [Node()]

    /// From 1. The line of the header or the value; for a table without either, the line of the first key in it.
    func line(of key: Key) -> Int? { nodes[key.index].line }

    func key(_ name: String, in parent: Key) -> Key? { nodes[parent.index].children[name] }

    /// - Parameter path: a key as it is written, split at its dots.
    mutating func define(_ path: [String], in parent: Key, line: Int) -> Key {
        var key = parent
        for name in path {
            if let known = nodes[key.index].children[name] {
                key = known
            } else {
                nodes.append(Node(line: line))
                nodes[key.index].children[name] = Key(index: nodes.count - 1)
                key = Key(index: nodes.count - 1)
            }
        }
        if !nodes[key.index].isDefined { nodes[key.index].line = line }
        nodes[key.index].isDefined = true
        return key
    }
}

/// A file that is read up to a limit and without blocking.
struct SmallFile {
    let bytes: [UInt8]
    /// Bits of the mode without the type.
    let mode: mode_t
    let owner: uid_t

    enum Failure: Error, Hashable {
        case absent
        /// Neither a regular file nor /dev/null.
        case notRegular
        case tooLarge
        /// In the words of the system.
        case unreadable(String)

        fileprivate init(_ code: Int32) { self = .unreadable(String(cString: strerror(code))) }
    }

    /// - Parameter limit: bytes.
    init(_ path: String, limit: Int) throws(Failure) {
        // Not blocking: opening a named pipe waits for a writer, which may never come.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else { throw errno == ENOENT || errno == ENOTDIR ? .absent : Failure(errno) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw Failure(errno) }
        if status.st_mode & S_IFMT == S_IFDIR { throw Failure(EISDIR) }
        guard status.st_mode & S_IFMT == S_IFREG || isNull(status) else { throw .notRegular }

        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var length = 0
        while length < bytes.count {
            let count = bytes.withUnsafeMutableBytes {
                read(file, $0.baseAddress.map { $0 + length }, $0.count - length)
            }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw Failure(errno) }
            if count == 0 { break }
            length += count
        }
        guard length <= limit else { throw .tooLarge }
        self.bytes = Array(bytes[..<length])
        mode = status.st_mode & 0o7777
        owner = status.st_uid
    }
}

/// Whether a file is /dev/null, which stands for an empty file.
private func isNull(_ file: stat) -> Bool {
    var null = stat()
    return file.st_mode & S_IFMT == S_IFCHR && stat("/dev/null", &null) == 0 && file.st_rdev == null.st_rdev
}
