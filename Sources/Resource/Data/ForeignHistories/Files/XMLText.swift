import Glibc

/// Pieces of XML as bytes, which are searched and compared without making texts of them.

func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 }

extension UnsafeBufferPointer<UInt8> {
    func equals(_ word: StaticString) -> Bool {
        count == word.utf8CodeUnitCount && has(word, at: 0)
    }

    func equals(_ other: Self) -> Bool {
        guard let baseAddress, let base = other.baseAddress, count == other.count else { return count == other.count }
        return memcmp(baseAddress, base, count) == 0
    }

    /// Whether it is a text with references that says a word.
    func isWritten(_ word: StaticString) -> Bool {
        // Each reference is longer than its character.
        count > word.utf8CodeUnitCount && first(UInt8(ascii: "&"), from: 0) != nil && decoded == "\(word)"
    }

    func has(_ word: StaticString, at position: Int) -> Bool {
        guard let baseAddress, count - position >= word.utf8CodeUnitCount else { return false }
        return memcmp(baseAddress + position, word.utf8Start, word.utf8CodeUnitCount) == 0
    }

    func first(_ byte: UInt8, from position: Int) -> Int? {
        guard let baseAddress, position < count else { return nil }
        return memchr(baseAddress + position, Int32(byte), count - position).map {
            UnsafeRawPointer($0) - UnsafeRawPointer(baseAddress)
        }
    }

    /// The end of the first occurrence.
    func end(of word: StaticString, from position: Int) -> Int? {
        var position = position
        while let start = first(word.utf8Start.pointee, from: position) {
            if has(word, at: start) { return start + word.utf8CodeUnitCount }
            position = start + 1
        }
        return nil
    }

    func skipBlanks(_ position: inout Int) {
        while position < count, isBlank(self[position]) { position += 1 }
    }

    /// Up to a blank or a mark of a tag.
    func name(_ position: inout Int) -> UnsafeBufferPointer<UInt8> {
        let start = position
        while position < count {
            switch self[position] {
            // / < = > and quotes
            case ...0x20, 0x2f, 0x3c, 0x3d, 0x3e, 0x22, 0x27:
                return UnsafeBufferPointer(rebasing: self[start..<position])
            default: position += 1
            }
        }
        return UnsafeBufferPointer(rebasing: self[start...])
    }

    /// The character that a reference stands for which these bytes begin with, and the bytes of the reference; nil for
    /// an entity that XML does not have by itself.
    var reference: (character: UnicodeScalar, length: Int)? {
        guard let end = first(UInt8(ascii: ";"), from: 0), end <= 11 else { return nil }
        let name = String(decoding: self[1..<end], as: UTF8.self)
        let known: [String: UnicodeScalar] = ["lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'"]
        if let character = known[name] { return (character, end + 1) }
        guard name.first == "#" else { return nil }
        let digits = name.dropFirst()
        let value = digits.first == "x" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return value.flatMap { UnicodeScalar($0) }.map { ($0, end + 1) }
    }

    /// A value with its references replaced; nil if it has an `&` that begins none.
    var decoded: String? {
        var (text, position) = ("", 0)
        while let mark = first(UInt8(ascii: "&"), from: position) {
            guard let found = UnsafeBufferPointer(rebasing: self[mark...]).reference else { return nil }
            text += String(decoding: self[position..<mark], as: UTF8.self)
            text.unicodeScalars.append(found.character)
            position = mark + found.length
        }
        return text + String(decoding: self[position...], as: UTF8.self)
    }
}
