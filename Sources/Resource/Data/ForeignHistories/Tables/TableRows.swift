import StepDomain

/// Turns the lines of a table into samples.
struct TableRows {
    private let columns: TableColumns
    private let reading: TableSurvey.Reading
    private let path: String
    private let name: String
    private let collector: ForeignCollector
    private var tracks: [String: TrackBuilder] = [:]
    /// A slot whose length depends on the next line; its steps can come in several lines.
    private var waiting: (start: Timestamp, offset: Int, steps: [Int], device: String)?
    private var counters: [String: Counter] = [:]
    /// Of lines that are the totals of days, by device.
    private var daysRead: [String: Set<Day>] = [:]
    private var repeatedDays: Set<Day> = []

    init(
        _ columns: TableColumns, _ reading: TableSurvey.Reading, path: String, name: String,
        _ collector: ForeignCollector
    ) {
        self.columns = columns
        self.reading = reading
        self.path = path
        self.name = name
        self.collector = collector
    }

    mutating func add(_ record: DelimitedText.Record, line: Int) throws(ImportError) {
        let field = record[columns.steps]
        // Not measured: not the same as 0.
        if field.isEmpty { return }
        guard let number = WrittenNumber.value(field, reading.marks) else {
            return try wrong(record.text(columns.steps), "a number", line)
        }
        if number < 0 { return collector.leaveOut("without a count, such as line \(line)") }
        guard number <= 1e9 else {
            return try collector.refuse("\(record.text(columns.steps).prefix(30)) steps in line \(line)")
        }
        let steps = Int(number.rounded())
        let device = columns.device.map(record.text) ?? ""
        let written = columns.day.flatMap { time(record[$0], columns.time.map { record[$0] }) }
        if written?.placeOffset != nil { collector.hasOffsets = true }
        // A line without an end has the usual length.
        if let column = columns.end, !record[column].isEmpty {
            guard let end = end(record, after: written) else {
                return try wrong(record.text(column), "the time of an end", line)
            }
            return try addSpan(written, end, steps, device)
        }
        guard let written else { return try wrong(columns.day.map(record.text) ?? "", "a date", line) }
        if reading.isDaily {
            let day = written.localDay(collector.localTime)
            if !daysRead[device, default: []].insert(day).inserted { repeatedDays.insert(day) }
            return try collector.add(total: steps, of: day, to: track(device))
        }
        let start = written.start(collector.localTime)
        let offset = written.placeOffset ?? collector.localTime.utcOffset(start)
        if columns.isCounter { return try count(steps, at: start, offset, device) }
        try passOn(until: start, device)
        if waiting?.start == start, waiting?.device == device {
            self.waiting?.steps.append(steps)
        } else {
            waiting = (start, offset, [steps], device)
        }
    }

    mutating func finish() throws(ImportError) {
        try passOn(until: nil, nil)
        for (device, counter) in counters.sorted(by: { $0.key < $1.key }) {
            try addFirst(counter.first, after: counter.before, device)
        }
        if let first = repeatedDays.min() {
            let days = repeatedDays.count == 1 ? "1 day has" : "\(repeatedDays.count) days have"
            collector.notes.append(.decision("\(days) several lines, such as \(first): their steps are added"))
        }
    }

    private func wrong(_ text: String, _ what: String, _ line: Int) throws(ImportError) {
        guard collector.options.leavesOutImpossible else {
            throw .malformed(path: path, reason: "in line \(line), \"\(text.prefix(40))\" is not \(what)")
        }
        collector.leaveOut("not readable, such as line \(line)")
    }

    private func time(_ date: ArraySlice<UInt8>, _ clock: ArraySlice<UInt8>?) -> WrittenTime? {
        guard var written = WrittenTime(date, order: reading.order) else { return nil }
        if reading.isZeroUniversal, written.utcOffset == 0 { written.isUniversal = true }
        if let clock {
            guard let seconds = WrittenTime.clock(clock) else { return clock.isEmpty ? written : nil }
            written.set(clock: seconds)
        }
        return written
    }

    /// A time of day alone is that of the day of the beginning, or after midnight of the next day.
    private func end(_ record: DelimitedText.Record, after start: WrittenTime?) -> WrittenTime? {
        guard let column = columns.end else { return nil }
        if let day = columns.endDay { return time(record[day], record[column]) }
        if let end = time(record[column], nil) { return end }
        guard let start, start.moment == nil, let clock = WrittenTime.clock(record[column]) else { return nil }
        var end = start
        if clock < start.clock ?? 0 { end.day = start.day.advanced(by: 1) }
        end.set(clock: clock)
        return end
    }

    /// A line with its beginning and end; a beginning that is not a time (`<begin>`) is taken as an hour before the
    /// end, on the same day.
    private mutating func addSpan(_ start: WrittenTime?, _ end: WrittenTime, _ steps: Int, _ device: String)
        throws(ImportError)
    {
        var until = end.start(collector.localTime)
        guard let start else {
            let midnight = collector.localTime.moment(collector.localTime.day(of: until))
            let from = max(midnight, until - 3600)
            return try collector.add(steps, from: from, length: max(1, until - from), to: track(device))
        }
        let from = start.start(collector.localTime)
        if start.clock ?? 0 == 0, end.clock ?? 0 == 0, start.moment == nil, start.day.distance(to: end.day) <= 1,
            start.day <= end.day
        {
            return try collector.add(total: steps, of: start.day, to: track(device))
        }
        // Clocks that are set back show the time of the end twice.
        if until < from { until = end.laterStart(collector.localTime) }
        guard until >= from else {
            return try collector.refuse("a line that ends before it begins, at \(from.iso8601(utcOffset: 0))")
        }
        let offset = start.placeOffset ?? collector.localTime.utcOffset(from)
        try collector.add(
            StepSample(start: from, length: until - from, steps: steps, utcOffset: offset), to: track(device))
    }

    /// A reading of a counter.
    private struct Reading {
        var value: Int
        var at: Timestamp
        var offset: Int
        var day: Day
    }

    /// The counter of a device on a day.
    private struct Counter {
        /// The last one in the file, and the first and the last one of the day.
        var last, first: Reading
        /// The last reading of the day before, if the file has it before this day.
        var before: Reading?
    }

    /// A counter that begins with each day becomes differences; what it has at its first reading was made since
    /// midnight. Lines can be in descending order: which reading is the first is known when its day is over.
    private mutating func count(_ value: Int, at moment: Timestamp, _ offset: Int, _ device: String)
        throws(ImportError)
    {
        // The reading at midnight closes the day before.
        let reading = Reading(value: value, at: moment, offset: offset, day: Day(of: moment - 1, utcOffset: offset))
        guard let known = counters[device] else {
            counters[device] = Counter(last: reading, first: reading)
            return
        }
        guard known.last.day == reading.day else {
            let isAscending = known.last.day < reading.day
            try addFirst(known.first, after: isAscending ? known.before : reading, device)
            counters[device] = Counter(last: reading, first: reading, before: isAscending ? known.last : nil)
            return
        }
        let (before, after) = moment < known.last.at ? (reading, known.last) : (known.last, reading)
        if after.at > before.at {
            // Below the reading before: it has begun again.
            let steps = after.value >= before.value ? after.value - before.value : after.value
            try add(steps, from: before.at, length: after.at - before.at, after.offset, to: track(device))
        }
        counters[device]?.last = reading
        if moment < known.first.at { counters[device]?.first = reading }
    }

    /// Adds what a counter had at the first reading of a day.
    ///
    /// - Parameter before: the last reading of an earlier day.
    private mutating func addFirst(_ first: Reading, after before: Reading?, _ device: String) throws(ImportError) {
        let isHere = first.offset == collector.localTime.utcOffset(first.at)
        let midnight =
            isHere ? collector.localTime.moment(first.day) : Timestamp(first.day.daysSince1970 * 86_400 - first.offset)
        var steps = first.value
        if let before, !CounterReset.isReset(first.value, seconds: first.at - midnight, after: before.value) {
            steps -= before.value
        }
        try add(steps, from: midnight, length: first.at - midnight, first.offset, to: track(device))
    }

    /// Passes on the slot that waits: up to the next one, but not longer than usual.
    private mutating func passOn(until next: Timestamp?, _ device: String?) throws(ImportError) {
        guard let slot = waiting, slot.start != next || slot.device != device else { return }
        waiting = nil
        var length = reading.length
        if let next, slot.device == device, next > slot.start { length = min(length, next - slot.start) }
        // How long it is, is a guess.
        let needed = (slot.steps.max() ?? 0) / StepSample.maximumStepsPerSecond + 1
        if needed <= 3600 { length = max(length, needed) }
        for steps in slot.steps {
            try add(steps, from: slot.start, length: length, slot.offset, to: track(slot.device))
        }
    }

    private func add(
        _ steps: Int, from start: Timestamp, length: Int, _ offset: Int, to track: TrackBuilder
    ) throws(ImportError) {
        try collector.add(StepSample(start: start, length: length, steps: steps, utcOffset: offset), to: track)
    }

    private mutating func track(_ device: String) throws(ImportError) -> TrackBuilder {
        if let known = tracks[device] { return known }
        let title = device.isEmpty ? name : device
        let source = ForeignSource(identity: "csv:\(title)", name: title)
        let track = try collector.track(source, repetition: .added, accounting: reading.isDaily ? .named : .days)
        tracks[device] = track
        return track
    }
}
