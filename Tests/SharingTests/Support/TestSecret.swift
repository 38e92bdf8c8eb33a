/// A secret that every encoding writes in another way.
enum TestSecret {
    static let text = #"tok/3n+&="<x>\y"#
    /// What of it stays the same where texts are quoted.
    static let plainPart = "tok/3n+&="
    static let variable = "ISTEP_TEST_SECRET"
    static let environment = [variable: text]
    /// What previews show in its place.
    static let bullets = "•••••"
}
