import GRDB
import StepDomain

/// Values of a row that was read from the file.
///
/// GRDB's subscripts end the process if a value is not of the expected type. One changed byte is enough for this:
/// SQLite then reads NULL from a column that is NOT NULL. These functions throw an error, which `HistoryError` reports
/// as damage.
extension Row {
    func get<T: DatabaseValueConvertible>(_ index: Int) throws -> T { try decode(T.self, atIndex: index) }

    func get<T: DatabaseValueConvertible & StatementColumnConvertible>(_ index: Int) throws -> T {
        try decode(T.self, atIndex: index)
    }

    func time(_ index: Int) throws -> Timestamp { try Timestamp(stored: get(index)) }

    func timeIfPresent(_ index: Int) throws -> Timestamp? { try (get(index) as Int?).map { try Timestamp(stored: $0) } }

    func day(_ index: Int) throws -> Day { try Day(column: get(index)) }

    func dayIfPresent(_ index: Int) throws -> Day? { try (get(index) as String?).map { try Day(column: $0) } }
}

extension StepSample {
    /// - Parameter row: start, length, steps, distance, energy, utc_offset.
    init(row: Row) throws {
        self.init(
            start: try row.time(0), length: try row.get(1), steps: try row.get(2), distance: try row.get(3),
            energy: try row.get(4), utcOffset: try row.get(5))
    }
}

extension Timestamp {
    /// - Throws: if no clock can have shown this time: calculations with it would overflow.
    fileprivate init(stored seconds: Int) throws {
        guard Self.stored.contains(seconds) else { throw notWritten("the time \(seconds)") }
        self.init(seconds)
    }

    /// Nine million years in seconds.
    static let stored = -(1 << 48)...1 << 48
}

extension Day {
    /// The constraints of the schema permit only valid days, except a year that `Day` does not support.
    init(column text: String) throws {
        guard let day = Day(text) else { throw notWritten("the day \(text)") }
        self = day
    }

    /// The day of a sample.
    ///
    /// - Throws: if the history cannot hold a sample with this start and offset.
    init(ofSampleAt start: Int, utcOffset: Int) throws {
        guard StepSample.starts.contains(start), StepSample.utcOffsets.contains(utcOffset) else {
            throw notWritten("a sample at \(start) with the offset \(utcOffset)")
        }
        self.init(of: Timestamp(start), utcOffset: utcOffset)
    }
}

/// The error of a row that istep never writes.
///
/// - Parameter what: for developers; the message of `HistoryError` does not contain it.
func notWritten(_ what: String) -> any Error {
    DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "istep never writes \(what)"))
}
