import StepDomain
import StepViews
import Testing

struct ModelTitlesTests {
    private let titles = ModelTitles(
        kinds: [
            PedometerKind(key: "colmi", title: "Colmi ring"),
            PedometerKind(key: "lefun", title: "Lefun band", caveat: "read once"),
        ],
        formats: [ForeignFormat(key: "fitbit", title: "Fitbit", files: "a folder")])

    @Test func `a model and a source of imports have titles, and what is not known has its key`() {
        #expect(titles.title("colmi") == "Colmi ring")
        #expect(titles.title("import:fitbit") == "imported from Fitbit")
        #expect(titles.title("import:gone") == "imported from gone")
        #expect(titles.title("gone") == "gone")
    }

    @Test func `only a model with a caveat is experimental in lists`() {
        #expect(titles.titleInList("lefun") == "Lefun band (experimental)" && titles.caveat("lefun") == "read once")
        #expect(
            titles.titleInList("colmi") == "Colmi ring"
                && titles.titleInList("import:fitbit") == titles.title("import:fitbit"))
    }
}
