internal import HTTP
internal import SOAP
internal import StepDomain

/// A service that is called by SOAP, one operation for a day.
struct SOAPDestination: ConfiguredDestination {
    let context: DestinationContext
    let exchange: Exchange
    let service: SOAPService
    /// By which the service is known to the client, and to a template of its action.
    let serviceName: String
    let operation: String
    /// Name of the element that confirms.
    let response: String
    let authentication: Authentication
    let traits: ShareTraits

    var place: String { service.endpoint.origin + service.endpoint.path }

    func problems() -> [String] { authentication.problems(context.surroundings.environment) }

    func preview(_ parcels: [ShareParcel]) throws(ShareFailure) -> String {
        try parcels.map { (parcel) throws(ShareFailure) in try request(parcel, .shown).preview }.joined(separator: "\n\n")
    }

    func deliver(_ parcels: [ShareParcel]) async throws(ShareFailure) -> [ShareReceipt] {
        var receipts: [ShareReceipt] = []
        for parcel in parcels {
            let request = try request(parcel, credentials)
            do throws(SOAPError) {
                _ = try await client.send(request, expecting: response)
            } catch {
                throw ShareFailure(error, to: request)
            }
            receipts.append(ShareReceipt())
        }
        return receipts
    }

    private var client: SOAPClient { SOAPClient(services: [serviceName: service], transport: exchange.transport) }

    private func request(_ parcel: ShareParcel, _ credentials: Credentials) throws(ShareFailure) -> HTTPRequest {
        let headers = try authentication.headers(credentials)
        let call = SOAPCall(operation, of: serviceName, arguments(parcel.day))
        do throws(SOAPError) {
            return try client.request(call, headers: headers, isRepeatable: traits.resending == .replaces)
        } catch {
            throw ShareFailure(.misconfigured, error.description)
        }
    }

    /// As XML Schema writes them (part 2: `string`, `date`, `int`, `decimal`). What is not known is left out (`minOccurs="0"`).
    private func arguments(_ day: SharedDay) -> [SOAPCall.Argument] {
        let values: [(String, String?)] = [
            ("user", day.user.name), ("date", "\(day.day)"), ("steps", "\(day.steps)"), ("distance", day.metres.map(String.init)),
            ("calories", day.kilocalories.map(String.init)), ("goal", day.summary.goal.map(String.init)),
            ("percentage", day.percentage.map { "\($0)" }), ("completeness", day.summary.completeness.rawValue),
        ]
        return values.compactMap { name, value in value.map { SOAPCall.Argument(name, $0) } }
    }
}
