import Support
import Testing

@Suite struct FNV1aTests {
    /// http://www.isthe.com/chongo/src/fnv/test_fnv.c
    @Test(
        arguments: [
            ("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8),
        ] as [(String, UInt64)])
    func `hashes are those of its authors`(text: String, hash: UInt64) {
        #expect(FNV1a.hash(text.utf8) == hash)
    }
}
