/// A message as a modem receives it: a submit PDU in hexadecimal digits (3GPP TS 23.040, section 9.2.2.2), without
/// validity.
struct SubmittedMessage: Equatable {
    let number: String
    let text: String

    init(number: String, text: String) {
        self.number = number
        self.text = text
    }

    /// Reads a message of one part; nil if it is none.
    init?(_ digits: String) {
        var rest = stride(from: 0, to: digits.utf8.count, by: 2).map {
            UInt8(digits.dropFirst($0).prefix(2), radix: 16) ?? 0
        }[...]
        // No message centre, the type, the reference, and the count of digits of the number.
        guard rest.count > 5, rest.removeFirst() == 0, rest.removeFirst() == 1 else { return nil }
        rest.removeFirst()
        let length = Int(rest.removeFirst())
        let plus = rest.removeFirst() == 0x91 ? "+" : ""
        let bytes = rest.prefix((length + 1) / 2)
        rest = rest.dropFirst(bytes.count + 1)
        number = plus + bytes.flatMap { [$0 & 15, $0 >> 4] }.prefix(length).map { String($0) }.joined()
        let coding = rest.removeFirst(), units = Int(rest.removeFirst())
        if coding == 8 {
            let scalars = stride(from: rest.startIndex, to: rest.endIndex - 1, by: 2).map {
                UInt16(rest[$0]) << 8 | UInt16(rest[$0 + 1])
            }
            text = String(decoding: scalars, as: UTF16.self)
        } else {
            let bits = rest.flatMap { byte in (0..<8).map { byte >> $0 & 1 } }
            let septets = (0..<units).map { unit in (0..<7).reduce(UInt8(0)) { $0 | bits[unit * 7 + $1] << UInt8($1) } }
            // Letters, digits and most signs are those of ASCII.
            text = String(decoding: septets, as: UTF8.self)
        }
    }
}
