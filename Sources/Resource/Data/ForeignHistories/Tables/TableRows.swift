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
    private var counters: [String: CounterReadings] = [:]
    private var readings = 0
    /// The greatest reading of each day of a counter whose readings have no times, by device.
    private var greatest: [String: [Day: Int]] = [:]
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
            if columns.isCounter { return try count(steps, at: end, device) }
            return try addSpan(written, end, steps, device)
        }
        guard let written else { return try wrongTime(record, line) }
        if columns.isCounter, written.clock == nil, written.moment == nil {
            let day = written.localDay(collector.localTime)
            return greatest[device, default: [:]][day] = max(steps, greatest[device]?[day] ?? 0)
        }
        if reading.isDaily {
            let isDayOfUTC = reading.isMidnightUniversal && written.moment != nil
            let day = isDayOfUTC ? written.day : written.localDay(collector.localTime)
            if !daysRead[device, default: []].insert(day).inserted { repeatedDays.insert(day) }
            return try collector.add(total: steps, of: day, to: track(device))
        }
        let start = written.start(collector.localTime)
        if columns.isCounter { return try count(steps, at: written, device) }
        let offset = written.placeOffset ?? collector.localTime.utcOffset(start)
        try passOn(until: start, device)
        if waiting?.start == start, waiting?.device == device {
            self.waiting?.steps.append(steps)
        } else {
            waiting = (start, offset, [steps], device)
        }
    }

    mutating func finish() throws(ImportError) {
        try passOn(until: nil, nil)
        for (device, days) in greatest.sorted(by: { $0.key < $1.key }) {
            for (day, steps) in days.sorted(by: { $0.key < $1.key }) {
                try collector.add(total: steps, of: day, to: track(device))
            }
        }
        for (device, counter) in counters.sorted(by: { $0.key < $1.key }) {
            let track = try track(device)
            for sample in counter.samples(collector.localTime) { try collector.add(sample, to: track) }
        }
        if let first = repeatedDays.min() {
            let days = repeatedDays.count == 1 ? "1 day has" : "\(repeatedDays.count) days have"
            collector.notes.append(.decision("\(days) several lines, such as \(first): their steps are added"))
        }
    }

    private func wrongTime(_ record: DelimitedText.Record, _ line: Int) throws(ImportError) {
        let date = columns.day.map { record[$0] } ?? []
        if let time = columns.time, WrittenTime(date, order: reading.order) != nil {
            return try wrong(record.text(time), "a time of day", line)
        }
        try wrong(String(decoding: date, as: UTF8.self), "a date", line)
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
        end.set(clock: clock)
        // Clocks that are set back show the time of the end twice.
        if clock < start.clock ?? 0, end.laterStart(collector.localTime) <= start.start(collector.localTime) {
            end.day = start.day.advanced(by: 1)
        }
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

    /// More than one person can have recorded in decades.
    private static let maximumReadings = 6_000_000

    private mutating func count(_ value: Int, at time: WrittenTime, _ device: String) throws(ImportError) {
        let moment = time.start(collector.localTime)
        let offset = time.placeOffset ?? collector.localTime.utcOffset(moment)
        _ = try track(device)
        readings += 1
        if readings > Self.maximumReadings { throw .tooMuch("more readings than one person can have recorded") }
        counters[device, default: CounterReadings()].add(
            value, at: moment, or: time.laterStart(collector.localTime), utcOffset: offset)
    }

    /// Passes on the slot that waits: up to the next one, but not longer than usual.
    private mutating func passOn(until next: Timestamp?, _ device: String?) throws(ImportError) {
        guard let slot = waiting, slot.start != next || slot.device != device else { return }
        waiting = nil
        var length = reading.length
        if let next, slot.device == device, next > slot.start { length = min(length, next - slot.start) }
        // How long it is, is a guess.
        let needed = StepSample.minimumLength(for: slot.steps.max() ?? 0)
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
