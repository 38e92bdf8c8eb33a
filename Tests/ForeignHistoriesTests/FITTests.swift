import Foundation
import StepDomain
import TestSupport
import Testing

@testable import ForeignHistories

/// Monitoring files of a Garmin watch.
@Suite(.timeLimit(.minutes(5))) struct FITTests {
    private let ten = LocalTime.berlin.at("2019-04-01", 10).seconds

    private func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// The checksum bit by bit, as CRC-16/ARC is defined (https://reveng.sourceforge.io/crc-catalogue/16.htm).
    private func checksum(_ bytes: [UInt8]) -> Int {
        bytes.reduce(0) { sum, byte in
            (0..<8).reduce(sum ^ Int(byte)) { sum, _ in sum & 1 == 0 ? sum >> 1 : sum >> 1 ^ 0xa001 }
        }
    }

    /// A file with a header of 12 or 14 bytes; `headerSum` replaces the checksum of the header.
    private func file(_ records: [UInt8], headerSize: Int = 14, headerSum: Int? = nil) -> Data {
        var bytes = [UInt8(headerSize), 0x10, 0, 0] + little(records.count, 4) + Array(".FIT".utf8)
        if headerSize == 14 { bytes += little(headerSum ?? checksum(bytes), 2) }
        bytes += records
        return Data(bytes + little(checksum(bytes), 2))
    }

    /// Monitoring messages: the time, the type, the counter; and one with the local time.
    private func records(offset: Int, _ readings: [(time: Int, type: UInt8, steps: Int)]) -> [UInt8] {
        let epoch = 631_065_600, first = (readings.first?.time ?? epoch) - epoch
        var records: [UInt8] = [0x40, 0, 0] + little(103, 2) + [2, 253, 4, 0x86, 0, 4, 0x86]
        records += [0] + little(first, 4) + little(first + offset, 4)
        records += [0x41, 0, 0] + little(55, 2) + [3, 253, 4, 0x86, 3, 4, 0x86, 5, 1, 0]
        records += [0x42, 0, 0] + little(55, 2) + [3, 26, 2, 0x84, 3, 4, 0x86, 24, 1, 13]
        for (index, reading) in readings.enumerated() {
            if index.isMultiple(of: 2) {
                records += [1] + little(reading.time - epoch, 4) + little(reading.steps, 4) + [reading.type]
            } else {
                records +=
                    [2] + little((reading.time - epoch) & 0xffff, 2) + little(reading.steps, 4) + [reading.type | 0x20]
            }
        }
        return records
    }

    private func fit(offset: Int, _ readings: [(time: Int, type: UInt8, steps: Int)]) -> Data {
        file(records(offset: offset, readings))
    }

    @Test func `FIT files repeat readings, and the one at midnight closes its day`() throws {
        let midnight = LocalTime.berlin.at("2019-04-02", 0).seconds
        let files = [
            "a.fit": fit(offset: 7200, [(ten, 6, 100), (ten + 600, 6, 300), (ten + 600, 1, 20), (ten + 900, 6, 310)]),
            "b.fit": fit(offset: 7200, [(ten + 900, 6, 310), (midnight, 6, 350), (midnight + 3600, 6, 5)]),
        ]
        let history = try read(files)
        #expect(history.totals == ["Garmin watch": ["2019-04-01": 370, "2019-04-02": 5]] && history.zone == .records)
        let earlier = fit(offset: 7200, [(ten, 6, 100), (ten + 600, 6, 300)])
        let twice = files.merging(["c.fit": earlier, "copy of b.fit": files["b.fit"]!]) { one, _ in one }
        #expect(try read(twice).samples == history.samples, "copies, and files of an earlier moment")
    }

    @Test func `records with changed bytes are refused or give what a history can hold`() throws {
        let good = Data(records(offset: 7200, [(ten, 6, 100), (ten + 600, 6, 300), (ten + 600, 1, 20)]))
        var generator = SeededGenerator(seed: 9)
        // With the right checksum: without it, nothing of a file is read.
        for _ in 0..<2000 { try survives(file([UInt8](mutated(good, &generator))), "a.fit") }
    }

    @Test func `a file with one changed bit, or cut, is refused by its checksum`() throws {
        let good = fit(offset: 7200, [(ten, 6, 100), (ten + 600, 6, 300)])
        #expect(try read(["a.fit": good]).totals == ["Garmin watch": ["2019-04-01": 300]])
        for index in good.indices {
            for bit in 0..<8 {
                var bad = good
                bad[index] ^= 1 << bit
                #expect(throws: ImportError.self, "byte \(index), bit \(bit)") { try read(["a.fit": bad]) }
            }
        }
        for count in 0..<good.count {
            let error = #expect(throws: ImportError.self, "\(count)") { try read(["a.fit": good.prefix(count)]) }
            #expect(error?.category == .data)
        }
    }

    @Test func `the checksum of the header counts unless it is 0 or not there`() throws {
        let records = records(offset: 7200, [(ten, 6, 100), (ten + 600, 6, 300)])
        for good in [file(records, headerSize: 12), file(records, headerSum: 0)] {
            #expect(try read(["a.fit": good]).totals == ["Garmin watch": ["2019-04-01": 300]])
        }
        let error = #expect(throws: ImportError.self) { try read(["a.fit": file(records, headerSum: 1)]) }
        guard case .malformed(_, let reason)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains("checksum"))
    }
}
