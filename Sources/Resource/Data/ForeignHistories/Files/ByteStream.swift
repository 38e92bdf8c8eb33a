import CZlib
import Foundation
import StepDomain

/// Bytes of a file, from its beginning.
protocol ByteStream: AnyObject {
    /// - Returns: the number of bytes that were read; 0 at the end.
    /// - Throws: `ImportError`.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int
}

extension ByteStream {
    /// The first bytes, fewer at the end of the file.
    func prefix(_ count: Int) throws(ImportError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            var piece = [UInt8](repeating: 0, count: count - filled)
            let read = try read(&piece)
            if read == 0 { break }
            bytes.replaceSubrange(filled..<(filled + read), with: piece[..<read])
            filled += read
        }
        return Array(bytes[..<filled])
    }

    func read(_ bytes: inout [UInt8]) throws(ImportError) -> Int {
        let result = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(ImportError) in try read(into: buffer) }
        }
        return try result.get()
    }
}

/// A file on the disk, opened for reading.
final class FileStream: ByteStream {
    let path: String
    let descriptor: Int32
    let size: Int

    init(_ path: String) throws(ImportError) {
        self.path = path
        // Not a FIFO or a device, which could block for ever.
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw errno == ENOENT
                ? .missing(path: path) : .unreadable(path: path, reason: String(cString: strerror(errno)))
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw .unreadable(path: path, reason: "it is not a regular file")
        }
        size = Int(status.st_size)
    }

    deinit { close(descriptor) }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
        while true {
            let count = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            if errno != EINTR { throw .unreadable(path: path, reason: String(cString: strerror(errno))) }
        }
    }

    /// Reads at a position, all or nothing.
    func bytes(at offset: Int, _ count: Int) throws(ImportError) -> [UInt8] {
        guard offset >= 0, count >= 0, count <= size - offset else {
            throw .malformed(path: path, reason: "it is truncated")
        }
        var bytes = [UInt8](repeating: 0, count: count)
        let read = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, count, off_t(offset)) }
        guard read == count else { throw .malformed(path: path, reason: "it is truncated") }
        return bytes
    }
}

/// A part of a file, as it stands or deflated. Its checksum is compared when its last byte is read.
final class ZipStream: ByteStream {
    private let file: FileStream
    private let name: String
    private var position: Int
    private var left: Int
    /// Bytes that the archive says it has, and that have not come yet.
    private var expected: Int
    /// CRC-32 that the archive says it has, and that of the bytes so far; nil if it does not matter.
    private let expectedChecksum: UInt32?
    private var checksum: UInt32 = 0
    private let inflater: UnsafeMutableRawPointer?
    private var input: [UInt8] = []
    private var used = 0

    init(
        _ file: FileStream, name: String, at position: Int, compressed: Int, size: Int, checksum: UInt32?,
        isDeflated: Bool
    ) throws(ImportError) {
        self.file = file
        self.name = name
        self.position = position
        left = compressed
        expected = size
        expectedChecksum = checksum
        if let problem = czlib_load() {
            throw .unreadable(path: file.path, reason: "zlib cannot be loaded: \(String(cString: problem))")
        }
        inflater = isDeflated ? czlib_inflate_start() : nil
    }

    deinit { if let inflater { czlib_inflate_end(inflater) } }

    private func refill() throws(ImportError) {
        let count = min(left, 1 << 16)
        input = try file.bytes(at: position, count)
        used = 0
        position += count
        left -= count
    }

    private var damaged: ImportError { .malformed(path: file.path, reason: "\(name) in it is damaged") }

    private func receive(_ count: Int, in buffer: UnsafeMutableRawBufferPointer) throws(ImportError) {
        checksum = czlib_crc32(checksum, buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), count)
        expected -= count
        if expected == 0, let expectedChecksum, checksum != expectedChecksum { throw damaged }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
        guard expected > 0, buffer.count > 0 else { return 0 }
        guard let inflater else {
            let count = min(expected, buffer.count, 1 << 20)
            let bytes = try file.bytes(at: position, count)
            buffer.copyBytes(from: bytes)
            position += count
            try receive(count, in: buffer)
            return count
        }
        while true {
            if used == input.count, left > 0 { try refill() }
            var (inputSize, outputSize) = (input.count - used, min(buffer.count, expected))
            let code = input.withUnsafeBufferPointer {
                czlib_inflate(
                    inflater, $0.baseAddress.map { $0 + used }, &inputSize,
                    buffer.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    &outputSize)
            }
            used += inputSize
            guard code >= 0, code == 0 || expected == outputSize else { throw damaged }
            try receive(outputSize, in: buffer)
            if outputSize > 0 { return outputSize }
            if inputSize == 0, left == 0 { throw .malformed(path: file.path, reason: "\(name) in it is truncated") }
        }
    }
}
