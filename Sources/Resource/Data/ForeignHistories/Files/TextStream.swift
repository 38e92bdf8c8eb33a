import Glibc
import StepDomain

/// Bytes of a text. One with a byte 0 is refused: a part that a disk has lost reads as zeros, and no text has them.
final class TextStream: ByteStream {
    private let stream: any ByteStream
    private let path: String
    private var isAtStart = true

    init(_ stream: any ByteStream, path: String) {
        self.stream = stream
        self.path = path
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
        let count = try stream.read(into: buffer)
        try Self.check(UnsafeRawBufferPointer(rebasing: buffer[..<count]), isAtStart: isAtStart, path: path)
        isAtStart = false
        return count
    }

    /// - Throws: `ImportError.malformed` for bytes that are no text in UTF-8 or in an encoding like it.
    static func check(_ bytes: UnsafeRawBufferPointer, isAtStart: Bool, path: String) throws(ImportError) {
        if isAtStart, isUTF16(bytes) { throw wrong(encoding: "UTF-16", path) }
        if let base = bytes.baseAddress, memchr(base, 0, bytes.count) != nil {
            throw .malformed(path: path, reason: "it has a NUL byte: it is damaged, or no text")
        }
    }

    /// Whether a file begins as one in UTF-16 does: with a byte order mark, or with `<` in two bytes.
    static func isUTF16(_ head: some Sequence<UInt8>) -> Bool {
        [[0xfe, 0xff], [0xff, 0xfe], [0, 0x3c], [0x3c, 0]].contains(Array(head.prefix(2)))
    }

    static func wrong(encoding: String, _ path: String) -> ImportError {
        .malformed(path: path, reason: "it is in \(encoding); convert it to UTF-8, such as with iconv")
    }
}
