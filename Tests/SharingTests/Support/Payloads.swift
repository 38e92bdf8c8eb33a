import Foundation
import HTTP
import Settings
import StepDomain
import Testing

@testable import Sharing

/// 20 April 2014: 8,123 steps, 5.9 km, 240 kcal, 101.5 % of 8,000.
func payload(
    _ day: String = "2014-04-20", steps: Int = 8123, user: String = "anna", remoteID: String? = nil,
    isConfirmed: Bool = false,
    _ change: (inout DaySummary) -> Void = { _ in }
) throws -> SharePayload {
    let day = try #require(Day(day))
    let midnight = Timestamp(day.daysSince1970 * 86_400 - 7200)
    var summary = DaySummary(
        user: User(id: 1, name: user), day: day, steps: steps, distance: 5900.4, distanceSource: .height, energy: 239.6,
        energySource: .weight, goal: 8000, percentage: 100 * Double(steps) / 8000, category: .somewhatActive,
        hours: (0..<24).map {
            .init(start: midnight + $0 * 3600, hour: $0, utcOffset: 7200, steps: $0 == 8 ? steps : 0)
        },
        completeness: .complete)
    change(&summary)
    let sample = StepSample(start: midnight + 8 * 3600, length: 900, steps: steps, distance: 5900.4, utcOffset: 7200)
    let shared = try #require(SharedDay(summary, tracks: [.init(pedometer: "ring", samples: [sample])]))
    return SharePayload(day: shared, key: shared.fingerprint, remoteID: remoteID, isConfirmed: isConfirmed)
}

/// The destination that a table of the configuration describes.
func destination(
    _ toml: String, environment: [String: String] = ["PATH": "/usr/bin:/bin"], home: String? = "/nowhere",
    pause: (@Sendable (Duration) async throws -> Void)? = nil
) throws -> any ShareDestination {
    let tables = try SettingsTable.destinations(in: toml, path: "config.toml")
    let table = try #require(tables.first)
    var destinationEnvironment = DestinationEnvironment(
        variables: environment, home: home, transport: { CurlTransport(userAgent: "istep/test") })
    if let pause { destinationEnvironment.pause = pause }
    return try #require(try DestinationRegistry.destination(from: table, in: destinationEnvironment))
}

/// A folder for one test, removed with this object.
final class Folder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("istep-sharing-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func text(_ name: String) -> String? { try? String(contentsOfFile: path + "/" + name, encoding: .utf8) }

    /// - Returns: the file's path.
    @discardableResult
    func write(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
        let path = path + "/" + name
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }
}

func failure(_ body: () async throws -> Void) async -> ShareFailure? {
    do {
        try await body()
        return nil
    } catch {
        return error as? ShareFailure
    }
}
