import StepDomain

/// What comes before the outermost element of an XML file. It is left out: some versions of iOS write a document type
/// declaration with errors, and without it no entity is defined.
enum XMLProlog {
    private static let maximumSize = 1 << 20

    /// Reads a file up to its outermost element.
    ///
    /// - Returns: what was read from that on.
    static func skip(_ stream: any ByteStream, upTo root: StaticString, path: String) throws(ImportError) -> [UInt8] {
        var (head, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
        while head.count < maximumSize {
            let count = try stream.read(&buffer)
            if count == 0 { break }
            head += buffer[..<count]
            let start = try head.withUnsafeBufferPointer { bytes throws(ImportError) in
                try find(root, in: bytes, path)
            }
            if let start { return Array(head[start...]) }
        }
        throw .malformed(path: path, reason: "it has no element \(root)")
    }

    /// - Returns: where the element begins; nil if that is not there yet.
    private static func find(
        _ root: StaticString, in bytes: UnsafeBufferPointer<UInt8>, _ path: String
    ) throws(ImportError) -> Int? {
        var position = 0
        while let mark = bytes.first(UInt8(ascii: "<"), from: position) {
            var end = mark + 1
            let name = bytes.name(&end)
            if bytes.has("<!--", at: mark) {
                guard let end = bytes.end(of: "-->", from: mark + 4) else { return nil }
                position = end
            } else if end == bytes.count {
                return nil
            } else if name.equals("!ENTITY") {
                throw .malformed(path: path, reason: "it declares entities")
            } else if name.equals(root) {
                return mark
            } else {
                if name.equals("?xml") {
                    guard let end = bytes.end(of: "?>", from: mark) else { return nil }
                    try checkEncoding(String(decoding: bytes[mark..<end], as: UTF8.self), path)
                }
                position = mark + 1
            }
        }
        return nil
    }

    /// - Parameter declaration: `<?xml version="1.0" encoding="UTF-8"?>`
    private static func checkEncoding(_ declaration: String, _ path: String) throws(ImportError) {
        let words = declaration.split { "=\"' \t\r\n".contains($0) }
        guard let index = words.firstIndex(of: "encoding"), index + 1 < words.count else { return }
        let name = words[index + 1]
        if ["utf-8", "utf8", "us-ascii", "ascii"].contains(name.lowercased()) { return }
        throw TextStream.wrong(encoding: String(name.prefix(40)), path)
    }
}
