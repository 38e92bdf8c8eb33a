extension TableReader {
    /// Where a token or password comes from: of `key` + `_file`, `_env` and `_credential` one at most. That it stands
    /// under `key` itself is a problem, of which the value is not told; nor are those of the others, as people put into
    /// the wrong key what they have.
    public mutating func secret(_ key: String, isRequired: Bool) -> SecretSource? {
        let fileKey = key + "_file", variableKey = key + "_env", credentialKey = key + "_credential"
        let keys = [fileKey, variableKey, credentialKey]
        for key in keys { keepSecret(key) }
        keepSecret(key)

        let open = unwantedEntry(key)
        if let open { report(.openSecret(key: fullName([key]), source: source(of: open), fileKey: fileKey)) }
        let given = keys.filter { entry($0) != nil }
        if given.count > 1 {
            let last = given.compactMap { table.entries[$0] }.max { $0.line ?? 0 < $1.line ?? 0 }
            report(.conflict(given, table: table.header, source: source(of: last)))
            return nil
        }
        if given.isEmpty && isRequired && open == nil {
            report(.missingEntry(
                fileKey, table: table.header, source: table.source,
                expected: "the path of a file with nothing but the \(key) in it, for you alone (`chmod 600`); or use "
                    + inWords([variableKey, credentialKey], "or")))
        }
        guard open == nil else { return nil }
        let variable = "the name of an environment variable, in capitals, such as ISTEP_TOKEN"
        let credential = "the name of a file in $CREDENTIALS_DIRECTORY"
        return path(fileKey, "a file with nothing but the \(key) in it").map(SecretSource.file)
            ?? value(variableKey, variable) { isVariable($0) ? .environment($0) : nil }
            ?? value(credentialKey, credential) { isCredential($0) ? .credential($0) : nil }
    }
}

/// The names that POSIX.1-2017, section 8.1, has for variables of the environment. Those with small letters, which it
/// leaves to applications, are left out: errors tell the name, and a token under the wrong key would often be one.
private func isVariable(_ name: String) -> Bool {
    guard let first = name.utf8.first, name.utf8.count <= 128, !isDigit(first) else { return false }
    return name.utf8.allSatisfy { isDigit($0) || $0 == UInt8(ascii: "_") || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
}

private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

/// The names that systemd.exec(5) has for credentials: those of files.
private func isCredential(_ name: String) -> Bool {
    name != "." && name != ".." && !name.contains("/") && name.utf8.count <= 255
}
