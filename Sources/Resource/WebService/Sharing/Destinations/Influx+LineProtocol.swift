internal import StepDomain

/// A point in InfluxDB's line protocol.
///
/// Source: https://docs.influxdata.com/influxdb/v2/reference/syntax/line-protocol/ ("Special characters", "Naming
/// restrictions", "Duplicate points"), which is that of version 1 too, and VictoriaMetrics takes it.
struct InfluxPoint: Sendable {
    enum Value: Hashable, Sendable {
        case integer(Int)
        case number(Double)
        case flag(Bool)
    }

    let measurement: String
    /// Those without a value are left out, as they must be.
    var tags: [String: String]
    /// At least one that is not nil.
    var fields: [(key: String, value: Value?)]
    /// To the second.
    let time: Timestamp

    /// Without a line feed. Tags are sorted by key, which servers like best.
    var line: String {
        let tags = tags.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
            .map { ",\(Self.key($0.key))=\(Self.tag($0.value))" }.joined()
        let fields = fields.compactMap { field in field.value.map { "\(Self.key(field.key))=\(Self.text($0))" } }.joined(separator: ",")
        return "\(Self.measurement(measurement))\(tags) \(fields) \(time.seconds)"
    }

    private static func text(_ value: Value) -> String {
        switch value {
        case .integer(let number): "\(number)i"
        case .number(let number): "\(number)"
        case .flag(let flag): flag ? "true" : "false"
        }
    }

    static func measurement(_ name: String) -> String { escaped(name, ", ") }
    static func key(_ name: String) -> String { escaped(name, ",= ") }
    static func tag(_ value: String) -> String { escaped(value, ",= ") }

    private static func escaped(_ text: String, _ special: String) -> String {
        var result = ""
        for scalar in carried(text).unicodeScalars {
            if special.unicodeScalars.contains(scalar) { result += "\\" }
            result.unicodeScalars.append(scalar)
        }
        return result
    }

    /// The text as far as the format can carry it. It has no line feeds; and a backslash before another, before what needs
    /// an escape or at the end of a tag means something else to each server (https://github.com/influxdata/influxdb/issues/3070,
    /// 5231). Those become an operator that looks the same; a control character becomes a space.
    static func carried(_ text: String) -> String {
        let scalars = Array(text.unicodeScalars)
        var result = String.UnicodeScalarView()
        for (index, scalar) in scalars.enumerated() {
            let next = index + 1 < scalars.count ? scalars[index + 1] : "\\"
            if scalar == "\\", "\\,= \"".unicodeScalars.contains(next) || next.properties.generalCategory == .control {
                result.append("\u{29F5}")
            } else {
                result.append(scalar.properties.generalCategory == .control ? " " : scalar)
            }
        }
        return String(result)
    }
}
