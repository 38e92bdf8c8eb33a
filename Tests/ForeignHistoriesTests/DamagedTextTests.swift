import Foundation
import StepDomain
import TestSupport
import Testing

@testable import ForeignHistories

/// Texts in which a disk has lost a part, which reads as zeros.
@Suite(.timeLimit(.minutes(5))) struct DamagedTextTests {
    /// Formats of text: what is before the records, a record, and what is after them.
    private static let texts: [String: (before: String, record: String, after: String)] = [
        "csv": ("Date,Steps\n", "2019-04-01 10:00,50\n", ""),
        "google-fit": ("Date,Move Minutes count,Distance (m),Step count\n", "2019-04-01,5,300,70\n", ""),
        "samsung-health": (
            """
            com.samsung.shealth.step_daily_trend,6307003,6
            update_time,source_type,count,distance,deviceuuid,day_time

            """, "2019-04-02 10:00:00.000,-2,5000,3000.5,VfS0qUERdZ,1554076800000,\n", ""
        ),
        "fitbit": ("timestamp,steps\n", "2019-04-01T08:00:00Z,50\n", ""),
        "oura": (
            "{\"data\": [{\"day\": \"2019-03-01\", \"equivalent_walking_distance\": 1}",
            ",\n{\"day\": \"2019-04-01\", \"steps\": 700, \"timestamp\": \"2019-04-01T04:00:00.000-07:00\"}", "]}"
        ),
        "apple-health": (
            "<HealthData>",
            """
            <Record type="HKQuantityTypeIdentifierStepCount" sourceName="me" startDate="2019-04-01 10:00:00 +0200" \
            endDate="2019-04-01 10:10:00 +0200" value="100"/>

            """, "</HealthData>"
        ),
        "istep-export": (
            "{\"table\":\"days\",\"user\":\"Bea\"}\n", "{\"table\":\"days\",\"user\":\"Ada\"}\n",
            "{\"table\":\"tables\",\"name\":\"samples\"}\n"
        ),
    ]

    /// - Parameter kept: bytes of the records before the zeros.
    private static func damaged(_ format: String, kept: Int, zeros: Int) throws -> (good: Data, bad: Data) {
        let text = try #require(texts[format])
        let count = (kept + zeros) / text.record.utf8.count + 100
        let good = Data((text.before + String(repeating: text.record, count: count) + text.after).utf8)
        var bad = good
        let start = text.before.utf8.count + kept
        bad.replaceSubrange(start..<(start + zeros), with: repeatElement(0, count: zeros))
        return (good, bad)
    }

    @Test(arguments: texts.keys.sorted(), [1, 2000])
    func `a text with zeros is refused, wherever they are`(format: String, zeros: Int) throws {
        // In the part by which a format is recognised, and behind it.
        for kept in [40, 9000, 70_000] {
            let (good, bad) = try Self.damaged(format, kept: kept, zeros: zeros)
            #expect(throws: Never.self) { try read(["x": good]) }
            for file in [bad, zip([("x", bad)])] {
                let error = #expect(throws: ImportError.self) { try read(["x": file]) }
                guard case .malformed(_, let reason)? = error else {
                    Issue.record("\(kept): \(String(describing: error))")
                    continue
                }
                #expect(reason == "it has a NUL byte: it is damaged, or no text", "\(kept)")
            }
        }
    }

    /// A power cut while a phone writes its export must not keep the export before it from being imported.
    @Test func `every night, a text with zeros is passed over and named`() throws {
        let (good, bad) = try Self.damaged("google-fit", kept: 40, zeros: 2000)
        try withFolder { folder in
            for (name, content, age) in [("a.csv", good, 2000.0), ("b.csv", bad, 1000.0)] {
                try content.write(to: URL(fileURLWithPath: folder + "/" + name))
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSince1970: 1_554_200_000 - age)],
                    ofItemAtPath: folder + "/" + name)
            }
            let newest = try ForeignFiles().newest(in: folder, options(), unreadable: [])
            #expect(newest.file.path == folder + "/a.csv" && newest.damaged == [folder + "/b.csv"])
        }
    }

    @Test func `a table in UTF-16 says so, and a file that begins with zeros is no text`() throws {
        let text = try #require("Date,Steps\n2019-04-01,50\n".data(using: .utf16))
        let error = #expect(throws: ImportError.self) { try read(["x.csv": text]) }
        guard case .malformed(_, let reason)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains("UTF-16") && reason.contains("iconv"))
        let files = [
            "steps.csv": Data("Date,Steps\n2019-04-01,50\n".utf8), "zeros": Data(repeating: 0, count: 9000),
            "picture": Data([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x2c, 0, 0, 0, 0x0d, 0x0a, 0x2c]),
        ]
        #expect(try read(files).totals == ["steps": ["2019-04-01": 50]])
    }

    /// As pages of an interface that were written into one file.
    @Test(arguments: [
        ("steps-2019-04-01.json", #"[{"dateTime":"04/01/19 10:00:00","value":"50"}]"#),
        (
            "oura.json",
            #"{"data":[{"day":"2019-03-01","equivalent_walking_distance":1},"#
                + #"{"day":"2019-04-01","steps":700,"timestamp":"2019-04-01T04:00:00.000-07:00"}]}"#
        ),
    ]) func `JSON that goes on after its end is refused`(name: String, text: String) throws {
        #expect(try !read(name, text + " \n").samples.isEmpty)
        let error = #expect(throws: ImportError.self) { try read(name, text + "\n" + text) }
        guard case .malformed(_, let reason)? = error else { return }
        #expect(reason.hasSuffix("it goes on after its end"))
    }

    @Test func `JSON with longer keys than any program writes is refused, and a long text is passed over`() throws {
        func file(key: Int, text: Int) -> String {
            let (key, text) = (String(repeating: "k", count: key), String(repeating: "t", count: text))
            return #"[{"dateTime":"04/01/19 10:00:00","value":"50","\#(key)":"\#(text)"}]"#
        }
        #expect(try read("steps-2019-04-01.json", file(key: 100, text: 100_000)).samples.map(\.steps) == [50])
        #expect(throws: ImportError.self) { try read("steps-2019-04-01.json", file(key: 5000, text: 1)) }
    }
}
