import CExpat
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
    private var sources: [String: Source] = [:]
    /// Bytes since the last element.
    private var silence = 0

    private final class Source {
        let track: TrackBuilder
        /// The part of a step that rounding has left: old versions write decimal numbers.
        var rest = 0.0

        init(_ track: TrackBuilder) { self.track = track }
    }

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
        guard let from = start.flatMap(appleTime), let until = end.flatMap(appleTime),
            let steps = value.flatMap({ Double(String(cString: $0)) }),
            abs(steps) < 1e12
        else { throw .malformed(path: path, reason: "a record of steps has no start, end or value") }
        guard until >= from else { return try collector.refuse("a record that ends before it begins") }
        let found = try self.source(source.map { String(cString: $0) } ?? "", device)
        let whole = max(0, (steps + found.rest).rounded())
        found.rest += steps - whole
        try collector.add(splitting: Int(whole), from: Timestamp(from), length: until - from, to: found.track)
    }

    private func source(_ name: String, _ device: UnsafePointer<CChar>?) throws(ImportError) -> Source {
        // <<HKDevice: 0x283c0e047>, name:iPhone, manufacturer:Apple Inc., model:iPhone, …>: the address in it changes
        // with each record.
        let model = device.map { String(cString: $0) }.flatMap { text -> String? in
            guard let start = text.firstRange(of: "model:")?.upperBound else { return nil }
            return String(text[start...].prefix { $0 != "," && $0 != ">" }.prefix(64))
        }
        let identity = "apple:\(name):\(model ?? "")"
        if let known = sources[identity] { return known }
        let shown = name.isEmpty ? model ?? "Apple Health" : name
        let isWatch = (model ?? name).lowercased().contains("watch")
        let track = try collector.track(
            ForeignSource(identity: identity, name: shown), repetition: .added,
            kind: isWatch ? .watch : model == nil ? .other : .phone)
        let source = Source(track)
        sources[identity] = source
        return source
    }
}

private func equals(_ text: UnsafePointer<CChar>, _ word: StaticString) -> Bool {
    word.utf8Start.withMemoryRebound(to: CChar.self, capacity: word.utf8CodeUnitCount + 1) { wanted in
        var index = 0
        while text[index] == wanted[index] {
            if text[index] == 0 { return true }
            index += 1
        }
        return false
    }
}

/// `2021-11-30 08:23:50 +0200` or `20150908113500+0200`, with or without a fraction, as seconds since 1970; nil for any
/// other text.
private func appleTime(_ text: UnsafePointer<CChar>) -> Int? {
    var (position, values) = (0, [Int]())
    func digit() -> Int? {
        let byte = UInt8(bitPattern: text[position])
        return (0x30...0x39).contains(byte) ? Int(byte - 0x30) : nil
    }
    for width in [4, 2, 2, 2, 2, 2] {
        while [0x2d, 0x20, 0x3a, 0x54].contains(UInt8(bitPattern: text[position])) { position += 1 }
        var value = 0
        for _ in 0..<width {
            guard let next = digit() else { return nil }
            value = value * 10 + next
            position += 1
        }
        values.append(value)
    }
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
    guard let day = Day(year: values[0], month: values[1], day: values[2]), values[3] < 25, values[4] < 60,
        values[5] < 62
    else { return nil }
    return day.daysSince1970 * 86_400 + values[3] * 3600 + values[4] * 60 + values[5] - offset
}
