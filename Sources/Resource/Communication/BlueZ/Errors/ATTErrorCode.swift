/// Error codes of the attribute protocol (Core Specification Vol 3 Part F 3.4.1.1).
package enum ATTErrorCode {
    /// "Invalid handle": the peripheral's table is another one than BlueZ has stored.
    package static let invalidHandle: UInt8 = 0x01
    /// "Unlikely error", which BlueZ also reports for a link that drops in the middle of a request.
    static let unlikely: UInt8 = 0x0e

    /// The code that BlueZ put into a message, such as 0x80 of "Operation failed with ATT error: 0x80".
    static func code(in message: String) -> UInt8? {
        let marker = "ATT error: 0x"
        guard let start = message.firstRange(of: marker)?.upperBound else { return nil }
        let digits = message[start...].prefix { $0.isHexDigit }
        return UInt8(digits, radix: 16)
    }

    static func text(_ code: UInt8) -> String {
        let number = "0x" + (code < 16 ? "0" : "") + String(code, radix: 16)
        guard let name = name(code) else { return number }
        return "\(number) (\(name))"
    }

    private static func name(_ code: UInt8) -> String? {
        switch code {
        case 0x01: "invalid handle"
        case 0x04: "invalid request"
        case 0x09: "queue full"
        case 0x0a: "attribute not found"
        case 0x0e: "unlikely error"
        case 0x10: "unsupported group type"
        case 0x11: "insufficient resources"
        case 0x12: "out of sync"
        case 0x13: "value not allowed"
        case 0x80...0x9f: "of its application"
        case 0xfc: "write request rejected"
        case 0xfd: "notifications not configured"
        case 0xfe: "procedure already in progress"
        case 0xff: "out of range"
        default: nil
        }
    }
}
