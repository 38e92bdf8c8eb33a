import Foundation
import StepDomain
import Testing

@testable import ForeignHistories

/// What is said of a long file while it is read.
@Suite(.timeLimit(.minutes(5))) struct ReadingProgressTests {
    private func progress(_ name: String, _ data: Data) throws -> [ReadingProgress] {
        try withFolder { folder in
            try data.write(to: URL(fileURLWithPath: folder + "/" + name))
            var steps: [ReadingProgress] = []
            let history = try ForeignFiles().read(folder + "/" + name, options()) { steps.append($0) }
            #expect(history.tracks.count == 1)
            return steps
        }
    }

    /// Minutes with one step each.
    private let table = Data(
        ("time,steps\n"
            + (0..<20_000).map { "\(now.seconds - 2_000_000 + 60 * $0),1" }.joined(separator: "\n")).utf8)

    @Test(arguments: ["steps.csv", "steps.zip"]) func `of texts the bytes that are read are reported, to the last one`(
        name: String
    ) throws {
        let steps = try progress(name, name.hasSuffix("zip") ? zip([("steps.csv", table)]) : table)
        let shares = steps.compactMap(\.share)
        #expect(shares.count == steps.count && shares.count > 3 && shares == shares.sorted())
        #expect(shares.first.map { $0 > 0 && $0 < 0.2 } == true && shares.last == 1)
        #expect(steps.map(\.samples) == steps.map(\.samples).sorted() && steps.contains { $0.samples == 16_384 })
    }

    @Test func `it is shown at most once a second`() {
        var pace = ReadingProgress.Pace()
        let shown = [0, 400, 999, 1000, 1001, 1999, 2500, 3400, 3500].filter { pace.isDue(after: .milliseconds($0)) }
        #expect(shown == [1000, 2500, 3500])
    }

    @Test func `of databases the samples are reported`() throws {
        let start = now.seconds - 2_000_000
        let steps = try progress(
            "amazfish.kexi",
            database(
                """
                CREATE TABLE mi_band_activity (id INTEGER PRIMARY KEY, timestamp INTEGER, device_id INTEGER, steps INTEGER);
                WITH RECURSIVE minute(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM minute WHERE i < 32999)
                INSERT INTO mi_band_activity SELECT i, \(start) + 60 * i, 7, 1 FROM minute;
                """))
        #expect(steps == [ReadingProgress(samples: 16_384), ReadingProgress(samples: 32_768)])
    }

    @Test func `the rest takes as long as the part before, at its speed`() {
        func rest(_ share: Double?) -> Duration? { ReadingProgress(samples: 1, share: share).rest(after: .seconds(3)) }
        #expect(rest(0.75) == .seconds(1) && rest(1) == .zero)
        #expect(rest(nil) == nil && rest(0.001) == nil, "too little to say anything")
    }
}
