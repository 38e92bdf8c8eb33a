internal import Foundation
internal import Settings
internal import StepDomain

/// A file of days, one a line: for spreadsheets, scripts, and folders that another program keeps in step elsewhere.
///
/// A day that is sent again takes the place of its line. The file is written anew beside the old one and then takes its name
/// (rename(2)), so that a reader, or a kill, never meets half of it.
struct FileDestination: ConfiguredDestination {
    let context: DestinationContext
    let path: String
    let format: DayLine.Format

    var place: String { path }
    var traits: ShareTraits {
        var traits = ShareTraits.replacing
        traits.batch = 2048
        return traits
    }

    func preview(_ parcels: [ShareParcel]) -> String {
        parcels.map { DayLine($0.day, format).text }.joined(separator: "\n")
    }

    func deliver(_ parcels: [ShareParcel]) async throws(ShareFailure) -> [ShareReceipt] {
        let file = LineFile(path: path)
        try file.replace { lines in
            var lines = lines
            if let header = format.header, lines.first != header { lines.insert(header, at: 0) }
            let places = Dictionary(
                lines.enumerated().compactMap { index, line in DayLine.Key(line, format).map { ($0, index) } }, uniquingKeysWith: { $1 })
            for parcel in parcels {
                let line = DayLine(parcel.day, format)
                if let index = places[line.key] { lines[index] = line.text } else { lines.append(line.text) }
            }
            return lines
        }
        return parcels.map { _ in ShareReceipt() }
    }

    func check() async throws(ShareFailure) -> String {
        let file = LineFile(path: path)
        let days = try file.read().lines.count { DayLine.Key($0, format) != nil }
        try file.checkFolder()
        return "\(days) \(days == 1 ? "day" : "days") in it"
    }

    func problems() -> [String] {
        do throws(ShareFailure) {
            try LineFile(path: path).checkFolder()
            return []
        } catch {
            return [error.reason]
        }
    }
}

extension DestinationKind {
    static let file = DestinationKind(
        "file", title: "a file with a line a day: JSON or CSV",
        example: """
            [share.diary]
            kind = "file"
            path = "~/steps.csv"
            # format = "json"     # or "csv"; by default what the file's name ends with
            """
    ) { reader, context in
        let expected = "the path of a file that ends with .csv, .json, .jsonl or .ndjson, or of any other with a `format`"
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
