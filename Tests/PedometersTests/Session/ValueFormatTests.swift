import Testing

@testable import Pedometers

@Suite(.timeLimit(.minutes(5))) struct ValueFormatTests {
    @Test(arguments: [
        ("u16le", "34 12", 0x1234), ("u16be", "12 34", 0x1234), ("u24le", "56 34 12", 0x123456),
        ("u24be", "12 34 56", 0x123456), ("u32le", "78 56 34 12", 0x1234_5678),
        ("u32be@2", "ff ff 12 34 56 78 99", 0x1234_5678),
        ("U24LE@1", "00 ff ff ff", 0xffffff),
    ])
    func `each format decodes its bytes`(_ format: String, _ bytes: String, _ value: Int) throws {
        #expect(try #require(ValueFormat(format)).decode(hex(bytes)) == value)
    }

    @Test(arguments: ["", "u8le", "u16", "u16xe", "i16le", "u16le@", "u16le@-1", "u32le@509", "u16le@1@2", "u16le@x"])
    func `an invalid format is rejected`(_ format: String) { #expect(ValueFormat(format) == nil) }

    @Test func `a value that is too short is not decoded`() throws {
        #expect(try #require(ValueFormat("u32le")).decode([1, 2, 3]) == nil)
        #expect(try #require(ValueFormat("u16le@3")).decode([1, 2, 3, 4]) == nil)
    }

    @Test func `a parsed format has the same text form`() throws {
        for text in ["u16le", "u24be@7", "u32be"] { #expect(try #require(ValueFormat(text)).description == text) }
    }
}

@Suite(.timeLimit(.minutes(5))) struct GenericOptionsTests {
    private let good = [
        "service": "00030000-78fc-48fe-8e23-433b3a1942d0", "characteristic": "00030001-78fc-48fe-8e23-433b3a1942d0",
    ]

    @Test func `stored options are read back unchanged`() throws {
        let options = try GenericOptions(good.merging(["format": "u24be@1", "counts": "today"]) { $1 })
        #expect(try GenericOptions(options.stored) == options)
    }

    @Test(arguments: [("service", "steps"), ("characteristic", ""), ("format", "u8"), ("counts", "yesterday")])
    func `an invalid option is reported with its name`(_ name: String, _ value: String) {
        #expect {
            try GenericOptions(good.merging([name: value]) { $1 })
        } throws: { error in
            guard case .badOption(name, value, _)? = error as? PedometerError else { return false }
            return true
        }
    }
}
