/// Writes the envelope of a call: the operation is the one element of the body, its arguments are the elements of that (the style
/// "document/literal wrapped", which is also what "rpc/literal" looks like: WS-I Basic Profile 1.1, section 4.4).
struct SOAPEnvelope {
    let version: SOAPVersion
    let namespace: String
    /// Whether the arguments are in the namespace of the operation (`elementFormDefault="qualified"` of XML Schema).
    let qualifiesArguments: Bool

    /// In one line: there are services that take white space for an element.
    ///
    /// - Parameter call: with names that were checked.
    func document(_ call: SOAPCall) -> String {
        let prefix = qualifiesArguments ? "m:" : ""
        let arguments = call.arguments.map { argument in
            "<\(prefix)\(argument.name)>\(XMLText.escaped(argument.value))</\(prefix)\(argument.name)>"
        }
        return """
            <?xml version="1.0" encoding="UTF-8"?>\
            <soap:Envelope xmlns:soap="\(version.namespace)"><soap:Body>\
            <m:\(call.operation) xmlns:m="\(XMLText.escaped(namespace, isAttribute: true))">\(arguments.joined())</m:\(call.operation)>\
            </soap:Body></soap:Envelope>
            """
    }
}
