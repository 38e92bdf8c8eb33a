import Synchronization

/// Rings with documented protocols: what each answers. No hardware has confirmed them; the sources are those of the models.
extension SimulatedSerialBand {
    private static func attribute(_ uuid: AttributeUUID, _ properties: Set<SimulatedCharacteristic.Property>) -> SimulatedCharacteristic {
        SimulatedCharacteristic(uuid, properties)
    }

    // MARK: YCBT

    public static func ycbt(_ memory: BandMemory, mtu: UInt16 = 23, address: String = "C0:DE:BE:94:00:01") -> SimulatedSerialBand {
        let service: AttributeUUID = "be940000-7333-be46-b7ae-689e71722bd5"
        let requests = CharacteristicID(service, "be940001-7333-be46-b7ae-689e71722bd5")
        let stream = CharacteristicID(service, "be940003-7333-be46-b7ae-689e71722bd5")
        @Sendable func checksum(_ bytes: [UInt8]) -> Int {
            bytes.reduce(0xffff) { sum, byte in
                (0..<8).reduce(sum ^ Int(byte) << 8) { value, _ in (value & 0x8000 == 0 ? value << 1 : value << 1 ^ 0x1021) & 0xffff }
            }
        }
        @Sendable func frame(_ group: UInt8, _ command: UInt8, _ data: [UInt8]) -> [[UInt8]] {
            let bytes = [group, command] + .little(data.count + 6, 2) + data
            return (bytes + .little(checksum(bytes), 2)).pieces(Int(mtu) - 3)
        }
        var behaviour = Behaviour(
            advertisement: Advertisement(name: "R10M 1A2B"),
            services: [
                SimulatedService(
                    service,
                    [
                        attribute(requests.characteristic, [.write, .indicate]), attribute(stream.characteristic, [.indicate]),
                    ])
            ]
        ) { request, characteristic in
            guard characteristic == requests, request.count >= 6,
                checksum(request.dropLast(2)) == Int(request[request.count - 2]) | Int(request[request.count - 1]) << 8
            else { return nil }
            switch (request[0], request[1]) {
            case (0x02, 0x00):
                return frame(0x02, 0x00, [0x34, 0x12, 7, 1, 0, 66, 0, 0]).map { (requests, $0) }
            case (0x05, 0x02):
                let records = memory.quarters.sorted { $0.key < $1.key }.flatMap { start, steps -> [UInt8] in
                    .little(start - 946_684_800, 4) + .little(start - 946_684_800 + 900, 4) + .little(steps, 2) + .little(steps * 7 / 10, 2)
                        + .little(steps / 25, 2)
                }
                let packets = records.pieces(100)
                let head = [UInt8].little(memory.quarters.count, 2) + .little(packets.count, 2) + [0, 0] + .little(records.count, 4)
                let tail = [UInt8].little(packets.count, 2) + .little(records.count, 2) + .little(checksum(records), 2)
                return frame(0x05, 0x02, head).map { (requests, $0) } + packets.flatMap { frame(0x05, 0x11, $0) }.map { (stream, $0) }
                    + frame(0x05, 0x80, tail).map { (stream, $0) }
            case (0x01, 0x00): return frame(0x01, 0x00, [0]).map { (requests, $0) }
            default: return []
            }
        }
        behaviour.mtu = mtu
        return SimulatedSerialBand(address: address, behaviour)
    }

    // MARK: Jring

    /// The contested meaning of the byte of a request for days.
    public enum JringDays: Sendable, CaseIterable {
        /// Days ago.
        case index
        /// How many days, today included; none for 0.
        case count
    }

    /// - Parameters:
    ///   - days: days for which it sends packets; older ones are not answered.
    ///   - total: what it reports as today's steps; nil for the sum of its minutes.
    ///   - isMute: it answers nothing before it knows the name of an app.
    public static func jring(
        _ memory: BandMemory, _ meaning: JringDays = .index, days: Int, total: Int? = nil, isMute: Bool = false,
        address: String = "C0:DE:56:FF:00:01"
    ) -> SimulatedSerialBand {
        let (requests, answers) = (CharacteristicID("56ff", "33f3"), CharacteristicID("56ff", "33f4"))
        let owner = OwnerName()
        @Sendable func packets(_ day: Int) -> [[UInt8]] {
            (0..<96).map { index in
                let start = day * 86_400 + index * 900
                let steps = memory.quarters[start] ?? 0
                // The minutes that have begun.
                let minutes = min(15, max(1, (memory.clock().seconds - start) / 60 + 1))
                let counts = (0..<15).map { $0 < minutes ? UInt8(clamping: steps / minutes + ($0 < steps % minutes ? 1 : 0)) : 0 }
                return [0x10] + .little(start, 4) + counts
            }
        }
        @Sendable func totals() -> [(CharacteristicID, [UInt8])] {
            let sum = total ?? memory.stepsToday
            let fields = [UInt8].little(memory.clock().seconds, 4) + .little(sum, 4) + .little(sum * 7 / 10, 4) + .little(sum / 25, 4)
            return [(answers, [0x03] + fields + [0, 0, 0])]
        }
        var behaviour = Behaviour(
            advertisement: Advertisement(name: "SMART_RING", services: ["56ff"]),
            services: [
                SimulatedService(.battery, [attribute(.batteryLevel, [.read])]),
                SimulatedService("56ff", [attribute("33f3", [.write, .writeWithoutResponse]), attribute("33f4", [.notify])]),
            ]
        ) { request, characteristic in
            guard characteristic == requests, request.count == 20 else { return nil }
            if request[0] == 0x48 { owner.isKnown = true }
            guard !isMute || owner.isKnown else { return [] }
            switch request[0] {
            case 0x01: return [(answers, request)]
            case 0x03: return totals()
            case 0x10:
                let number = Int(request[1])
                let wanted = meaning == .index ? number...number : 0...max(0, number - 1)
                guard meaning == .index || number > 0 else { return [] }
                return wanted.reversed().filter { $0 < days }.flatMap { packets(memory.today - $0) }.map { (answers, $0) }
            default: return []
            }
        }
        behaviour.announcement = totals
        return SimulatedSerialBand(address: address, behaviour)
    }
}

/// Whether a ring knows the name of an app.
final class OwnerName: Sendable {
    private let state = Mutex(false)

    var isKnown: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
