public import StepDomain
internal import Support

/// Writes samples as data points of Open mHealth, one on each line: schema `step-count` 2.0 with the header 1.2
/// (https://www.openmhealth.org/schemas/).
public final class OpenMHealthExport: ExportWriter {
    private let output: any ExportOutput
    /// When the points are created.
    private let now: String
    private var table = ""
    private var names: [Int: String] = [:]

    /// The tables that it needs: samples have only the numbers of their pedometers.
    public static let tables = ["pedometers", "samples"]

    public init(_ output: any ExportOutput, at now: Timestamp) {
        self.output = output
        self.now = now.iso8601(utcOffset: 0)
    }

    public func begin(_ table: ExportTable) { self.table = table.name }

    public func row(_ values: [ExportValue]) throws {
        switch table {
        case "pedometers":
            if case .integer(let number) = values[0] { names[number] = values[2].text }
        case "samples":
            guard let user = values[0].text, case .integer(let pedometer) = values[1], let start = values[2].text,
                case .integer(let seconds) = values[3], case .integer(let steps) = values[4],
                let written = ExportValue.parsed(time: start)
            else { return }
            // RFC 3339 has no offset with seconds.
            let offset = written.utcOffset % 60 == 0 ? written.utcOffset : 0
            let from = Timestamp(written.seconds)
            try output.line(
                """
                {"header":{"id":"\(Self.identity("\(user)\n\(pedometer)\n\(written.seconds)"))",\
                "creation_date_time":"\(now)",\
                "schema_id":{"namespace":"omh","name":"step-count","version":"2.0"},\
                "acquisition_provenance":{"source_name":\(JSONLine.quoted(names[pedometer] ?? "pedometer \(pedometer)")),\
                "modality":"sensed"},"user_id":\(JSONLine.quoted(user))},\
                "body":{"effective_time_frame":{"time_interval":{\
                "start_date_time":"\(from.iso8601(utcOffset: offset))",\
                "end_date_time":"\((from + seconds).iso8601(utcOffset: offset))"}},"step_count":\(steps)}}
                """)
        default: break
        }
    }

    public func finish() throws { try output.finish() }

    /// The same for the same sample in each export, so that a reader can leave out what it has: a UUID of version 8
    /// (RFC 9562, section 5.8) of two hashes.
    private static func identity(_ text: String) -> String {
        func digits(_ hash: FNV1a) -> [Character] {
            var hash = hash
            hash.add(text.utf8)
            return Array(hash.value.digits(radix: 16, width: 16))
        }
        let (first, second) = (digits(FNV1a()), digits(FNV1a(basis: 0x6c62_272e_07bb_0142)))
        return String(first[0..<8]) + "-" + String(first[8..<12]) + "-8" + String(first[12..<15]) + "-8"
            + String(second[0..<3]) + "-" + String(second[3..<15])
    }
}
