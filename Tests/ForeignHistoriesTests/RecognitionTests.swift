import Foundation
import StepDomain
import TestSupport
import Testing

@testable import ForeignHistories

/// Files that do not say what they count: by their names, or because `--format` is given.
@Suite(.timeLimit(.minutes(5))) struct RecognitionTests {
    private static let archive = "[{\"dateTime\" : \"04/01/19 08:00:00\", \"value\" : \"50\"}]"
    private static let days = "date,value\n2019-04-01,80\n"
    private static let slots = "start,duration,value\n2019-04-01T10:00:00+01:00,[60],[50]\n"
    private static let minutes = "date,time,steps\n2019-04-01,10:00,90\n"

    @Test(arguments: [
        ("fitbit", "foo.json", archive, 50), ("withings", "foo.csv", days, 80), ("withings", "foo.txt", slots, 50),
        ("zepp", "foo.csv", minutes, 90),
    ])
    func `a named format reads a file that has its form, whatever its name`(
        format: String, name: String, text: String, steps: Int
    ) throws {
        let history = try read(name, text, options(format: format))
        #expect(history.format.key == format && history.tracks.map(\.steps) == [steps])
    }

    @Test(arguments: [
        ("fitbit", "Steps-2019-04-01.JSON", archive, 50), ("withings", "Aggregates_Steps.CSV", days, 80),
        ("withings", "RAW_tracker_steps.csv", slots, 50), ("zepp", "activity_minute_1.csv", minutes, 90),
    ])
    func `names count in small and in large letters`(format: String, name: String, text: String, steps: Int) throws {
        let history = try read(name, text)
        #expect(history.format.key == format && history.tracks.map(\.steps) == [steps])
    }

    @Test(arguments: [
        ("fitbit", "distance-2019-04-01.json", archive), ("fitbit", "Calories-2019-04-01.json", archive),
        ("fitbit", "very_active_minutes-2019-04-01.json", archive), ("withings", "aggregates_distance.csv", days),
        ("withings", "raw_tracker_calories-earned.csv", slots), ("fitbit", "foo.json", "[{\"day\": 1}]"),
    ])
    func `a file whose name says that it counts something else is not read as steps`(
        format: String, name: String, text: String
    ) {
        let error = #expect(throws: ImportError.self) { try read(name, text, options(format: format)) }
        guard case .notOfFormat? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `in a folder, a named format reads the files with the names of steps only`() throws {
        let files = ["steps-1.json": Self.archive, "foo.json": Self.archive.replacing("50", with: "7000")]
        let history = try read(files.mapValues { Data($0.utf8) }, options(format: "fitbit"))
        #expect(history.totals == ["Fitbit": ["2019-04-01": 50]])
        #expect(throws: ImportError.self) {
            try read(
                ["a.json": Data(Self.archive.utf8), "b.json": Data(Self.archive.utf8)], options(format: "fitbit"))
        }
    }

    @Test func `without its name or its format, the error says how the file can be read`() {
        let error = #expect(throws: ImportError.self) { try read("foo.json", Self.archive) }
        guard case .unknownFormat(_, let hint)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(hint == "it does not say what it counts; --format fitbit reads it as steps")
    }
}
