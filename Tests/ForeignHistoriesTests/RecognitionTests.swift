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

    @Test func `without its name or its format, the error says how the file can be read`() throws {
        try withFolder { folder in
            let path = folder + "/foo.json"
            try Data(Self.archive.utf8).write(to: URL(fileURLWithPath: path))
            #expect(throws: ImportError.unnamedCount(path: path, format: "fitbit")) {
                try ForeignFiles().read(path, options())
            }
        }
    }

    /// The archive of Fitbit has them beside the steps.
    @Test(arguments: ["{\"bpm\":70,\"confidence\":1}", "{ \"minutes\": 5 }"])
    func `a count of several values is no steps`(value: String) {
        let text = "[{\"dateTime\" : \"04/01/19 08:00:00\", \"value\" : \(value)}]"
        let error = #expect(throws: ImportError.self) { try read("heart_rate-2019-04-01.json", text) }
        if case .unknownFormat(_, hint: nil)? = error {} else { Issue.record("\(String(describing: error))") }
        #expect(throws: ImportError.self) { try read("foo.json", text, options(format: "fitbit")) }
    }

    /// It was read as minutes of Fitbit.
    @Test func `a table of two columns is Fitbit's only by its name`() throws {
        let text = "timestamp,steps\n2019-04-01T08:00:00Z,900\n2019-04-01T08:15:00Z,280\n"
        let history = try read("ring.csv", text)
        #expect(history.format.key == "csv" && history.samples.map(\.length) == [900, 900])
        let minutes = "timestamp,steps\n2019-04-01T08:00:00Z,90\n"
        #expect(try read("steps_2019-04-01.csv", minutes).format.key == "fitbit")
        #expect(try read("ring.csv", minutes, options(format: "fitbit")).samples.map(\.length) == [60])
        let two = ["jan.csv": Data(minutes.utf8), "feb.csv": Data(minutes.replacing("04-01", with: "04-02").utf8)]
        #expect(try read(two, options(format: "fitbit")).samples.count == 2)
    }

    /// It was empty.
    @Test func `a folder can be named by a link`() throws {
        try withFolder { folder in
            try FileManager.default.createDirectory(atPath: folder + "/real/a", withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: "real")
            try Data("Date,Steps\n2019-04-01,50\n".utf8).write(to: URL(fileURLWithPath: folder + "/real/a/steps.csv"))
            for path in ["/link", "/link/", "/real"] {
                #expect(
                    try ForeignFiles().read(folder + path, options()).totals == ["steps": ["2019-04-01": 50]],
                    "\(path)")
            }
        }
    }

    /// It was passed over without a word. Of two names of one file, one counts.
    @Test func `a file in a folder can be a link, and a link to a folder is not followed`() throws {
        try withFolder { folder in
            let files = FileManager.default
            try files.createDirectory(atPath: folder + "/exports", withIntermediateDirectories: true)
            try Data("Date,Steps\n2019-04-01,50\n".utf8).write(to: URL(fileURLWithPath: folder + "/steps.csv"))
            for name in ["a.csv", "b.csv"] {
                try files.createSymbolicLink(
                    atPath: folder + "/exports/" + name, withDestinationPath: "../steps.csv")
            }
            try files.createSymbolicLink(atPath: folder + "/exports/circle", withDestinationPath: "..")
            try files.createSymbolicLink(atPath: folder + "/exports/nowhere", withDestinationPath: "missing")
            #expect(try ForeignFiles().read(folder + "/exports", options()).totals == ["a": ["2019-04-01": 50]])
            // The name of the file itself comes first.
            try files.moveItem(atPath: folder + "/steps.csv", toPath: folder + "/exports/steps.csv")
            try files.createSymbolicLink(atPath: folder + "/steps.csv", withDestinationPath: "exports/steps.csv")
            #expect(try ForeignFiles().read(folder + "/exports", options()).totals == ["steps": ["2019-04-01": 50]])
        }
    }

    /// The configuration of a nightly import has to be changed, and not the file.
    @Test func `where no file of a folder is of the named format, the newest is named`() throws {
        try withFolder { folder in
            let path = folder + "/steps.csv"
            try Data("Date,Steps\n2019-04-01,50\n".utf8).write(to: URL(fileURLWithPath: path))
            #expect(throws: ImportError.notOfFormat(path: path, format: "gadgetbridge")) {
                try ForeignFiles().newest(in: folder, options(format: "gadgetbridge"), unreadable: [])
            }
        }
    }

    @Test func `a folder with one that cannot be listed is refused`() async throws {
        let folder = NSTemporaryDirectory() + "istep-tests-" + UUID().uuidString
        defer {
            chmod(folder + "/b", 0o700)
            try? FileManager.default.removeItem(atPath: folder)
        }
        for name in ["/a", "/b"] {
            try FileManager.default.createDirectory(atPath: folder + name, withIntermediateDirectories: true)
            try Data("Date,Steps\n2019-04-01,50\n".utf8).write(to: URL(fileURLWithPath: folder + name + "/steps.csv"))
        }
        chmod(folder, 0o755)
        chmod(folder + "/a", 0o755)
        chmod(folder + "/b", 0)
        await #expect(processExitsWith: .success) { [folder = folder as String] in
            if geteuid() == 0 { try #require(setuid(65_534) == 0) }
            let error = #expect(throws: ImportError.self) { _ = try FileTree(folder) }
            guard case .unreadable(let path, _)? = error, path.hasSuffix("/b") else { exit(1) }
        }
    }

    /// SQLite lost its locks on it, and with them commits.
    @Test func `files of the history that is in use are not opened`() throws {
        try withFolder { folder in
            let (history, table) = (folder + "/history.sqlite", folder + "/steps.csv")
            try database("CREATE TABLE x (y)").write(to: URL(fileURLWithPath: history))
            try Data("Date,Steps\n2019-04-01,50\n".utf8).write(to: URL(fileURLWithPath: table))
            try FileManager.default.createSymbolicLink(atPath: folder + "/named", withDestinationPath: history)
            try FileManager.default.setAttributes([.modificationDate: Date.distantPast], ofItemAtPath: table)
            let files = ForeignFiles(inUse: [history, history + "-wal"])
            #expect(try FileTree(folder, except: [history]).files.map(\.name) == ["steps.csv"])
            #expect(try files.read(folder, options()).totals == ["steps": ["2019-04-01": 50]])
            #expect(try files.newest(in: folder, options(), unreadable: []).file.path == table)
            for path in [history, folder + "/named"] {
                #expect(throws: ImportError.inUse(path: path)) { try files.read(path, options()) }
            }
        }
    }

    /// A picture and an archive begin with letters and a zero.
    @Test func `files of other kinds beside a table are no tables`() throws {
        let table = Data("Date,Steps\n2019-04-01,50\n".utf8)
        var archive = Data("steps.csv".utf8) + Data(count: 503)
        archive.append(table)
        archive.append(Data(count: 1024 - table.count))
        let picture = Data("GIF89a ".utf8) + Data([0, 0x20, 0, 0xf7, 0, 0, 0x2c, 0x0a, 0x2c, 0x0a, 0x2c])
        let history = try read(["steps.csv": table, "steps.tar": archive, "icon.gif": picture])
        #expect(history.tracks.map(\.steps) == [50])
    }
}
