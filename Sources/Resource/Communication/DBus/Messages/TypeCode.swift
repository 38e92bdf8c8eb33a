/// The type codes of D-Bus as libdbus passes them around (its own are macros with a cast, which Swift does not see).
enum TypeCode {
    static let invalid: Int32 = 0
    static let byte = code("y")
    static let boolean = code("b")
    static let int16 = code("n")
    static let uint16 = code("q")
    static let int32 = code("i")
    static let uint32 = code("u")
    static let int64 = code("x")
    static let uint64 = code("t")
    static let double = code("d")
    static let string = code("s")
    static let objectPath = code("o")
    static let signature = code("g")
    static let fileDescriptor = code("h")
    static let array = code("a")
    static let variant = code("v")
    /// In iterators a structure is `r` and a dictionary entry `e`; in signatures they are brackets.
    static let structure = code("r")
    static let dictionaryEntry = code("e")

    /// The signature of a type that is one letter long; nil for containers other than variants.
    static func signature(of type: Int32) -> String? {
        switch type {
        case array, structure, dictionaryEntry, invalid: nil
        default: String(UnicodeScalar(UInt8(truncatingIfNeeded: type)))
        }
    }

    private static func code(_ letter: Unicode.Scalar) -> Int32 { Int32(letter.value) }
}
