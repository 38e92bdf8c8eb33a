import Foundation
import StepDomain
import StepViews
import Testing

@Suite(.timeLimit(.minutes(5))) struct MeasureTests {
    @Test(arguments: [
        ("178", 1.78), ("178cm", 1.78), ("1.78 m", 1.78), ("1,78m", 1.78), ("177,5", 1.775), ("5ft10in", 1.778),
        ("5' 10\"", 1.778), ("5′10″", 1.778), ("5'10", 1.778), ("5 feet 10 inches", 1.778), ("6ft", 1.8288),
        ("70in", 1.778), ("5ft 10.5in", 1.7907),
    ])
    func `a height is read with its unit or in centimetres`(text: String, metres: Double) throws {
        let value = try #require(Measure(text, .height)).value(.metric)
        #expect(abs(value - metres) < 1e-9, "\(value)")
    }

    @Test(arguments: [
        ("72", 72.0), ("72.5", 72.5), ("72,5 kg", 72.5), ("160lb", 72.574_779_2), ("160 lbs", 72.574_779_2),
        ("11st 6lb", 72.574_779_2), ("11st6", 72.574_779_2),
    ])
    func `a weight is read with its unit or in kilograms`(text: String, kilograms: Double) throws {
        let value = try #require(Measure(text, .weight)).value(.metric)
        #expect(abs(value - kilograms) < 1e-9, "\(value)")
    }

    @Test func `a number without a unit is in inches and pounds where these are shown`() throws {
        #expect(try abs(#require(Measure("70", .height)).value(.imperial) - 1.778) < 1e-9)
        #expect(try abs(#require(Measure("160", .weight)).value(.imperial) - 72.574_779_2) < 1e-9)
        #expect(try abs(#require(Measure("74cm", .stepLength)).value(.imperial) - 0.74) < 1e-9)
    }

    @Test(arguments: [
        "", "cm", "-178", "178kg", "1.78.2", "178 cm cm", "10in 5ft", "5ft 5ft", "1e3", "0x10", "178cm5", "5 10", "∞",
        "12345",
    ])
    func `what is no length is refused`(text: String) { #expect(Measure(text, .height) == nil) }

    /// 22 lb and 59.1 in were named, and refused.
    @Test(arguments: [UnitSystem.metric, .imperial])
    func `the limits that are named can be typed`(units: UnitSystem) throws {
        for (range, quantity) in [
            (10.0...400.0, Measure.Quantity.weight), (0.5...2.5, .height), (0.2...1.5, .stepLength),
        ] {
            let words = units.words(range, quantity).replacing("to", with: "|").split(separator: "|")
            let ends = words.map { $0.trimmingCharacters(in: .whitespaces) }
            #expect(ends.count == 2)
            for end in ends {
                let value = try #require(Measure(end, quantity), "\(end)").value(units)
                #expect(range.contains(value), "\(end) of \(units.words(range, quantity))")
            }
        }
    }

    @Test(arguments: [
        (6184.0, "3.84 mi"), (160_934.4, "100 mi"), (160_925, "99.99 mi"), (3_731_000, "2,318 mi"), (.nan, "? mi"),
    ])
    func `distances have two decimals below 100 miles`(_ metres: Double, _ words: String) {
        #expect(UnitSystem.imperial.words(distance: metres) == words)
    }

    @Test func `values of a body are shown in the units of the reader`() {
        let (metric, imperial) = (UnitSystem.metric, UnitSystem.imperial)
        #expect(metric.words(height: 1.78) == "178 cm" && imperial.words(height: 1.78) == "5 ft 10 in")
        // Not 5 ft 12 in.
        #expect(imperial.words(height: 1.8279) == "6 ft 0 in" && imperial.words(height: .nan) == "?")
        #expect(metric.words(weight: 72.5) == "72.5 kg" && imperial.words(weight: 72.574_779) == "160 lb")
        #expect(metric.words(length: 0.74) == "74 cm" && imperial.words(length: 0.74) == "29.1 in")
        #expect(metric.words(0.5...2.5, .height) == "50 to 250 cm")
        #expect(imperial.words(0.5...2.5, .height) == "1 ft 8 in to 8 ft 2 in")
        #expect(imperial.words(20...300, .weight) == "44.1 to 661.3 lb")
    }
}

@Suite(.timeLimit(.minutes(5))) struct DateInputTests {
    @Test(arguments: [
        "2014-04-20", "20140420", "20.4.2014", "20.04.2014", "20. 4. 2014", "20/4/2014", "4/20/2014", "04/20/2014",
        "20 April 2014", "20. Apr 2014", "April 20, 2014", "apr. 20 2014",
    ])
    func `a date is read in the usual forms`(text: String) throws {
        #expect(try DateInput.day(text) == Day("2014-04-20"))
    }

    @Test func `a date that can be two days is refused with both`() throws {
        let (april, may) = (try #require(Day("2014-05-04")), try #require(Day("2014-04-05")))
        #expect(throws: DateInput.Problem.ambiguous(april, may)) { try DateInput.day("4/5/2014") }
        #expect(try DateInput.day("4/4/2014") == Day("2014-04-04"))
    }

    @Test(arguments: [
        ("2014-02-30", DateInput.Problem.noSuchDay), ("30.2.2014", .noSuchDay), ("13/13/2014", .noSuchDay),
        ("20.4.14", .unknownForm), ("20.4.", .unknownForm), ("April 2014", .unknownForm), ("20 Foo 2014", .unknownForm),
        ("", .unknownForm), ("2014/04/20", .unknownForm), ("٢٠.٤.٢٠١٤", .unknownForm),
    ])
    func `what is no date is refused with the reason`(text: String, problem: DateInput.Problem) {
        #expect(throws: problem) { try DateInput.day(text) }
    }
}
