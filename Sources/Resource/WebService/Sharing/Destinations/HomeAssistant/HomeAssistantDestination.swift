internal import Foundation
internal import HTTP
internal import Settings
internal import StepDomain

extension DestinationKind {
    static let homeAssistant = DestinationKind(
        key: "home-assistant", title: "a sensor and long-term statistics in Home Assistant",
        specificExample: """
            [share.house]
            kind = "home-assistant"
            url = "http://homeassistant.local:8123"
            # Allows plain http: everybody in the same network can read the token and the days. Without it, only https is used.
            insecure = true
            # A file that contains only a long-lived access token of an administrator (Home Assistant, your profile, Security),
            # readable by you only: chmod 600.
            token_file = "~/.config/istep/house.token"
            # token_env = "HOUSE_TOKEN"            # or an environment variable,
            # token_credential = "house"           # or a systemd credential

            # entity = "sensor.istep_{user}"       # a sensor for each user; for one user also a name without {user}
            # users = ["Anna"]                     # whose days are sent, if the entity has no {user}
            # statistics = false                   # only the sensor
            # ca_file = "/etc/ssl/home.pem"        # certificates that verify the server's; default: the system's
            # The sensor shows the latest day. All days, with late corrections, are in the long-term statistic istep:NAME_steps
            # (such as istep:anna_steps), by the hour: add a statistics graph card with it. To add earlier days:
            # istep share --from 2026-01-01 --to yesterday
            # After a restart of Home Assistant the sensor is missing until the next sync.
            #
            # Through an MQTT broker there is only the sensor, as a device that Home Assistant adds (MQTT discovery) and remembers,
            # and no statistic of past days. Instead of url and token, the table then has these keys:
            #   via = "mqtt"
            #   host = "homeassistant.local"       # of the broker; port = 1883, or 8883 with tls
            #   tls = true                         # for a broker on another machine without tls: insecure = true; also ca_file
            #   username = "istep"                 # with password_file, password_env or password_credential
            #   topic = "istep"                    # prefix of the topics; discovery = "homeassistant"
            """
    ) { reader, context in
        let entity = reader.sensor("entity") ?? "sensor.istep_{user}"
        return switch reader.choice("via", among: ["rest", "mqtt"]) ?? "rest" {
        case "mqtt": reader.homeAssistantMQTT(context, entity: entity)
        default: reader.homeAssistant(context, entity: entity)
        }
    }
}

extension TableReader {
    /// The name of an entity: `sensor.`, then a…z, 0…9 and _ (https://developers.home-assistant.io/docs/core/entity).
    fileprivate mutating func sensor(_ key: String) -> String? {
        value(key, "the name of a sensor, such as sensor.istep_{user}, of a-z, 0-9 and _") { text in
            let name = text.replacing("{user}", with: "u").dropFirst("sensor.".count)
            let isName =
                text.hasPrefix("sensor.") && !name.isEmpty && text.utf8.count <= 128 && !name.hasPrefix("_")
                && !name.hasSuffix("_")
                && name.utf8.allSatisfy {
                    UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || 0x30...0x39 ~= $0 || $0 == UInt8(ascii: "_")
                }
            return isName ? text : nil
        }
    }

    fileprivate mutating func homeAssistant(_ context: DestinationContext, entity: String) -> HomeAssistantDestination?
    {
        let url = address("url", "the address of Home Assistant, such as http://homeassistant.local:8123")
        let token = secret("token", isRequired: true)
        let hasStatistics = flag("statistics") ?? true
        let exchange = context.exchange(&self)
        guard let url, let token else { return nil }
        let webSockets = context.environment.webSockets()
        let statistics = HomeAssistantImport(
            transport: authorities().map { webSockets.trusting($0) } ?? webSockets, url: url,
            now: context.environment.now,
            pause: context.environment.pause)
        return HomeAssistantDestination(
            context: context, exchange: exchange, url: url, entity: entity, token: token,
            statistics: hasStatistics ? statistics : nil)
    }
}

/// Home Assistant by its HTTP interfaces: all days in its long-term statistics (WebSocket API, `HomeAssistantImport`),
/// the latest day as the state of a sensor (REST API).
///
/// The sensor is set unless it has a later day already. A state that was set like this is lost when Home Assistant
/// restarts; each share ends with a check whether it still exists.
///
/// Source: https://developers.home-assistant.io/docs/api/rest, `/api/states/<entity_id>`: GET is answered 404 if there
/// is none, POST 200 or 201 with the state. Only the token of an administrator may POST.
struct HomeAssistantDestination: AuthenticatedDestination {
    let context: DestinationContext
    let exchange: Exchange
    let url: WebAddress
    /// The name of the entity, with `{user}` in place of the user's name.
    let entity: String
    let token: SecretSource
    /// Nil if only the sensor is wanted.
    let statistics: HomeAssistantImport?

    var traits: ShareTraits {
        var traits = ShareTraits.replacing
        traits.batch = 64
        traits.isPersonal = !entity.contains("{user}")
        traits.needsRestoring = true
        if statistics == nil {
            traits.showsLatestOnly = true
        } else {
            // The hours of a day can change while its figures stay the same, and sums continue from the existing ones.
            traits.includesSamples = true
            traits.isSequential = true
            // Before layout 1 there was no statistic: days that were sent before are sent once more for it.
            traits.layout = 1
        }
        return traits
    }

    var location: String { "\(url.origin), \(entity)" }

    var authentication: Authentication { .bearer(token) }

    /// The name of a statistic contains the user's also where that of the sensor does not.
    func place(of user: User, slug: String) -> String? {
        statistics != nil || entity.contains("{user}") ? slug : nil
    }

    func preview(_ payloads: [SharePayload]) throws(ShareFailure) -> String {
        var text = ""
        if let imports = try statistics?.preview(payloads, localTime: context.environment.localTime) {
            text = """
                By WebSocket \(HomeAssistantSession.address(url).description), token \(Credentials.shownText)
                Hours and sums as for a statistic that is empty, in the time zone of this machine; they go on from what Home Assistant has, in its zone.
                \(imports.joined(separator: "\n"))\n\n
                """
        }
        var requests: [HTTPRequest] = []
        for sensor in payloads.sensors(entity: entity, localTime: context.environment.localTime).map(\.latest) {
            requests += [try question(sensor, .shown), try request(sensor, .shown)]
        }
        return text + requests.preview
    }

    func deliver(_ payloads: [SharePayload]) async throws(ShareFailure) -> [ShareReceipt] {
        try await statistics?.deliver(payloads, token: credentials.secret(token))
        do throws(ShareFailure) {
            try await show(payloads)
        } catch {
            var failure = error
            failure.isPartial = statistics != nil
            throw failure
        }
        return payloads.map { _ in ShareReceipt() }
    }

    /// Sets the sensors.
    private func show(_ payloads: [SharePayload]) async throws(ShareFailure) {
        for days in payloads.sensors(entity: entity, localTime: context.environment.localTime) {
            let shown = try await state(days.latest)
            let date = shown?.date
            if let date, date > days.latest.day.day, isPossible(date) { continue }
            // The sensor of a past day is missing: its latest day is not known here. `restore` gets it.
            if shown == nil, days.latest.day.day < context.today { continue }
            if let previous = days.previous, date == previous.day.day, shown?.state != previous.state {
                try await set(previous)
            }
            try await set(days.latest)
        }
    }

    func restore(_ payloads: [SharePayload]) async throws(ShareFailure) {
        for sensor in payloads.sensors(entity: entity, localTime: context.environment.localTime).map(\.latest) {
            let shown = try await state(sensor)
            if let date = shown?.date, date >= sensor.day.day, isPossible(date) { continue }
            try await set(sensor)
        }
    }

    /// A machine whose clock was ahead sets sensors to days that have not begun.
    private func isPossible(_ date: Day) -> Bool { date <= context.today.advanced(by: 1) }

    func lost(_ payloads: [SharePayload]) async throws(ShareFailure) -> Set<User.ID> {
        try await statistics?.lost(payloads, token: credentials.secret(token)) ?? []
    }

    func check() async throws(ShareFailure) -> String {
        let request = HTTPRequest(
            method: "GET", url: url.appending(path: ["api", ""]),
            headers: try authentication.headers(credentials))
        let response = try await exchange.confirmed(request, at: Self.service)
        guard response.json(Message.self) != nil else {
            throw .unconfirmed(request, "it does not report that its API is running")
        }
        guard let statistics else {
            try await checkRight()
            return "Home Assistant at \(url.origin), only the sensor"
        }
        return try await statistics.check(token: credentials.secret(token))
    }

    private static let service = Addressed.service(
        advice: "Check `url`, and that Home Assistant has its `api` integration (the `frontend` integration loads it).")

    /// Whether the token may set a sensor, by a request that sets none: Home Assistant checks the right first, and then
    /// refuses a body that is not JSON with 400.
    private func checkRight() async throws(ShareFailure) {
        let address = url.appending(path: ["api", "states", entity.replacing("{user}", with: "check")])
        let request = HTTPRequest(
            method: "POST", url: address, headers: try authentication.headers(credentials),
            body: Array("?".utf8),
            isRepeatable: true)
        let response = try await exchange.answer(to: request)
        if response.status == 400, response.json(Message.self) != nil { return }
        throw Self.refused(response, request) ?? .unconfirmed(request, "it accepted a state that is not JSON")
    }

    /// The meaning of an answer to a change. The token itself is accepted, since a question was answered before: what
    /// is missing is the right.
    private static func refused(_ response: HTTPResponse, _ request: HTTPRequest) -> ShareFailure? {
        guard let failure = ShareFailure(response, to: request, at: service) else { return nil }
        return failure.kind == .credentials ? .notAdministrator(failure.reason) : failure
    }

    // MARK: The sensor

    /// What the sensor shows; nil if there is no sensor.
    private func state(_ sensor: HomeAssistantSensor) async throws(ShareFailure) -> State? {
        let request = try question(sensor, credentials)
        do throws(ShareFailure) {
            let response = try await exchange.answer(to: request)
            // Home Assistant says in JSON that it has no such sensor; any other 404 is from something else at this
            // address.
            if response.status == 404, response.json(Message.self) != nil { return nil }
            if let failure = ShareFailure(response, to: request, at: Self.service) { throw failure }
            guard let state = response.json(State.self), state.entity_id == sensor.entity else {
                throw .unconfirmed(request, "its answer is not the state of \(sensor.entity)")
            }
            return state
        } catch  where error.kind == .unanswered {
            // Only a read request was lost.
            throw ShareFailure(.unreachable, error.reason, advice: error.advice, retryAfter: error.retryAfter)
        }
    }

    private func set(_ sensor: HomeAssistantSensor) async throws(ShareFailure) {
        let request = try request(sensor, credentials)
        let response = try await exchange.answer(to: request)
        if let failure = Self.refused(response, request) { throw failure }
        guard let state = response.json(State.self), state.entity_id == sensor.entity, state.state == sensor.state
        else {
            throw .unconfirmed(request, "its answer is not the state that was set")
        }
    }

    private func question(_ sensor: HomeAssistantSensor, _ credentials: Credentials) throws(ShareFailure) -> HTTPRequest
    {
        HTTPRequest(method: "GET", url: address(sensor), headers: try authentication.headers(credentials))
    }

    private func request(_ sensor: HomeAssistantSensor, _ credentials: Credentials) throws(ShareFailure) -> HTTPRequest
    {
        .json(
            "POST", address(sensor), headers: try authentication.headers(credentials), sensor,
            isRepeatable: true)
    }

    private func address(_ sensor: HomeAssistantSensor) -> WebAddress {
        url.appending(path: ["api", "states", sensor.entity])
    }

    private struct State: Decodable {
        struct Attributes: Decodable { var date: String? }

        var entity_id: String
        var state: String
        var attributes: Attributes?

        /// The day that the sensor shows; nil if it shows none.
        var date: Day? { attributes?.date.flatMap(Day.init) }
    }

    private struct Message: Decodable { var message: String }
}
