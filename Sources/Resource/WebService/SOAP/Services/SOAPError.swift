public import HTTP
internal import Quoting

/// Why a call has no result.
public enum SOAPError: Error, Hashable, Sendable {
    /// Nothing was sent.
    case unknownService(String, known: [String])
    /// Nothing was sent: no element can have this name.
    case badName(String)
    /// Nothing was sent: no header can have this action.
    case badAction(String)
    /// There is no answer; whether the call arrived, the error tells.
    case transport(TransportError)
    /// The service says no.
    case fault(SOAPFault, HTTPResponse)
    /// An answer that is no SOAP: whatever its status says is all that is known.
    case noSOAP(HTTPResponse, reason: String)
    /// A result that does not belong to the call, or came with a status of failure.
    case unexpected(XMLName, HTTPResponse)
}

extension SOAPError: CustomStringConvertible {
    /// In one line, without a fault's reason and other words of the server, which may repeat what was sent.
    public var description: String {
        switch self {
        case .unknownService(let name, let known):
            "there is no service \(quoted(name)); known are " + known.map(quoted).joined(separator: ", ")
        case .badName(let name): "\(quoted(name)) cannot be the name of an element; it takes ASCII letters, digits, _ - ."
        case .badAction(let action): "\(quoted(action)) cannot be an action; it takes ASCII without spaces, quotes and backslashes"
        case .transport(let error): error.description
        case .fault(let fault, _): "the service answered with the fault \(fault.codes.first?.description ?? "without a code")"
        case .noSOAP(let response, let reason): "the answer (HTTP \(response.status)) is \(reason)"
        case .unexpected(let name, let response): "the answer (HTTP \(response.status)) holds \(name), which is no result of the call"
        }
    }
}
