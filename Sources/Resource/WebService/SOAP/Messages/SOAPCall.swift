/// A call of a service's operation.
public struct SOAPCall: Hashable, Sendable {
    /// By which the services are known here.
    public var service: String
    /// An element's name.
    public var operation: String
    /// In the order in which they are sent: schemas mostly lay down a sequence.
    public var arguments: [Argument]

    public init(_ operation: String, of service: String, _ arguments: [Argument] = []) {
        self.service = service
        self.operation = operation
        self.arguments = arguments
    }

    public struct Argument: Hashable, Sendable {
        /// An element's name.
        public var name: String
        /// Any text, as XML Schema writes values of the argument's type.
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }
}
