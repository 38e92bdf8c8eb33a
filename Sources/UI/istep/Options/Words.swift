import ArgumentParser

/// Rules for words of the command line that more than one command takes.
enum Words {
    /// A number as people write it, `72` or `72.5`: no hexadecimal, no exponent, no infinity.
    static func number(_ text: String) throws -> Double {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2e || $0 == 0x2d }),
            let number = Double(text)
        else { throw ValidationError("a number is written like 72 or 72.5") }
        return number
    }

    /// A name for a person or a pedometer. Bytes that are no UTF-8 have become U+FFFD by now.
    static func checkName(_ name: String, of option: String) throws {
        guard !name.allSatisfy(\.isWhitespace), name.count <= 64 else {
            throw ValidationError("\(option) takes 1 to 64 characters.")
        }
        guard !name.unicodeScalars.contains(where: { $0 == "\u{fffd}" || $0.properties.generalCategory == .control }) else {
            throw ValidationError("\(option) '\(name)' has characters that cannot be shown.")
        }
    }
}
