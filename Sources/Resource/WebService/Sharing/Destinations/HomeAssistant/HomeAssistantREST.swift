internal import HTTP
internal import Settings
internal import StepDomain

/// Home Assistant by its HTTP interfaces: all days in its long-term statistics (WebSocket API), the latest day as the state of a sensor
/// (REST API).
///
/// The sensor is set unless it has a later day already. A state that was set like this is lost when Home Assistant restarts; each share
/// ends with a check whether it still exists.
///
/// Source: https://developers.home-assistant.io/docs/api/rest, `/api/states/<entity_id>`: GET is answered 404 if there is none, POST 200 or
/// 201 with the state. Only the token of an administrator may POST.
struct HomeAssistantRESTDestination: ConfiguredDestination {
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

    var place: String { "\(url.origin), \(entity)" }

    func problems() -> [String] { Authentication.bearer(token).problems(context.environment.variables) }

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
        for days in payloads.sensors(entity: entity, localTime: context.environment.localTime) {
            let shown = try await state(days.latest)
            let date = shown?.date
            if let date, date > days.latest.day.day { continue }
            // The sensor of a past day is missing: its latest day is not known here. `restore` gets it.
            if shown == nil, days.latest.day.day < context.today { continue }
            if let previous = days.previous, date == previous.day.day, shown?.state != previous.state { try await set(previous) }
            try await set(days.latest)
        }
        return payloads.map { _ in ShareReceipt() }
    }

    func restore(_ payloads: [SharePayload]) async throws(ShareFailure) {
        for sensor in payloads.sensors(entity: entity, localTime: context.environment.localTime).map(\.latest) {
            let shown = try await state(sensor)
            if let date = shown?.date, date >= sensor.day.day { continue }
            try await set(sensor)
        }
    }

    func check() async throws(ShareFailure) -> String {
        let request = HTTPRequest(
            method: "GET", url: url.appending(path: ["api", ""]), headers: try Authentication.bearer(token).headers(credentials))
        let response = try await exchange.confirmed(request, at: Self.service)
        guard response.json(Greeting.self) != nil else { throw .unconfirmed(request, "it does not report that its API is running") }
        guard let statistics else { return "Home Assistant at \(url.origin), only the sensor" }
        return try await statistics.check(token: credentials.secret(token))
    }

    private static let service = Addressed.service(
        advice: "Check `url`, and that Home Assistant has its `api` integration (the `frontend` integration loads it).")

    // MARK: The sensor

    /// What the sensor shows; nil if there is no sensor.
    private func state(_ sensor: HomeAssistantSensor) async throws(ShareFailure) -> State? {
        let request = try question(sensor, credentials)
        do throws(ShareFailure) {
            let response = try await exchange.answer(to: request)
            if response.status == 404 { return nil }
            if let failure = ShareFailure(response, to: request, at: .item) { throw failure }
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
        let response = try await exchange.confirmed(request, at: Self.service)
        guard let state = response.json(State.self), state.entity_id == sensor.entity, state.state == sensor.state else {
            throw .unconfirmed(request, "its answer is not the state that was set")
        }
    }

    private func question(_ sensor: HomeAssistantSensor, _ credentials: Credentials) throws(ShareFailure) -> HTTPRequest {
        HTTPRequest(method: "GET", url: address(sensor), headers: try Authentication.bearer(token).headers(credentials))
    }

    private func request(_ sensor: HomeAssistantSensor, _ credentials: Credentials) throws(ShareFailure) -> HTTPRequest {
        .json(
            "POST", address(sensor), headers: try Authentication.bearer(token).headers(credentials), sensor, isRepeatable: true)
    }

    private func address(_ sensor: HomeAssistantSensor) -> WebAddress { url.appending(path: ["api", "states", sensor.entity]) }

    private struct State: Decodable {
        struct Attributes: Decodable { var date: String? }

        var entity_id: String
        var state: String
        var attributes: Attributes?

        /// The day that the sensor shows; nil if it shows none.
        var date: Day? { attributes?.date.flatMap(Day.init) }
    }

    private struct Greeting: Decodable { var message: String }
}
