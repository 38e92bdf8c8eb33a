import DBus
import HTTP
import Settings
import Sharing
import StepDomain
import Testing

/// Where a destination delivers to in a test, and how to read back what arrived there.
protocol Venue: Sendable {
    /// The lines of the destination's table, without its header and `kind`. Its secrets come from the variable
    /// `TestSecret.variable`.
    var keys: String { get }
    /// All days that are stored there now, in order of days.
    func held() async throws -> [HeldDay]
    /// Everything that was sent so far, piece by piece, with secrets as previews show them.
    func sent() async throws -> [String]
    /// The pieces that a preview announces, in the form of `sent`.
    func announced(_ preview: String) -> [String]
    /// Ends everything that runs for it.
    func close() async
    /// The bus for services of this machine, for a destination that uses one.
    var systemBus: DBusAddress { get }
}

extension Venue {
    func announced(_ preview: String) -> [String] { [preview] }
    var systemBus: DBusAddress { .address("unix:path=/nowhere") }
}

/// How the contract is tested on a kind of destination.
struct Fixture: Sendable, CustomTestStringConvertible {
    let kind: String
    /// Distinguishes several fixtures of one kind.
    var variant = ""
    /// What it stores of a day.
    let keeps: Set<HeldDay.Figure>
    /// Whether it stores many days, or only the latest.
    var holdsManyDays = true
    /// Whether later figures of a day replace those that it holds.
    var corrects = true
    /// The stored form of a name that the format cannot hold unchanged.
    var text: @Sendable (String) -> String = { $0 }
    /// Whether it recognises a repeated delivery by its key. Without the key, it would store the day twice.
    var knowsKeys = false
    /// Whether it has a secret, `TestSecret`.
    var hasSecret = true
    let open: @Sendable () async throws -> any Venue
    /// Its behaviour as a web service; nil if it is none.
    var web: WebBehaviour?

    var testDescription: String { variant.isEmpty ? kind : "\(kind), \(variant)" }

    func expected(_ day: SharedDay) -> HeldDay { HeldDay(day, keeping: keeps, text: text) }
}

/// The behaviour of a web service beyond the contract.
struct WebBehaviour: Sendable {
    /// The statuses that confirm a delivery, whatever the body is. Empty for a service whose answer states what it
    /// stored.
    var confirming: Set<Int> = []
    /// What its 404 means: this day is refused, or the destination does not match the configuration.
    var notFound = ShareFailure.Kind.rejected
}

extension Fixture {
    func withVenue(_ body: (any Venue) async throws -> Void) async throws {
        let venue = try await open()
        do {
            try await body(venue)
        } catch {
            await venue.close()
            throw error
        }
        await venue.close()
    }

    /// The destination that the venue's keys describe.
    func destination(
        _ venue: any Venue, environment: [String: String] = TestSecret.environment, more: String = ""
    ) throws -> any ShareDestination {
        try Fixture.destination(
            "[share.garden]\nkind = \"\(kind)\"\n\(venue.keys)\n\(more)", environment: environment,
            systemBus: venue.systemBus)
    }

    /// The destination that a whole table describes.
    ///
    /// - Parameters:
    ///   - pause: how it waits for a server; a server that was made for the tests needs no wait.
    ///   - now: by default the evening of the day that is shared.
    static func destination(
        _ text: String, environment: [String: String] = TestSecret.environment,
        systemBus: DBusAddress = .address("unix:path=/nowhere"),
        picture: @escaping @Sendable (DaySummary, UnitSystem) -> DayPicture? = { _, _ in nil },
        pause: @escaping @Sendable (Duration) async throws -> Void = { _ in },
        now: @escaping @Sendable () -> Timestamp = { Timestamp(1_398_024_000) },
        transport: @escaping @Sendable () -> any HTTPTransport = { CurlTransport(userAgent: "istep/test") }
    ) throws -> any ShareDestination {
        let table = try #require(try SettingsTable.destinations(in: text, path: "istep.toml").first)
        var destinationEnvironment = DestinationEnvironment(
            variables: environment, home: "/home/anna", systemBus: systemBus, localTime: .fixed(7200),
            now: now, picture: picture, transport: transport)
        destinationEnvironment.pause = pause
        return try #require(try DestinationRegistry.destination(from: table, in: destinationEnvironment))
    }

    /// The errors in a whole table, in the wording that the user sees.
    static func problems(_ text: String) -> [String] {
        do {
            _ = try destination(text, environment: [:], transport: { NoTransport() })
            return []
        } catch let problems as SettingsProblems {
            return problems.errors.map(\.description)
        } catch {
            return ["\(error)"]
        }
    }
}
