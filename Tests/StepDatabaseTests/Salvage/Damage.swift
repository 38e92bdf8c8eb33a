import Foundation
import GRDB
import StepDomain
import TestSupport
import Testing

@testable import StepDatabase

/// A history with something in each table, on pages of 512 bytes, so that a small one has many.
struct SmallHistory {
    let bytes: Data
    let pageSize = 512
    /// By table, the rows of each page: the samples' pedometer and start.
    let samplePages: [Int: [SampleKey]]
    /// The rows of each table that has checksums.
    let sealedRows: [[[DatabaseValue]]]

    struct SampleKey: Hashable {
        let pedometer: Int64
        let start: Int
    }

    var pages: Int { bytes.count / pageSize }

    init() throws {
        (bytes, samplePages, sealedRows) = try withDirectory { directory in
            let path = directory + "/history.sqlite"
            let empty = try DatabaseQueue(path: path)
            try empty.writeWithoutTransaction { try $0.execute(sql: "PRAGMA page_size = 512; VACUUM") }
            try empty.close()
            try Self.fill(path)
            let store = try PageStore(path)
            var samplePages: [Int: [SampleKey]] = [:]
            // What lies on free pages was moved or deleted.
            var walk = TreeWalk(store)
            let free = walk.freePages()
            for number in 2...store.count where !free.contains(number) {
                guard let page = TreePage(number, in: store), page.kind.isIndex else { continue }
                let keys = page.cells.compactMap { cell -> SampleKey? in
                    guard let values = cell.values, values.count == 8,
                        let pedometer = Int64.fromDatabaseValue(values[0]),
                        let start = Int.fromDatabaseValue(values[1]), Int.fromDatabaseValue(values[3]) ?? .max < 1000
                    else { return nil }
                    return SampleKey(pedometer: pedometer, start: start)
                }
                if !keys.isEmpty { samplePages[number] = keys }
            }
            let rows = try DatabaseQueue(path: path).read(Self.sealedRows)
            return (try Data(contentsOf: URL(fileURLWithPath: path)), samplePages, rows)
        }
    }

    static func sealedRows(of database: Database) throws -> [[[DatabaseValue]]] {
        try SealedTable.all.map { table in
            try Row.fetchAll(database, sql: "SELECT * FROM \(table.name) ORDER BY 1, 2, 3")
                .map { Array($0.databaseValues) }
        }
    }

    /// Overwrites the first page of a table or an index with zeros. The file is closed.
    static func zeroRoot(of name: String, in path: String) throws {
        let queue = try DatabaseQueue(path: path)
        let (root, size) = try queue.read { database in
            (
                try Int.fetchOne(database, sql: "SELECT rootpage FROM sqlite_schema WHERE name = ?", arguments: [name]),
                try Int.fetchOne(database, sql: "PRAGMA page_size")
            )
        }
        try queue.close()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let start = (try #require(root) - 1) * (try #require(size))
        bytes.resetBytes(in: start..<start + (try #require(size)))
        try bytes.write(to: URL(fileURLWithPath: path))
    }

    private static func fill(_ path: String) throws {
        let database = try StepDatabase(path: path)
        for (index, name) in ["Ada", "Ben"].enumerated() {
            let user = try database.addUser(named: name)
            try database.setProfile(Profile(validFrom: day, height: 1.7, weight: 70, sex: .female), of: user.id)
            try database.setPlan(SportPlan(validFrom: day, goals: Array(repeating: 8000, count: 7)), of: user.id)
            let pedometer = try database.addPedometer(
                .ring(of: user, address: "30:34:42:00:00:0\(index)", name: "ring \(index)"))
            for night in 0..<20 {
                let sync = try database.beginSync(of: pedometer.id, at: noon + night * 86_400)
                let samples =
                    (0..<20).map { slot(night * 1440 + $0 * 15, 100 + $0, distance: 70.5) }
                    + (night == 3 ? [slot(5, 90_000)] : [])
                let start = midnight + night * 86_400
                _ = try database.merge(
                    SampleBatch(
                        samples: samples, coverage: [TimeSpan(start, start + 18_000)],
                        frames: (0..<4).map {
                            RawFrame(.received, at: start, bytes: Array(repeating: UInt8($0), count: 16))
                        },
                        cursor: PedometerCursor(readThrough: start + 18_000)),
                    sync: sync)
                try database.endSync(
                    sync, at: noon + night * 86_400 + 60, outcome: .complete, battery: 80, failure: nil, cause: nil)
            }
            try database.setCorrection(9000, of: user.id, on: day, at: noon)
            try database.enqueueChanges(of: user.id, for: "diary", since: day, at: noon)
        }
        try database.close()
    }
}

/// One way in which a disk, a cut copy or another program damages a file.
enum Damage: CaseIterable {
    case flippedBits, flippedBytesOfOnePage, zeroedPage, strangePage, cut, header, swappedPages, zeroedRun

    /// - Returns: the changed pages, counted from 1.
    func apply(to bytes: inout Data, pageSize: Int, _ random: inout SeededGenerator) -> Set<Int> {
        let pages = bytes.count / pageSize
        func offset(_ page: Int) -> Int { (page - 1) * pageSize }
        func some(_ random: inout SeededGenerator) -> Int { Int.random(in: 1...pages, using: &random) }
        switch self {
        case .flippedBits:
            return Set(
                (0..<Int.random(in: 1...6, using: &random)).map { _ in
                    let index = Int.random(in: bytes.indices, using: &random)
                    bytes[index] ^= 1 << UInt8.random(in: 0...7, using: &random)
                    return index / pageSize + 1
                })
        case .flippedBytesOfOnePage:
            let page = some(&random)
            for _ in 0..<20 {
                bytes[offset(page) + Int.random(in: 0..<pageSize, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            return [page]
        case .zeroedPage, .strangePage:
            let page = some(&random)
            for index in 0..<pageSize {
                bytes[offset(page) + index] = self == .zeroedPage ? 0 : UInt8.random(in: 0...255, using: &random)
            }
            return [page]
        case .cut:
            let length = Int.random(in: pageSize..<bytes.count, using: &random)
            bytes = bytes.prefix(length)
            return Set(length / pageSize + 1...pages)
        case .header:
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                bytes[Int.random(in: 0..<100, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            return [1]
        case .swappedPages:
            let (a, b) = (some(&random), some(&random))
            let first = bytes[offset(a)..<offset(a) + pageSize]
            bytes.replaceSubrange(offset(a)..<offset(a) + pageSize, with: Data(bytes[offset(b)..<offset(b) + pageSize]))
            bytes.replaceSubrange(offset(b)..<offset(b) + pageSize, with: Data(first))
            return [a, b]
        case .zeroedRun:
            let first = some(&random), last = min(pages, first + Int.random(in: 1...8, using: &random))
            for index in offset(first)..<offset(last) + pageSize { bytes[index] = 0 }
            return Set(first...last)
        }
    }
}
