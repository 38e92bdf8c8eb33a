import Foundation
import FoundationXML
import StepDomain
import StepServices
import Synchronization
import WebTestSupport

extension Fixture {
    private static let kept: Set<HeldDay.Figure> = [.user, .day, .metres, .kilocalories, .goal, .percentage]

    /// XML 1.0, section 2.2: no other control characters.
    private static let inXML: @Sendable (String) -> String = { name in
        String(
            String.UnicodeScalarView(
                name.unicodeScalars.map { $0.value < 0x20 && !"\t\r\n".unicodeScalars.contains($0) ? "\u{FFFD}" : $0 }))
    }

    static let soap = Fixture(
        kind: "soap", variant: "1.1", keeps: kept, corrects: false, text: inXML,
        open: {
            let basic = Data("anna:\(TestSecret.text)".utf8).base64EncodedString()
            return try WebVenue(StepService(version: "1.1", authorization: "Basic \(basic)")) { url in
                """
                url = '\(url)/steps'\nnamespace = 'urn:test'\naction = 'urn:test/{service}#{operation}'\nusername = 'anna'
                password_env = '\(TestSecret.variable)'
                """
            }
        },
        web: WebBehaviour(notFound: .misconfigured))

    static let soap12 = Fixture(
        kind: "soap", variant: "1.2", keeps: kept, text: inXML,
        open: {
            try WebVenue(StepService(version: "1.2", authorization: "Bearer \(TestSecret.text)")) { url in
                """
                url = '\(url)/steps'\nnamespace = 'urn:test'\nversion = '1.2'\nidempotent = true\nqualified = false
                token_env = '\(TestSecret.variable)'
                """
            }
        },
        web: WebBehaviour(notFound: .misconfigured))
}

/// Receives days by SOAP. Version 1.1 stores every call; 1.2 stores the last call for each day of a user.
private final class StepService: WebService {
    private let version: String
    private let authorization: String
    private let calls = Mutex<[[String: String]]>([])

    init(version: String, authorization: String) { (self.version, self.authorization) = (version, authorization) }

    private var namespace: String {
        version == "1.1" ? "http://schemas.xmlsoap.org/soap/envelope/" : "http://www.w3.org/2003/05/soap-envelope"
    }

    func answer(to request: ReceivedRequest) -> Answer {
        guard request.header("Authorization") == authorization else {
            return .json(#"{"error":"who are you?"}"#, status: 401)
        }
        if request.method == "GET" {
            return request.target == "/steps?wsdl" ? .reply(body: description) : .reply(status: 404)
        }
        let call = CallReader.read(request.body)
        guard hasRightHeaders(request), let call,
            call.path == ["{\(namespace)}Envelope", "{\(namespace)}Body", "{urn:test}shareStepData"],
            Set(call.namespaces) == [version == "1.1" ? "urn:test" : ""]
        else {
            return .reply(
                status: 500,
                body: envelope("<s:Fault><faultcode>s:Client</faultcode><faultstring>what?</faultstring></s:Fault>"))
        }
        calls.withLock { calls in
            if version == "1.2" {
                calls.removeAll { $0["user"] == call.values["user"] && $0["date"] == call.values["date"] }
            }
            calls.append(call.values)
        }
        return .reply(
            headers: [("Content-Type", "text/xml; charset=utf-8")],
            body: envelope("<r:shareStepDataResponse xmlns:r='urn:test'/>"))
    }

    private func hasRightHeaders(_ request: ReceivedRequest) -> Bool {
        version == "1.1"
            ? request.header("Content-Type") == "text/xml; charset=utf-8"
                && request.header("SOAPAction") == "\"urn:test/StepDataService#shareStepData\""
            : request.header("Content-Type") == "application/soap+xml; charset=utf-8"
                && request.header("SOAPAction") == nil
    }

    private func envelope(_ content: String) -> String {
        "<s:Envelope xmlns:s='\(namespace)'><s:Body>\(content)</s:Body></s:Envelope>"
    }

    private var description: String {
        """
        <definitions xmlns="http://schemas.xmlsoap.org/wsdl/" targetNamespace="urn:test"><portType name="p">\
        <operation name="shareStepData"/></portType></definitions>
        """
    }

    var held: [HeldDay] {
        calls.withLock(\.self).sorted { $0["date"] ?? "" < $1["date"] ?? "" }.map { call in
            HeldDay(
                user: call["user"], day: call["date"], steps: call["steps"].flatMap { Int($0) } ?? -1,
                metres: call["distance"].flatMap { Int($0) },
                kilocalories: call["calories"].flatMap { Int($0) }, goal: call["goal"].flatMap { Int($0) },
                percentage: call["percentage"].flatMap(Double.init))
        }
    }
}

/// Reads a call with another parser than istep's.
private final class CallReader: NSObject, XMLParserDelegate {
    private(set) var path: [String] = []
    private(set) var values: [String: String] = [:]
    private(set) var namespaces: [String] = []
    private var depth = 0
    private var text = ""

    static func read(_ body: [UInt8]) -> CallReader? {
        let reader = CallReader()
        let parser = XMLParser(data: Data(body))
        parser.shouldProcessNamespaces = true
        parser.delegate = reader
        return parser.parse() ? reader : nil
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        depth += 1
        text = ""
        if depth <= 3 { path.append("{\(namespaceURI ?? "")}\(name)") } else { namespaces.append(namespaceURI ?? "") }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        if depth == 4 { values[name] = text }
        depth -= 1
    }
}
