internal import CExpat

extension XMLTree {
    /// Has expat tell this object what it finds. It does not keep the object alive.
    func listen() {
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(
            parser,
            { XMLTree.of($0)?.start(text($1), pairs($2)) },
            { user, _ in XMLTree.of(user)?.end() })
        XML_SetCharacterDataHandler(parser) { user, bytes, count in
            guard let bytes, count > 0 else { return }
            bytes.withMemoryRebound(to: UInt8.self, capacity: Int(count)) {
                XMLTree.of(user)?.take(text: UnsafeBufferPointer(start: $0, count: Int(count)))
            }
        }
        XML_SetNamespaceDeclHandler(
            parser,
            { XMLTree.of($0)?.startPrefix(text($1), $2.map { String(cString: $0) }) },
            { XMLTree.of($0)?.endPrefix(text($1)) })
        XML_SetStartDoctypeDeclHandler(parser) { user, _, _, _, _ in XMLTree.of(user)?.refuse(.doctype) }
        XML_SetXmlDeclHandler(parser) { user, _, encoding, _ in
            guard let encoding else { return }
            let name = String(cString: encoding)
            // ASCII is UTF-8 too.
            if !["utf-8", "us-ascii"].contains(name.lowercased()) { XMLTree.of(user)?.refuse(.encoding(name)) }
        }
    }

    private static func of(_ user: UnsafeMutableRawPointer?) -> XMLTree? {
        user.map { Unmanaged<XMLTree>.fromOpaque($0).takeUnretainedValue() }
    }
}

private func text(_ chars: UnsafePointer<XML_Char>?) -> String { chars.map { String(cString: $0) } ?? "" }

/// Names and values take turns; a null pointer ends them.
private func pairs(_ chars: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?) -> [(String, String)] {
    guard let chars else { return [] }
    var result: [(String, String)] = []
    var index = 0
    while let name = chars[index], let value = chars[index + 1] {
        result.append((String(cString: name), String(cString: value)))
        index += 2
    }
    return result
}
