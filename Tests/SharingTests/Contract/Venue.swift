import DBus
import HTTP
import Settings
import Sharing
import StepDomain
import Testing

/// Where a destination leads in a test, and how to read back what arrived there.
protocol Venue: Sendable {
    /// The lines of the destination's table, but for its header and `kind`. Its secrets come from the variable `TestSecret.variable`.
    var keys: String { get }
    /// Every day that is held there now, in order of days.
    func held() async throws -> [HeldDay]
    /// All that went out so far, piece by piece, with secrets as previews show them.
    func sent() async throws -> [String]
    /// The pieces that a preview announces, in the form of `sent`.
    func announced(_ preview: String) -> [String]
    /// Ends all that runs for it.
    func close() async
    /// Where services of this machine are found, for a destination that is one.
    var systemBus: DBusAddress { get }
}

extension Venue {
    func announced(_ preview: String) -> [String] { [preview] }
    var systemBus: DBusAddress { .address("unix:path=/nowhere") }
}

/// How the contract is tried on a kind of destination.
struct Fixture: Sendable, CustomTestStringConvertible {
    let kind: String
    /// Tells apart several fixtures of one kind.
    var variant = ""
    /// What it keeps of a day.
    let keeps: Set<HeldDay.Figure>
    /// Whether it holds many days, or the latest only.
    var holdsManyDays = true
    /// What becomes of a name that the format cannot hold as it is.
    var text: @Sendable (String) -> String = { $0 }
    /// Whether it has a secret, `TestSecret`.
    var hasSecret = true
    let open: @Sendable () async throws -> any Venue
    /// What holds of it as a web service; nil if it is none.
    var web: WebManners?

    var testDescription: String { variant.isEmpty ? kind : "\(kind), \(variant)" }

    func expected(_ day: SharedDay) -> HeldDay { HeldDay(day, keeping: keeps, text: text) }
}

/// What a web service does besides the contract.
struct WebManners: Sendable {
    /// The statuses that confirm whatever the answer says. A service that says what it took has none.
    var confirming: Set<Int> = []
    /// What its 404 means: this day is refused, or the destination is not what the configuration says.
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
            "[share.garden]\nkind = \"\(kind)\"\n\(venue.keys)\n\(more)", environment: environment, systemBus: venue.systemBus)
    }

    /// The destination that a whole table describes.
    static func destination(
        _ text: String, environment: [String: String] = TestSecret.environment,
        systemBus: DBusAddress = .address("unix:path=/nowhere"),
        transport: @escaping @Sendable () -> any HTTPTransport = { CurlTransport(userAgent: "istep/test") }
    ) throws -> any ShareDestination {
        let table = try #require(try SettingsTable.destinations(in: text, path: "istep.toml").first)
        let surroundings = Surroundings(
            environment: environment, home: "/home/anna", systemBus: systemBus, transport: transport)
        return try #require(try DestinationRegistry.destination(from: table, in: surroundings))
    }

    /// What is wrong with a whole table, in the words that the user gets.
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
