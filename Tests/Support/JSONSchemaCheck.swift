import Foundation

/// Checks JSON against a JSON Schema with Debian's python3-jsonschema, strictly: a key that is not declared is an
/// error, too.
public struct JSONSchemaCheck {
    /// A JSON Schema with the documents under `$defs`.
    private let schema: String
    private var outputs: [Output] = []

    private struct Output: Encodable {
        var document, name, text: String
    }

    private struct Order: Encodable {
        var schema: String
        var outputs: [Output]
        var isComplete: Bool
    }

    public init(schema: String) { self.schema = schema }

    /// - Parameters:
    ///   - name: the name of the output in complaints.
    ///   - document: the document that it should be, under `$defs`.
    public mutating func add(_ text: String, as document: String, _ name: String) {
        outputs.append(Output(document: document, name: name, text: text))
    }

    /// - Parameter isComplete: whether every object of the schema must occur, and every key with a value that is not
    ///   null.
    /// - Returns: the errors; empty if there are none.
    public func complaints(isComplete: Bool = false) throws -> [String] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("istep-schema-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let order = folder.appendingPathComponent("order.json")
        try JSONEncoder().encode(Order(schema: schema, outputs: outputs, isComplete: isComplete)).write(to: order)
        let python = ChildProcess()
        // Debian's Python, whichever comes first on the path: python3-jsonschema is installed for that one.
        python.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        python.arguments = ["-c", Self.script, order.path]
        let output = Pipe()
        python.pipe = output
        python.isErrorInPipe = true
        try python.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        python.waitUntilExit()
        let lines = text.split(separator: "\n").map(String.init)
        // The last line shows that the script ran to its end.
        return python.terminationStatus == 0 && lines.last == "checked \(outputs.count)"
            ? Array(lines.dropLast()) : ["the check failed: \(text)"]
    }

    private static let script = """
        import json, sys
        from jsonschema import Draft202012Validator

        order = json.load(open(sys.argv[1]))
        schema = json.loads(order["schema"])
        Draft202012Validator.check_schema(schema)

        def objects(node):
            if isinstance(node, dict):
                if "properties" in node: yield node
                for value in node.values(): yield from objects(value)
            elif isinstance(node, list):
                for value in node: yield from objects(value)

        def once(pairs):
            keys = [key for key, _ in pairs]
            if len(keys) != len(set(keys)): raise ValueError("a key occurs twice")
            return dict(pairs)

        strict = json.loads(order["schema"])
        for node in objects(strict): node["additionalProperties"] = False
        seen = set()

        def walk(node, value, path):
            if "$ref" in node:
                seen.add(path)
                return walk(schema["$defs"][node["$ref"].split("/")[-1]], value, node["$ref"].split("/")[-1])
            if value is None: return
            for choice in node.get("anyOf", []): walk(choice, value, path)
            seen.add(path)
            if isinstance(value, list):
                for item in value: walk(node.get("items", {}), item, path + "[]")
            if isinstance(value, dict):
                for key, inner in value.items():
                    if key in node.get("properties", {}): walk(node["properties"][key], inner, path + "." + key)

        def declared(node, path):
            yield path
            for choice in node.get("anyOf", []):
                if choice != {"type": "null"}: yield from declared(choice, path)
            for key, inner in node.get("properties", {}).items(): yield from declared(inner, path + "." + key)
            if "items" in node: yield from declared(node["items"], path + "[]")

        for output in order["outputs"]:
            here = output["name"] + " (" + output["document"] + ")"
            try: value = json.loads(output["text"], object_pairs_hook=once)
            except ValueError as error:
                print(here, "is no single JSON document:", error)
                continue
            validator = Draft202012Validator({"$ref": "#/$defs/" + output["document"], "$defs": strict["$defs"]})
            for error in validator.iter_errors(value): print(here, error.json_path, error.message.replace(chr(10), " ")[:300])
            walk(schema["$defs"][output["document"]], value, output["document"])
        if order["isComplete"]:
            for name, node in schema["$defs"].items():
                for path in dict.fromkeys(declared(node, name)):
                    if path not in seen: print("nothing has", path)
        print("checked", len(order["outputs"]))
        """
}
