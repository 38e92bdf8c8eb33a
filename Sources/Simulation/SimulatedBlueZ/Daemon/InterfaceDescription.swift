/// What an interface offers, for introspection and for checking calls before they are carried out.
struct InterfaceDescription: Sendable {
    struct Argument: Sendable {
        let name: String
        let type: String
    }

    struct Method: Sendable {
        let name: String
        let inputs: [Argument]
        let outputs: [Argument]
        var signature: String { inputs.map(\.type).joined() }
    }

    struct Property: Sendable {
        let name: String
        let type: String
        let isWritable: Bool
    }

    struct Signal: Sendable {
        let name: String
        let arguments: [Argument]
    }

    let name: String
    private(set) var methods: [Method] = []
    private(set) var properties: [Property] = []
    private(set) var signals: [Signal] = []

    init(_ name: String) { self.name = name }

    /// Arguments are written `name:signature`.
    func method(_ name: String, _ inputs: [String] = [], out outputs: [String] = []) -> Self {
        var copy = self
        copy.methods.append(Method(name: name, inputs: Self.arguments(inputs), outputs: Self.arguments(outputs)))
        return copy
    }

    func property(_ name: String, _ type: String, writable: Bool = false) -> Self {
        var copy = self
        copy.properties.append(Property(name: name, type: type, isWritable: writable))
        return copy
    }

    func signal(_ name: String, _ arguments: [String]) -> Self {
        var copy = self
        copy.signals.append(Signal(name: name, arguments: Self.arguments(arguments)))
        return copy
    }

    private static func arguments(_ texts: [String]) -> [Argument] {
        texts.map { text in
            let parts = text.split(separator: ":", maxSplits: 1)
            return Argument(name: String(parts[0]), type: String(parts[1]))
        }
    }

    /// The `<interface>` element as libdbus' helper of BlueZ writes it.
    var xml: String {
        var xml = "<interface name=\"\(name)\">"
        for method in methods {
            xml += "<method name=\"\(method.name)\">"
            xml += method.inputs.map { argument($0, "in") }.joined()
            xml += method.outputs.map { argument($0, "out") }.joined()
            xml += "</method>"
        }
        for signal in signals {
            xml += "<signal name=\"\(signal.name)\">"
            xml += signal.arguments.map { "<arg name=\"\($0.name)\" type=\"\($0.type)\"/>\n" }.joined()
            xml += "</signal>\n"
        }
        for property in properties {
            let access = property.isWritable ? "readwrite" : "read"
            xml += "<property name=\"\(property.name)\" type=\"\(property.type)\" access=\"\(access)\"></property>"
        }
        return xml + "</interface>"
    }

    private func argument(_ argument: Argument, _ direction: String) -> String {
        "<arg name=\"\(argument.name)\" type=\"\(argument.type)\" direction=\"\(direction)\"/>\n"
    }
}
