import Foundation
import HTTP
import MQTTTestSupport
import StepDomain
import Support
import Synchronization
import TestSupport
import Testing

@testable import Sharing

/// Home Assistant itself: what its recorder calculates from the delivered days.
@Suite(.realServers, .serialized, .timeLimit(.minutes(10)))
struct RealHomeAssistantTests {
    /// Shared by most tests, because it takes seconds to start. It ends with this process.
    private static let shared = Task { try await HomeAssistantServer.start() }
    private static let next = Mutex(0)

    /// A separate user for each test.
    private let user: User
    private var id: String { "istep:walker_\(user.id)_steps" }
    private var entity: String { "sensor.istep_walker_\(user.id)" }

    init() {
        let number = Self.next.withLock { next in
            next += 1
            return next
        }
        user = User(id: Int64(number), name: "Walker \(number)")
    }

    /// - Parameter hours: steps by hour of Berlin's clock.
    private func payload(_ later: Int, _ hours: [Int: Int]) -> SharePayload {
        SharePayload(.easter(of: user, steps: hours.values.reduce(0, +), hours: hours, later: later))
    }

    private func destination(_ server: HomeAssistantServer, _ keys: String = "", token: String? = nil) throws
        -> any ShareDestination
    {
        try Fixture.destination(
            "[share.house]\nkind = 'home-assistant'\nurl = '\(server.url)'\ntoken_env = 'TOKEN'\n\(keys)",
            environment: ["TOKEN": token ?? server.administrator], pause: { try await Task.sleep(for: $0) })
    }

    // MARK: Statistics

    @Test func `days, late corrections and days of years ago are in its statistics, each as it is`() async throws {
        let server = try await Self.shared.value
        let destination = try destination(server)
        _ = try await destination.deliver([
            payload(-2, [8: 500, 9: 100]), payload(-1, [10: 1000]), payload(0, [0: 1, 7: 300, 23: 9]),
        ])
        #expect(try await server.days(id) == ["2014-04-18": 600, "2014-04-19": 1000, "2014-04-20": 310])
        _ = try await destination.deliver([payload(-2, [8: 550])])
        #expect(try await server.days(id) == ["2014-04-18": 550, "2014-04-19": 1000, "2014-04-20": 310])
        _ = try await destination.deliver([payload(-800, [12: 40])])
        _ = try await destination.deliver([payload(-790, [12: 60]), payload(-1, [10: 7])])
        for _ in 0..<2 { _ = try await destination.deliver([payload(0, [0: 1, 7: 300, 23: 9])]) }
        #expect(
            try await server.days(id) == [
                "2012-02-10": 40, "2012-02-20": 60, "2014-04-18": 550, "2014-04-19": 7, "2014-04-20": 310,
            ])
    }

    @Test func `the statistic is listed with name, source, sum and unit`() async throws {
        struct Listed: Decodable, Equatable {
            var statistic_id: String
            var name: String?
            var source: String
            var has_sum: Bool
            var statistics_unit_of_measurement: String?
        }
        struct Question: Encodable { var type = "recorder/list_statistic_ids" }
        let server = try await Self.shared.value
        _ = try await destination(server).deliver([payload(0, [7: 300])])
        let listed = try await server.ask(Question(), for: [Listed].self)
        #expect(
            listed.filter { $0.statistic_id == id } == [
                Listed(
                    statistic_id: id, name: "Steps of \(user.name)", source: "istep", has_sum: true,
                    statistics_unit_of_measurement: "steps")
            ])
    }

    // MARK: The sensor

    @Test func `its own statistics of the sensor follow a day that becomes smaller, and the next day`() async throws {
        let server = try await Self.shared.value
        let destination = try destination(server)
        try await server.steady()
        for steps in [600, 900, 850, 500] { _ = try await destination.deliver([payload(0, [7: steps])]) }
        _ = try await destination.deliver([payload(0, [7: 550]), payload(1, [1: 200])])
        try await server.compile()
        // Starting at 600, the values 900, 850, 500, 550 add -50 in total; then a new day begins and adds 200.
        let sum = try await server.lastSum(entity)
        #expect(sum == 150)
        #expect(try await server.state(entity)?.state == "200")
        #expect(try await server.state(entity)?.attributes["last_reset"] as? String == "2014-04-21T00:00:00+02:00")
    }

    @Test func `after a restart the sensor comes back and the statistics are there`() async throws {
        let folder = try Folder()
        let first = try await HomeAssistantServer.start(in: folder.path)
        _ = try await destination(first).deliver([payload(0, [7: 300])])
        #expect(try await first.state(entity)?.state == "300")
        first.process.stop()
        let second = try await HomeAssistantServer.start(in: folder.path)
        #expect(try await second.state(entity) == nil)
        let destination = try destination(second)
        try await destination.restore([payload(0, [7: 300])])
        #expect(try await second.state(entity)?.state == "300")
        #expect(try await second.days(id) == ["2014-04-20": 300])
    }

    @Test func `the check reports a user who is not an administrator`() async throws {
        let server = try await Self.shared.value
        #expect(
            try await destination(server).check()
                == "Home Assistant 2024.3.3 at \(server.url), administrator \"Administrator\"; its recorder keeps statistics"
        )
        let guest = try destination(server, token: server.guest)
        let check = await guest.failureOfCheck()
        #expect(check?.kind == .credentials && check?.reason.contains("\"Guest\" is not an administrator") == true)
        #expect(await guest.failure(delivering: payload(0, [7: 300]))?.kind == .credentials)
        let stranger = try destination(server, token: "nonsense")
        #expect(await stranger.failureOfCheck()?.kind == .credentials)
        #expect(await stranger.failure(delivering: payload(0, [7: 300]))?.kind == .credentials)
    }

    @Test func `without statistics, too, the check reports a user who is not an administrator`() async throws {
        let server = try await Self.shared.value
        #expect(
            try await destination(server, "statistics = false").check()
                == "Home Assistant at \(server.url), only the sensor")
        #expect(try await server.state("sensor.istep_check") == nil)
        let guest = try destination(server, "statistics = false", token: server.guest)
        for failure in [await guest.failureOfCheck(), await guest.failure(delivering: payload(3 * 4000, [7: 300]))] {
            #expect(
                failure?.kind == .credentials
                    && failure?.reason.contains("only an administrator may set sensors") == true)
        }
    }

    @Test func `a statistic that was cleared is noticed`() async throws {
        struct Clearing: Encodable {
            var type = "recorder/clear_statistics"
            var statistic_ids: [String]
        }
        let server = try await Self.shared.value
        let destination = try destination(server)
        let days = [payload(0, [7: 300]), payload(1, [8: 20])]
        _ = try await destination.deliver(days)
        #expect(try await destination.lost([days[0]]) == [])
        _ = try await server.ask(Clearing(statistic_ids: [id]), for: HomeAssistantSession.NoResult?.self)
        try await server.wait { try await server.days(id).isEmpty }
        // A new day hides nothing of it.
        _ = try await destination.deliver([days[1]])
        #expect(try await destination.lost([days[0]]) == [user.id])
        _ = try await destination.deliver(days)
        #expect(try await destination.lost([days[0]]) == [])
        #expect(try await server.days(id) == ["2014-04-20": 300, "2014-04-21": 20])
    }

    // MARK: MQTT

    @Test func `by MQTT the sensor statistics are correct and the entity has the expected name`() async throws {
        let broker = try await RealBroker.start()
        let folder = try Folder()
        let server = try await HomeAssistantServer.start(in: folder.path, broker: broker.port)
        let destination = try Fixture.destination(
            "[share.house]\nkind = 'home-assistant'\nvia = 'mqtt'\nhost = '127.0.0.1'\nport = \(broker.port)")
        try await server.steady()
        for steps in [600, 900, 850, 500] {
            _ = try await destination.deliver([payload(0, [7: steps])])
            // Home Assistant creates the entity from the first message, and receives the last message of each delivery.
            try await server.wait { try await server.state(entity)?.state == "\(steps)" }
        }
        _ = try await destination.deliver([payload(0, [7: 550]), payload(1, [1: 200])])
        try await server.wait { try await server.state(entity)?.state == "200" }
        let attributes = try await server.state(entity)?.attributes
        #expect(attributes?["state_class"] as? String == "total" && attributes?["date"] as? String == "2014-04-21")
        #expect(attributes?["last_reset"] as? String == "2014-04-21T00:00:00+02:00")
        try await server.compile()
        let sum = try await server.lastSum(entity)
        #expect(sum == 150)
        await broker.stop()
    }
}
