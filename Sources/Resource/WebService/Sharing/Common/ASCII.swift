extension UInt8 {
    /// A letter or digit of ASCII.
    var isPlain: Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= self | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= self
    }
}
