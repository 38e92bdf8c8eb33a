import BlueZ
import StepDomain
import Testing

@testable import Pedometers

@Suite(.timeLimit(.minutes(5))) struct MiBandTests {
    private func bytes(_ hex: String) -> [UInt8] {
        stride(from: 0, to: hex.count, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
    }

    /// - Parameters:
    ///   - manufacturer: company and data, as captured.
    ///   - service: the data of FEE0.
    private func discovery(_ manufacturer: String?, _ service: String?, name: String? = nil) -> Discovery {
        Discovery(
            address: DeviceAddress("FF:FD:FF:3B:61:45")!, addressType: .random, name: name, services: ["fee0"],
            manufacturerData: manufacturer.map { [0x0157: Array(bytes($0).dropFirst(2))] } ?? [:],
            serviceData: service.map { ["fee0": bytes($0)] } ?? [:])
    }

    /// Advertisements captured by theengs/decoder and custom-components/ble_monitor. The last is the event
    /// `043E48…45613BFFFDFF…1BFF5701 02020154FF…FF03FFFDFF3B6145…0716E0FE0B000000`.
    @Test(arguments: [
        ("57010202017dffffffffffffffffffffffffff02aabbccddeeff", "8d230000", 9_101, "AA:BB:CC:DD:EE:FF"),
        ("570102ffffffffffffffffffffffffffffffff02aabbccddeeff", "ac1e0000", 7_852, "AA:BB:CC:DD:EE:FF"),
        ("570102020154ffffffffffffffffffffffffff03fffdff3b6145", "0b000000", 11, "FF:FD:FF:3B:61:45"),
    ])
    func `captured advertisements are decoded`(manufacturer: String, service: String, steps: Int, address: String)
        throws
    {
        let reading = try #require(MiBand.reading(in: discovery(manufacturer, service)))
        #expect(reading.steps == steps)
        #expect(reading.identity?.description == address)
        #expect(MiBand.evidence(in: discovery(manufacturer, service)) == .advertisedData)
    }

    private static let band = "570102020154ffffffffffffffffffffffffff03fffdff3b6145"

    @Test func `advertisements of similar devices give no steps`() {
        // An Amazfit Bip S: type byte 00.
        let bip = "570100020154ffffffffffffffffffffffffff03fffdff3b6145"
        #expect(MiBand.reading(in: discovery(bip, "8d230000")) == nil)
        #expect(MiBand.evidence(in: discovery(bip, "8d230000", name: "Mi Smart Band 6")) == nil)
        // A Band 7 advertises no steps.
        #expect(MiBand.evidence(in: discovery(Self.band, nil, name: "Xiaomi Smart Band 7 1A2B")) == nil)
        #expect(MiBand.reading(in: discovery(nil, "8d230000")) == nil)
        for service in ["", "8d23", "8d2300", "8d23000000"] {
            #expect(MiBand.reading(in: discovery(Self.band, service)) == nil)
        }
        for length in 0..<24 {
            #expect(MiBand.reading(in: discovery(String(Self.band.prefix(4 + 2 * length)), "8d230000")) == nil)
        }
    }

    /// Captured by custom-components/ble_monitor: a heart rate of 0x54 and an address, without data of FEE0.
    @Test func `an advertisement with a heart rate only has no steps`() {
        let heartRate = "5701020aff54ffffffffffffffffffffffffff03c5093f890b4b"
        #expect(MiBand.reading(in: discovery(heartRate, nil)) == nil)
        #expect(MiBand.evidence(in: discovery(heartRate, nil)) == nil)
        #expect(MiBand.evidence(in: discovery(heartRate, nil, name: "Mi Smart Band 5")) == .name)
        // The same band with its steps.
        let reading = MiBand.reading(in: discovery(heartRate, "8d230000"))
        #expect(reading?.steps == 9_101 && reading?.identity?.description == "C5:09:3F:89:0B:4B")
    }

    @Test func `a band that is not discoverable is known by its name`() {
        #expect(MiBand.evidence(in: discovery(nil, nil, name: "Mi Smart Band 5")) == .name)
        #expect(MiBand.reading(in: discovery(nil, nil, name: "Mi Smart Band 5")) == nil)
    }

    private let noon = Timestamp(Day("2026-05-20")!.daysSince1970 * 86_400 + 12 * 3_600)

    private func batch(_ service: String, _ cursor: PedometerCursor, at now: Timestamp) throws -> SampleBatch {
        let context = SessionContext(pedometer: .sample(MiBand.self, cursor: cursor), localTime: .fixed(0))
        return MiBand.batch(try #require(MiBand.reading(in: discovery(Self.band, service))), context, at: now)
    }

    @Test func `steps count from midnight to midnight`() throws {
        let first = try batch("e8030000", PedometerCursor(), at: noon)
        #expect(first.samples.map(\.steps) == [1_000])
        #expect(first.frames.map(\.bytes.count) == [6, 26])
        let second = try batch("dc050000", first.cursor!, at: noon + 7_200)
        #expect(second.samples.map(\.steps) == [500])
        let third = try batch("64000000", second.cursor!, at: noon + 86_400)
        #expect(third.samples.map(\.steps) == [100])
        #expect(third.samples.map(\.day) == [Day("2026-05-21")!])
        #expect(third.notices == [.dayNotClosed(Day("2026-05-20")!)])
    }

    @Test func `a value of ambiguous format is stored as a frame and not counted`() throws {
        let batch = try batch("01000100", PedometerCursor(), at: noon)
        #expect(batch.samples.isEmpty && batch.cursor == nil)
        #expect(batch.frames.count == 2)
        #expect(batch.notices == [.undecodable(frames: 1)])
    }
}
