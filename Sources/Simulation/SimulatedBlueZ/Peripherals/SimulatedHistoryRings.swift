import Synchronization

/// Rings with documented protocols: what each answers. No hardware has confirmed them; the sources are those of the
/// models.
extension SimulatedSerialBand {
    // MARK: YCBT

    /// As a ring did in PulseLoopAndroid, issues 56 and 69: it advertises its address in the data of a company, and not
    /// its service; it announces fewer packets than it sends, with whole records in each; and it sends no records again
    /// before it was told whether they have arrived.
    ///
    /// - Parameters:
    ///   - hasStoppedClock: it counts, and records nothing.
    ///   - sendsCount: it sends its count of today.
    public static func ycbt(
        _ memory: BandMemory, mtu: UInt16 = 23, hasStoppedClock: Bool = false, sendsCount: Bool = true,
        address: String = "C0:DE:BE:94:00:01"
    ) -> SimulatedSerialBand {
        let service: AttributeUUID = "be940000-7333-be46-b7ae-689e71722bd5"
        let requests = CharacteristicID(service, "be940001-7333-be46-b7ae-689e71722bd5")
        let stream = CharacteristicID(service, "be940003-7333-be46-b7ae-689e71722bd5")
        let state = RingState()
        @Sendable func checksum(_ bytes: [UInt8]) -> Int {
            bytes.reduce(0xffff) { sum, byte in
                (0..<8).reduce(sum ^ Int(byte) << 8) { value, _ in
                    (value & 0x8000 == 0 ? value << 1 : value << 1 ^ 0x1021) & 0xffff
                }
            }
        }
        @Sendable func frame(_ group: UInt8, _ command: UInt8, _ data: [UInt8]) -> [[UInt8]] {
            let bytes = [group, command] + .little(data.count + 6, 2) + data
            return (bytes + .little(checksum(bytes), 2)).pieces(Int(mtu) - 3)
        }
        @Sendable func count() -> [(CharacteristicID, [UInt8])] {
            let steps = memory.stepsToday
            return frame(0x06, 0x00, .little(steps, 2) + .little(steps * 7 / 10, 2) + .little(steps / 25, 2)).map {
                (stream, $0)
            }
        }
        @Sendable func history() -> [(CharacteristicID, [UInt8])] {
            let records = memory.quarters.sorted { $0.key < $1.key }.flatMap { start, steps -> [UInt8] in
                .little(start - 946_684_800, 4) + .little(start - 946_684_800 + 900, 4) + .little(steps, 2)
                    + .little(steps * 7 / 10, 2)
                    + .little(steps / 25, 2)
            }
            guard !hasStoppedClock, !records.isEmpty else { return frame(0x05, 0x02, [0]).map { (requests, $0) } }
            let packets = records.pieces(140)
            // Of frames of 176 bytes.
            let head =
                [UInt8].little(records.count / 14, 2) + .little((records.count + 175) / 176, 2) + [0, 0]
                + .little(records.count, 4)
            let tail = [UInt8].little(packets.count, 2) + .little(records.count, 2) + .little(checksum(records), 2)
            state.isWaiting = true
            return frame(0x05, 0x02, head).map { (requests, $0) }
                + packets.flatMap { frame(0x05, 0x11, $0) }.map { (stream, $0) }
                + frame(0x05, 0x80, tail).map { (stream, $0) }
        }
        let own = address.split(separator: ":").compactMap { UInt8($0, radix: 16) }
        var behaviour = Behaviour(
            advertisement: Advertisement(
                name: "R10M 1A2B", services: ["180d", "fee7"],
                manufacturerData: [
                    0x7810: [0xd4, 0x08, 0x77, 0x00] + own + [0, 0, 0xbf, 0x0c, 0x43, 0x62, 0xb6, 0, 0x5c, 0, 0] + own
                ]),
            services: [
                SimulatedService(
                    service,
                    [
                        characteristic(requests.characteristic, [.write, .indicate]),
                        characteristic(stream.characteristic, [.indicate]),
                    ])
            ]
        ) { request, characteristic in
            guard characteristic == requests, request.count >= 6,
                checksum(request.dropLast(2)) == Int(request[request.count - 2]) | Int(request[request.count - 1]) << 8
            else { return nil }
            switch (request[0], request[1]) {
            case (0x02, 0x00):
                return frame(0x02, 0x00, [0x34, 0x12, 7, 1, 0, 66, 0, 0]).map { (requests, $0) }
            case (0x03, 0x09):
                guard sendsCount else { return frame(0x03, 0x09, [0xfc]).map { (requests, $0) } }
                state.isLive = true
                return frame(0x03, 0x09, [0]).map { (requests, $0) } + count()
            case (0x05, 0x02): return state.isWaiting ? [] : history()
            case (0x05, 0x80):
                state.isWaiting = false
                return []
            case (0x01, 0x00): return frame(0x01, 0x00, [0]).map { (requests, $0) }
            default: return []
            }
        }
        behaviour.mtu = mtu
        behaviour.greeting = { _ in
            (state.isWaiting, state.isLive) = (false, false)
            return []
        }
        behaviour.announcement = { state.isLive ? count() : [] }
        return SimulatedSerialBand(address: address, behaviour)
    }

    // MARK: Jring

    /// As an SR08 ring did in PulseLoopAndroid, issue 73: it sends nothing for quarters of an hour without steps, the
    /// stages of sleep between the others, and nothing at the end of a day; a request cuts off the answer to the one
    /// before. It ends a link on which it does not receive `3A` (`RingBLEClient` there).
    ///
    /// - Parameters:
    ///   - days: days for which it sends packets; older ones are not answered.
    ///   - total: what it reports as today's steps; nil for the sum of its minutes.
    ///   - isSparse: false for a ring that sends every quarter of an hour of a day, and no sleep.
    ///   - isMute: it answers nothing before it knows the name of an app.
    ///   - clock: of the time within which it must receive `3A`.
    public static func jring(
        _ memory: BandMemory, days: Int, total: Int? = nil, isSparse: Bool = true, isMute: Bool = false,
        clock: any Clock<Duration> = ContinuousClock(), address: String = "C0:DE:56:FF:00:01"
    ) -> SimulatedSerialBand {
        let (requests, answers) = (CharacteristicID("56ff", "33f3"), CharacteristicID("56ff", "33f4"))
        let state = RingState()
        @Sendable func packets(_ day: Int) -> [[UInt8]] {
            (0..<96).flatMap { index -> [[UInt8]] in
                let start = day * 86_400 + index * 900
                let steps = memory.quarters[start] ?? 0
                // Asleep from 1:00 to 7:00, as far as the day has come.
                let sleep = [0x11] + .little(start, 4) + [UInt8](repeating: 40, count: 15)
                let isAsleep = isSparse && (4..<28).contains(index) && start <= memory.clock().seconds
                guard steps > 0 || !isSparse else { return isAsleep ? [sleep] : [] }
                // The minutes that have begun.
                let minutes = min(15, max(1, (memory.clock().seconds - start) / 60 + 1))
                let counts = (0..<15).map {
                    $0 < minutes ? UInt8(clamping: steps / minutes + ($0 < steps % minutes ? 1 : 0)) : 0
                }
                return (isAsleep ? [sleep] : []) + [[0x10] + .little(start, 4) + counts]
            }
        }
        @Sendable func totals() -> [(CharacteristicID, [UInt8])] {
            let sum = total ?? memory.stepsToday
            let fields =
                [UInt8].little(memory.clock().seconds, 4) + .little(sum, 4) + .little(sum * 7 / 10, 4)
                + .little(sum / 25, 4)
            return [(answers, [0x03] + fields + [0, 0, 0])]
        }
        var behaviour = Behaviour(
            advertisement: Advertisement(name: "SMART_RING", services: ["56ff"]),
            services: [
                SimulatedService(.battery, [characteristic(.batteryLevel, [.read])]),
                SimulatedService(
                    "56ff",
                    [characteristic("33f3", [.write, .writeWithoutResponse]), characteristic("33f4", [.notify])]),
            ]
        ) { request, characteristic in
            guard characteristic == requests, request.count == 20 else { return nil }
            if request[0] == 0x48 { state.isOwned = true }
            guard !isMute || state.isOwned else { return [] }
            switch request[0] {
            case 0x01: return [(answers, request)]
            case 0x03: return totals()
            case 0x10:
                guard Int(request[1]) < days else { return [] }
                return packets(memory.today - Int(request[1])).map { (answers, $0) }
            default: return []
            }
        }
        behaviour.announcement = totals
        behaviour.interrupted = { $0.first == 0x10 ? answers : nil }
        behaviour.keepAlive = ([0x3a] + [UInt8](repeating: 0, count: 19), .seconds(20))
        return SimulatedSerialBand(address: address, behaviour, clock: clock)
    }
}

/// What a ring remembers of its central.
final class RingState: Sendable {
    private let state = Mutex((isOwned: false, isWaiting: false, isLive: false))

    /// It knows the name of an app.
    var isOwned: Bool {
        get { state.withLock { $0.isOwned } }
        set { state.withLock { $0.isOwned = newValue } }
    }

    /// It waits to be told whether its records have arrived.
    var isWaiting: Bool {
        get { state.withLock { $0.isWaiting } }
        set { state.withLock { $0.isWaiting = newValue } }
    }

    /// It sends its count while its wearer walks.
    var isLive: Bool {
        get { state.withLock { $0.isLive } }
        set { state.withLock { $0.isLive = newValue } }
    }
}
