internal import HTTP
internal import StepDomain

/// A server of FHIR R4, given Observations by conditional update (hl7.org/fhir/R4/http.html#cond-update): where no Observation has the
/// identifier one is created (201), where one has it is replaced (200), where several have it nothing is done (412).
struct FHIRDestination: ConfiguredDestination {
    let context: DestinationContext
    let exchange: Exchange
    let base: WebAddress
    /// Whose days these are, such as `Patient/123`.
    let subject: String
    /// Namespace of the identifiers.
    let system: String
    let figures: [FHIRObservation.Figure]
    let authentication: Authentication

    static let type = "application/fhir+json"

    let traits = ShareTraits(resending: .replaces, corrects: true, takesUnfinishedDays: true, isPersonal: true)

    var place: String { base.origin + base.path }

    func problems() -> [String] { authentication.problems(context.surroundings.environment) }

    func preview(_ parcels: [ShareParcel]) throws(ShareFailure) -> String {
        let headers = try authentication.headers(.shown)
        return parcels.flatMap { requests($0.day, headers) }.map(\.preview).joined(separator: "\n\n")
    }

    func deliver(_ parcels: [ShareParcel]) async throws(ShareFailure) -> [ShareReceipt] {
        var receipts: [ShareReceipt] = []
        for parcel in parcels {
            var ids: [String?] = []
            for request in requests(parcel.day, try authentication.headers(credentials)) {
                do throws(ShareFailure) {
                    ids.append(try await put(request))
                } catch {
                    guard !ids.isEmpty else { throw error }
                    var failure = error
                    failure.reason += " (this is about the calories; the steps arrived)"
                    throw failure
                }
            }
            receipts.append(ShareReceipt(remoteID: ids.first ?? nil))
        }
        return receipts
    }

    /// One for each figure that is known.
    private func requests(_ day: SharedDay, _ headers: [HTTPRequest.Header]) -> [HTTPRequest] {
        figures.compactMap { figure -> HTTPRequest? in
            guard let observation = FHIRObservation(figure, of: day, subject: subject, system: system) else { return nil }
            let identifiers = observation.identifier.map { ("identifier", "\($0.system)|\($0.value)") }
            return HTTPRequest(
                method: "PUT", url: base.appending(path: ["Observation"]).appending(query: identifiers),
                headers: [.init("Content-Type", Self.type), .init("Accept", Self.type), .init("Prefer", "return=minimal")] + headers,
                body: Array(json(observation).utf8))
        }
    }

    /// - Returns: the Observation's id, where the server tells it.
    private func put(_ request: HTTPRequest) async throws(ShareFailure) -> String? {
        let response = try await exchange.answer(to: request)
        let answer = FHIRAnswer(response)
        if var failure = ShareFailure(answer.told, to: request) {
            switch response.status {
            case 412: failure.advice = "Several Observations there have the identifier of this day: delete all but one."
            case 405: failure.advice = "The server seems to take no conditional updates, which istep needs."
            default: break
            }
            throw failure
        }
        switch answer.confirmation(response) {
        case .confirmed(let id): return id
        case .no(let reason): throw .unconfirmed(request, request.scrubbed(reason))
        }
    }
}
