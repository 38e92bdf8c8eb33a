/// What a service says of itself: WSDL 1.1 (W3C Note of 15 March 2001), as far as it matters to whoever checks a configuration.
public struct SOAPDescription: Hashable, Sendable {
    /// `targetNamespace`, most of the time also that of the operations' elements.
    public let namespace: String?
    /// Names of the operations, sorted. Empty where they stand in another document that this one imports.
    public let operations: [String]

    private static let wsdl = "http://schemas.xmlsoap.org/wsdl/"

    /// Nil for what is no WSDL 1.1.
    public init?(_ bytes: [UInt8]) {
        guard let root = try? XMLReader.read(bytes), root.name == XMLName("definitions", in: Self.wsdl) else { return nil }
        namespace = root.attributes[XMLName("targetNamespace")]
        let operations = root.children.filter { $0.name == XMLName("portType", in: Self.wsdl) }.flatMap(\.children)
            .filter { $0.name == XMLName("operation", in: Self.wsdl) }.compactMap { $0.attributes[XMLName("name")] }
        self.operations = Set(operations).sorted()
    }
}
