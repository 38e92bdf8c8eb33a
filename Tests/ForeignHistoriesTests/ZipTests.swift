import Foundation
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

    @Test func `an encrypted archive is named as one`() throws {
        var bytes = [UInt8](zip([("steps.csv", table)]))
        let directory = bytes.count - 22 - 46 - 9
        bytes[directory + 8] = 1
        let error = #expect(throws: ImportError.self) { try read(["x": Data(bytes)], options(format: "csv")) }
        #expect(error != nil)
    }
}
