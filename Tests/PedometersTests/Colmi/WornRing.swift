import StepDomain

@testable import Pedometers

/// A ring and its wearer over days: steps go into the slot that the ring's own clock shows; slots stay when the clock
/// is set. Also the reading side: what istep stores between two syncs.
struct WornRing {
    /// Seconds that the ring's clock is ahead of UTC.
    var clockOffset: Int
    var localTime: LocalTime
    private(set) var walked = 0
    private(set) var stored: [Timestamp: Int] = [:]
    private(set) var coverage: [TimeSpan] = []
    /// The notices of the last sync.
    private(set) var notices: [SyncNotice] = []
    private(set) var error: PedometerError?
    /// How often the records of each day were sent in the last sync.
    private(set) var transfers: [Int: Int] = [:]
    /// The days of these transfers, in order.
    private(set) var sent: [Int] = []
    /// Days that all syncs have reported as lost.
    private(set) var lost: Set<Day> = []
    /// The fault of a day, by its number in the ring's calendar, and how many more requests of that day fail.
    var faults: [Int: (fault: Fault, requests: Int)] = [:]
    private var slots: [Int: Int] = [:]
    private(set) var cursor = PedometerCursor()
    private var clock = ClockState()

    /// Whether a time server has set this machine's clock.
    var isClockTrusted = true

    enum Fault: CaseIterable { case refuses, isSilent, dropsLink, losesLastRecord }

    init(clockOffset: Int, _ localTime: LocalTime) {
        self.clockOffset = clockOffset
        self.localTime = localTime
    }

    var total: Int { stored.values.reduce(0, +) }

    mutating func walk(_ steps: Int, at moment: Timestamp) {
        let wall = moment.seconds + clockOffset
        slots[wall - wall % 900, default: 0] += steps
        walked += steps
    }

    /// Steps of one of the ring's days, as it would send them.
    func steps(ofRingDay day: Int) -> Int {
        slots.filter { DeviceClock(wall: $0.key).day == day }.values.reduce(0, +)
    }

    /// The days of the ring with steps.
    var walkedDays: Set<Int> { Set(slots.keys.map { DeviceClock(wall: $0).day }) }

    /// - Parameters:
    ///   - slow: seconds from one answer to the next.
    ///   - lost: the last packet of the answer for the day this many days ago never arrives.
    mutating func sync(at start: Timestamp, slow: Int = 0, losing lost: Int? = nil) {
        let pedometer = Pedometer(
            id: 1, user: 1, model: "colmi", address: "C0:DE:00:00:00:01", addressType: "random", name: "ring",
            clock: clock, cursor: cursor)
        var session: any PedometerSession = Colmi.session(
            SessionContext(pedometer: pedometer, localTime: localTime, isClockTrusted: isClockTrusted))
        var event = SessionEvent.started
        var pending: [[UInt8]] = []
        /// Packets until the link ends.
        var left: Int?
        var now = start
        (notices, error, transfers, sent) = ([], nil, [:], [])
        while true {
            switch session.next(after: event, at: now) {
            case .write(let request, _, _):
                if request[0] == 0x43 { now = now + slow }
                pending = answer(request, now)
                if request[0] == 0x43, Int(request[1]) == lost { pending.removeLast() }
                if request[0] == 0x43 {
                    left = applyFault(DeviceClock(wall: now.seconds + clockOffset).day - Int(request[1]), &pending)
                }
                event = .done
            case .receive(let seconds):
                if left == 0 {
                    event = .linkLost
                    left = -1
                } else if pending.isEmpty {
                    now = now + Int(seconds)
                    event = .silence
                } else {
                    left = left.map { $0 - 1 }
                    event = .value(pending.removeFirst())
                }
            case .deliver(let batch, _):
                for sample in batch.samples { stored[sample.start] = max(stored[sample.start] ?? 0, sample.steps) }
                coverage += batch.coverage
                cursor = batch.cursor ?? cursor
                take(batch.notices)
                if left == -1 { return }
                event = .done
            case .finish(let report):
                if left == -1 { return }
                if let setting = report.clockSet { clock.record(setting, memory: 62 * 86_400) }
                take(report.notices)
                return
            case .fail(let error):
                self.error = error
                return
            case .read, .readIfPresent, .stream, .writeIfPresent: return
            case .subscribe, .subscribeAll: event = .done
            }
        }
    }

    private mutating func take(_ noticed: [SyncNotice]) {
        notices += noticed
        for case .tooOld(let days) in noticed { lost.formUnion(days) }
        for case .lost(let first, let last) in noticed { lost.formUnion(first...last) }
    }

    /// - Returns: packets until the link ends; nil if it does not.
    private mutating func applyFault(_ day: Int, _ packets: inout [[UInt8]]) -> Int? {
        transfers[day, default: 0] += packets.count > 1 ? 1 : 0
        sent.append(day)
        guard let (fault, requests) = faults[day], requests > 0 else { return nil }
        faults[day] = (fault, requests - 1)
        switch fault {
        case .refuses: packets = [ColmiPacket(0xc3).bytes]
        case .isSilent: packets = []
        case .dropsLink: return packets.count / 2
        case .losesLastRecord: packets.removeLast()
        }
        return nil
    }

    private mutating func answer(_ request: [UInt8], _ now: Timestamp) -> [[UInt8]] {
        let today = DeviceClock(wall: now.seconds + clockOffset).day
        var script = RingScript(today: today)
        for (wall, steps) in slots.sorted(by: { $0.key < $1.key }) {
            script.history[DeviceClock(wall: wall).day, default: []].append((wall % 86_400 / 900, steps))
        }
        if request[0] == 0x01 {
            let fields = request[1...6].map { Int($0 >> 4) * 10 + Int($0 & 15) }
            guard let day = Day(year: 2000 + fields[0], month: fields[1], day: fields[2]) else { return [] }
            let wall = day.daysSince1970 * 86_400 + fields[3] * 3600 + fields[4] * 60 + fields[5]
            clockOffset = wall - now.seconds
        }
        return script.answer(request)
    }
}
