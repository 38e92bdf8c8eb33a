public import Foundation
internal import Synchronization

/// A band whose requests are written to one characteristic and answered by notifications of others: what the simulated
/// bands have in common. What it answers is a function of the request.
public final class SimulatedSerialBand: SimulatedPeripheral {
    /// What is different for each model.
    public struct Behaviour: Sendable {
        public var advertisement: Advertisement
        public var services: [SimulatedService]
        public var mtu: UInt16 = 23
        /// Notifications that a write causes; nil if it cannot be written.
        public var answer: @Sendable ([UInt8], CharacteristicID) -> [(CharacteristicID, [UInt8])]?
        /// Notifications that a subscription to a characteristic causes.
        public var greeting: @Sendable (CharacteristicID) -> [(CharacteristicID, [UInt8])] = { _ in [] }
        /// Notifications that it sends by itself while its wearer walks.
        public var announcement: @Sendable () -> [(CharacteristicID, [UInt8])] = { [] }
        /// The characteristic whose notifications a write cuts off, if they are not sent yet.
        public var interrupted: @Sendable ([UInt8]) -> CharacteristicID? = { _ in nil }
        /// What it has to receive within a time, from the beginning of a link and each time; otherwise it ends the
        /// link.
        public var keepAlive: (value: [UInt8], limit: Duration)?
        /// Values that can be read.
        public var values: @Sendable () -> [CharacteristicID: [UInt8]] = { [:] }

        public init(
            advertisement: Advertisement, services: [SimulatedService],
            answer: @escaping @Sendable ([UInt8], CharacteristicID) -> [(CharacteristicID, [UInt8])]?
        ) {
            self.advertisement = advertisement
            self.services = services
            self.answer = answer
        }
    }

    public let address: String
    public let behaviour: Behaviour
    private let clock: any Clock<Duration>
    private let state = Mutex(State())

    private struct State {
        var link: PeripheralLink?
        var hangUp: Task<Void, Never>?
        var written: [[UInt8]] = []
        var silent = 0
    }

    /// - Parameter clock: of the time within which it has to receive something.
    public init(address: String, _ behaviour: Behaviour, clock: any Clock<Duration> = ContinuousClock()) {
        self.address = address
        self.behaviour = behaviour
        self.clock = clock
    }

    /// All values that were written to it.
    public var written: [[UInt8]] { state.withLock { $0.written } }

    /// It does not answer the next requests.
    public func ignore(requests: Int) { state.withLock { $0.silent = requests } }

    /// Sends what it sends by itself after a step.
    public func announce() {
        guard let link = state.withLock(\.link) else { return }
        for (source, bytes) in behaviour.announcement() { link.notify(source, bytes) }
    }

    public var advertisement: Advertisement { behaviour.advertisement }
    public var services: [SimulatedService] { behaviour.services }
    public var mtu: UInt16 { behaviour.mtu }

    public func linkOpened(_ link: PeripheralLink) {
        state.withLock { $0.link = link }
        awaitKeepAlive()
    }

    public func linkClosed() {
        let hangUp = state.withLock { state in
            state.link = nil
            return state.hangUp
        }
        hangUp?.cancel()
    }

    /// Ends the link if nothing arrives in time that keeps it.
    private func awaitKeepAlive() {
        guard let limit = behaviour.keepAlive?.limit, let link = state.withLock(\.link) else { return }
        let task = Task { [clock] in
            guard (try? await clock.sleep(for: limit)) != nil else { return }
            link.disconnect()
        }
        let before = state.withLock { state in
            defer { state.hangUp = task }
            return state.hangUp
        }
        before?.cancel()
    }

    public func subscriptionChanged(_ characteristic: CharacteristicID, subscribed: Bool) throws(ATTError) {
        guard subscribed, let link = state.withLock(\.link) else { return }
        for (source, bytes) in behaviour.greeting(characteristic) { link.notify(source, bytes) }
    }

    public func read(_ characteristic: CharacteristicID) throws(ATTError) -> [UInt8] {
        guard let value = behaviour.values()[characteristic] else { throw .readNotPermitted }
        return value
    }

    public func write(_ value: [UInt8], to characteristic: CharacteristicID) throws(ATTError) {
        guard let answers = behaviour.answer(value, characteristic) else { throw .writeNotPermitted }
        let link = state.withLock { state -> PeripheralLink? in
            state.written.append(value)
            guard state.silent == 0 else {
                state.silent -= 1
                return nil
            }
            return state.link
        }
        if value == behaviour.keepAlive?.value { awaitKeepAlive() }
        if let source = behaviour.interrupted(value) { link?.discard(source) }
        for (source, bytes) in answers { link?.notify(source, bytes) }
    }
}

extension [UInt8] {
    /// A number, lowest byte first.
    static func little(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    /// A number, highest byte first.
    static func big(_ number: Int, _ count: Int) -> [UInt8] { little(number, count).reversed() }

    /// The bytes in pieces of at most `size` bytes.
    func pieces(_ size: Int) -> [[UInt8]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}

/// What a simulated band has counted: steps of quarters of an hour by its own clock.
public struct BandMemory: Sendable {
    /// The time that the band's clock shows.
    public let clock: @Sendable () -> WallClock
    private let content: @Sendable () -> [Int: Int]
    private let add: @Sendable (Int) -> Void

    /// Steps by the beginning of the quarter, in seconds since 1970 by the band's clock.
    public var quarters: [Int: Int] { content() }

    /// Only these steps.
    public init(quarters: [Int: Int], clock: @escaping @Sendable () -> WallClock) {
        self.clock = clock
        content = { quarters }
        add = { _ in }
    }

    /// The walks of a person, who continues to walk.
    ///
    /// - Parameters:
    ///   - days: today included.
    ///   - zone: the zone of the band's clock.
    public init(days: Int, seed: UInt64 = 5, zone: TimeZone, now: @escaping @Sendable () -> Date = { Date() }) {
        let (history, last) = (WalkingHistory(seed: seed), CachedContent())
        clock = { WallClock(now(), in: zone) }
        content = {
            let clock = WallClock(now(), in: zone)
            return last.value.withLock { last in
                if last.quarter == clock.seconds / 900 { return last.quarters }
                last.walked = last.walked.filter { $0.key / 86_400 > clock.dayNumber - days }
                (last.quarter, last.quarters) = (clock.seconds / 900, last.walked)
                for day in (clock.dayNumber - days + 1)...clock.dayNumber {
                    // A quarter that has not ended is not stored yet.
                    for slot in history.slots(day: day, until: clock) where slot.start.seconds + 900 <= clock.seconds {
                        last.quarters[slot.start.seconds, default: 0] += slot.steps
                    }
                }
                return last.quarters
            }
        }
        add = { steps in
            let quarter = WallClock(now(), in: zone).seconds / 900
            last.value.withLock { last in
                last.walked[quarter * 900, default: 0] += steps
                if last.quarter == quarter { last.quarters[quarter * 900, default: 0] += steps }
            }
        }
    }

    /// Adds steps of the present quarter of an hour, which is stored at once. Without a person who walks, it does
    /// nothing.
    public func walk(_ steps: Int) { add(steps) }

    /// The content of the memory in the quarter of an hour in which it was last read, and the steps of `walk` in it.
    private final class CachedContent: Sendable {
        let value = Mutex((quarter: Int.min, quarters: [Int: Int](), walked: [Int: Int]()))
    }

    var today: Int { clock().dayNumber }

    /// Steps of a day, counted since 1970.
    public func steps(ofDay day: Int) -> Int { quarters.filter { $0.key / 86_400 == day }.values.reduce(0, +) }
    /// Steps of today.
    public var stepsToday: Int { steps(ofDay: today) }
    /// All steps.
    public var steps: Int { quarters.values.reduce(0, +) }

    func steps(_ span: Range<Int>) -> Int { quarters.filter { span.contains($0.key) }.values.reduce(0, +) }
}
