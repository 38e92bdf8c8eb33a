/// An element of a document that was read.
public struct XMLElement: Hashable, Sendable {
    public let name: XMLName
    public let attributes: [XMLName: String]
    /// The elements directly in it, in their order.
    public let children: [XMLElement]
    /// The character data directly in it, joined.
    public let text: String
    /// Prefixes and the namespaces that they stand for here; "" is the default namespace.
    let prefixes: [String: String]

    /// The first element directly in it of this name, whatever its namespace.
    ///
    /// SOAP 1.1 has the parts of a fault in no namespace, and there are services that put them into one.
    func child(_ local: String) -> XMLElement? { children.first { $0.name.local == local } }

    /// The name that a text stands for by the prefixes in force here (Namespaces in XML 1.0, section 4). A prefix that stands for nothing
    /// makes it a name in no namespace.
    func resolve(_ qualified: String) -> XMLName {
        let parts = qualified.trimmed.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return parts.count == 2 ? XMLName(parts[1], in: prefixes[parts[0]]) : XMLName(parts.first ?? "", in: prefixes[""])
    }
}

extension String {
    /// Without white space of XML (XML 1.0, section 2.3) around it.
    var trimmed: String {
        let isBlank: (Unicode.Scalar) -> Bool = { " \t\r\n".unicodeScalars.contains($0) }
        var scalars = unicodeScalars.drop(while: isBlank)
        while let last = scalars.last, isBlank(last) { scalars.removeLast() }
        return String(scalars)
    }
}
