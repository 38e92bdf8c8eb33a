internal import CPostgres

/// libpq, loaded at most once.
enum PostgresLibrary {
    /// Its functions, or why it cannot be used.
    static let loaded = load("libpq.so.5")

    static func load(_ name: String) -> Result<Functions, PostgresError> {
        var functions = cpostgres()
        let failure = cpostgres_load(name, &functions).map { String(cString: $0) }
        return failure.map { .failure(.libraryMissing(reason: $0)) } ?? .success(Functions(pointers: functions))
    }

    /// Pointers to code, which never change.
    struct Functions: @unchecked Sendable {
        let pointers: cpostgres
    }
}
