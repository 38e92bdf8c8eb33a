/// A 64-bit hash that is the same on every machine and in every version, unlike `Hasher`: FNV-1a
/// (http://www.isthe.com/chongo/tech/comp/fnv/). It detects a change, but does not protect against forgery.
public struct FNV1a: Sendable {
    public private(set) var value: UInt64

    /// - Parameter basis: another one gives another hash of the same bytes.
    public init(basis: UInt64 = 0xcbf2_9ce4_8422_2325) { value = basis }

    public static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var hash = FNV1a()
        hash.add(bytes)
        return hash.value
    }

    public mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { add(UInt64(byte)) }
    }

    /// - Parameter number: a byte, or a greater number as a mark that no byte can be.
    public mutating func add(_ number: UInt64) { value = (value ^ number) &* 0x0000_0100_0000_01b3 }
}
