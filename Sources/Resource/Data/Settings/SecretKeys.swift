/// Reading the keys that name a secret.
extension TableReader {
    /// The source of a token or password: at most one of `key` + `_file`, `_env` and `_credential`. A value under `key`
    /// itself is a problem, and the error does not show it. Errors do not show the values of the other keys either,
    /// because users may enter the secret under the wrong key.
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
            report(
                .missingEntry(
                    fileKey, table: table.header, source: table.source,
                    expected: "the path of a file with mode 0600 that contains only the \(key); or use "
                        + inWords([variableKey, credentialKey], "or")))
        }
        guard open == nil else { return nil }
        let variable = "the name of an environment variable, in capitals, such as ISTEP_TOKEN"
        let credential = "the name of a file in $CREDENTIALS_DIRECTORY"
        return path(fileKey, "a file with only the \(key) in it").map(SecretSource.file)
            ?? value(variableKey, variable) { isVariable($0) ? .environment($0) : nil }
            ?? value(credentialKey, credential) { isCredential($0) ? .credential($0) : nil }
    }
}

extension SettingsTable {
    /// The secrets that the table names, each with the place of its key; invalid ones are omitted.
    ///
    /// - Parameter home: what `~` stands for.
    public func secrets(home: String?) -> [(secret: SecretSource, source: SettingSource)] {
        keys.compactMap { key in
            guard let text = text(key) else { return nil }
            // Certificates are public.
            if key.hasSuffix("_file"), key != "ca_file", let path = absolutePath(text, home: home) {
                return (.file(path), source(of: key))
            }
            if key.hasSuffix("_env"), isVariable(text) { return (.environment(text), source(of: key)) }
            if key.hasSuffix("_credential"), isCredential(text) { return (.credential(text), source(of: key)) }
            return nil
        }
    }

    /// The source of a key; that of the table if it has no such key.
    public func source(of key: String) -> SettingSource {
        guard case .file(let path, _) = source, let line = entries[key]?.line else { return source }
        return .file(path, line: line)
    }
}

/// The names that POSIX.1-2017, section 8.1, defines for environment variables. Names with lower-case letters, which it
/// leaves to applications, are excluded: errors show the name, and a token under the wrong key would often look like
/// one.
private func isVariable(_ name: String) -> Bool {
    guard let first = name.utf8.first, name.utf8.count <= 128, !isDigit(first) else { return false }
    return name.utf8.allSatisfy {
        isDigit($0) || $0 == UInt8(ascii: "_") || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
    }
}

private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

/// The names that systemd.exec(5) defines for credentials: file names.
private func isCredential(_ name: String) -> Bool {
    name != "." && name != ".." && !name.contains("/") && name.utf8.count <= 255
}
