import StepDomain
import Testing

@Suite(.timeLimit(.minutes(5))) struct UnitSystemTests {
    @Test(arguments: [
        (["LC_MEASUREMENT": "en_US.UTF-8"], UnitSystem.imperial), (["LC_ALL": "es_US@x"], .imperial),
        (["LC_MEASUREMENT": "de_DE.UTF-8", "LANG": "en_US.UTF-8"], .metric),
        (["LC_ALL": "", "LC_MEASUREMENT": "en_US"], .imperial), (["LC_ALL": "C"], .metric),
        // Its language is no place.
        (["LANG": "en_US.UTF-8"], nil), ([:], nil),
    ])
    func `the locale for measurements selects the units`(environment: [String: String], units: UnitSystem?) {
        #expect(UnitSystem(environment: environment) == units)
    }
}
