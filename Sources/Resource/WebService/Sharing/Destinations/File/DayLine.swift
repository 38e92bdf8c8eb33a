internal import Foundation
internal import StepDomain

/// A day as a line of a file.
struct DayLine {
    enum Format: String, CaseIterable {
        /// An object a line (JSON Lines), with the names of `istep show --json`.
        case json
        /// Comma-separated values with a header (RFC 4180, but for its line ends: here they are LF).
        case csv

        /// By the end of a file's name.
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

    /// What a line is about: there is one line for each.
    struct Key: Hashable {
        var user: String
        var day: String

        init(user: String, day: String) {
            self.user = user
            self.day = day
        }

        /// Of a line that stands in a file; nil for what is not of a day, which stays as it is.
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
        // A line is a line: CSV has no other way to write a line end that every reader understands.
        let user = format == .csv ? String(day.user.name.map { $0.isNewline ? " " : $0 }) : day.user.name
        key = Key(user: user, day: "\(day.day)")
        switch format {
        case .json: text = json(DayDocument(day: day))
        case .csv:
            let fields: [String?] = [
                "\(day.day)", user, "\(day.steps)", day.metres.map { "\($0)" }, day.kilocalories.map { "\($0)" },
                day.summary.goal.map { "\($0)" }, day.percentage.map { "\($0)" }, day.summary.completeness.rawValue,
                "\(day.summary.isRunning)", "\(day.summary.isCorrected)",
            ]
            text = fields.map { CSV.field($0 ?? "") }.joined(separator: ",")
        }
    }
}

/// Comma-separated values, RFC 4180.
enum CSV {
    static func field(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { ",\"\n\r".unicodeScalars.contains($0) }) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }

    /// The fields of one line; what is not closed by a quote ends with the line.
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
