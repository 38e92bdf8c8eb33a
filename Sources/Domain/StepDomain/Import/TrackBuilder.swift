/// The samples and spans of one source while a file is read: packed by day, in the order of the file.
public final class TrackBuilder {
    /// What recorded it.
    public enum Kind: Sendable { case watch, phone, other }

    let source: ForeignSource
    let kind: Kind
    private let repetition: ForeignCollector.Repetition
    private let accounting: ForeignCollector.Accounting
    var days: [Int: [UInt8]] = [:]
    /// The day that was added to last, taken out of `days`: most records are on the day of the one before.
    private var openDay = Int.min
    private var open: [UInt8] = []
    /// The time that the file says anything of.
    private var from = Timestamp(Int.max / 2), until = Timestamp(Int.min / 2)
    /// Time that is accounted for and may still grow.
    private var span: CoveredSpan?
    var whole = WholeSteps()
    private var hasRecordsWithoutSteps = false

    init(
        _ source: ForeignSource, _ repetition: ForeignCollector.Repetition, _ accounting: ForeignCollector.Accounting,
        _ kind: Kind
    ) {
        self.source = source
        self.kind = kind
        self.repetition = repetition
        self.accounting = accounting
    }

    private static let sampleTag: UInt64 = 0, spanTag: UInt64 = 4

    /// - Parameter recorded: its length in the file, if it has one there: seconds that were only added for its steps
    ///   are not taken from anybody's time.
    /// - Returns: the bytes that this takes.
    func append(_ sample: StepSample, recorded: Int) -> Int {
        select(sample.day.daysSince1970)
        let before = open.count
        let flags: UInt64 = (sample.distance == nil ? 0 : 1) + (sample.energy == nil ? 0 : 2)
        open.append(varint: Self.sampleTag | flags)
        open.append(zigzag: sample.start.seconds - openDay * 86_400)
        open.append(varint: UInt64(recorded > 1 ? recorded : sample.length))
        open.append(varint: UInt64(sample.steps))
        open.append(zigzag: sample.utcOffset)
        if let distance = sample.distance { open.append(varint: UInt64((distance * 100).rounded())) }
        if let energy = sample.energy { open.append(varint: UInt64((energy * 1000).rounded())) }
        reach(sample.span)
        return open.count - before
    }

    /// Notes a record without steps: of a source that accounts for days, its day is known.
    func mark(_ sample: StepSample) {
        switch accounting {
        case .named, .records: _ = cover(CoveredSpan(sample.span, utcOffset: sample.utcOffset))
        case .days:
            select(sample.day.daysSince1970)
            reach(sample.span)
        }
    }

    private func reach(_ span: TimeSpan) { (from, until) = (min(from, span.start), max(until, span.end)) }

    /// Notes that the source writes records without steps (`ForeignCollector.Accounting.records`).
    public func noteRecordWithoutSteps() { hasRecordsWithoutSteps = true }

    /// - Returns: the bytes that this takes.
    func cover(_ piece: CoveredSpan) -> Int {
        if let known = span, known.utcOffset == piece.utcOffset, known.span.end == piece.span.start {
            span = CoveredSpan(TimeSpan(known.span.start, piece.span.end), utcOffset: known.utcOffset)
            return 0
        }
        let bytes = flushSpan()
        span = piece
        return bytes
    }

    private func flushSpan() -> Int {
        guard let span else { return 0 }
        self.span = nil
        let last = Day(of: span.span.end - 1, utcOffset: span.utcOffset)
        var bytes = 0
        for day in Day(of: span.span.start, utcOffset: span.utcOffset)...last {
            guard let part = span.part(of: day) else { continue }
            select(day.daysSince1970)
            let before = open.count
            open.append(varint: Self.spanTag)
            open.append(zigzag: part.start.seconds - openDay * 86_400)
            open.append(varint: UInt64(part.length))
            open.append(zigzag: span.utcOffset)
            bytes += open.count - before
        }
        reach(span.span)
        return bytes
    }

    private func select(_ day: Int) {
        if day == openDay { return }
        if openDay != .min { days[openDay] = open }
        open = days.removeValue(forKey: day) ?? []
        openDay = day
    }

    /// Moves the open day back to the others.
    func close() {
        select(.min)
        days[.min] = nil
    }

    func finish(_ localTime: LocalTime) -> ForeignTrack {
        _ = flushSpan()
        close()
        var found: [(day: Day, steps: Int)] = []
        found.reserveCapacity(days.count)
        var parts = PartsOfTrack()
        for number in days.keys.sorted() {
            let day = Day(daysSince1970: number)
            var content = decode(days.removeValue(forKey: number) ?? [], number)
            let samples = content.samples.map(\.withRoom)
            content.samples =
                repetition == .mostSteps
                ? samples.sorted { ($0.start, $0.length) < ($1.start, $1.length) }.withoutOverlaps
                : Self.inOrder(samples, repetition)
            if accounting == .days || accounting == .records && !hasRecordsWithoutSteps {
                content.coverage = accountedFor(day, content.samples, localTime)
            }
            content.coverage = content.coverage.joined
            if content.isEmpty { continue }
            found.append((day, content.samples.reduce(0) { $0 + $1.steps }))
            parts.add(content, of: number)
        }
        return ForeignTrack(source: source, parts: parts.finish(), days: found, until: until)
    }

    func decode(_ bytes: [UInt8], _ day: Int) -> PackedDay {
        var reader = VarintReader(bytes)
        var content = PackedDay()
        while let tag = reader.next() {
            let start = Timestamp((reader.signed() ?? 0) + day * 86_400), length = Int(reader.next() ?? 0)
            if tag == Self.spanTag {
                content.coverage.append(CoveredSpan(TimeSpan(start, start + length), utcOffset: reader.signed() ?? 0))
            } else {
                var sample = StepSample(
                    start: start, length: length, steps: Int(reader.next() ?? 0), utcOffset: reader.signed() ?? 0)
                if tag & 1 != 0 { sample.distance = Double(reader.next() ?? 0) / 100 }
                if tag & 2 != 0 { sample.energy = Double(reader.next() ?? 0) / 1000 }
                content.samples.append(sample)
            }
        }
        return content
    }

    /// The day, as far as this file reaches: another file of the source can have what was before its first sample, or
    /// will be after its last one.
    private func accountedFor(_ day: Day, _ samples: [StepSample], _ localTime: LocalTime) -> [CoveredSpan] {
        // A file whose records have offsets of their own can have days of other places.
        let offset = samples.first?.utcOffset ?? localTime.utcOffset(localTime.moment(day))
        let here = localTime.span(of: day)
        let isHere = localTime.utcOffset(samples.first?.start ?? here.start) == offset
        let midnight = Timestamp(day.daysSince1970 * 86_400 - offset)
        let span = isHere ? here : TimeSpan(midnight, midnight + 86_400)
        let known = TimeSpan(max(span.start, from), max(max(span.start, from), min(span.end, until)))
        if known.isEmpty { return [] }
        return isHere ? localTime.covered(known) : [CoveredSpan(known, utcOffset: offset)]
    }

    /// Samples by start, none over another, with the steps of all.
    ///
    /// Records of one source that overlap are parts of one walk whose ends were rounded, or a long record with short
    /// ones inside. The earlier one ends where the next begins if its steps fit; otherwise the two become one.
    static func inOrder(_ samples: [StepSample], _ repetition: ForeignCollector.Repetition) -> [StepSample] {
        let sorted = samples.sorted { ($0.start, $0.length, $0.steps) < ($1.start, $1.length, $1.steps) }
        var result: [StepSample] = []
        result.reserveCapacity(sorted.count)
        for (index, next) in sorted.enumerated() {
            // The same record again, with as many steps or more, comes next.
            if repetition == .greatest, index + 1 < sorted.count, sorted[index + 1].start == next.start,
                sorted[index + 1].length == next.length
            {
                continue
            }
            guard var last = result.last, next.start < last.span.end else {
                result.append(next)
                continue
            }
            let room = next.start - last.start
            if room > 0, last.steps <= room * StepSample.maximumStepsPerSecond, next.span.end >= last.span.end {
                last.length = room
                result[result.count - 1] = last
                result.append(next)
                continue
            }
            last.length = max(last.span.end, next.span.end) - last.start
            last.steps += next.steps
            last = last.withRoom
            last.distance = last.distance.flatMap { a in next.distance.map { a + $0 } }
            last.energy = last.energy.flatMap { a in next.energy.map { a + $0 } }
            result[result.count - 1] = last
        }
        return result
    }
}

/// Divides the local days of a track, in their order, into days of UTC.
private struct PartsOfTrack {
    private var open: [Int: PackedDay] = [:]
    private var parts: [(day: Day, content: [UInt8])] = []

    mutating func add(_ content: PackedDay, of day: Int) {
        for sample in content.samples { open[sample.day(at: 0), default: PackedDay()].samples.append(sample) }
        for covered in content.coverage {
            for day in covered.day(
                at: 0)...CoveredSpan(TimeSpan(covered.span.end - 1, covered.span.end), utcOffset: 0).day(at: 0)
            {
                let midnight = Timestamp(day * 86_400)
                guard let part = covered.span.intersection(TimeSpan(midnight, midnight + 86_400)) else { continue }
                open[day, default: PackedDay()].coverage.append(CoveredSpan(part, utcOffset: covered.utcOffset))
            }
        }
        // A local day is within 14 hours of the day of UTC of the same name: later local days add nothing to the days
        // before.
        close { $0 < day - 1 }
    }

    private mutating func close(where isComplete: (Int) -> Bool) {
        for number in open.keys.filter(isComplete).sorted() {
            guard var content = open.removeValue(forKey: number) else { continue }
            let day = Day(daysSince1970: number)
            content.samples.sort { $0.start < $1.start }
            content.samples = content.samples.unique
            content.coverage = content.coverage.joined
            parts.append((day, content.bytes(of: day)))
        }
    }

    mutating func finish() -> [(day: Day, content: [UInt8])] {
        close { _ in true }
        return parts
    }
}

extension StepSample {
    /// Long enough for its steps.
    var withRoom: StepSample {
        var sample = self
        sample.length = max(length, Self.minimumLength(for: steps))
        return sample
    }

    fileprivate func day(at offset: Int) -> Int { Day(of: start, utcOffset: offset).daysSince1970 }
}

extension CoveredSpan {
    fileprivate func day(at offset: Int) -> Int { Day(of: span.start, utcOffset: offset).daysSince1970 }
}

extension [StepSample] {
    /// Sorted samples without those that start when the one before does: of these, the one with the most steps stays.
    fileprivate var unique: [StepSample] {
        reduce(into: []) { result, next in
            if let last = result.last, last.start == next.start {
                if next.steps > last.steps { result[result.count - 1] = next }
            } else {
                result.append(next)
            }
        }
    }
}
