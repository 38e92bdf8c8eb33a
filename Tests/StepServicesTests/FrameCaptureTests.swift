import StepDomain
import StepServices
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct FrameCaptureTests {
    private let pedometer = Pedometer(
        id: 1, user: 1, model: "ring", address: "C0:DE:52:02:A1:B2", addressType: "random", name: "R02_A1B2")

    private func frame(_ direction: RawFrame.Direction, _ bytes: [UInt8]) -> RawFrame {
        RawFrame(direction, at: Timestamp(1_779_284_400), bytes: bytes)
    }

    @Test func `the text of a capture has the model, the time, the options and the frames`() {
        let capture = FrameCapture(
            model: "ring", options: ["format": "u32le", "counts": "today"], time: Timestamp(1_779_284_400), utcOffset: 7_200,
            frames: [frame(.sent, [3, 0xff]), frame(.received, []), frame(.received, [0x80])])
        #expect(
            capture.text == """
                pedometer capture 1
                model: ring
                time: 1779284400
                offset: 7200
                option.counts: today
                option.format: u32le
                > 03 ff
                <
                < 80

                """)
    }

    @Test func `a capturing reader describes a pedometer as the reader behind it does`() {
        for isSo in [true, false] {
            let ids: Set<Pedometer.ID> = isSo ? [pedometer.id] : []
            let reader = CapturingReader(ScriptedReader([:], todayOnly: ids, advertising: ids)) { _ in }
            #expect(reader.holdsTodayOnly(pedometer) == isSo)
            #expect(reader.advertisesSteps(pedometer) == isSo)
        }
    }

    @Test func `the address and the name of the pedometer are masked`() {
        let address: [UInt8] = [0xc0, 0xde, 0x52, 0x02, 0xa1, 0xb2]
        let secrets: [[UInt8]] = [
            address, address.reversed(), Array("C0:DE:52:02:A1:B2".utf8), Array("c0:de:52:02:a1:b2".utf8), Array("R02_A1B2".utf8),
        ]
        for secret in secrets {
            let capture = FrameCapture(model: "ring", time: Timestamp(0), utcOffset: 0, frames: [frame(.received, [7] + secret + [9])])
            #expect(capture.masked(pedometer).frames[0].bytes == [7] + [UInt8](repeating: 0, count: secret.count) + [9])
        }
        let other = FrameCapture(model: "ring", time: Timestamp(0), utcOffset: 0, frames: [frame(.received, Array(1...40))])
        #expect(other.masked(pedometer) == other)
    }

    @Test(
        arguments: [
            ("hex", "01 fF", [1, 255]), ("hex", "0x01ff", [1, 255]), ("text", "hi", [0x68, 0x69]), ("u8", "255", [255]),
            ("u16le", "258", [2, 1]),
            ("u16be", "258", [1, 2]), ("u24be", "65536", [1, 0, 0]), ("u32le", "4294967295", [255, 255, 255, 255]),
        ] as [(String, String, [UInt8])])
    func `a value in any notation is converted to bytes`(format: String, text: String, bytes: [UInt8]) throws {
        #expect(try #require(ValueNotation(format)).bytes(of: text) == bytes)
    }

    @Test(arguments: [
        ("hex", "0"), ("hex", "zz"), ("hex", ""), ("u8", "256"), ("u8", "-1"), ("u16le", "65536"), ("u32be", "4294967296"), ("u8", "x"),
    ])
    func `invalid values of a notation are rejected`(format: String, text: String) throws {
        #expect(try #require(ValueNotation(format)).bytes(of: text) == nil)
    }

    @Test func `bytes are shown as text in a notation, and an unknown notation is rejected`() throws {
        #expect(try #require(ValueNotation("u16le")).text(of: [2, 1, 9]) == "258")
        #expect(try #require(ValueNotation("u16le")).text(of: [2]) == nil)
        #expect(ValueNotation.hexadecimal.text(of: [1, 255]) == "01 ff")
        for name in ["u7", "u16", "i16le", "", "u64le", "u24"] { #expect(ValueNotation(name) == nil) }
    }
}
