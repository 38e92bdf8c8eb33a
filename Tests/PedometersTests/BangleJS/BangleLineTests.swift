import Testing

@testable import Pedometers

/// The lines of a Bangle.js console, whatever pieces they arrive in.
@Suite(.timeLimit(.minutes(5))) struct BangleLineTests {
    /// As `apps/android/lib.js` sends them.
    @Test(arguments: [
        (#"{"t":"actfetch","state":"start"}"#, BangleLine.begin),
        (#"{"t":"actfetch","state":"end","count":144}"#, .end(count: 144)),
        (
            #"{"t":"act","ts":1779272400000,"stp":312,"hrm":61.5,"mov":120,"act":"WALKING"}"#,
            .record(milliseconds: 1_779_272_400_000, steps: 312)
        ),
        (
            #"{"t":"act","ts":1779272400000,"stp":0,"hrm":null,"mov":0,"act":"NOT_WORN"}"#,
            .record(milliseconds: 1_779_272_400_000, steps: 0)
        ),
        (#"{ "t" : "act" , "ts":1.7792724e12, "stp":3}"#, .record(milliseconds: 1_779_272_400_000, steps: 3)),
        (#"{"t":"act","stp":11,"hrm":70,"rt":1}"#, .live),
        (#"{"t":"act","ts":1779272400000,"stp":11,"rt":1}"#, .live),
        (#"{"t":"act","stp":11,"hrm":70}"#, .live),
        (#"{"t":"status","bat":87,"chg":0,"volt":4.1}"#, .battery(87)),
        (#">{"t":"actfetch","state":"start"}"#, .begin),
        ("Uncaught ReferenceError: \"GB\" is not defined", .failure("Uncaught ReferenceError: \"GB\" is not defined")),
        (">", .other), ("at line 1 col 1", .other), ("{\"t\":\"gps_power\",\"status\":false}", .other),
    ])
    func `a line of each known kind is parsed`(text: String, line: BangleLine) { #expect(BangleLine(text) == line) }

    @Test(arguments: [
        #"{"t":"act","ts":1779272400000,"stp":-1}"#, #"{"t":"act","ts":1779272400000,"stp":65536}"#,
        #"{"t":"act","ts":1779272400000,"stp":1.5}"#, #"{"t":"act","ts":1779272400000,"stp":"12"}"#,
        #"{"t":"act","ts":-5,"stp":12}"#,
        #"{"t":"act","ts":1e300,"stp":12}"#, #"{"t":"act","ts":true,"stp":12}"#, #"{"t":"act","ts":1779272400000}"#,
        #"{"t":"act","ts":1779272400000,"stp":null}"#,
    ])
    func `impossible records are undecodable`(text: String) { #expect(BangleLine(text) == .undecodableRecord) }

    @Test(arguments: [#"{"t":"actfetch","state":"end","count":-1}"#, #"{"t":"actfetch","state":"end"}"#])
    func `an end line without a valid count is undecodable`(text: String) { #expect(BangleLine(text) == .undecodable) }

    @Test(arguments: [
        "{", "{}", "{\"t\"", "{\"t\":", "{\"t\":}", "{\"t\":\"act\"", "{\"t\":\"act\",}", "{\"t\":\"act\"}}",
        "{\"t\":{\"t\":\"act\"}}",
        "[{\"t\":\"act\"}]", "{\"t\":\"act\\", "{\"t\":nan}", "{\"t\":\"act\" \"ts\":1}", "print({\"t\":\"act\"})",
    ])
    func `text that is not a record is ignored`(text: String) { #expect(BangleLine(text) == .other) }

    @Test(arguments: 1...40)
    func `lines are read from pieces of any length`(length: Int) {
        let text = Array("\r\n{\"t\":\"act\",\"ts\":1}\r\n\r\n>{\"t\":\"actfetch\",\"state\":\"start\"}\r\nrest".utf8)
        var (reader, lines) = (LineReader(), [String]())
        for start in stride(from: 0, to: text.count, by: length) {
            lines += reader.add(Array(text[start..<min(start + length, text.count)]))
        }
        #expect(lines == ["{\"t\":\"act\",\"ts\":1}", ">{\"t\":\"actfetch\",\"state\":\"start\"}"])
        #expect(reader.oversized == 0)
    }

    @Test func `a line without end is left out, and the next one is read`() {
        var reader = LineReader()
        for _ in 0..<1_000 { #expect(reader.add([UInt8](repeating: 0x78, count: 512)) == []) }
        #expect(reader.add(Array("\n{}\n".utf8)) == ["{}"])
        #expect(reader.oversized == 1)
    }
}
