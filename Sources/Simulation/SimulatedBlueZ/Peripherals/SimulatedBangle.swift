public import Foundation
import Synchronization

/// A Bangle.js 2 with the apps `android` and `health`: a console over the Nordic UART that sends the records of its local time.
///
/// It follows `apps/android/lib.js` and `apps/health/lib.js`: a record belongs to a local date and time, and is sent with the time that
/// results from that and the zone that the watch has now.
public final class SimulatedBangle: SimulatedPeripheral {
    public let address: String
    public let mtu: UInt16
    private let now: @Sendable () -> Date
    private let state: Mutex<State>

    public static let service: AttributeUUID = "6e400001-b5a3-f393-e0a9-e50e24dcca9e"
    public static let input = CharacteristicID(service, "6e400002-b5a3-f393-e0a9-e50e24dcca9e")
    public static let output = CharacteristicID(service, "6e400003-b5a3-f393-e0a9-e50e24dcca9e")

    /// - Parameters:
    ///   - zone: what its clock follows.
    ///   - days: days for which it has records, today included.
    ///   - seed: determines the steps of its wearer.
    public init(
        address: String = "C0:DE:BA:26:1E:02", zone: TimeZone = .current, days: Int = 3, seed: UInt64 = 3, mtu: UInt16 = 53,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.address = address
        self.mtu = mtu
        self.now = now
        state = Mutex(State(zone: zone))
        let (clock, history) = (WallClock(now(), in: zone), WalkingHistory(seed: seed))
        var records: [WallClock: Int] = [:]
        for day in (clock.dayNumber - days + 1)...clock.dayNumber {
            var quarters: [Int: Int] = [:]
            for slot in history.slots(day: day, until: clock) { quarters[slot.index] = slot.steps }
            // Half an hour is two quarters, and three records.
            for index in 0..<144 where day * 86_400 + (index + 1) * 600 <= clock.seconds {
                let steps = (quarters[index / 3 * 2] ?? 0) + (quarters[index / 3 * 2 + 1] ?? 0)
                records[WallClock(seconds: day * 86_400 + index * 600)] = steps / 3
            }
        }
        state.withLock { [records] in $0.records = records }
    }

    /// What is wrong with a watch.
    public struct Behaviour: Sendable, Hashable {
        /// It lacks this app: `android` or `health`.
        public var lacks: String?
        /// It sends live steps and its status between the records.
        public var sendsUnrequestedData = false
        /// Each of its answers to this many requests omits a record, and counts it.
        public var omitsRecord = 0
        /// It never ends its answer.
        public var omitsEnd = false
        /// Bytes in a notification, at most; the default is what the link carries.
        public var piece: Int?
        /// It prints this many bytes without an end of the line.
        public var noise = 0

        public init() {}
    }

    private struct State {
        var zone: TimeZone
        var link: PeripheralLink?
        var records: [WallClock: Int] = [:]
        /// The ten minutes that are not over, and the steps of `walk` in them.
        var current: (start: WallClock, steps: Int)?
        var behaviour = Behaviour()
        var typed: [UInt8] = []
        var requests: [String] = []
        var longestWrite = 0
    }

    // MARK: Access for tests

    public var behaviour: Behaviour {
        get { state.withLock { $0.behaviour } }
        set { state.withLock { $0.behaviour = newValue } }
    }

    /// All records, by the local time at which each began.
    public var expectedSteps: [WallClock: Int] { state.withLock { $0.records } }

    /// Another record, or other steps in it; nil removes it.
    public func setSteps(_ steps: Int?, at clock: WallClock) { state.withLock { $0.records[clock] = steps } }

    /// Makes steps now. They are in a record once its ten minutes are over, as in the watch.
    public func walk(_ steps: Int) {
        state.withLock { state in
            let clock = WallClock(now(), in: state.zone)
            let start = WallClock(seconds: clock.seconds - clock.secondOfDay % 600)
            if let current = state.current, current.start != start {
                state.records[current.start, default: 0] += current.steps
                state.current = nil
            }
            state.current = (start, (state.current?.steps ?? 0) + steps)
        }
    }

    /// The lines that it has executed.
    public var requests: [String] { state.withLock { $0.requests } }

    /// Bytes of the longest packet that was written to it.
    public var longestWrite: Int { state.withLock { $0.longestWrite } }

    // MARK: SimulatedPeripheral

    public var advertisement: Advertisement { Advertisement(name: "Bangle.js a1b2", services: [], rssi: -60) }

    public var services: [SimulatedService] {
        [
            SimulatedService(
                Self.service,
                [
                    SimulatedCharacteristic(Self.input.characteristic, [.write, .writeWithoutResponse]),
                    SimulatedCharacteristic(Self.output.characteristic, [.notify]),
                ])
        ]
    }

    public func linkOpened(_ link: PeripheralLink) { state.withLock { $0.link = link } }
    public func linkClosed() { state.withLock { ($0.link, $0.typed) = (nil, []) } }
    public func read(_ characteristic: CharacteristicID) throws(ATTError) -> [UInt8] { throw .readNotPermitted }

    public func write(_ value: [UInt8], to characteristic: CharacteristicID) throws(ATTError) {
        guard characteristic == Self.input else { throw .writeNotPermitted }
        let (link, text, piece) = state.withLock { state in
            state.longestWrite = max(state.longestWrite, value.count)
            state.typed += value
            var output = ""
            while let end = state.typed.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: state.typed[..<end], as: UTF8.self).filter { $0 != "\u{10}" }
                state.typed.removeSubrange(...end)
                if !line.isEmpty { output += execute(line, &state) }
            }
            return (state.link, Array(output.utf8), state.behaviour.piece ?? Int(mtu) - 3)
        }
        for start in stride(from: 0, to: text.count, by: piece) {
            link?.notify(Self.output, Array(text[start..<min(start + piece, text.count)]))
        }
    }

    // MARK: The watch's program

    private func execute(_ line: String, _ state: inout State) -> String {
        state.requests.append(line)
        guard state.behaviour.lacks != "android" else {
            return "Uncaught ReferenceError: \"GB\" is not defined\r\n at line 1 col 1\r\nGB({\"t\":\"actfetch\"...\r\n^\r\n"
        }
        guard let match = line.firstMatch(of: /^GB\(\{"t":"actfetch","ts":([0-9]+)\}\)$/), let since = Int(match.1) else {
            return "Uncaught SyntaxError: Got EOF\r\n"
        }
        func sent(_ json: String) -> String { "\r\n\(json)\r\n" }
        var output = state.behaviour.noise > 0 ? String(repeating: "x", count: state.behaviour.noise) + "\r\n" : ""
        output += sent(#"{"t":"actfetch","state":"start"}"#)
        guard state.behaviour.lacks != "health" else { return output + "Uncaught Error: Module \"health\" not found\r\n at line 1 col 9\r\n" }
        let offset = state.zone.secondsFromGMT(for: now())
        var count = 0
        for (clock, steps) in state.records.sorted(by: { $0.key < $1.key }) {
            let time = (clock.seconds - offset + 600) * 1000
            guard time >= since else { continue }
            count += 1
            if state.behaviour.omitsRecord > 0, count == 5 { continue }
            if state.behaviour.sendsUnrequestedData, count % 7 == 0 {
                output += sent(#"{"t":"act","stp":11,"hrm":70,"rt":1}"#) + sent(#"{"t":"status","bat":87,"chg":0}"#) + ">"
            }
            output += sent(#"{"t":"act","ts":\#(time),"stp":\#(steps),"hrm":61.5,"mov":120,"act":"WALKING"}"#)
        }
        state.behaviour.omitsRecord -= state.behaviour.omitsRecord > 0 ? 1 : 0
        return state.behaviour.omitsEnd ? output : output + sent(#"{"t":"actfetch","state":"end","count":\#(count)}"#)
    }
}
