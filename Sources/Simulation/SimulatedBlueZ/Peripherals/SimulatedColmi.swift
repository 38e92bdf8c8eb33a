public import Foundation
import Synchronization

/// A Colmi R02 smart ring: clock, battery and seven past days of steps behind a serial port over GATT.
public final class SimulatedColmi: SimulatedPeripheral {
    public let address: String
    public let identityAddress: String?
    public let name: String
    /// Nil for a wearer who walks only by `addSteps`.
    let history: WalkingHistory?
    let calories: CalorieProtocol
    let granularity: Granularity
    let now: @Sendable () -> Date
    private let state: Mutex<State>

    /// - Parameters:
    ///   - identityAddress: its own address, if `address` is a private one.
    ///   - name: as advertised; real ones end in four digits of the address.
    ///   - seed: determines the steps of its wearer; nil for only the steps passed to `addSteps`.
    ///   - clock: how its clock was set before its first use here.
    ///   - battery: percent.
    ///   - now: the time source that its clock continues from.
    public init(
        address: String = "C0:DE:52:02:A1:B2", identityAddress: String? = nil, name: String = "R02_A1B2",
        seed: UInt64? = 1,
        calories: CalorieProtocol = .tens, granularity: Granularity = .quarterHours,
        clock: ClockSetting = .local(.ofMachine), battery: UInt8 = 76, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.address = address
        self.identityAddress = identityAddress
        self.name = name
        history = seed.map(WalkingHistory.init)
        self.calories = calories
        self.granularity = granularity
        self.now = now
        state = Mutex(State(battery: battery, clockOffset: clock.offset(at: now())))
    }

    /// How calories are sent: the header of a reply states it.
    public enum CalorieProtocol: Sendable {
        /// Unscaled, at most 65,535 in a slot.
        case single
        /// Divided by ten.
        case tens
    }

    /// Older firmware adds up whole hours and sends them at the hour's first quarter.
    public enum Granularity: Sendable { case quarterHours, hours }

    // MARK: SimulatedPeripheral

    public static let service: AttributeUUID = "6e40fff0-b5a3-f393-e0a9-e50e24dcca9e"
    public static let commands = CharacteristicID(service, "6e400002-b5a3-f393-e0a9-e50e24dcca9e")
    public static let replies = CharacteristicID(service, "6e400003-b5a3-f393-e0a9-e50e24dcca9e")

    public var advertisement: Advertisement { Advertisement(name: name, services: [Self.service]) }

    public var services: [SimulatedService] {
        [
            SimulatedService(
                Self.service,
                [
                    SimulatedCharacteristic(Self.commands.characteristic, [.writeWithoutResponse]),
                    SimulatedCharacteristic(Self.replies.characteristic, [.notify]),
                ]),
            SimulatedService(
                .deviceInformation,
                [
                    SimulatedCharacteristic("2a27", [.read]), SimulatedCharacteristic("2a26", [.read]),
                ]),
        ]
    }

    public func linkOpened(_ link: PeripheralLink) { state.withLock { $0.link = link } }
    public func linkClosed() { state.withLock { $0.link = nil } }

    public func read(_ characteristic: CharacteristicID) throws(ATTError) -> [UInt8] {
        switch characteristic.characteristic {
        case "2a27": Array("R02_V3.0".utf8)
        case "2a26": Array("R02_3.00.06_240523".utf8)
        default: throw .readNotPermitted
        }
    }

    public func write(_ value: [UInt8], to characteristic: CharacteristicID) throws(ATTError) {
        guard characteristic == Self.commands else { throw .writeNotPermitted }
        let (link, packets) = state.withLock { state in
            state.received.append(value)
            return (state.link, answer(to: value, &state))
        }
        for packet in packets { link?.notify(Self.replies, packet) }
    }

    // MARK: Its own state

    struct State {
        var link: PeripheralLink?
        var battery: UInt8
        /// Seconds that the ring's clock is ahead of UTC.
        var clockOffset: Int
        var behaviour = Behaviour()
        /// Steps on top of the history, by the slot's start.
        var extra: [WallClock: Int] = [:]
        /// Steps made while the ring's clock showed the slot.
        var recorded: [WallClock: Int] = [:]
        var received: [[UInt8]] = []
    }

    func withState<Result: Sendable>(_ body: (inout sending State) -> sending Result) -> Result {
        state.withLock(body)
    }
}

extension SimulatedColmi {
    /// The reply of the ring to a packet. The ring ignores a packet with a wrong length or checksum.
    func answer(to packet: [UInt8], _ state: inout State) -> [[UInt8]] {
        guard RingPacket.isValid(packet) else { return [] }
        let command = packet[0]
        if state.behaviour.ignored.contains(command) { return [] }
        if state.behaviour.refuses.contains(command) { return [RingPacket.error(command)] }
        var replies =
            switch command {
            case 0x01: setClock(packet, &state)
            case 0x03: [RingPacket.make(0x03, [state.battery, 0])]
            case RingStepReply.command: steps(packet, state)
            case 0x3c: [RingPacket.make(0x3c, [0, state.behaviour.asksForBond ? 0x08 : 0])]
            case 0x48: [total(state)]
            // Heart rate of a day: none, because the simulated person wears the ring only for the steps.
            case 0x15: [RingPacket.make(0x15, [0xff])]
            default: [RingPacket.error(command)]
            }
        if state.behaviour.sendsUnrequestedBattery {
            // `73 0c`, percent, 1 while it is charged.
            let level = RingPacket.make(0x73, [0x0c, state.battery, 0])
            replies = replies.flatMap { [level, $0] }
        }
        if state.behaviour.sendsUnrequestedData {
            let live = liveSteps(state)
            replies = replies.flatMap { [live, $0] }
        }
        return replies
    }

    /// `01 YY MM DD hh mm ss [language]` in BCD; the reply is a list of abilities that no program has read so far.
    private func setClock(_ packet: [UInt8], _ state: inout State) -> [[UInt8]] {
        let numbers = packet[1...6].compactMap(RingPacket.number)
        guard numbers.count == 6, (1...12).contains(numbers[1]), (1...31).contains(numbers[2]), numbers[3] < 24,
            numbers[4] < 60, numbers[5] < 60
        else { return [RingPacket.error(0x01)] }
        let shown = WallClock(
            year: 2000 + numbers[0], month: numbers[1], day: numbers[2], hour: numbers[3], minute: numbers[4],
            second: numbers[5])
        state.clockOffset = shown.seconds - Int(now().timeIntervalSince1970.rounded(.down))
        return [RingPacket.make(0x01, [0, 1, 0, 0x22, 0, 0, 0, 0, 1, 6, 0x30])]
    }

    /// `43 dd 0F from to 01`: dd days before the ring's today, slots from…to.
    private func steps(_ packet: [UInt8], _ state: State) -> [[UInt8]] {
        let wanted = Int(packet[3])...max(Int(packet[3]), Int(packet[4]))
        let slots = slots(daysAgo: Int(packet[1]), state).filter { wanted.contains($0.index) }
        var packets = RingStepReply(slots: slots, calories: calories).packets
        if let other = state.behaviour.repeatsRecordOf, other != Int(packet[1]) {
            packets.insert(
                contentsOf: RingStepReply(slots: self.slots(daysAgo: other, state), calories: calories).packets.suffix(
                    1), at: 0)
        }
        return state.behaviour.omitsLastRecord && packets.count > 1 ? packets.dropLast() : packets
    }

    /// `48`: today's steps, running steps, calories and metres; four big-endian u24.
    private func total(_ state: State) -> [UInt8] {
        let today = slots(daysAgo: 0, state)
        let steps = max(0, today.map(\.steps).reduce(0, +) + state.behaviour.totalIsOffBy)
        let sums = [steps, 0, today.map(\.calories).reduce(0, +), today.map(\.metres).reduce(0, +)]
        return RingPacket.make(0x48, sums.flatMap { sum in [16, 8, 0].map { UInt8(truncatingIfNeeded: sum >> $0) } })
    }

    /// `73 12`: what the ring sends unrequested while its wearer walks; three big-endian u24 of the day so far.
    func liveSteps(_ state: State) -> [UInt8] {
        let today = slots(daysAgo: 0, state)
        var payload: [UInt8] = [0x12]
        for total in [today.map(\.steps), today.map(\.calories), today.map(\.metres)].map({ $0.reduce(0, +) }) {
            for shift in [16, 8, 0] { payload.append(UInt8(truncatingIfNeeded: total >> shift)) }
        }
        return RingPacket.make(0x73, payload)
    }
}

/// The frames of a Colmi ring: 16 bytes, command first, checksum last (the sum of the others, modulo 256).
enum RingPacket {
    static let length = 16

    /// - Parameter payload: at most 14 bytes; missing bytes are zero.
    static func make(_ command: UInt8, _ payload: [UInt8] = []) -> [UInt8] {
        var packet = [command] + payload.prefix(length - 2)
        packet += [UInt8](repeating: 0, count: length - 1 - packet.count)
        return packet + [checksum(packet)]
    }

    /// A command that the ring does not know or refuses comes back with bit 7 set.
    static func error(_ command: UInt8) -> [UInt8] { make(command | 0x80, [0xee]) }

    static func isValid(_ packet: [UInt8]) -> Bool {
        packet.count == length && packet.last == checksum(packet.dropLast())
    }

    static func checksum(_ bytes: some Sequence<UInt8>) -> UInt8 { bytes.reduce(0, &+) }

    /// 37 becomes 0x37.
    static func bcd(_ number: Int) -> UInt8 { UInt8((number / 10 % 10) << 4 + number % 10) }

    /// Nil if a digit is above 9.
    static func number(_ bcd: UInt8) -> Int? {
        let (tens, ones) = (Int(bcd >> 4), Int(bcd & 15))
        return tens < 10 && ones < 10 ? tens * 10 + ones : nil
    }
}

/// The ring's answer to "the steps of a day" (command 0x43): a header and a packet for each slot, or "no data".
struct RingStepReply {
    static let command: UInt8 = 0x43

    var slots: [WalkedSlot]
    var calories: SimulatedColmi.CalorieProtocol

    /// - Header: `43 F0 n c`, n the number of records, c = 1 when calories are sent in tens.
    /// - Record: year, month and day in BCD, quarter-hour of the day, index, total, calories, steps and metres as u16
    ///   LE.
    /// - No data: `43 FF`.
    var packets: [[UInt8]] {
        guard !slots.isEmpty else { return [RingPacket.make(Self.command, [0xff])] }
        let header = RingPacket.make(Self.command, [0xf0, UInt8(slots.count), calories == .tens ? 1 : 0])
        return [header] + slots.enumerated().map { index, slot in record(slot, index) }
    }

    private func record(_ slot: WalkedSlot, _ index: Int) -> [UInt8] {
        let start = slot.start
        let energy = calories == .tens ? slot.calories / 10 : slot.calories
        let head: [UInt8] = [
            RingPacket.bcd(start.year % 100), RingPacket.bcd(start.month), RingPacket.bcd(start.day),
            UInt8(slot.index), UInt8(index), UInt8(slots.count),
        ]
        return RingPacket.make(Self.command, head + little(energy) + little(slot.steps) + little(slot.metres))
    }

    private func little(_ number: Int) -> [UInt8] {
        let clamped = UInt16(clamping: number)
        return [UInt8(truncatingIfNeeded: clamped), UInt8(truncatingIfNeeded: clamped >> 8)]
    }
}
