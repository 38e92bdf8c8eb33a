import StepDomain

@testable import Pedometers

/// A ring and its wearer over days: steps go into the slot that the ring's own clock shows, slots stay when the clock is set.
/// And the home that reads it: what istep keeps between two syncs.
struct LivingRing {
    /// Seconds that the ring's clock is ahead of UTC.
    var lead: Int
    var localTime: LocalTime
    private(set) var walked = 0
    private(set) var stored: [Timestamp: Int] = [:]
    private(set) var coverage: [TimeSpan] = []
    private(set) var notices: [SyncNotice] = []
    private var slots: [Int: Int] = [:]
    private var cursor = PedometerCursor()
    private var clock = ClockState()

    init(lead: Int, _ localTime: LocalTime) {
        self.lead = lead
        self.localTime = localTime
    }

    var total: Int { stored.values.reduce(0, +) }

    mutating func walk(_ steps: Int, at moment: Timestamp) {
        let wall = moment.seconds + lead
        slots[wall - wall % 900, default: 0] += steps
        walked += steps
    }

    /// - Parameters:
    ///   - slow: seconds from one answer to the next.
    ///   - lost: the end of the answer for the day so many days ago never comes.
    mutating func sync(at start: Timestamp, slow: Int = 0, losing lost: Int? = nil) {
        let pedometer = Pedometer(
            id: 1, user: 1, model: "colmi", address: "C0:DE:00:00:00:01", addressType: "random", name: "ring",
            clock: clock, cursor: cursor)
        var session: any PedometerSession = Colmi.session(SessionContext(pedometer: pedometer, localTime: localTime))
        var event = SessionEvent.started
        var pending: [[UInt8]] = []
        var now = start
        notices = []
        while true {
            switch session.next(after: event, at: now) {
            case .write(let request, _, _):
                pending = answer(request, now)
                if request[0] == 0x43, Int(request[1]) == lost { pending.removeLast() }
                if request[0] == 0x43 { now = now + slow }
                event = .done
            case .receive: event = pending.isEmpty ? .silence : .value(pending.removeFirst())
            case .deliver(let batch, _):
                for sample in batch.samples { stored[sample.start] = max(stored[sample.start] ?? 0, sample.steps) }
                coverage += batch.coverage
                cursor = batch.cursor ?? cursor
                event = .done
            case .finish(let report):
                if let setting = report.clockSet { clock.record(setting, memory: 62 * 86_400) }
                notices = report.notices
                return
            case .fail, .read: return
            case .subscribe: event = .done
            }
        }
    }

    private mutating func answer(_ request: [UInt8], _ now: Timestamp) -> [[UInt8]] {
        let today = ColmiReckoning.day(ofWall: now.seconds + lead)
        var script = RingScript(today: today)
        for (wall, steps) in slots.sorted(by: { $0.key < $1.key }) {
            script.history[ColmiReckoning.day(ofWall: wall), default: []].append((wall % 86_400 / 900, steps))
        }
        if request[0] == 0x01 {
            let fields = request[1...6].map { Int($0 >> 4) * 10 + Int($0 & 15) }
            guard let day = Day(year: 2000 + fields[0], month: fields[1], day: fields[2]) else { return [] }
            let wall = day.daysSince1970 * 86_400 + fields[3] * 3600 + fields[4] * 60 + fields[5]
            lead = wall - now.seconds
        }
        return script.answer(request)
    }
}
