/// What a source says of a day: its samples and the time that it accounts for, in a few bytes each.
///
/// A history keeps what each import says of each day, so that an import can be taken back, and ten years of minutes
/// have a million samples. Numbers are varints, seven bits a byte, the lowest first
/// (https://protobuf.dev/programming-guides/encoding/); signed ones are zigzag coded.
/// - the version, 1
/// - the number of samples; of each: seconds since the start of the one before (of the first: since 14 hours before
///   midnight UTC of the day), length, steps, change of the UTC offset × 4 plus 1 with a distance plus 2 with an
///   energy, distance in centimetres, energy in thousandths of a kilocalorie
/// - the number of spans; of each: seconds since the start of the one before, length, change of the UTC offset
public struct PackedDay: Hashable, Sendable {
    /// By start.
    public var samples: [StepSample]
    /// By start; no two overlap.
    public var coverage: [CoveredSpan]

    public init(samples: [StepSample] = [], coverage: [CoveredSpan] = []) {
        self.samples = samples
        self.coverage = coverage
    }

    public var isEmpty: Bool { samples.isEmpty && coverage.isEmpty }

    private static let version: UInt64 = 1
    /// The greatest UTC offset: 14 hours.
    private static let reach = 14 * 3600

    public func bytes(of day: Day) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(8 + samples.count * 7)
        bytes.append(varint: Self.version)
        bytes.append(varint: UInt64(samples.count))
        var (before, offset) = (day.daysSince1970 * 86_400 - Self.reach, 0)
        for sample in samples {
            bytes.append(zigzag: sample.start.seconds - before)
            bytes.append(varint: UInt64(sample.length))
            bytes.append(varint: UInt64(sample.steps))
            let flags = (sample.distance == nil ? 0 : 1) + (sample.energy == nil ? 0 : 2)
            bytes.append(varint: zigzag(sample.utcOffset - offset) << 2 | UInt64(flags))
            if let distance = sample.distance { bytes.append(varint: UInt64((distance * 100).rounded())) }
            if let energy = sample.energy { bytes.append(varint: UInt64((energy * 1000).rounded())) }
            (before, offset) = (sample.start.seconds, sample.utcOffset)
        }
        bytes.append(varint: UInt64(coverage.count))
        (before, offset) = (day.daysSince1970 * 86_400 - Self.reach, 0)
        for span in coverage {
            bytes.append(zigzag: span.span.start.seconds - before)
            bytes.append(varint: UInt64(span.span.length))
            bytes.append(zigzag: span.utcOffset - offset)
            (before, offset) = (span.span.start.seconds, span.utcOffset)
        }
        return bytes
    }

    /// Nil if `bytes` does not make such bytes of a sample or a span that a history can hold.
    public init?(_ bytes: [UInt8], of day: Day) {
        var reader = VarintReader(bytes)
        guard reader.next() == Self.version, let count = reader.next(), count <= UInt64(bytes.count) else { return nil }
        self.init()
        samples.reserveCapacity(Int(count))
        var (before, offset) = (day.daysSince1970 * 86_400 - Self.reach, 0)
        for _ in 0..<count {
            guard let start = reader.signed(), let length = reader.number(upTo: 1 << 32),
                let steps = reader.number(upTo: 1 << 32),
                let last = reader.next()
            else { return nil }
            (before, offset) = (before + start, offset + unzigzag(last >> 2))
            var sample = StepSample(start: Timestamp(before), length: length, steps: steps, utcOffset: offset)
            if last & 1 != 0 {
                guard let distance = reader.number(upTo: 1 << 40) else { return nil }
                sample.distance = Double(distance) / 100
            }
            if last & 2 != 0 {
                guard let energy = reader.number(upTo: 1 << 40) else { return nil }
                sample.energy = Double(energy) / 1000
            }
            guard length >= 1, abs(offset) <= Self.reach, abs(before) < 1 << 40, sample.isPlausible else { return nil }
            samples.append(sample)
        }
        guard let spans = reader.next(), spans <= UInt64(bytes.count) else { return nil }
        (before, offset) = (day.daysSince1970 * 86_400 - Self.reach, 0)
        for _ in 0..<spans {
            guard let start = reader.signed(), let length = reader.number(upTo: 1 << 32), let change = reader.signed()
            else { return nil }
            (before, offset) = (before + start, offset + change)
            guard length >= 1, abs(offset) <= Self.reach, abs(before) < 1 << 40 else { return nil }
            coverage.append(CoveredSpan(TimeSpan(Timestamp(before), Timestamp(before + length)), utcOffset: offset))
        }
        guard reader.isAtEnd else { return nil }
    }
}

extension [PackedDay] {
    /// What several exports of one source say together of the same day, the newest last.
    ///
    /// A newer export replaces what the earlier ones say of the time that it accounts for, and of slots that begin at
    /// the same moment. What it says nothing of stays.
    ///
    /// - Parameter day: of UTC, the one of which they are. A sample that reaches beyond its midnight, such as the total
    ///   of a local day, is replaced by what accounts for its time on this day: what is said of the next one is not
    ///   here.
    public func overlaid(on day: Day) -> PackedDay {
        guard var result = first else { return PackedDay() }
        let midnight = Timestamp((day.daysSince1970 + 1) * 86_400)
        for newer in dropFirst() {
            let known = Coverage(newer.coverage.map(\.span) + newer.samples.map(\.span))
            let starts = Set(newer.samples.map(\.start))
            result.samples.removeAll { sample in
                let here = TimeSpan(sample.start, Swift.min(sample.span.end, midnight))
                return starts.contains(sample.start) || known.gaps(in: here).isEmpty
            }
            result.samples = (result.samples + newer.samples).sorted { $0.start < $1.start }
            let earlier = result.coverage.flatMap { covered in
                Coverage(newer.coverage.map(\.span)).gaps(in: covered.span).map {
                    CoveredSpan($0, utcOffset: covered.utcOffset)
                }
            }
            result.coverage = (earlier + newer.coverage).joined
        }
        return result
    }
}

extension PackedDay {
    /// The local days on which two versions of this differ.
    public func days(differingFrom other: PackedDay) -> Set<Day> {
        if self == other { return [] }
        var days: Set<Day> = []
        if other.samples.isEmpty {
            // Of a new source these are all samples of a file, and most have the day of the one before.
            var last: Day?
            for sample in samples where sample.day != last {
                days.insert(sample.day)
                last = sample.day
            }
        } else {
            for sample in Set(samples).symmetricDifference(other.samples) { days.insert(sample.day) }
        }
        for covered in Set(coverage).symmetricDifference(other.coverage) {
            let last = Day(of: covered.span.end - 1, utcOffset: covered.utcOffset)
            days.formUnion(Day(of: covered.span.start, utcOffset: covered.utcOffset)...last)
        }
        return days
    }
}

extension [CoveredSpan] {
    /// Spans by start, without overlaps; those of one offset that touch become one.
    var joined: [CoveredSpan] {
        sorted { $0.span.start < $1.span.start }.reduce(into: []) { joined, next in
            guard let last = joined.last, next.span.start <= last.span.end else { return joined.append(next) }
            if last.utcOffset == next.utcOffset {
                joined[joined.count - 1].span = TimeSpan(last.span.start, Swift.max(last.span.end, next.span.end))
            } else if next.span.end > last.span.end {
                joined.append(CoveredSpan(TimeSpan(last.span.end, next.span.end), utcOffset: next.utcOffset))
            }
        }
    }
}

func zigzag(_ value: Int) -> UInt64 { UInt64(bitPattern: Int64(value << 1) ^ Int64(value >> 63)) }

func unzigzag(_ value: UInt64) -> Int { Int(Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)) }

extension [UInt8] {
    mutating func append(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }

    mutating func append(zigzag value: Int) { append(varint: StepDomain.zigzag(value)) }
}

/// Reads varints; nil at the end and for one that is longer than 64 bits.
struct VarintReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func next() -> UInt64? {
        var (value, shift): (UInt64, UInt64) = (0, 0)
        while position < bytes.count, shift < 64 {
            let byte = bytes[position]
            position += 1
            value |= UInt64(byte & 0x7f) << shift
            if byte & 0x80 == 0 { return value }
            shift += 7
        }
        return nil
    }

    mutating func number(upTo limit: UInt64) -> Int? { next().flatMap { $0 <= limit ? Int($0) : nil } }

    /// Not beyond ±2⁴⁰, so that sums do not overflow.
    mutating func signed() -> Int? { next().map(unzigzag).flatMap { abs($0 / 2) < 1 << 40 ? $0 : nil } }
}
