import StepDomain

/// Steps that a table has at a moment.
struct Slot {
    /// Seconds since 1970.
    var start: Int
    /// Seconds; 0 where the table does not tell.
    var length: Int
    var steps: Int
    var distance: Double?
}

/// Finds how long the slots of a table are that has only their moments: from the rows before and after.
struct SlotSequence {
    enum Rhythm {
        /// A minute each; longer where all moments are further apart.
        case minutes
        /// The moment is the end of a slot of so many seconds.
        case ending(Int)
        /// The steps since the row before.
        case growth
        /// The steps of the local day so far; a reading at midnight closes the day before.
        case counter
        /// Each row has its length.
        case named
        /// A Colmi ring: hours in old versions, stamped with their beginning, and quarters in newer ones; a row at
        /// midnight can be the total of the day.
        case hoursOrQuarters
    }

    private let rhythm: Rhythm
    /// Rows whose length is not known yet; of a ring those of a local day.
    private var waiting: [Slot] = []
    private var day: Day?
    private var last: Int?
    private var reading: Reading?

    /// The last reading of a counter.
    private struct Reading {
        let moment: Timestamp, steps: Int
        /// The day that it counts.
        let day: Day
        /// Whether it still has the steps of the day before.
        let isCarried: Bool
    }

    init(_ rhythm: Rhythm) { self.rhythm = rhythm }

    /// The most that a pedometer's slot has.
    private static let longest = 3600

    typealias Body = (Slot) throws(ImportError) -> Void

    /// - Parameter slot: not before the one before.
    mutating func add(_ slot: Slot, _ collector: ForeignCollector, _ body: Body) throws(ImportError) {
        var slot = slot
        switch rhythm {
        case .named: try body(slot)
        case .ending(let length):
            slot.length = length
            slot.start -= length
            try body(slot)
        case .growth:
            let needed = max(60, StepSample.minimumLength(for: slot.steps))
            let length = last.map { min(slot.start - $0, Self.longest) } ?? needed
            last = slot.start
            slot.length = max(length, min(needed, Self.longest), 1)
            slot.start -= slot.length
            try body(slot)
        case .counter: try count(slot, collector, body)
        case .minutes:
            // Many rows are looked at to find the rhythm; then each goes on as it comes.
            if let last { return try passOn(slot, every: last, body) }
            waiting.append(slot)
            if waiting.count == 2000 { try settle(body) }
        case .hoursOrQuarters:
            guard collector.isPossible(Timestamp(slot.start)) else {
                slot.length = 60
                return try body(slot)
            }
            let local = collector.localTime.day(of: Timestamp(slot.start))
            if local != day {
                try closeDay(collector, body)
                day = local
            }
            waiting.append(slot)
        }
    }

    mutating func finish(_ collector: ForeignCollector, _ body: Body) throws(ImportError) {
        switch rhythm {
        case .minutes: if last == nil { try settle(body) }
        case .hoursOrQuarters: try closeDay(collector, body)
        default: break
        }
    }

    /// As Gadgetbridge's providers convert such counters (`convertCumulativeSteps`): rows of 0 among others were not
    /// measured, a counter that falls on its day says nothing, and one can go on past midnight for some time.
    private mutating func count(_ slot: Slot, _ collector: ForeignCollector, _ body: Body) throws(ImportError) {
        let moment = Timestamp(slot.start)
        guard collector.isPossible(moment) else { return try body(slot) }
        let today = collector.localTime.day(of: moment), isMidnight = moment == collector.localTime.moment(today)
        let day = isMidnight ? today.advanced(by: -1) : today, midnight = collector.localTime.moment(day)
        var (from, grown, isCarried) = (midnight, slot.steps, false)
        if let last = reading {
            if slot.steps == 0, last.steps > 0, last.day == day { return }
            let isReset = slot.steps < last.steps
            if last.day == day {
                if isReset, !last.isCarried { return }
                (from, grown) = (last.moment, slot.steps - (isReset ? 0 : last.steps))
                isCarried = last.isCarried && !isReset
            } else if !isReset,
                moment - last.moment <= 3600 || slot.steps > (moment - midnight) * StepSample.maximumStepsPerSecond
            {
                (from, grown, isCarried) = (max(last.moment, midnight), slot.steps - last.steps, true)
            }
        }
        reading = Reading(moment: moment, steps: slot.steps, day: day, isCarried: isCarried)
        // A distance is that of the day so far, too.
        if moment > from { try body(Slot(start: from.seconds, length: moment - from, steps: grown)) }
    }

    /// The length of most slots: the most frequent distance of two rows, between a minute and an hour.
    private mutating func settle(_ body: Body) throws(ImportError) {
        var distances: [Int: Int] = [:]
        for (one, next) in zip(waiting, waiting.dropFirst()) where next.start > one.start {
            distances[next.start - one.start, default: 0] += 1
        }
        let usual = distances.max { ($0.value, -$0.key) < ($1.value, -$1.key) }?.key ?? 60
        let length = [60, 300, 600, 900, 1800, 3600].contains(usual) ? usual : 60
        last = length
        for slot in waiting { try passOn(slot, every: length, body) }
        waiting = []
    }

    private func passOn(_ slot: Slot, every length: Int, _ body: Body) throws(ImportError) {
        var slot = slot
        slot.length = length
        try body(slot)
    }

    private mutating func closeDay(_ collector: ForeignCollector, _ body: Body) throws(ImportError) {
        defer { waiting = [] }
        guard let day, !waiting.isEmpty else { return }
        let midnight = collector.localTime.moment(day).seconds
        // By local clocks: those of India are half an hour beside the hours of UTC.
        let isQuarters = waiting.contains {
            ($0.start + collector.localTime.utcOffset(Timestamp($0.start))) % 3600 != 0
        }
        let length = isQuarters ? 900 : 3600
        let others = waiting.reduce(0) { $0 + ($1.start == midnight ? 0 : $1.steps) }
        // The next later start of each.
        var next = [Int](repeating: .max, count: waiting.count)
        for index in waiting.indices.dropLast().reversed() {
            let start = waiting[index + 1].start
            next[index] = start > waiting[index].start ? start : next[index + 1]
        }
        for (index, slot) in waiting.enumerated() {
            var slot = slot
            slot.length = min(length, next[index] - slot.start)
            if slot.start == midnight, slot.steps > Self.maximumAtMidnight, slot.steps >= others {
                // The total of the day: only what the other rows do not have is added.
                slot.steps -= others
                slot.distance = nil
                slot.length = others == 0 ? collector.localTime.span(of: day).length : slot.length
                slot.length = max(slot.length, StepSample.minimumLength(for: slot.steps))
            }
            try body(slot)
        }
    }

    /// Steps of the hour after midnight that nobody makes: more are the total of the day.
    private static let maximumAtMidnight = 4000
}
