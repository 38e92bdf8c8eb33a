import Foundation
import GRDB
import StepDomain
import Testing

@testable import ForeignHistories

@Suite(.timeLimit(.minutes(5))) struct ZipTests {
    private let table = Data("Date,Steps\n2019-04-01,5000\n".utf8)

    @Test func `a table in an archive is read`() throws {
        #expect(try read(["x": zip([("steps.csv", table)])]).totals == ["steps": ["2019-04-01": 5000]])
    }

    @Test(arguments: ["../../etc/steps.csv", "/etc/steps.csv", "a/../../steps.csv"])
    func `a path that leads out of the archive is refused`(name: String) {
        #expect(throws: ImportError.self) { try read(["x": zip([(name, table)])]) }
    }

    /// A member that claims to be larger than its bytes can be.
    @Test func `a zip bomb is refused before it is unpacked`() throws {
        var bytes = [UInt8](zip([("steps.csv", table)]))
        let directory = bytes.count - 22 - 46 - 9
        bytes.replaceSubrange((directory + 24)..<(directory + 28), with: [0, 0, 0, 0x7f])
        let error = #expect(throws: ImportError.self) { try read(["x": Data(bytes)]) }
        guard case .malformed(_, let reason)? = error else { return }
        #expect(reason.contains("claims to be 2130706432 bytes"))
    }

    @Test func `a member whose size is not the claimed one is refused`() throws {
        var bytes = [UInt8](zip([("steps.csv", table)]))
        let directory = bytes.count - 22 - 46 - 9
        bytes[directory + 24] = 5
        #expect(throws: ImportError.self) { try read(["x": Data(bytes)]) }
    }

    @Test(arguments: [true, false]) func `a member with a changed byte is refused by its checksum`(isDeflated: Bool)
        throws
    {
        let good = [UInt8](zip([("steps.csv", table)], deflated: isDeflated))
        let steps = try #require(Data(good).range(of: Data("5000".utf8)))
        var bytes = good
        bytes[steps.lowerBound] = UInt8(ascii: "9")
        let error = #expect(throws: ImportError.self) { try read(["x": Data(bytes)]) }
        guard case .malformed(_, "steps.csv in it is damaged")? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `one damaged member of several is not left out`() throws {
        func minutes(_ day: String) -> (name: String, data: Data) {
            ("steps_\(day).csv", Data("timestamp,steps\n\(day)T08:00:00Z,5000\n".utf8))
        }
        var bytes = [UInt8](zip([minutes("2019-04-01"), minutes("2019-04-02")]))
        let steps = try #require(Data(bytes).range(of: Data("5000".utf8)))
        bytes[steps.lowerBound] = UInt8(ascii: "9")
        let error = #expect(throws: ImportError.self) { try read(["x": Data(bytes)]) }
        guard case .malformed(_, "steps_2019-04-01.csv in it is damaged")? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    /// It was of no known format.
    @Test(arguments: [nil, "csv"]) func `an encrypted archive is named as one`(format: String?) throws {
        var bytes = [UInt8](zip([("steps.csv", table)]))
        let directory = bytes.count - 22 - 46 - 9
        bytes[directory + 8] = 1
        let error = #expect(throws: ImportError.self) { try read(["x": Data(bytes)], options(format: format)) }
        #expect("\(String(describing: error))".contains("it has a password"))
    }

    /// It was left out without a word.
    @Test func `a member of which the beginning cannot be read may have steps`() throws {
        func minutes(_ day: String) -> (name: String, data: Data) {
            ("steps_\(day).csv", Data("timestamp,steps\n\(day)T08:00:00Z,50\n".utf8))
        }
        var bytes = [UInt8](zip([minutes("2019-04-01"), minutes("2019-04-02")]))
        #expect(try read(["x": Data(bytes)]).totals.values.first?.count == 2)
        let second = try #require(Data(bytes).range(of: Data("steps_2019-04-02.csv".utf8))).lowerBound
        bytes[second - 30] = 0
        #expect(throws: ImportError.self) { try read(["x": Data(bytes)]) }
    }

    @Test func `members over each other are refused`() throws {
        let table = Data(("Date,Steps\n" + String(repeating: "2019-04-01,5000\n", count: 9)).utf8)
        let archive = [UInt8](zip((0..<9).map { ("\($0).csv", table) }, deflated: false))
        // Nine times the first: the local files of the others are not there.
        let first = 30 + 5 + table.count
        var bytes = Array(archive[..<first]) + archive[(9 * first)...]
        let end = bytes.count - 22
        for index in 0..<9 {
            bytes.replaceSubrange((first + index * 51 + 42)..<(first + index * 51 + 46), with: [0, 0, 0, 0])
        }
        bytes.replaceSubrange((end + 16)..<(end + 20), with: [UInt8(first % 256), UInt8(first / 256), 0, 0])
        let error = #expect(throws: ImportError.self) { try read(["x": Data(bytes)], options(format: "csv")) }
        #expect("\(String(describing: error))".contains("its files are larger than it is"))
    }

    @Test func `archives in a folder are to be extracted`() throws {
        let error = #expect(throws: ImportError.self) {
            try read(["a.zip": zip([("steps.csv", table)]), "b.zip": zip([("steps.csv", table)])])
        }
        #expect("\(String(describing: error))".contains("a.zip: extract them"))
    }

    /// As Gadgetbridge exports while it runs: the newest rows are in the log only.
    @Test func `a database in an archive is read with its log`() throws {
        let files = try withFolder { folder in
            let queue = try DatabaseQueue(path: folder + "/itd.db")
            try queue.writeWithoutTransaction {
                try $0.execute(
                    sql: """
                        PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
                        CREATE TABLE stepCount (time, steps); INSERT INTO stepCount VALUES (1554105600000000000, 500);
                        PRAGMA wal_checkpoint(TRUNCATE);
                        INSERT INTO stepCount VALUES (1554109200000000000, 700)
                        """)
            }
            return try ["itd.db", "itd.db-wal"].map {
                (name: "database/" + $0, data: try Data(contentsOf: URL(fileURLWithPath: folder + "/" + $0)))
            }
        }
        let (alone, both) = try (read(["x": zip([files[0]])]), read(["x": zip(files)]))
        #expect(!alone.samples.contains { $0.start > Timestamp(1_554_105_600) })
        #expect(both.samples.contains { $0.span.end > Timestamp(1_554_105_600) })
        #expect(try both.totals == read(["a/itd.db": files[0].data, "a/itd.db-wal": files[1].data]).totals)
    }
}
