import Foundation
import StepDomain
import Synchronization
import WebTestSupport

extension Fixture {
    static let fhir = Fixture(
        kind: "fhir", keeps: [.user, .day],
        open: {
            try WebVenue(ObservationStore(authorization: "Bearer \(TestSecret.text)")) { url in
                "url = '\(url)/fhir/R4'\nsubject = 'Patient/a-1'\ntoken_env = '\(TestSecret.variable)'"
            }
        },
        web: WebBehaviour(notFound: .misconfigured))

    static let fhirCalories = Fixture(
        kind: "fhir", variant: "calories", keeps: [.user, .day, .kilocalories],
        open: {
            try WebVenue(ObservationStore(authorization: "Bearer \(TestSecret.text)")) { url in
                """
                url = '\(url)/fhir/R4/'\nsubject = 'https://example.org/Patient/a-1'\nsystem = 'urn:test'\ncalories = true
                token_env = '\(TestSecret.variable)'
                """
            }
        },
        web: WebBehaviour(notFound: .misconfigured))
}

/// A FHIR R4 server that supports conditional updates of Observations by identifier.
private final class ObservationStore: WebService {
    struct Observation: Decodable {
        struct Identifier: Decodable {
            var system: String
            var value: String
        }
        struct Coding: Decodable { var code: String }
        struct Concept: Decodable { var coding: [Coding] }
        struct Quantity: Decodable {
            var value: Int
            var code: String
        }

        var resourceType: String
        var identifier: [Identifier]
        var effectiveDateTime: String
        var code: Concept
        var valueQuantity: Quantity
    }

    private let authorization: String
    private let observations = Mutex<[String: Observation]>([:])

    init(authorization: String) { self.authorization = authorization }

    func answer(to request: ReceivedRequest) -> Answer {
        guard request.header("Authorization") == authorization else {
            return .json(#"{"error":"who are you?"}"#, status: 401)
        }
        switch (request.method, request.path) {
        case ("GET", "/fhir/R4/metadata"):
            return .json(#"{"resourceType":"CapabilityStatement","fhirVersion":"4.0.1"}"#)
        case ("GET", "/fhir/R4/Observation"): return .json(#"{"resourceType":"Bundle","type":"searchset","total":0}"#)
        case ("PUT", "/fhir/R4/Observation"): return put(request)
        default:
            return .json(
                #"{"resourceType":"OperationOutcome","issue":[{"severity":"error","diagnostics":"what?"}]}"#,
                status: 404)
        }
    }

    private func put(_ request: ReceivedRequest) -> Answer {
        guard request.header("Content-Type") == "application/fhir+json",
            let observation = try? JSONDecoder().decode(Observation.self, from: Data(request.body)),
            observation.resourceType == "Observation",
            let identifier = observation.identifier.first,
            request.query?.removingPercentEncoding == "identifier=\(identifier.system)|\(identifier.value)"
        else { return .json("{}", status: 400) }
        let before = observations.withLock { $0.updateValue(observation, forKey: identifier.value) }
        let id = abs(identifier.value.hashValue % 100_000)
        return .reply(
            status: before == nil ? 201 : 200,
            headers: [("Location", "http://127.0.0.1/fhir/R4/Observation/\(id)/_history/1")])
    }

    var held: [HeldDay] {
        let observations = observations.withLock(\.self)
        let calories = observations.filter {
            $0.value.code.coding.map(\.code) == ["41979-6"] && $0.value.valueQuantity.code == "kcal/d"
        }
        return observations.filter {
            $0.value.code.coding.map(\.code) == ["41950-7"] && $0.value.valueQuantity.code == "/d"
        }
        .sorted { $0.value.effectiveDateTime < $1.value.effectiveDateTime }
        .map { identity, steps in
            let other = calories.first {
                $0.key.split(separator: "/").dropLast() == identity.split(separator: "/").dropLast()
            }
            return HeldDay(
                user: identity.split(separator: "/").dropLast(2).last?.removingPercentEncoding,
                day: steps.effectiveDateTime,
                steps: steps.valueQuantity.value, kilocalories: other?.value.valueQuantity.value)
        }
    }
}
