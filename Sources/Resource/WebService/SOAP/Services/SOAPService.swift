public import HTTP

/// How a service is reached.
public struct SOAPService: Hashable, Sendable {
    public var endpoint: WebAddress
    /// URI of the namespace in which its operations are, as its WSDL has it in `targetNamespace`.
    public var namespace: String
    /// URI that says what is asked for; `{service}` and `{operation}` in it are replaced. Empty where the service needs none.
    public var action: String
    public var version: SOAPVersion
    /// Whether arguments are in the namespace of the operation: services of .NET and spyne have them there, those of Java mostly not.
    public var qualifiesArguments: Bool

    public init(
        endpoint: WebAddress, namespace: String, action: String = "", version: SOAPVersion = .v11, qualifiesArguments: Bool = true
    ) {
        self.endpoint = endpoint
        self.namespace = namespace
        self.action = action
        self.version = version
        self.qualifiesArguments = qualifiesArguments
    }

    /// Whether a text can stand between the quotes of a header: ASCII without quotes, backslashes, spaces and control characters.
    public static func isAction(_ text: String) -> Bool {
        text.utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }

    func action(of call: SOAPCall) -> String {
        action.replacing("{service}", with: call.service).replacing("{operation}", with: call.operation)
    }
}
