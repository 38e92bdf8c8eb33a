internal import Foundation
internal import Settings
internal import StepDomain

/// A file with one day per line: for spreadsheets, scripts, and folders that another program synchronises.
///
/// A day that is sent again replaces its line, or all its lines if something else has duplicated it. The new file is
/// written beside the old one and then renamed (rename(2)), so that a reader never sees half of it, even if the process
/// is killed.
struct FileDestination: ConfiguredDestination {
    let context: DestinationContext
    let path: String
    let format: DayLine.Format

    var location: String { path }
    var traits: ShareTraits {
        var traits = ShareTraits.replacing
        traits.batch = 2048
        return traits
    }

    func preview(_ payloads: [SharePayload]) -> String {
        payloads.map { DayLine($0.day, format).text }.joined(separator: "\n")
    }

    func deliver(_ payloads: [SharePayload]) async throws(ShareFailure) -> [ShareReceipt] {
        try await LineFile(path: path).replace(pause: context.environment.pause) { [format] lines in
            var lines = lines
            if let header = format.header, lines.first != header { lines.insert(header, at: 0) }
            let places = Dictionary(grouping: lines.indices) { DayLine.Key(lines[$0], format) }
            var kept: [String?] = lines
            for payload in payloads {
                let line = DayLine(payload.day, format)
                for index in places[line.key] ?? [] { kept[index] = nil }
                if let last = places[line.key]?.last { kept[last] = line.text } else { kept.append(line.text) }
            }
            return kept.compactMap(\.self)
        }
        return payloads.map { _ in ShareReceipt() }
    }

    func check() async throws(ShareFailure) -> String {
        let days = try await LineFile.outsidePool { [path, format] in
            let file = LineFile(path: path)
            // The file of a link that leads nowhere would be empty.
            try file.checkFolder()
            return try file.read().lines.count { DayLine.Key($0, format) != nil }
        }
        return "\(days) \(days == 1 ? "day" : "days") in it"
    }

    func problems() -> [String] {
        ShareFailure.reasons { () throws(ShareFailure) in try LineFile(path: path).checkFolder() }
    }
}

extension DestinationKind {
    static let file = DestinationKind(
        key: "file", title: "a file with a line for each day: JSON or CSV",
        specificExample: """
            [share.steps]
            kind = "file"
            path = "~/steps.csv"
            # format = "json"     # or "csv"; default: according to the suffix of the path
            """
    ) { reader, context in
        let expected =
            "the path of a file that ends with .csv, .json, .jsonl or .ndjson, or of any other with a `format`"
        reader.require("path", expected)
        let path = reader.path("path", expected)
        let format = reader.choice("format", of: DayLine.Format.self)
        guard let path else { return nil }
        guard let format = format ?? DayLine.Format(path: path) else {
            reader.refuse("path", expected: expected)
            return nil
        }
        return FileDestination(context: context, path: path, format: format)
    }
}

/// A day as a line of a file.
struct DayLine {
    enum Format: String, CaseIterable {
        /// One object per line (JSON Lines), with the names of `istep show --json`.
        case json
        /// Comma-separated values with a header (RFC 4180, except that lines end with LF).
        case csv

        /// Chooses the format by the extension of a file's name.
        init?(path: String) {
            switch (path as NSString).pathExtension.lowercased() {
            case "csv": self = .csv
            case "json", "jsonl", "ndjson": self = .json
            default: return nil
            }
        }

        var header: String? {
            switch self {
            case .json: nil
            case .csv:
                "day,user,steps,distance_metres,energy_kilocalories,goal,percentage,completeness,running,corrected"
            }
        }
    }

    /// Identifies a line: there is one line for each key.
    struct Key: Hashable {
        var user: String
        var day: String

        init(user: String, day: String) {
            self.user = user
            self.day = day
        }

        /// The key of a line in a file; nil for a line that is not of a day, which stays unchanged.
        init?(_ line: String, _ format: Format) {
            switch format {
            case .json:
                guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
                    let user = object["user"] as? String, let day = object["day"] as? String
                else { return nil }
                self.init(user: user, day: day)
            case .csv:
                let fields = CSV.fields(line)
                guard fields.count > 2, Day(fields[0]) != nil else { return nil }
                self.init(user: fields[1], day: fields[0])
            }
        }
    }

    let key: Key
    let text: String

    init(_ day: SharedDay, _ format: Format) {
        // A day is one line: CSV has no other way to write a line end that every reader understands.
        let user = format == .csv ? String(day.user.name.map { $0.isNewline ? " " : $0 }) : day.user.name
        key = Key(user: user, day: "\(day.day)")
        switch format {
        case .json: text = json(SharedDayDocument(day: day))
        case .csv:
            let fields: [String?] = [
                "\(day.day)", user, "\(day.steps)", day.metres.map { "\($0)" }, day.kilocalories.map { "\($0)" },
                day.summary.goal.map { "\($0)" }, day.percentage.map { "\($0)" }, day.summary.completeness.rawValue,
                "\(day.summary.isInProgress)", "\(day.summary.isCorrected)",
            ]
            text = fields.map { CSV.field($0 ?? "") }.joined(separator: ",")
        }
    }
}

/// Comma-separated values, RFC 4180.
enum CSV {
    static func field(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { ",\"\n\r".unicodeScalars.contains($0) }) else { return text }
        // Escaped by scalars: a quote with a combining mark after it is another character in Swift, but a quote for a
        // reader.
        return "\"" + text.unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined() + "\""
    }

    /// The fields of one line; a field without a closing quote ends with the line.
    static func fields(_ line: String) -> [String] {
        var fields: [String] = []
        var field = ""
        var isQuoted = false
        var rest = line.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\"" where isQuoted && rest.first == "\"":
                field.unicodeScalars.append("\"")
                rest.removeFirst()
            case "\"": isQuoted.toggle()
            case "," where !isQuoted:
                fields.append(field)
                field = ""
            default: field.unicodeScalars.append(scalar)
            }
        }
        return fields + [field]
    }
}
