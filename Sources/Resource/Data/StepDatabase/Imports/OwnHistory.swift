import GRDB
import StepDomain

/// An export or a copy of this history that comes back, or of one that has synced the same pedometers.
extension ImportMerge {
    /// The history without what its pedometers have stored here themselves. As sources of their own they would compete
    /// with themselves: of two sources of one time, one decides distance and energy.
    ///
    /// - Returns: also the pedometers whose tracks have nothing else.
    func withoutOwn(_ history: ForeignHistory) throws -> (ForeignHistory, own: [Pedometer.ID]) {
        var (rest, own) = (history, [Pedometer.ID]())
        rest.tracks = try history.tracks.compactMap { track in
            guard let pedometer = try ownPedometer(of: track.source) else { return track }
            let left = try self.rest(of: track, besides: pedometer)
            if left.parts.isEmpty { own.append(pedometer) }
            return left.parts.isEmpty ? nil : left
        }
        return (rest, own)
    }

    /// The beginning of the identity of a pedometer of a history; its address follows.
    static let ofHistory = "istep:"

    /// The pedometer or source of the user that an export means.
    private func ownPedometer(of source: ForeignSource) throws -> Pedometer.ID? {
        guard source.identity.hasPrefix(Self.ofHistory) else { return nil }
        return try Int64.fetchOne(
            database, sql: "SELECT id FROM pedometer WHERE person = ? AND address = ?",
            arguments: [user.id, String(source.identity.dropFirst(Self.ofHistory.count))])
    }

    private func rest(of track: ForeignTrack, besides pedometer: Pedometer.ID) throws -> ForeignTrack {
        var (rest, days) = (track, [Day: Int]())
        rest.parts = try track.parts.compactMap { part in
            guard var content = PackedDay(part.content, of: part.day) else { return part }
            if let first = content.samples.first?.start, let last = content.samples.last?.start {
                let known = try known(pedometer, first, last)
                // A slot of the day of the export can have grown since.
                content.samples.removeAll { sample in
                    known[sample.start.seconds].map { $0.length >= sample.length && $0.steps >= sample.steps } ?? false
                }
            }
            content.coverage = try content.coverage.filter { piece in
                let spans = try CoverageMerge.spans(of: pedometer, touching: piece.span, database)
                return !Coverage(spans.map(\.span)).gaps(in: piece.span).isEmpty
            }
            for sample in content.samples { days[sample.day, default: 0] += sample.steps }
            return content.isEmpty ? nil : (day: part.day, content: content.bytes(of: part.day))
        }
        rest.days = days.sorted { $0.key < $1.key }.map { (day: $0.key, steps: $0.value) }
        return rest
    }

    private func known(
        _ pedometer: Pedometer.ID, _ first: Timestamp, _ last: Timestamp
    ) throws -> [Int: (length: Int, steps: Int)] {
        let rows = try Row.fetchAll(
            database.cachedStatement(
                sql: "SELECT start, length, steps FROM sample WHERE pedometer = ? AND start BETWEEN ? AND ?"),
            arguments: [pedometer, first.seconds, last.seconds])
        var known: [Int: (length: Int, steps: Int)] = [:]
        for row in rows { known[try row.get(0)] = (try row.get(1), try row.get(2)) }
        return known
    }
}
