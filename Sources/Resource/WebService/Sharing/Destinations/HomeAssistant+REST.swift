internal import HTTP
internal import Settings
internal import StepDomain

/// The state of a sensor in Home Assistant, set by its REST API.
///
/// Home Assistant holds the latest day only, so that a day is set unless the sensor has a later one already: then it counts as
/// shared, since there is nothing to be done. A state that was set like this is lost when Home Assistant starts anew, until
/// the next day that is shared.
///
/// Source: https://developers.home-assistant.io/docs/api/rest, `/api/states/<entity_id>`: GET is answered 404 where there is
/// none, POST 200 or 201 with the state. Only the token of an administrator may POST.
struct HomeAssistantRESTDestination: ConfiguredDestination {
    let context: DestinationContext
    let exchange: Exchange
    let url: WebAddress
    /// With `{user}` where the user's name goes.
    let entity: String
    let token: SecretSource

    var traits: ShareTraits {
        var traits = ShareTraits.replacing
        traits.batch = 64
        traits.showsLatestOnly = true
        traits.isPersonal = !entity.contains("{user}")
        return traits
    }

    var place: String { "\(url.origin), \(entity)" }

    func problems() -> [String] { Authentication.bearer(token).problems(context.surroundings.environment) }

    func preview(_ parcels: [ShareParcel]) throws(ShareFailure) -> String {
        var requests: [HTTPRequest] = []
        for sensor in parcels.latest(entity: entity) { requests += [try question(sensor, .shown), try request(sensor, .shown)] }
        return requests.preview
    }

    func deliver(_ parcels: [ShareParcel]) async throws(ShareFailure) -> [ShareReceipt] {
        for sensor in parcels.latest(entity: entity) {
            if let date = try await date(sensor), date > sensor.day.day { continue }
            let request = try request(sensor, credentials)
            let response = try await exchange.confirmed(request, ifNotFound: Self.advice)
            guard let state = response.json(State.self), state.entity_id == sensor.entity, state.state == sensor.state else {
                throw .unconfirmed(request, "its answer is not the state that was set")
            }
        }
        return parcels.map { _ in ShareReceipt() }
    }

    func check() async throws(ShareFailure) -> String {
        let request = HTTPRequest(
            method: "GET", url: url.appending(path: ["api", ""]), headers: try Authentication.bearer(token).headers(credentials))
        let response = try await exchange.confirmed(request, ifNotFound: Self.advice)
        guard response.json(Greeting.self) != nil else { throw .unconfirmed(request, "it does not say that its API is running") }
        return "Home Assistant at \(url.origin)"
    }

    private static let advice = "Check `url`, and that Home Assistant has its `api` integration (the frontend brings it)."

    /// The day that the sensor shows; nil where there is no sensor yet, or one that shows no day.
    private func date(_ sensor: HomeAssistantSensor) async throws(ShareFailure) -> Day? {
        let request = try question(sensor, credentials)
        do throws(ShareFailure) {
            let response = try await exchange.answer(to: request)
            if response.status == 404 { return nil }
            if let failure = ShareFailure(response, to: request) { throw failure }
            guard let state = response.json(State.self), state.entity_id == sensor.entity else {
                throw .unconfirmed(request, "its answer is not the state of \(sensor.entity)")
            }
            return state.attributes?.date.flatMap(Day.init)
        } catch where error.kind == .unanswered {
            // Only a question was lost.
            throw ShareFailure(.unreachable, error.reason, advice: error.advice, retryAfter: error.retryAfter)
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
    }

    private struct Greeting: Decodable { var message: String }
}
