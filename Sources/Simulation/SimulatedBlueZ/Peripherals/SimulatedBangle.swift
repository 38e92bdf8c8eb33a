public import Foundation
import Synchronization

/// A Bangle.js 2 with the apps `android` and `health`: a console over the Nordic UART that sends the records of its
/// local time.
///
/// It follows `apps/android/lib.js` and `apps/health/lib.js`: a record belongs to a local date and time, and is sent
/// with the time that results from that and the zone that the watch has now. What its console prints was compared with
/// Espruino 2v29.
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
        address: String = "C0:DE:BA:26:1E:02", zone: TimeZone = .ofMachine, days: Int = 3, seed: UInt64 = 3,
        mtu: UInt16 = 53,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.address = address
        self.mtu = mtu
        self.now = now
        state = Mutex(State(zone: .follows(zone)))
        let (clock, history) = (WallClock(now(), in: zone), WalkingHistory(seed: seed))
        var records: [WallClock: Int] = [:]
        for day in (clock.dayNumber - days + 1)..<(clock.dayNumber + 1) {
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

    /// What its clock follows.
    public enum Zone: Sendable, Hashable {
        /// A phone sets the offset of this zone whenever it changes (`E.setTimeZone`); the watch applies it to all
        /// dates.
        case follows(TimeZone)
        /// Seconds east of Greenwich that nobody changes.
        case fixed(Int)
        /// The rule of this zone, for each date (`E.setDST`, as the app `widdst` calls it).
        case rule(TimeZone)

        /// Seconds east of Greenwich as the watch calculates now for a moment.
        func offset(at moment: Int, now: Date) -> Int {
            switch self {
            case .follows(let zone): zone.secondsFromGMT(for: now)
            case .fixed(let offset): offset
            case .rule(let zone): zone.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(moment)))
            }
        }

        /// The moment of a local time; of the first one, if clocks show it twice.
        func moment(of wall: Int, now: Date) -> Int {
            let candidates = [wall - offset(at: wall - 86_400, now: now), wall - offset(at: wall + 86_400, now: now)]
                .sorted()
            return candidates.first { $0 + offset(at: $0, now: now) == wall } ?? candidates[1]
        }
    }

    /// What is wrong with a watch.
    public struct Behaviour: Sendable, Hashable {
        public enum Order: Sendable { case before, after }

        /// It lacks this app: `android` or `health`.
        public var lacks: String?
        /// Its app `android` is older than 0.31 and does not know the request.
        public var hasOldAndroid = false
        /// The version of its app `health`. Before 0.33 it does not send today, before 0.26 it cannot send at all.
        public var health = "0.43"
        /// "Programmable: off": requests are executed, other JavaScript is not, and errors are hidden.
        public var isConsoleOff = false
        /// Its console requires a password.
        public var isLocked = false
        /// What is left on the console by another program.
        public var unfinishedLine = ""
        /// Seconds by which its clock is ahead.
        public var clockOffset = 0
        /// It sends live steps and its status before or after its answer: never inside, since the answer is one run of
        /// its program.
        public var sendsLiveLines: Order?
        /// Whether what it sends 2 s after each connection comes before or after its answer: status, versions,
        /// calendar.
        public var greets = Order.after
        /// Its files are of the first format, which has no activity.
        public var omitsActivity = false
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
        var zone: Zone
        var link: PeripheralLink?
        var records: [WallClock: Int] = [:]
        /// The ten minutes that are not over, and the steps of `walk` in them.
        var current: (start: WallClock, steps: Int)?
        var behaviour = Behaviour()
        var typed: [UInt8] = []
        var hasGreeted = false
        var requests: [String] = []
        var maximumWrite = 0
    }

    // MARK: Access for tests

    public var behaviour: Behaviour {
        get { state.withLock { $0.behaviour } }
        set { state.withLock { $0.behaviour = newValue } }
    }

    /// What its clock follows from now on.
    public var zone: Zone {
        get { state.withLock { $0.zone } }
        set { state.withLock { $0.zone = newValue } }
    }

    /// Ten minutes have ended: a record of the local time at which they began (`apps/health/boot.js`). A local time
    /// that has a record already, because the clock was put back, gets no other ("HEALTH ERR: Already written!").
    ///
    /// - Returns: whether it was stored.
    @discardableResult public func endSlot(steps: Int) -> Bool {
        state.withLock { state in
            let now = time(state)
            let began = Int(now.timeIntervalSince1970) - 590
            let wall = began + state.zone.offset(at: began, now: now)
            let clock = WallClock(seconds: wall - wall % 600)
            guard state.records[clock] == nil else { return false }
            state.records[clock] = steps
            return true
        }
    }

    /// The time that its clock shows.
    private func time(_ state: State) -> Date { now().addingTimeInterval(TimeInterval(state.behaviour.clockOffset)) }

    /// All records, by the local time at which each began.
    public var expectedSteps: [WallClock: Int] { state.withLock { $0.records } }

    /// Another record, or other steps in it; nil removes it.
    public func setSteps(_ steps: Int?, at clock: WallClock) { state.withLock { $0.records[clock] = steps } }

    /// Makes steps now. They are in a record once its ten minutes are over, as in the watch.
    public func walk(_ steps: Int) {
        state.withLock { state in
            let moment = Int(now().timeIntervalSince1970)
            let clock = WallClock(seconds: moment + state.zone.offset(at: moment, now: now()))
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
    public var maximumWrite: Int { state.withLock { $0.maximumWrite } }

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

    public func linkOpened(_ link: PeripheralLink) { state.withLock { ($0.link, $0.hasGreeted) = (link, false) } }
    public func linkClosed() { state.withLock { ($0.link, $0.typed) = (nil, []) } }
    public func read(_ characteristic: CharacteristicID) throws(ATTError) -> [UInt8] { throw .readNotPermitted }

    public func write(_ value: [UInt8], to characteristic: CharacteristicID) throws(ATTError) {
        guard characteristic == Self.input else { throw .writeNotPermitted }
        let (link, text, piece) = state.withLock { state in
            state.maximumWrite = max(state.maximumWrite, value.count)
            state.typed += value
            if value.contains(3), !state.behaviour.isConsoleOff {
                // It is handled when it arrives, before the line that it is in.
                state.behaviour.unfinishedLine = ""
                state.typed.removeAll { $0 == 3 }
            }
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
        if state.behaviour.isConsoleOff {
            return line.hasPrefix("GB({") ? answered(line, &state) : ""
        }
        if state.behaviour.isLocked { return "\n  Invalid password\npassword>" }
        if !state.behaviour.unfinishedLine.isEmpty {
            state.behaviour.unfinishedLine += line
            return "\r\n:"
        }
        return clock(line, state) ?? answered(line, &state)
    }

    /// What it prints for the question about its clock; nil for another line.
    private func clock(_ line: String, _ state: State) -> String? {
        let form =
            /^try\{Bluetooth\.println\("\\n"\+JSON\.stringify\(\{t:"istep",now:Date\.now\(\),tz:\[([0-9,]+)\]\.map\(.*\}catch\(e\)\{\}$/
        guard let match = line.firstMatch(of: form) else { return nil }
        let moments = match.1.split(separator: ",").compactMap { Int($0) }
        let zones = moments.map { "\(-state.zone.offset(at: $0 / 1000, now: now()) / 60)" }.joined(separator: ",")
        let health = state.behaviour.lacks == "health" ? "" : #","health":"\#(state.behaviour.health)""#
        let shown = "\(Int(time(state).timeIntervalSince1970))123.45675781249"
        return "\r\n" + #"{"t":"istep","now":\#(shown),"tz":"\#(zones)"\#(health)}"# + "\r\n"
    }

    /// A request and its answer, and what else comes before and after it.
    private func answered(_ line: String, _ state: inout State) -> String {
        let behaviour = state.behaviour
        var (before, after) = ("", "")
        if !state.hasGreeted, behaviour.lacks != "android" {
            let greeting =
                Self.sent(#"{"t":"status","bat":87,"chg":0}"#) + Self.sent(#"{"t":"ver","fw":"2v29","hw":2}"#)
                + Self.sent(#"{"t":"force_calendar_sync","ids":[]}"#)
            if behaviour.greets == .before { before += greeting } else { after += greeting }
            state.hasGreeted = true
        }
        if let order = behaviour.sendsLiveLines {
            let live =
                Self.sent(#"{"t":"act","stp":11,"hrm":70,"mov":150,"act":"WALKING"}"#)
                + Self.sent(#"{"t":"act","stp":3,"hrm":70,"rt":1}"#)
                + Self.sent(#"{"t":"status","bat":87,"chg":0}"#) + ">"
            if order == .before { before += live } else { after += live }
        }
        return before + answer(line, &state) + after
    }

    private static func sent(_ json: String) -> String { "\r\n\(json)\r\n" }

    /// An error as Espruino prints it, with the place of each call.
    private static func error(_ message: String, in functions: [String]) -> String {
        "Uncaught \(message)\r\n" + functions.map { "    at \($0)\r\n\r\n" + "              ^\r\n" }.joined() + ">"
    }

    private func answer(_ line: String, _ state: inout State) -> String {
        let behaviour = state.behaviour
        state.requests.append(line)
        guard behaviour.lacks != "android" else {
            return behaviour.isConsoleOff
                ? "" : Self.error("ReferenceError: \"GB\" is not defined", in: ["REPL (:1:1)"])
        }
        guard let match = line.firstMatch(of: /^GB\(\{"t":"actfetch","ts":([0-9]+)\}\)$/), let since = Int(match.1)
        else {
            return behaviour.isConsoleOff ? "" : Self.error("SyntaxError: Got EOF expected ')'", in: ["REPL (:1:2)"])
        }
        guard !behaviour.hasOldAndroid else {
            return behaviour.isConsoleOff ? "" : "GB Unknown { \r\n  \"t\": \"actfetch\", \r\n  \"ts\": \(since) }\r\n>"
        }
        var output = behaviour.noise > 0 ? String(repeating: "x", count: behaviour.noise) + "\r\n" : ""
        output += Self.sent(#"{"t":"actfetch","state":"start"}"#)
        let calls = ["h (:21:25)", "gbHandler (:292:12)", "GB (:7:34)", "REPL (:1:39)"]
        if behaviour.lacks == "health" || behaviour.health < "0.26" {
            let message =
                behaviour.lacks == "health"
                ? "Module \"health\" not found" : "Function \"readAllRecordsSince\" not found!"
            return output + (behaviour.isConsoleOff ? "" : Self.error("Error: " + message, in: calls))
        }
        var count = 0
        let now = time(state)
        for wall in walls(since: since, now: now, state) {
            guard let steps = state.records[WallClock(seconds: wall)] else { continue }
            let time = (state.zone.moment(of: wall, now: now) + 600) * 1000
            guard time >= since else { continue }
            count += 1
            if behaviour.omitsRecord > 0, count == 5 { continue }
            let activity = behaviour.omitsActivity ? "" : #","act":"WALKING""#
            output += Self.sent(#"{"t":"act","ts":\#(time),"stp":\#(steps),"hrm":61.5,"mov":120\#(activity)}"#)
        }
        state.behaviour.omitsRecord -= behaviour.omitsRecord > 0 ? 1 : 0
        return behaviour.omitsEnd ? output : output + Self.sent(#"{"t":"actfetch","state":"end","count":\#(count)}"#)
    }

    /// The local times whose records are looked at: whole days, from the one that has the *UTC* date of the requested
    /// time (`readAllRecordsSince`: `new Date(d.toISOString().substr(0,10))`) through today.
    private func walls(since: Int, now: Date, _ state: State) -> StrideTo<Int> {
        let moment = Int(now.timeIntervalSince1970)
        let today = (moment + state.zone.offset(at: moment, now: now)) / 86_400
        if since == 0 {
            let first = state.records.keys.min()?.seconds ?? 0
            return stride(from: first, to: (today + 1) * 86_400, by: 600)
        }
        let end = state.behaviour.health < "0.33" ? today : today + 1
        return stride(from: (since / 1000 - 600) / 86_400 * 86_400, to: end * 86_400, by: 600)
    }
}
