import CExpat
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
            guard file.kind == .xml else { return false }
            let head = file.headText
            return head.contains("<!DOCTYPE HealthData") || head.contains("<HealthData")
        }
    }

    func read(_ files: [ForeignFile], of tree: FileTree, into collector: ForeignCollector) throws(ImportError) {
        for file in files { try AppleHealthParser(file.path, collector).read(file.open()) }
        if collector.yieldToWatches() {
            collector.notes.append(
                .decision("Where a watch and a phone have recorded the same time, the watch counts."))
        }
    }
}

/// Passes the file to expat piece by piece. What comes before the element `HealthData` is left out: some versions of
/// iOS write a document type declaration with errors, and without it no entity is defined.
private final class AppleHealthParser {
    private let path: String
    private let collector: ForeignCollector
    private let parser: XML_Parser?
    private var problem: ImportError?
    private var sources: [String: TrackBuilder] = [:]
    private var last: LastSource?
    /// Bytes since the last element.
    private var silence = 0
    private var isZoneChecked = false

    private static let maximumHead = 1 << 20
    /// Bytes of an element. Those of Apple have some hundred.
    private static let maximumSilence = 4 << 20

    init(_ path: String, _ collector: ForeignCollector) {
        self.path = path
        self.collector = collector
        parser = XML_ParserCreate("UTF-8")
    }

    deinit { if let parser { XML_ParserFree(parser) } }

    func read(_ stream: any ByteStream) throws(ImportError) {
        guard let parser else { throw .tooMuch("no memory for it") }
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetStartElementHandler(parser) { user, name, attributes in
            guard let user, let name, let attributes else { return }
            Unmanaged<AppleHealthParser>.fromOpaque(user).takeUnretainedValue().start(name, attributes)
        }
        XML_SetEntityDeclHandler(parser) { user, _, _, _, _, _, _, _, _ in
            guard let user else { return }
            Unmanaged<AppleHealthParser>.fromOpaque(user).takeUnretainedValue().refuse("it declares entities")
        }
        var bytes = try head(stream)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let status = bytes.withUnsafeBytes { piece in
                XML_Parse(
                    parser, piece.bindMemory(to: CChar.self).baseAddress, Int32(piece.count), bytes.isEmpty ? 1 : 0)
            }
            if let problem { throw problem }
            guard status == XML_STATUS_OK else {
                let reason = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "unknown"
                throw .malformed(path: path, reason: "it is no correct XML (\(reason)), or it is truncated")
            }
            if bytes.isEmpty { return }
            silence += bytes.count
            if silence > Self.maximumSilence { throw .malformed(path: path, reason: "it is no export of Apple Health") }
            let count = try stream.read(&buffer)
            bytes = Array(buffer[..<count])
        }
    }

    /// What was read up to the element `HealthData`, without what comes before it.
    private func head(_ stream: any ByteStream) throws(ImportError) -> [UInt8] {
        var (head, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
        let mark = Array("<HealthData".utf8), entity = Array("<!ENTITY".utf8)
        while head.count < Self.maximumHead {
            let count = try stream.read(&buffer)
            if count == 0 { break }
            head += buffer[..<count]
            guard let start = head.firstRange(of: mark)?.lowerBound else { continue }
            if head[..<start].firstRange(of: entity) != nil {
                throw .malformed(path: path, reason: "it declares entities")
            }
            return Array(head[start...])
        }
        throw .malformed(path: path, reason: "it has no element HealthData")
    }

    private func refuse(_ reason: String) { fail(.malformed(path: path, reason: reason)) }

    private func fail(_ error: ImportError) {
        if problem == nil { problem = error }
        XML_StopParser(parser, XML_Bool(XML_FALSE))
    }

    private func start(_ name: UnsafePointer<CChar>, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>) {
        silence = 0
        guard problem == nil, equals(name, "Record") else { return }
        var (start, end, value, source, device, isSteps) = (
            UnsafePointer<CChar>?.none, UnsafePointer<CChar>?.none, UnsafePointer<CChar>?.none,
            UnsafePointer<CChar>?.none,
            UnsafePointer<CChar>?.none, false
        )
        var index = 0
        while let key = attributes[index], let text = attributes[index + 1] {
            index += 2
            if equals(key, "type") {
                isSteps = equals(text, "HKQuantityTypeIdentifierStepCount")
                if !isSteps { return }
            } else if equals(key, "startDate") {
                start = text
            } else if equals(key, "endDate") {
                end = text
            } else if equals(key, "value") {
                value = text
            } else if equals(key, "sourceName") || equals(key, "source") {
                source = text
            } else if equals(key, "device") {
                device = text
            }
        }
        guard isSteps else { return }
        do throws(ImportError) {
            try add(start, end, value, source, device)
        } catch {
            fail(error)
        }
    }

    private func add(
        _ start: UnsafePointer<CChar>?, _ end: UnsafePointer<CChar>?, _ value: UnsafePointer<CChar>?,
        _ source: UnsafePointer<CChar>?,
        _ device: UnsafePointer<CChar>?
    ) throws(ImportError) {
        guard let (from, offset) = start.flatMap(appleTime), let (until, _) = end.flatMap(appleTime),
            let steps = value.flatMap(decimal), abs(steps) < 1e12
        else { throw .malformed(path: path, reason: "a record of steps has no start, end or value") }
        noteZone(offset, at: Timestamp(from))
        guard until >= from else { return try collector.refuse("a record that ends before it begins") }
        guard steps >= 0 else { return try collector.refuse("\(Int(steps)) steps") }
        let found = try self.source(source, device)
        try collector.add(splitting: steps, from: Timestamp(from), length: until - from, to: found)
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

    /// - Parameter device: `<<HKDevice: 0x283c0e047>, name:iPhone, manufacturer:Apple Inc., model:iPhone, …>`. The
    ///   address in it changes with each record.
    private func source(_ name: UnsafePointer<CChar>?, _ device: UnsafePointer<CChar>?) throws(ImportError) -> TrackBuilder {
        let model = device.flatMap { strstr($0, "model:") }.map { UnsafePointer($0) + strlen("model:") }
        if let last, last.has(name, model) { return last.source }
        let found = try source(
            name.map { String(cString: $0) } ?? "",
            model: model.map { String(String(cString: $0).prefix { $0 != "," && $0 != ">" }.prefix(64)) })
        last = LastSource(name, model, found)
        return found
    }

    private func source(_ name: String, model: String?) throws(ImportError) -> TrackBuilder {
        let identity = "apple:\(name):\(model ?? "")"
        if let known = sources[identity] { return known }
        let shown = name.isEmpty ? model ?? "Apple Health" : name
        let isWatch = (model ?? name).lowercased().contains("watch")
        let track = try collector.track(
            ForeignSource(identity: identity, name: shown), repetition: .added,
            kind: isWatch ? .watch : model == nil ? .other : .phone)
        sources[identity] = track
        return track
    }

    /// That of the record before; most have the same.
    private struct LastSource {
        private let name: [CChar]?
        /// From the model on.
        private let model: [CChar]?
        let source: TrackBuilder

        init(_ name: UnsafePointer<CChar>?, _ model: UnsafePointer<CChar>?, _ source: TrackBuilder) {
            self.name = name.map { Array(UnsafeBufferPointer(start: $0, count: strlen($0) + 1)) }
            self.model = model.map { Array(UnsafeBufferPointer(start: $0, count: strlen($0) + 1)) }
            self.source = source
        }

        func has(_ name: UnsafePointer<CChar>?, _ model: UnsafePointer<CChar>?) -> Bool {
            Self.equal(self.name, name) && Self.equal(self.model, model)
        }

        private static func equal(_ known: [CChar]?, _ text: UnsafePointer<CChar>?) -> Bool {
            guard let known, let text else { return known == nil && text == nil }
            return strcmp(known, text) == 0
        }
    }
}

private func equals(_ text: UnsafePointer<CChar>, _ word: StaticString) -> Bool {
    strcmp(text, UnsafeRawPointer(word.utf8Start).assumingMemoryBound(to: CChar.self)) == 0
}

private func decimal(_ text: UnsafePointer<CChar>) -> Double? {
    // Nearly all are whole numbers, and few digits need no parser.
    var (value, index) = (0, 0)
    while index < 9, (0x30...0x39).contains(text[index]) {
        value = value * 10 + Int(text[index] - 0x30)
        index += 1
    }
    return index > 0 && text[index] == 0 ? Double(value) : Double(String(cString: text))
}

/// `2021-11-30 08:23:50 +0200` or `20150908113500+0200`, with or without a fraction, as seconds since 1970; nil for any
/// other text. Also the offset that is written.
private func appleTime(_ text: UnsafePointer<CChar>) -> (seconds: Int, offset: Int)? {
    var position = 0
    func digit() -> Int? {
        let byte = UInt8(bitPattern: text[position])
        return (0x30...0x39).contains(byte) ? Int(byte - 0x30) : nil
    }
    func number(_ width: Int) -> Int? {
        // -, a blank, : and T
        while text[position] == 0x2d || text[position] == 0x20 || text[position] == 0x3a || text[position] == 0x54 {
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
    if text[position] == 0x2e {
        position += 1
        while digit() != nil { position += 1 }
    }
    while text[position] == 0x20 { position += 1 }
    var offset = 0
    let sign = UInt8(bitPattern: text[position])
    if sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
        position += 1
        for place in [36_000, 3600, 600, 60] {
            if text[position] == 0x3a { position += 1 }
            guard let next = digit() else { return nil }
            offset += next * place
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
