import StepDomain
import StepServices
import Testing

@testable import StepViews

@Suite(.timeLimit(.minutes(5))) struct ServiceErrorWordsTests {
    /// The name is what a device advertises, or what a configuration says.
    @Test func `a name in an advice is one word for the shell`() throws {
        let name = "a'; rm -rf ~; '", word = #"'a'\''; rm -rf ~; '\'''"#
        let known = try #require(ServiceErrorWords.advice(.alreadyRegistered(address: "C0:DE:00:00:00:01", name: name)))
        let address = "C0:DE:00:00:00:01"
        #expect(
            known
                == "To change its name: `istep devices \(address) --rename NAME`. To change its model, forget it and add it again; "
                + "its steps stay: `istep forget \(address)`")
        let gone = try #require(ServiceErrorWords.advice(.notInOutbox(Sample.day, destination: name)))
        #expect(gone == "To list the outbox: `istep outbox list \(word)`")
        let sent = try #require(ServiceErrorWords.advice(.alreadySent(Sample.day, destination: name)))
        #expect(sent == "To send it once more: `istep share 2014-04-20 --with \(word) --again`")
    }

    @Test func `sources of one name are told apart by their addresses, or by their users`() {
        let advice = { ServiceErrorWords.advice(.severalSources("ring", addresses: $0)) }
        #expect(advice(["C0:DE:00:00:00:01", "C0:DE:00:00:00:02"]) == "Give the address of the one that is meant.")
        #expect(advice(["C0:DE:00:00:00:01", "C0:DE:00:00:00:01"])?.contains("--user NAME") == true)
    }

    @Test func `a list of devices in range says if there are more`() {
        let all = ServiceErrorWords.problem(.severalInRange(["A", "B"], count: 2))
        #expect(all == "2 pedometers are in range: A, B.")
        let some = ServiceErrorWords.problem(.severalInRange(["A", "B"], count: 20))
        #expect(some == "20 pedometers are in range: A, B and others.")
        let names = ServiceErrorWords.problem(
            .notDiscovered("C0:DE:00:00:00:02", isName: false, seconds: 15, others: ["ring", "phone"]))
        #expect(names == "C0:DE:00:00:00:02 was not heard within 15 s; names in range: ring, phone.")
    }

    @Test func `a problem says which day, age or name is meant`() throws {
        let problem = ServiceErrorWords.problem
        #expect(problem(.noPlanFrom(Day(daysSince1970: 0), known: [])) == "No plan begins at the beginning.")
        #expect(problem(.birthNotPast(Sample.day)) == "The date of birth 2014-04-20 is not in the past.")
        let old = try #require(Day("1883-12-31"))
        #expect(problem(.birthTooLongAgo(old)) == "The date of birth 1883-12-31 is more than 130 years ago.")
        #expect(
            problem(.notDiscovered("r02", isName: true, seconds: 15))
                == "No device whose name begins with 'r02' (in upper or lower case) was heard within 15 s.")
    }
}
