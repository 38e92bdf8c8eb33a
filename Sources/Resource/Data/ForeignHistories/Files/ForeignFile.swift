import Foundation
import StepDomain

/// A file, wherever it is.
final class ForeignFile {
    enum Location {
        case disk(String)
        case archive(String, ZipArchive, ZipArchive.Member)
    }

    /// What its first bytes show.
    enum Kind {
        case sqlite, zip, xml, json, fit, text, other

        var isText: Bool { [.xml, .json, .text].contains(self) }
    }

    /// Its path below the folder or in the archive.
    let name: String
    let size: Int
    private let location: Location
    private var temporary: TemporaryFolder?
    /// Counts what is read of it.
    var meter: ReadingMeter?

    init(name: String, size: Int, location: Location) {
        self.name = name
        self.size = size
        self.location = location
    }

    /// The last part of its path.
    var baseName: String { (name as NSString).lastPathComponent }

    static let headLength = 4000

    /// The first `headLength` bytes of a text; empty for other files, of which a folder can have a hundred thousand,
    /// and for one that cannot be read.
    var head: [UInt8] { beginning.head }

    var kind: Kind { beginning.kind }

    /// Why its first bytes cannot be read; nil if they can.
    var fault: ImportError? { beginning.fault }

    /// A small file is read to its end here: its checksum is compared when it is imported.
    private lazy var beginning: (head: [UInt8], kind: Kind, fault: ImportError?) = {
        do throws(ImportError) {
            let bytes = try stream(isVerified: false).prefix(Self.headLength)
            let kind = Self.kind(of: bytes)
            return (kind.isText || TextStream.isUTF16(bytes) ? bytes : [], kind, nil)
        } catch {
            return ([], .other, error)
        }
    }()

    private static func kind(of head: [UInt8]) -> Kind {
        if head.starts(with: Array("SQLite format 3\0".utf8)) { return .sqlite }
        if head.starts(with: [0x50, 0x4b, 0x03, 0x04]) { return .zip }
        if head.count >= 12, Array(head[8..<12]) == Array(".FIT".utf8) { return .fit }
        var text = head[...]
        if text.starts(with: [0xef, 0xbb, 0xbf]) { text = text.dropFirst(3) }
        // Of a damaged text, the part before the first zero decides; `TextStream` refuses it when it is read.
        let zero = text.firstIndex(of: 0)
        if let zero {
            text = text[..<zero]
            if text.contains(where: { $0 < 0x20 && ![0x09, 0x0a, 0x0d].contains($0) }) { return .other }
        }
        if text.isEmpty { return .other }
        switch text.first(where: { ![0x20, 0x09, 0x0a, 0x0d].contains($0) }) {
        case UInt8(ascii: "<"): return .xml
        case UInt8(ascii: "{"), UInt8(ascii: "["): return .json
        default:
            // Pictures, sounds and archives can begin with letters and a zero, but seldom with a line.
            let hasLine = text.contains { $0 == 0x0a || $0 == 0x0d }
            return zero == nil || hasLine || TextStream.isUTF16(head) ? .text : .other
        }
    }

    var headText: String { String(decoding: head, as: UTF8.self) }

    /// The path of the file or of the archive that it is in, for messages.
    var path: String {
        switch location {
        case .disk(let path): path
        case .archive(let path, _, let member): "\(path): \(member.name)"
        }
    }

    func open() throws(ImportError) -> any ByteStream {
        let stream = try stream()
        return meter.map { MeteredStream(stream, $0) } ?? stream
    }

    private func stream(isVerified: Bool = true) throws(ImportError) -> any ByteStream {
        switch location {
        case .disk(let path): try FileStream(path)
        case .archive(_, let archive, let member): try archive.open(member, isVerified: isVerified)
        }
    }

    /// Its content as text.
    func text() throws(ImportError) -> any ByteStream { TextStream(try open(), path: path) }

    /// - Throws: `ImportError.malformed` if it should be text, and its first bytes are none.
    func checkHead() throws(ImportError) {
        guard kind.isText else { return }
        let head = head, path = path
        try head.withUnsafeBufferPointer { bytes throws(ImportError) in
            try TextStream.check(UnsafeRawBufferPointer(bytes), isAtStart: true, path: path)
        }
    }

    /// Bytes of a database that is copied.
    private static let maximumCopied = 4 << 30

    /// Its database, opened for reading.
    ///
    /// - Parameter allowingCode: whether it may have views, triggers and virtual tables.
    func database(allowingCode: Bool = false) throws(ImportError) -> ForeignDatabase {
        let database = try openedDatabase()
        if !allowingCode { try database.refuseForeignCode() }
        return database
    }

    private func openedDatabase() throws(ImportError) -> ForeignDatabase {
        switch location {
        case .disk(let path):
            // A log beside it has the newest rows; reading it would change files of another program.
            var log = stat()
            if stat(path + "-wal", &log) == 0, log.st_size > 0 {
                let folder = try TemporaryFolder()
                temporary = folder
                let copy = folder.path + "/copy.db"
                try Self.copy(try FileStream(path), to: copy)
                try Self.copy(try FileStream(path + "-wal"), to: copy + "-wal")
                return try ForeignDatabase(copy, shownAs: path, isImmutable: false)
            }
            return try ForeignDatabase(path, shownAs: path)
        case .archive(_, let archive, let member):
            let folder = try TemporaryFolder()
            temporary = folder
            let copy = folder.path + "/copy.db"
            try Self.copy(try stream(), to: copy)
            let log = archive.members.first { $0.name == member.name + "-wal" && $0.size > 0 }
            if let log { try Self.copy(try archive.open(log, isVerified: true), to: copy + "-wal") }
            return try ForeignDatabase(copy, shownAs: self.path, isImmutable: log == nil)
        }
    }

    private static func copy(_ stream: any ByteStream, to path: String) throws(ImportError) {
        let output = Foundation.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw .unreadable(path: path, reason: String(cString: strerror(errno))) }
        defer { close(output) }
        var (buffer, done) = ([UInt8](repeating: 0, count: 1 << 16), 0)
        while true {
            let count = try stream.read(&buffer)
            if count == 0 { return }
            done += count
            if done > maximumCopied { throw .tooMuch("a database of more than \(maximumCopied >> 30) GB in it") }
            var written = 0
            while written < count {
                let more = buffer.withUnsafeBytes {
                    write(output, $0.baseAddress.map { $0 + written }, count - written)
                }
                if more < 0, errno == EINTR { continue }
                guard more > 0 else { throw .unreadable(path: path, reason: String(cString: strerror(errno))) }
                written += more
            }
        }
    }
}
