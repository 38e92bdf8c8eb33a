import StepDomain

/// Readings of counters in the monitoring files of a Garmin watch.
///
/// The bytes: https://developer.garmin.com/fit/protocol/. Messages: 103 monitoring_info (0 local_timestamp), 55
/// monitoring (3 cycles, 5 activity_type, 24 type and intensity, 26 timestamp_16), each with 253 timestamp, in seconds
/// since 1989-12-31 UTC. Cycles have the scale 2 and are two steps each: the stored number is that of steps.
struct FITFile {
    struct Reading {
        var moment: Int
        /// 1 running, 6 walking.
        var type: UInt8
        var steps: Int
    }

    private(set) var readings: [Reading] = []
    /// UTC offsets, each from a moment on.
    private(set) var offsets: [(moment: Int, offset: Int)] = []

    private struct Definition {
        var message: Int
        var isBigEndian: Bool
        var fields: [(number: UInt8, size: Int)]
        /// Bytes of fields that apps add.
        var extra: Int
    }

    /// Seconds from 1970 to 1989-12-31.
    private static let epoch = 631_065_600
    private static let maximumBytes = 16 << 20

    init(_ file: ForeignFile) throws(ImportError) {
        guard file.size <= Self.maximumBytes else { throw .tooMuch("a FIT file of more than 16 MB") }
        let bytes = try file.open().prefix(file.size)
        func damaged() -> ImportError { .malformed(path: file.path, reason: "it is a damaged FIT file, or truncated") }
        guard bytes.count >= 12, bytes[0] >= 12, Int(bytes[0]) + bytes.number(4, 4) + 2 <= bytes.count else {
            throw damaged()
        }
        let end = Int(bytes[0]) + bytes.number(4, 4)
        guard Self.hasRightChecksums(bytes, end) else {
            throw .malformed(path: file.path, reason: "its checksum is wrong: it is damaged")
        }
        var position = Int(bytes[0])
        var definitions: [UInt8: Definition] = [:]
        var last = 0
        while position < end {
            let header = bytes[position]
            position += 1
            if header & 0x80 == 0, header & 0x40 != 0 {
                guard position + 5 <= end else { throw damaged() }
                let isBig = bytes[position + 1] == 1, count = Int(bytes[position + 4])
                let message =
                    isBig ? Int(bytes[position + 2]) << 8 | Int(bytes[position + 3]) : bytes.number(position + 2, 2)
                position += 5
                guard position + 3 * count <= end else { throw damaged() }
                let fields = (0..<count).map {
                    (number: bytes[position + 3 * $0], size: Int(bytes[position + 3 * $0 + 1]))
                }
                position += 3 * count
                var extra = 0
                if header & 0x20 != 0 {
                    guard position < end, position + 1 + 3 * Int(bytes[position]) <= end else { throw damaged() }
                    extra = (0..<Int(bytes[position])).reduce(0) { $0 + Int(bytes[position + 2 + 3 * $1]) }
                    position += 1 + 3 * Int(bytes[position])
                }
                definitions[header & 0x0f] = Definition(
                    message: message, isBigEndian: isBig, fields: fields, extra: extra)
                continue
            }
            let isCompressed = header & 0x80 != 0
            guard let definition = definitions[isCompressed ? header >> 5 & 3 : header & 0x0f] else { throw damaged() }
            let size = definition.fields.reduce(definition.extra) { $0 + $1.size }
            guard position + size <= end else { throw damaged() }
            if isCompressed { last += (Int(header & 0x1f) - last) & 0x1f }
            read(definition, Array(bytes[position..<(position + size)]), &last)
            position += size
        }
    }

    /// - Parameter end: of the records; the checksum of the file follows.
    private static func hasRightChecksums(_ bytes: [UInt8], _ end: Int) -> Bool {
        // A header of 12 bytes has none of its own, and 0 stands for none.
        if bytes[0] >= 14, ![0, checksum(bytes[..<12])].contains(bytes.number(12, 2)) { return false }
        return checksum(bytes[..<end]) == bytes.number(end, 2)
    }

    /// CRC-16 with the polynomial 0x8005, the lowest bit first: what each byte changes.
    private static let changes: [UInt16] = (0..<256).map { byte in
        (0..<8).reduce(byte) { sum, _ in sum & 1 == 0 ? sum >> 1 : sum >> 1 ^ 0xa001 }
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>) -> Int {
        var sum: UInt16 = 0
        for byte in bytes { sum = sum >> 8 ^ changes[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] }
        return Int(sum)
    }

    private mutating func read(_ definition: Definition, _ bytes: [UInt8], _ last: inout Int) {
        var values: [UInt8: Int] = [:]
        var position = 0
        for field in definition.fields {
            if [1, 2, 4].contains(field.size) {
                let value =
                    definition.isBigEndian
                    ? (0..<field.size).reduce(0) { $0 << 8 | Int(bytes[position + $1]) }
                    : bytes.number(position, field.size)
                // All bits are set where there is no value.
                if value != 1 << (8 * field.size) - 1 { values[field.number] = value }
            }
            position += field.size
        }
        if let time = values[253] { last = time }
        switch definition.message {
        case 103:
            if let local = values[0], let time = values[253], StepSample.utcOffsets.contains(local - time) {
                offsets.append((time + Self.epoch, local - time))
            }
        case 55:
            if let short = values[26] {
                // The lower 16 bits; messages can be some minutes out of order.
                let ahead = (short - last) & 0xffff
                last += ahead > 0xffff - 3600 ? ahead - 0x10000 : ahead
            }
            let type = values[5] ?? values[24].map { $0 & 0x1f }
            if let type, type == 1 || type == 6, let cycles = values[3], last > 0 {
                readings.append(Reading(moment: last + Self.epoch, type: UInt8(type), steps: cycles))
            }
        default: break
        }
    }
}

/// Monitoring files of a Garmin watch, as it has them or in the export of the account.
struct FITReader: FormatReader {
    func relation(of files: [ForeignFile]) -> FileRelation { .parts }
    let format = ForeignFormat(
        key: "fit", title: "Garmin FIT", files: "monitoring files of the watch (*.fit), or the folder with them")

    func files(of tree: FileTree) throws(ImportError) -> [ForeignFile] { tree.files.filter { $0.kind == .fit } }

    private static let maximumReadings = 2_000_000

    /// - Parameters:
    ///   - offsets: by time; each holds from its moment on, the first one before it, too.
    ///   - owner: where there are none.
    private static func localTime(_ offsets: [(moment: Int, offset: Int)], _ owner: LocalTime) -> LocalTime {
        var changes: [(moment: Int, offset: Int)] = []
        for next in offsets where changes.last?.offset != next.offset { changes.append(next) }
        guard let first = changes.first else { return owner }
        return LocalTime { [changes] moment in
            var (low, high) = (0, changes.count)
            while low < high {
                let middle = (low + high) / 2
                if changes[middle].moment <= moment.seconds { low = middle + 1 } else { high = middle }
            }
            return low == 0 ? first.offset : changes[low - 1].offset
        }
    }

    func read(_ files: [ForeignFile], of tree: FileTree, into collector: ForeignCollector) throws(ImportError) {
        var readings: [FITFile.Reading] = [], offsets: [(moment: Int, offset: Int)] = []
        for file in files {
            let found = try FITFile(file)
            readings += found.readings
            offsets += found.offsets
            if readings.count + offsets.count > Self.maximumReadings {
                throw .tooMuch("more than \(Self.maximumReadings) readings")
            }
        }
        if readings.isEmpty { return }
        offsets.sort { $0.moment < $1.moment }
        readings.sort { ($0.moment, $0.steps) < ($1.moment, $1.steps) }
        collector.hasOffsets = !offsets.isEmpty
        let localTime = Self.localTime(offsets, collector.localTime)
        let track = try collector.track(ForeignSource(identity: "garmin-fit", name: "Garmin watch"), repetition: .added)
        var counters = DayCounters(localTime)
        for reading in readings {
            let moment = Timestamp(reading.moment)
            guard collector.isPossible(moment) else {
                try collector.refuse("the time \(moment.iso8601(utcOffset: 0))")
                continue
            }
            try counters.add(reading.steps, of: "\(reading.type)", at: moment, collector, track)
        }
        try counters.finish(collector, track)
    }
}
