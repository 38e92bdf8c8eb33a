internal import Foundation
internal import StepDomain

/// The column `evidence` of `istep.day`: what a history has of a day besides its samples, as JSON. Times are seconds
/// since 1970. What is read is checked by those who store it.
struct PostgresEvidence: Codable {
    /// What a pedometer knows of the day.
    struct Source: Codable {
        /// As in `istep.sample`.
        var name: String
        var rank: Int
        /// Start, end and UTC offset of each span that it has accounted for.
        var coverage: [[Int]]
        /// Samples that are excluded, and those that are kept apart as implausible.
        var excluded: [Slot]?
        var implausible: [Slot]?
        /// When its own total of the day was read, the total, and the sum of its slots then.
        var total: [Int]?
    }

    struct Slot: Codable {
        var start: Int
        var seconds: Int
        var steps: Int
        var offset: Int
        var distance: Double?
        var energy: Double?

        init(_ sample: StepSample) {
            (start, seconds, steps) = (sample.start.seconds, sample.length, sample.steps)
            (offset, distance, energy) = (sample.utcOffset, sample.distance, sample.energy)
        }
    }

    /// Time that the user has excluded.
    struct Block: Codable {
        var start: Int
        var end: Int
        var offset: Int
        var reason: String?
    }

    var sources: [Source]
    var blocks: [Block]?
    /// Why the steps were corrected.
    var reason: String?
    /// Whether the day was deleted, and syncs leave it out.
    var closed: Bool?

    /// Bytes of one day. A day of samples of a second each, all of them excluded, has less than ten times as many.
    static let maximumSize = 1_000_000

    /// - Parameter isPersonal: whether the user's own texts are sent.
    init(_ day: SharedDay, _ tracks: [PostgresRows.Track], isPersonal: Bool) {
        sources = tracks.compactMap { track in
            track.content.evidence.map { evidence in
                Source(
                    name: track.name, rank: track.rank,
                    coverage: evidence.coverage.map { [$0.span.start.seconds, $0.span.end.seconds, $0.utcOffset] },
                    excluded: Self.slots(evidence.excluded), implausible: Self.slots(evidence.implausible),
                    total: evidence.deviceTotal.map { [$0.at.seconds, $0.total, $0.slots] })
            }
        }
        let excluded = day.summary.excluded.map(\.exclusion)
        blocks =
            excluded.isEmpty
            ? nil
            : excluded.map {
                Block(
                    start: $0.span.start.seconds, end: $0.span.end.seconds, offset: $0.utcOffset,
                    reason: isPersonal ? $0.reason : nil)
            }
        reason = isPersonal ? day.summary.correctionReason : nil
        closed = day.isDeletion ? day.isClosed : nil
    }

    /// Of a day of which only the exclusions are known.
    init(blocks: [Block]) { (sources, self.blocks) = ([], blocks) }

    /// Whether all numbers are possible ones of a time, an offset and a count: what an implausible sample has is
    /// checked no further by a history.
    var isBounded: Bool {
        let times = 0...Timestamp.last.seconds, offsets = -86_400...86_400
        let slots = sources.flatMap { ($0.excluded ?? []) + ($0.implausible ?? []) }
        return sources.allSatisfy { source in
            0...1 << 31 ~= source.rank && (source.total ?? []).allSatisfy(times.contains)
                && source.coverage.allSatisfy { span in
                    span.prefix(2).allSatisfy(times.contains) && span.dropFirst(2).allSatisfy(offsets.contains)
                }
        }
            && (blocks ?? []).allSatisfy {
                times.contains($0.start) && times.contains($0.end) && offsets.contains($0.offset)
            }
            && slots.allSatisfy {
                times.contains($0.start) && 0...Self.maximumCount ~= $0.seconds && 0...Self.maximumCount ~= $0.steps
                    && offsets.contains($0.offset)
            }
    }

    /// What a counter of four bytes can show.
    private static let maximumCount = 4_294_967_295

    private static func slots(_ samples: [StepSample]) -> [Slot]? { samples.isEmpty ? nil : samples.map(Slot.init) }
}

/// The column `content` of `istep.person`.
struct PostgresPerson: Codable {
    struct Device: Codable {
        var name: String
        var model: String
        var address: String
        var addressType: String
    }

    var profiles: [Profile]
    var plans: [SportPlan]
    var pedometers: [Device]

    init(_ person: SharedPerson) {
        (profiles, plans) = (person.profiles, person.plans)
        pedometers = person.pedometers.map {
            Device(name: $0.name, model: $0.model, address: $0.address, addressType: $0.addressType)
        }
    }
}

/// JSON of a column, with the same text for the same value.
func columnText(_ value: some Encodable) -> String? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) }
}
