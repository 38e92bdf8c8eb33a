import Foundation
import GRDB
import StepDomain
import TestSupport

@testable import ForeignHistories

/// A folder of the test's own, removed with everything in it when the test is over.
func withFolder<T>(_ body: (String) throws -> T) throws -> T {
    let path = NSTemporaryDirectory() + "istep-tests-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try body(path)
}

let now = LocalTime.berlin.at("2020-01-01", 12)

func options(
    _ localTime: LocalTime = .berlin, format: String? = nil, columns: [String: String] = [:], skipping: Bool = false
) -> ForeignOptions {
    ForeignOptions(
        format: format, localTime: localTime, zone: .named("test"), columns: columns, leavesOutImpossible: skipping,
        historyVersion: .max, now: now)
}

/// What is read of files, written into a folder.
func read(_ files: [String: Data], _ options: ForeignOptions = options()) throws -> ForeignHistory {
    try withFolder { folder in
        for (name, data) in files {
            let url = URL(fileURLWithPath: folder + "/" + name)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try data.write(to: url)
        }
        let path = files.count == 1 ? folder + "/" + files.keys.first! : folder
        return try ForeignFiles().read(path, options)
    }
}

func read(_ name: String, _ text: String, _ options: ForeignOptions = options()) throws -> ForeignHistory {
    try read([name: Data(text.utf8)], options)
}

/// The file of a SQLite database with these statements.
func database(_ sql: String) throws -> Data {
    try withFolder { folder in
        let queue = try DatabaseQueue(path: folder + "/x.db")
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
        return try Data(contentsOf: URL(fileURLWithPath: folder + "/x.db"))
    }
}

/// A zip archive whose members are stored, or deflated into blocks that are not compressed (RFC 1951, 3.2.4).
func zip(_ files: [(name: String, data: Data)], deflated: Bool = true) -> Data {
    func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    // CRC-32 of IEEE 802.3, bit by bit.
    func checksum(_ data: Data) -> Int {
        var crc: UInt32 = .max
        for byte in data {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xedb8_8320 : crc >> 1 }
        }
        return Int(~crc)
    }
    var (bytes, directory) = ([UInt8](), [UInt8]())
    for (name, data) in files {
        var content = [UInt8](data)
        if deflated {
            let blocks = stride(from: 0, to: max(1, data.count), by: 65_535).map {
                Array(content[$0..<min($0 + 65_535, content.count)])
            }
            content = blocks.enumerated().flatMap { index, block in
                [index == blocks.count - 1 ? 1 : 0] + little(block.count, 2) + little(~block.count, 2) + block
            }
        }
        let fields =
            little(20, 2) + little(0, 2) + little(deflated ? 8 : 0, 2) + little(0, 4) + little(checksum(data), 4)
            + little(content.count, 4) + little(data.count, 4) + little(name.utf8.count, 2) + little(0, 2)
        let start = bytes.count
        bytes += little(0x0403_4b50, 4) + fields + Array(name.utf8) + content
        directory +=
            little(0x0201_4b50, 4) + little(20, 2) + fields + little(0, 2) + little(0, 2) + little(0, 2) + little(0, 4)
            + little(start, 4) + Array(name.utf8)
    }
    let end =
        little(0x0605_4b50, 4) + little(0, 4) + little(files.count, 2) + little(files.count, 2)
        + little(directory.count, 4)
        + little(bytes.count, 4) + little(0, 2)
    return Data(bytes + directory + end)
}

extension ForeignHistory {
    /// The steps of each source on each day.
    var totals: [String: [String: Int]] {
        tracks.reduce(into: [:]) { totals, track in
            totals[track.source.name] = track.days.reduce(into: [:]) { $0["\($1.day)"] = $1.steps }
        }
    }

    var samples: [StepSample] {
        tracks.flatMap { track in track.parts.flatMap { PackedDay($0.content, of: $0.day)!.samples } }
    }
}

/// Expects an `ImportError`, or a result whose samples a history can hold: no crash.
func survives(_ data: Data, _ name: String, _ options: ForeignOptions = options(skipping: true)) throws {
    do {
        let history = try read([name: data], options)
        precondition(history.samples.allSatisfy(\.isPlausible))
    } catch is ImportError {
    }
}

/// Changes some bytes: overwritten, cut, repeated, swapped.
func mutated(_ data: Data, _ generator: inout SeededGenerator) -> Data {
    var bytes = [UInt8](data)
    for _ in 0..<Int.random(in: 1...6, using: &generator) where !bytes.isEmpty {
        let index = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: bytes[index] = .random(in: 0...255, using: &generator)
        case 1: bytes[index] = [0, 0xff, 0x7f, 0x80, 0x2d, 0x39, 0x22, 0x3c, 0x5b].randomElement(using: &generator)!
        case 2: bytes.removeSubrange(index..<min(bytes.count, index + Int.random(in: 1...40, using: &generator)))
        case 3: bytes.insert(contentsOf: bytes[index..<min(bytes.count, index + 20)], at: index)
        default: bytes.swapAt(index, Int.random(in: 0..<bytes.count, using: &generator))
        }
    }
    return Data(bytes)
}
