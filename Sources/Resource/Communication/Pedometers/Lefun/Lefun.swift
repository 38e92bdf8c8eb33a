public import BlueZ
public import StepDomain

/// Lefun bands: the steps of today and the six days before, in records with a time.
///
/// Requests are `AB length command parameters checksum`, answers `5A length command parameters checksum`: the length of
/// all bytes, a CRC-8 of Maxim over all bytes before it, numbers big-endian, years since 2000, the time of the band's
/// clock.
///
/// | command | parameters | answer |
/// |---|---|---|
/// | `03` | none | battery in per cent |
/// | `04` | `00` | `00`, year, month, day, hour, minute, second: its clock |
/// | `04` | `01` and the same | `01`, then 1 if it was set |
/// | `12` | days ago | days ago, year, month, day, steps u32, metres u32, calories u32 |
/// | `13` | days ago | days ago, records, index from 1, year, month, day, hour, minute, steps u16, distance u16, calories u16; for each record |
///
/// Source: Gadgetbridge, `devices/lefun/commands` and `LefunDeviceSupport.java`. The unit of the records' distance and
/// calories, and the length of a record, are not documented: distance and calories are not read, and the length is the
/// shortest time between two records. A day's records count only if their sum is the day's total of `12`. Gadgetbridge
/// never requests `12` and only decodes it: of a band that does not answer it, a day counts if all of its records have
/// arrived.
public enum Lefun: ExchangeModel {
    public static let key = "lefun"
    public static let title = "Lefun band"
    public static let caveat: String? =
        "Its protocol is known from one other program only. The duration of a record is not known, so the hours of its steps may be wrong. A day does not count "
        + "if its records do not add up to the total that the band reports."

    static let service: BluetoothUUID = "18d0"
    static let requests = GATTAddress(service, "2d01")
    static let answers = GATTAddress(service, "2d00")
    /// Days before today that it holds.
    static let oldestDay = 6

    /// It advertises no service. Its manufacturer data are its address and `TJDR`; the company is the first part of the
    /// address.
    public static func evidence(in discovery: Discovery) -> KindEvidence? {
        let maker = Array("TJDR".utf8)
        let isMarked = discovery.manufacturerData.values.contains { data in
            (0..<max(0, data.count - 3)).contains { Array(data[$0..<$0 + 4]) == maker }
        }
        if isMarked { return .advertisedData }
        // Names under which bands with this protocol were reported.
        return discovery.name.map { ["Lefun", ".bohemic", "IMP-2027"].contains($0) } == true ? .name : nil
    }

    public static let characteristicServices = [service]
    public static func session(_ context: SessionContext, isProbe: Bool) -> any PedometerSession {
        ExchangeSession(LefunReading(context, isProbe: isProbe))
    }
}

/// A request or an answer of a Lefun band.
struct LefunFrame: Hashable {
    let command: UInt8
    let parameters: [UInt8]

    init(_ command: UInt8, _ parameters: [UInt8] = []) {
        self.command = command
        self.parameters = parameters
    }

    /// Nil if beginning, length or checksum are wrong. Bytes after the length are ignored: the band fills the packet.
    init?(received bytes: [UInt8]) {
        guard bytes.count >= 4, bytes[0] == 0x5a else { return nil }
        let length = Int(bytes[1])
        guard (4...bytes.count).contains(length), Self.checksum(bytes[..<(length - 1)]) == bytes[length - 1] else {
            return nil
        }
        command = bytes[2]
        parameters = Array(bytes[3..<length - 1])
    }

    /// The bytes of a request to the band.
    var request: [UInt8] { bytes(0xab) }

    /// - Parameter first: `AB` for a request, `5A` for an answer.
    func bytes(_ first: UInt8) -> [UInt8] {
        let bytes = [first, UInt8(parameters.count + 4), command] + parameters
        return bytes + [Self.checksum(bytes)]
    }

    /// CRC-8 of Maxim (reflected polynomial 0x8C, initial value 0).
    static func checksum(_ bytes: some Sequence<UInt8>) -> UInt8 {
        var checksum: UInt8 = 0
        for byte in bytes {
            checksum ^= byte
            for _ in 0..<8 { checksum = checksum & 1 == 1 ? checksum >> 1 ^ 0x8c : checksum >> 1 }
        }
        return checksum
    }
}
