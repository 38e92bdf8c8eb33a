import StepDomain
import Testing

@Suite(.timeLimit(.minutes(5))) struct UserSlugsTests {
    private func slugs(_ names: String...) -> [String] {
        let users = names.enumerated().map { User(id: Int64($0 + 1), name: $1) }
        let slugs = UserSlugs(users)
        return users.map { slugs[$0] }
    }

    @Test func `a user name is converted to an identifier`() {
        let names = ["anna", "Anna Maria", " Jörg  Weiß ", "Łukasz Żak", "O'Neill-Smith", "R2_D2", "Ærø Þór", "naïve"]
        let expected = [
            "anna", "anna_maria", "jorg_weiss", "lukasz_zak", "o_neill_smith", "r2_d2", "aero_thor", "naive",
        ]
        #expect(names.map { slugs($0)[0] } == expected)
    }

    @Test func `no two users have the same identifier, and the first one keeps the plain form`() {
        let all = slugs("Zoë", "Zoe", "zoé", "Anna B.", "anna b", "Анна", "Анна!", "👣")
        #expect(Set(all).count == all.count)
        #expect(all[0] == "zoe" && all[3] == "anna_b")
        for slug in all { #expect(slug.wholeMatch(of: /[a-z0-9]+(_[a-z0-9]+)*/) != nil, "\(slug)") }
    }

    @Test func `a user who is added later does not change the identifiers of others`() {
        #expect(slugs("Zoë", "Zoe") == Array(slugs("Zoë", "Zoe", "Zoé", "Anna").prefix(2)))
    }

    @Test func `a user name equal to another's numbered identifier gets a unique identifier`() {
        let second = slugs("Zoë", "Zoe")[1]
        let all = slugs("Zoë", "Zoe", second)
        #expect(Set(all).count == 3)
        let first = slugs(second, "Zoë", "Zoe")
        #expect(Set(first).count == 3, "\(first)")
    }

    @Test func `long names stay short`() {
        #expect(slugs(String(repeating: "a b", count: 100))[0].count <= 64)
    }
}
