/// On which line each key of a TOML document stands.
///
/// A tree in an array: as deep as a document may be, nothing is called as deep.
struct KeyPlaces {
    /// A key, by its place in the array.
    struct Key: Hashable {
        fileprivate let index: Int
        /// That of the top level, which has no line.
        static let root = Key(index: 0)
    }

    private struct Node {
        var line: Int?
        /// Whether the line is that of a header or a value, and not only of something below.
        var isDefined = false
        var children: [String: Key] = [:]
    }

    private var nodes = [Node()]

    /// From 1. That of the header or the value, or where a table has none, of the first key in it.
    func line(of key: Key) -> Int? { nodes[key.index].line }

    func key(_ name: String, in parent: Key) -> Key? { nodes[parent.index].children[name] }

    /// - Parameter path: a key as it is written, with the dots taken for what they are.
    mutating func define(_ path: [String], in parent: Key, line: Int) -> Key {
        var key = parent
        for name in path {
            if let known = nodes[key.index].children[name] {
                key = known
            } else {
                nodes.append(Node(line: line))
                nodes[key.index].children[name] = Key(index: nodes.count - 1)
                key = Key(index: nodes.count - 1)
            }
        }
        if !nodes[key.index].isDefined { nodes[key.index].line = line }
        nodes[key.index].isDefined = true
        return key
    }
}
