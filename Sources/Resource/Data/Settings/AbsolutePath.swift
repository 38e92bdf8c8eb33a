/// A path of a file's text, or nil where it is none that starts with / or ~/.
///
/// A file is read from wherever a command runs, so that a relative path in it would mean another one each time.
func absolutePath(_ path: String, home: String?) -> String? {
    if path.hasPrefix("/") { return path }
    guard path.hasPrefix("~/"), let home else { return nil }
    return home + path.dropFirst()
}
