/// Escaping for the two places where a path of the user's choice ends up.
enum AddressEscape {
    /// A value in a D-Bus address (D-Bus specification, "Server Addresses").
    static func escaped(_ path: String) -> String {
        let plain = Set("-/._*0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        let digits = Array("0123456789abcdef".utf8)
        var bytes: [UInt8] = []
        for byte in path.utf8 {
            if plain.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Text in XML. An escaped address holds none of the other special characters.
    static func escapedForXML(_ text: String) -> String {
        text.split(separator: "&", omittingEmptySubsequences: false).joined(separator: "&amp;")
    }
}
