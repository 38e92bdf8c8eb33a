/// What an answer holds.
enum SOAPReply: Hashable, Sendable {
    /// The first element of the body.
    case result(XMLElement)
    case fault(SOAPFault)

    /// Why an answer is no SOAP.
    enum Problem: Error, Hashable, Sendable {
        case xml(XMLProblem)
        /// Another document: its root.
        case noEnvelope(XMLName)
        case emptyBody
    }

    /// Reads an envelope of either version: a service that speaks only the other one says so in its own (SOAP 1.2, part 1, appendix A).
    init(_ bytes: [UInt8]) throws(Problem) {
        let root: XMLElement
        do {
            root = try XMLReader.read(bytes)
        } catch {
            throw .xml(error)
        }
        guard root.name.local == "Envelope", let version = SOAPVersion.allCases.first(where: { $0.namespace == root.name.namespace })
        else { throw .noEnvelope(root.name) }
        let body = root.children.first { $0.name == XMLName("Body", in: version.namespace) }
        guard let content = body?.children.first else { throw .emptyBody }
        self = content.name == XMLName("Fault", in: version.namespace) ? .fault(SOAPFault(content)) : .result(content)
    }
}

extension SOAPReply.Problem: CustomStringConvertible {
    /// Goes on from "the answer is".
    var description: String {
        switch self {
        case .xml(let problem): problem.description
        case .noEnvelope(let root): "no SOAP, but XML with the root \(root)"
        case .emptyBody: "SOAP with an empty body"
        }
    }
}
