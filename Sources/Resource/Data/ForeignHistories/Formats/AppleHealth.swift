import Glibc
import StepDomain

/// The export of Apple Health: `export.xml`, whose name is translated, alone or in its zip or folder.
///
/// Each record has its source. Its times have the offset of the day of the export, which is not that of the day of the
/// steps: days are formed by the zone. A phone and a watch are two sources, also where both have the same name. Where
/// both have recorded the same time, the watch counts, as in Apple's own app: of a record of the phone the part that
/// the watch has not recorded is kept.
struct AppleHealthReader: FormatReader {
    let format = ForeignFormat(key: "apple-health", title: "Apple Health", files: "export.xml, or the zip with it")

    func files(of tree: FileTree) throws(ImportError) -> [ForeignFile] {
        tree.files.filter { file in
            // A file in UTF-16 is recognised, so that the error can name its encoding.
            guard file.kind == .xml || TextStream.isUTF16(file.head) else { return false }
            let head = String(decoding: file.head.filter { $0 != 0 }, as: UTF8.self)
            return head.contains("<!DOCTYPE HealthData") || head.contains("<HealthData")
        }
    }

    func read(_ files: [ForeignFile], of tree: FileTree, into collector: ForeignCollector) throws(ImportError) {
        for file in files { try AppleHealthParser(file.path, collector).read(file.text()) }
        if collector.preferWatches() {
            collector.notes.append(
                .decision("Where a watch and a phone have recorded the same time, the watch counts."))
        }
    }
}

/// Reads the records of steps.
private final class AppleHealthParser {
    private let path: String
    private let collector: ForeignCollector
    private var clock = AppleClock()
    private var sources: [String: TrackBuilder] = [:]
    private var last: LastSource?
    private var isZoneChecked = false

    init(_ path: String, _ collector: ForeignCollector) {
        self.path = path
        self.collector = collector
    }

    func read(_ stream: any ByteStream) throws(ImportError) {
        let head = try XMLProlog.skip(stream, upTo: "HealthData", path: path)
        // Records of a correlation are at the top level, too (the document type of the export).
        let search = XMLTags.Search(
            name: "Record", kind: ("type", "HKQuantityTypeIdentifierStepCount"), parent: "Correlation")
        try XMLTags(stream, head: head, path: path, search).read { attributes throws(ImportError) in
            try add(attributes)
        }
    }

    private func add(_ attributes: [XMLTags.Attribute]) throws(ImportError) {
        typealias Value = UnsafeBufferPointer<UInt8>
        var (start, end, value, source, device) = (Value?.none, Value?.none, Value?.none, Value?.none, Value?.none)
        for attribute in attributes {
            if attribute.isNamed("startDate") {
                start = attribute.value
            } else if attribute.isNamed("endDate") {
                end = attribute.value
            } else if attribute.isNamed("value") {
                value = attribute.value
            } else if attribute.isNamed("sourceName") || attribute.isNamed("source") {
                source = attribute.value
            } else if attribute.isNamed("device") {
                device = attribute.value
            }
        }
        guard let start, let end, let (from, offset) = clock.time(start), let (until, _) = clock.time(end),
            let steps = value.flatMap(decimal), abs(steps) < 1e12
        else { throw .malformed(path: path, reason: "a record of steps has no start, end or value") }
        noteZone(offset, at: Timestamp(from))
        guard until >= from else { return try collector.refuse("a record that ends before it begins") }
        guard steps >= 0 else { return try collector.refuse("\(Int(steps)) steps") }
        try collector.add(
            splitting: steps, from: Timestamp(from), length: until - from, to: try self.source(source, device))
    }

    /// The offset is that of the day of the export: a zone that never has it is not that of the steps.
    private func noteZone(_ offset: Int, at moment: Timestamp) {
        if isZoneChecked { return }
        isZoneChecked = true
        // Clocks are changed twice a year.
        let known = (0..<4).map { collector.localTime.utcOffset(moment + $0 * 91 * 86_400) }
        if known.contains(offset) { return }
        let minutes = abs(offset) / 60 % 60
        let written = "\(offset < 0 ? "-" : "+")\(abs(offset) / 3600):\(minutes < 10 ? "0" : "")\(minutes)"
        collector.notes.append(
            .decision("The file was written where clocks showed UTC\(written): name the time zone of the steps."))
    }

    /// - Parameter device: `<<HKDevice: 0x283c0e047>, name:iPhone, manufacturer:Apple Inc., model:iPhone, …>`, with
    ///   references. The address in it changes with each record.
    private func source(
        _ name: UnsafeBufferPointer<UInt8>?, _ device: UnsafeBufferPointer<UInt8>?
    ) throws(ImportError) -> TrackBuilder {
        let model = device.flatMap { device in
            device.end(of: "model:", from: 0).map { UnsafeBufferPointer(rebasing: device[$0...]) }
        }
        if let last, last.has(name, model) { return last.track }
        let described = try model.map(text)
        let found = try track(
            try name.map(text) ?? "", model: described.map { String($0.prefix { $0 != "," && $0 != ">" }.prefix(64)) })
        last = LastSource(name, model, found)
        return found
    }

    private func text(_ value: UnsafeBufferPointer<UInt8>) throws(ImportError) -> String {
        guard let text = value.decoded else {
            throw .malformed(path: path, reason: "it is no correct XML: a value has an & alone")
        }
        return text
    }

    private func track(_ name: String, model: String?) throws(ImportError) -> TrackBuilder {
        let identity = "apple:\(name):\(model ?? "")"
        if let known = sources[identity] { return known }
        let shown = name.isEmpty ? model ?? "Apple Health" : name
        // Others can call themselves a watch and have one record a day.
        let isWatch =
            model.map { $0.lowercased().hasPrefix("watch") }
            // Apple writes a no-break space in it.
            ?? name.lowercased().replacing("\u{a0}", with: " ").contains("apple watch")
        let track = try collector.track(
            ForeignSource(identity: identity, name: shown), repetition: .added,
            kind: isWatch ? .watch : model == nil ? .other : .phone)
        sources[identity] = track
        return track
    }

    /// That of the record before; most have the same.
    private struct LastSource {
        private let name: [UInt8]?
        /// From the model on.
        private let model: [UInt8]?
        let track: TrackBuilder

        init(_ name: UnsafeBufferPointer<UInt8>?, _ model: UnsafeBufferPointer<UInt8>?, _ track: TrackBuilder) {
            self.name = name.map { Array($0) }
            self.model = model.map { Array($0) }
            self.track = track
        }

        func has(_ name: UnsafeBufferPointer<UInt8>?, _ model: UnsafeBufferPointer<UInt8>?) -> Bool {
            Self.equal(self.name, name) && Self.equal(self.model, model)
        }

        private static func equal(_ known: [UInt8]?, _ text: UnsafeBufferPointer<UInt8>?) -> Bool {
            guard let known, let text else { return known == nil && text == nil }
            return known.withUnsafeBufferPointer { $0.equals(text) }
        }
    }
}

private func decimal(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
    // Nearly all are whole numbers, and few digits need no parser.
    var (value, index) = (0, 0)
    while index < min(9, text.count), (0x30...0x39).contains(text[index]) {
        value = value * 10 + Int(text[index] - 0x30)
        index += 1
    }
    return index > 0 && index == text.count ? Double(value) : Double(String(decoding: text, as: UTF8.self))
}

/// Reads times as seconds since 1970: `2021-11-30 08:23:50 +0200` or `20150908113500+0200`, with or without a fraction.
/// Most records are of the day of the one before, with the same offset.
private struct AppleClock {
    /// The date and the offset of the time before, as they are written, with the seconds of its midnight.
    private var known: (date: [UInt8], offset: [UInt8], midnight: Int, seconds: Int) = ([], [], 0, 0)

    /// - Returns: also the offset that is written; nil for any other text.
    mutating func time(_ text: UnsafeBufferPointer<UInt8>) -> (seconds: Int, offset: Int)? {
        guard text.count == 25, let base = text.baseAddress, known.date.count == 10,
            memcmp(known.date, base, 10) == 0, memcmp(known.offset, base + 19, 6) == 0,
            let hour = Self.pair(text, 11), let minute = Self.pair(text, 14), let second = Self.pair(text, 17),
            hour < 25, minute < 60, second < 62, text[13] == 0x3a, text[16] == 0x3a
        else { return remembered(text) }
        return (known.midnight + hour * 3600 + minute * 60 + second, known.seconds)
    }

    private static func pair(_ text: UnsafeBufferPointer<UInt8>, _ index: Int) -> Int? {
        let (one, two) = (text[index] &- 0x30, text[index + 1] &- 0x30)
        return one < 10 && two < 10 ? Int(one) * 10 + Int(two) : nil
    }

    private mutating func remembered(_ text: UnsafeBufferPointer<UInt8>) -> (seconds: Int, offset: Int)? {
        guard let found = appleTime(text) else { return nil }
        if text.count == 25, text[10] == 0x20, text[19] == 0x20 {
            let wall = found.seconds + found.offset
            known = (
                Array(text[..<10]), Array(text[19...]), wall - (wall % 86_400 + 86_400) % 86_400 - found.offset,
                found.offset
            )
        }
        return found
    }
}

/// `2021-11-30 08:23:50 +0200` or `20150908113500+0200`, with or without a fraction, as seconds since 1970; nil for any
/// other text. Also the offset that is written.
private func appleTime(_ text: UnsafeBufferPointer<UInt8>) -> (seconds: Int, offset: Int)? {
    var position = 0
    /// 0 after the end.
    func byte() -> UInt8 { position < text.count ? text[position] : 0 }
    func digit() -> Int? { (0x30...0x39).contains(byte()) ? Int(byte() - 0x30) : nil }
    func number(_ width: Int) -> Int? {
        // -, a blank, : and T
        while byte() == 0x2d || byte() == 0x20 || byte() == 0x3a || byte() == 0x54 {
            position += 1
        }
        var value = 0
        for _ in 0..<width {
            guard let next = digit() else { return nil }
            value = value * 10 + next
            position += 1
        }
        return value
    }
    guard let year = number(4), let month = number(2), let dayOfMonth = number(2), let hour = number(2),
        let minute = number(2), let second = number(2)
    else { return nil }
    if byte() == 0x2e {
        position += 1
        while digit() != nil { position += 1 }
    }
    while byte() == 0x20 { position += 1 }
    var offset = 0
    let sign = byte()
    if sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
        position += 1
        for weight in [36_000, 3600, 600, 60] {
            if byte() == 0x3a { position += 1 }
            guard let next = digit() else { return nil }
            offset += next * weight
            position += 1
        }
        if sign == UInt8(ascii: "-") { offset = -offset }
    } else if sign != UInt8(ascii: "Z") {
        return nil
    }
    guard let day = Day(year: year, month: month, day: dayOfMonth), hour < 25, minute < 60, second < 62 else {
        return nil
    }
    return (day.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second - offset, offset)
}
