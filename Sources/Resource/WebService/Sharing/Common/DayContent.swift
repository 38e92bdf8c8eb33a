internal import CRsvg
internal import Foundation
internal import Glibc
internal import StepDomain
internal import Synchronization

/// A day as JSON for programs, with the names of `istep show --json`; all keys are always there.
struct SharedDayDocument: Encodable {
    let day: SharedDay
    /// Whether it also contains the samples, by pedometer.
    var includesSamples = false

    private enum Key: String, CodingKey {
        case version, user, day, steps, distanceMetres, energyKilocalories, goal, restDay, percentage, completeness,
            running
        case corrected, pedometers
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(1, forKey: .version)
        try container.encode(day.user.name, forKey: .user)
        try container.encode(day.day, forKey: .day)
        try container.encode(day.steps, forKey: .steps)
        try container.encode(day.metres, forKey: .distanceMetres)
        try container.encode(day.kilocalories, forKey: .energyKilocalories)
        try container.encode(day.summary.goal, forKey: .goal)
        try container.encode(day.summary.isRestDay, forKey: .restDay)
        try container.encode(day.percentage, forKey: .percentage)
        try container.encode(day.summary.completeness, forKey: .completeness)
        try container.encode(day.summary.isInProgress, forKey: .running)
        try container.encode(day.summary.isCorrected, forKey: .corrected)
        if includesSamples { try container.encode(day.tracks.map(Pedometer.init), forKey: .pedometers) }
    }

    /// What a pedometer counted on the day.
    private struct Pedometer: Encodable {
        struct Sample: Encodable {
            /// ISO 8601 with the offset of the place.
            let start: String
            let seconds: Int
            let steps: Int
            let distanceMetres: Double?
            let energyKilocalories: Double?
        }

        let name: String
        let samples: [Sample]

        init(_ track: SharedDay.Track) {
            name = track.pedometer
            samples = track.samples.map {
                Sample(
                    start: $0.start.iso8601(utcOffset: $0.utcOffset), seconds: $0.length, steps: $0.steps,
                    distanceMetres: $0.distance, energyKilocalories: $0.energy)
            }
        }
    }
}

/// One line of JSON, keys sorted, so that equal values are equal texts.
func json(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Only texts and finite numbers are encoded here, which never fails.
    return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
}

/// A picture of a day, for a post: drawn by the program, sent by a destination.
public struct DayPicture: Hashable, Sendable {
    /// An SVG document with a size of its own.
    public var svg: String
    /// In pixels.
    public var width, height: Int
    /// A description as text, for users who cannot see the picture.
    public var description: String

    public init(svg: String, width: Int, height: Int, description: String) {
        self.svg = svg
        self.width = width
        self.height = height
        self.description = description
    }

    /// The picture as a PNG file, by librsvg.
    ///
    /// - Parameter library: its file's name.
    /// - Throws: `misconfigured` if the library is missing; `rejected` if it cannot draw the picture.
    func png(library: String = Self.library) throws(ShareFailure) -> [UInt8] {
        if let problem = Self.problem(library: library) {
            throw ShareFailure(.misconfigured, problem, advice: Self.advice)
        }
        var bytes: UnsafeMutablePointer<UInt8>?
        var size = 0
        var reason = [CChar](repeating: 0, count: 300)
        let source = Array(svg.utf8)
        guard crsvg_png(source, source.count, Int32(width), Int32(height), &bytes, &size, &reason, reason.count),
            let bytes
        else {
            let text = String(decoding: reason.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            throw ShareFailure(
                .rejected, "the picture cannot be drawn: \(text)", advice: "Post without it: picture = false")
        }
        defer { free(bytes) }
        return Array(UnsafeBufferPointer(start: bytes, count: size))
    }

    static let library = "librsvg-2.so.2"
    private static let advice =
        "Install librsvg (Debian and Ubuntu: sudo apt-get install librsvg2-2), or post without a picture: picture = false"
    private static let loading = Mutex(())

    /// Why pictures cannot be drawn on this machine; nil if they can.
    static func problem(library: String = Self.library) -> String? {
        loading.withLock { _ in
            crsvg_load(library).map { "`picture` needs librsvg, which cannot be loaded: \(String(cString: $0))" }
        }
    }
}
