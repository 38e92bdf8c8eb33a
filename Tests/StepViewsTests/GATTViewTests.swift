import StepDomain
import Testing

@testable import StepViews

@Suite(.timeLimit(.minutes(5))) struct GATTViewTests {
    private func characteristic(
        _ uuid: String, _ value: GATTCharacteristicContent.Value, flags: [String] = ["read"]
    ) -> GATTCharacteristicContent {
        GATTCharacteristicContent(uuid: uuid, handle: 3, flags: flags, value: value)
    }

    @Test func `a table names what the Bluetooth SIG has named, and shows bytes and text`() {
        let service = GATTServiceContent(
            uuid: "0000180a-0000-1000-8000-00805f9b34fb", handle: 1,
            characteristics: [
                characteristic("00002a26-0000-1000-8000-00805f9b34fb", .bytes(Array("1.15".utf8))),
                characteristic(
                    "00030001-78fc-48fe-8e23-433b3a1942d0", .bytes([0x10, 0x27, 0, 0]), flags: ["read", "notify"]),
                characteristic("00002a19-0000-1000-8000-00805f9b34fb", .refused("needs pairing\u{1b}[2J")),
                characteristic("00002a2b-0000-1000-8000-00805f9b34fb", .bytes([])),
            ])
        let text = GATTTableView(address: "C0:DE:00:00:00:01", services: [service]).text()
        for words in [
            "service 180a  Device Information", "2a26  read  Firmware Revision", "31 2e 31 35 \"1.15\"", "read, notify",
            "10 27 00 00",
            "not read: needs pairing", "(empty)",
        ] { #expect(text.contains(words), "\(words)") }
        #expect(!text.unicodeScalars.contains { $0 == "\u{1b}" })
        #expect(GATTTableView(address: "C0:DE:00:00:00:01", services: []).text().contains("no services"))
    }

    @Test(arguments: [40, 80]) func `identifiers and flags are shown whole at every width`(_ width: Int) {
        let uuid = "00030001-78fc-48fe-8e23-433b3a1942d0"
        let flags = ["read", "write-without-response", "write", "notify", "indicate"]
        let service = GATTServiceContent(
            uuid: uuid, handle: 1, characteristics: [characteristic(uuid, .notRead, flags: flags)])
        let lines = GATTTableView(address: "C0:DE:00:00:00:01", services: [service]).lines(TextStyle(width: width))
        #expect(lines.allSatisfy { $0.count <= width } && lines.count { $0.contains(uuid) } == 2, "\(lines)")
        for flag in flags { #expect(lines.contains { $0.contains(flag) }, "\(flag)") }
    }

    @Test func `a value is shown in the given format, with a note if it is too short`() {
        #expect(GATTValueView([0x10, 0x27], as: .number(bytes: 2, isBigEndian: false)).text() == "10000")
        #expect(
            GATTValueView([0x10], as: .number(bytes: 2, isBigEndian: false)).text() == "10  (too short for this format)"
        )
        let long = [UInt8](repeating: 0xab, count: 512)
        #expect(GATTValueView(long, as: .hexadecimal).text() == ValueNotation.hexadecimal(long))
        #expect(!GATTValueView(Array("\u{1b}[2J".utf8), as: .text).text().contains("\u{1b}"))
    }
}
