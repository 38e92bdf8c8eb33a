import Foundation
import StepDomain
import TestSupport
import Testing

@testable import ForeignHistories

@Suite(.timeLimit(.minutes(5))) struct CSVTests {
    @Test(arguments: [
        "Date,Steps\n2019-04-01,5000\n2019-04-02,6000\n", "date;schritte\r\n01.04.2019;5000\r\n2.4.2019;6000\r\n",
        "\u{feff}\"Datum\"\t\"Schritte\"\n\"2019/4/1\"\t\"5000.0\"\n\"2019/4/2\"\t\"6,000\"\n",
        "20190401,5000\n20190402,6000\n",
        "Start,Finish,Steps (count)\n01-Apr-2019 00:00,02-Apr-2019 00:00,5000.0\n02-Apr-2019 00:00,03-Apr-2019 00:00,6000.0\n",
        "day,step_count,goal_steps\n2019-04-01,5000,8000\n2019-04-02,6000,8000",
        "Day;Steps\n1.4.2019;5.000\n2.4.2019;6.000\n",
        "Date,Steps\n4/13/2019,\n4/1/2019,5000\n4/2/2019,6000\n", "1554069600000,5000\n1554156000000,6000\n",
    ])
    func `totals of days in the forms of several programs`(text: String) throws {
        let history = try read("steps.csv", text)
        #expect(history.totals == ["steps": ["2019-04-01": 5000, "2019-04-02": 6000]], "\(text)")
        #expect(history.samples.allSatisfy { $0.length == 86_400 })
    }

    /// 23:30 at -07:00 is 08:30 of the next day in Berlin.
    @Test func `days are those of the offset that a line has, with one time and with two`() throws {
        for text in [
            "time,steps\n2019-06-01T23:30:00-07:00,100\n2019-06-01T23:45:00-07:00,50\n",
            "start,end,steps\n2019-06-01T23:30:00-07:00,2019-06-01T23:45:00-07:00,150\n",
            "time,counter\n2019-06-01T23:30:00-07:00,100\n2019-06-01T23:45:00-07:00,150\n",
        ] {
            let isCounter = text.contains("counter")
            let history = try read(
                "x.csv", text, options(columns: isCounter ? ["time": "time", "counter": "counter"] : [:]))
            #expect(history.totals == ["x": ["2019-06-01": 150]] && history.zone == .records, "\(text)")
            #expect(history.samples.allSatisfy { $0.utcOffset == -7 * 3600 }, "\(text)")
        }
    }

    /// It is a moment of which the file does not say what clocks showed there.
    @Test func `times of UTC get the day of the owner's zone, which the import remembers`() throws {
        let text = "time,steps\n2019-06-01T22:15:00Z,100\n2019-06-01T22:30:00Z,50\n"
        let berlin = try read("x.csv", text)
        #expect(berlin.totals == ["x": ["2019-06-02": 150]] && berlin.zone == .named("test"))
        #expect(berlin.samples.first?.utcOffset == 7200)
        #expect(try read("x.csv", text, options(.fixed(0))).totals == ["x": ["2019-06-01": 150]])
        for midnights in [
            "2019-06-01T00:00:00Z,100\n2019-06-02T00:00:00Z,50", "2019-05-31T22:00:00Z,100\n2019-06-01T22:00:00Z,50",
        ] {
            #expect(
                try read("x.csv", "day,steps\n" + midnights).totals == ["x": ["2019-06-01": 100, "2019-06-02": 50]])
        }
    }

    @Test(arguments: [1, 1000])
    func `seconds and milliseconds since 1970 that are no midnights are slots`(factor: Int) throws {
        let start = now.seconds - 86_400
        let lines = (0..<4).map { "\((start + $0 * 900) * factor),\(100 + $0)" }
        let history = try read("x.csv", "timestamp,steps\n" + lines.joined(separator: "\n"))
        #expect(history.samples.map(\.steps) == [100, 101, 102, 103])
        #expect(history.samples.map(\.start.seconds) == (0..<4).map { start + $0 * 900 })
        #expect(history.samples.allSatisfy { $0.length == 900 })
    }

    @Test func `a date that can be read in two ways is not guessed`() throws {
        let text = "Date,Steps\n1/4/2019,5000\n2/4/2019,6000\n"
        let error = #expect(throws: ImportError.self) { try read("x.csv", text) }
        guard case .columns(_, let advice)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.category == .usage && advice.contains("order=dmy"))
        #expect(
            try read("x.csv", text, options(columns: ["order": "dmy"])).totals == [
                "x": ["2019-04-01": 5000, "2019-04-02": 6000]
            ])
        #expect(
            try read("x.csv", text, options(columns: ["order": "mdy"])).totals == [
                "x": ["2019-01-04": 5000, "2019-02-04": 6000]
            ])
    }

    @Test func `columns that are not clear are asked for, and can be named`() throws {
        let text = "A,B,C\n2019-04-01,7,5000\n2019-04-02,8,6000\n"
        #expect(throws: ImportError.self) { try read("x.csv", text) }
        for columns in [["day": "A", "steps": "C"], ["day": "1", "steps": "3"]] {
            #expect(
                try read("x.csv", text, options(columns: columns)).totals == [
                    "x": ["2019-04-01": 5000, "2019-04-02": 6000]
                ])
        }
        #expect(throws: ImportError.self) { try read("x.csv", text, options(columns: ["day": "D", "steps": "C"])) }
    }

    @Test func `the advice for a table with several columns of numbers names the one of steps`() throws {
        let text = "day,steps,walking steps,corrected\n2019-04-01,7,5,false\n2019-04-02,8,6,true\n"
        let error = #expect(throws: ImportError.self) { try read("x.csv", text) }
        guard case .columns(_, let advice)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(advice.hasSuffix("--columns day=day,steps=steps"), "\(advice)")
    }

    @Test func `times become slots, in the zone of the owner or with their offset`() throws {
        let local = try read("x.csv", "time,steps\n2019-04-01 10:00,50\n2019-04-01 10:15,60\n2019-04-01 10:30,70\n")
        #expect(local.samples.map(\.start) == [0, 900, 1800].map { LocalTime.berlin.at("2019-04-01", 10) + $0 })
        #expect(local.samples.map(\.length) == [900, 900, 900] && local.zone == .named("test"))
        let written = try read("x.csv", "start,end,steps\n2019-04-01T10:00:00+00:00,2019-04-01T10:10:00+00:00,50\n")
        #expect(
            written.samples == [
                StepSample(start: LocalTime.berlin.at("2019-04-01", 12), length: 600, steps: 50, utcOffset: 7200)
            ])
        #expect(written.zone == .named("test"))
        // With other offsets in the table, it is that of a place.
        let places =
            "2019-04-01T10:00:00+00:00,2019-04-01T10:10:00+00:00,50\n2019-04-02T10:00:00+01:00,2019-04-02T10:10:00+01:00,60\n"
        let travelled = try read("x.csv", "start,end,steps\n" + places)
        #expect(travelled.samples.map(\.utcOffset) == [0, 3600] && travelled.zone == .records)
    }

    /// As pandas writes moments: evenings in America were on the next day.
    @Test func `times with +00:00 in all lines are moments, as those with Z`() throws {
        let text = "time,steps\n2019-06-01T15:00:00Z,1000\n2019-06-01T16:00:00Z,500\n2019-06-02T01:00:00Z,2000\n"
        let newYork = LocalTime.fixed(-4 * 3600)
        for zero in ["Z", "+00:00", "+0000", "-00:00"] {
            let history = try read("x.csv", text.replacing("Z", with: zero), options(newYork))
            #expect(history.totals == ["x": ["2019-06-01": 3500]], "\(zero)")
        }
    }

    /// 2:45 in summer time to 2:00 in winter time.
    @Test func `a quarter of an hour in which clocks are set back does not end before it begins`() throws {
        let text = "Start,End,Steps\n2019-10-27 02:30,2019-10-27 02:45,5\n2019-10-27 02:45,2019-10-27 02:00,7\n"
        let history = try read("x.csv", text)
        #expect(history.samples.map(\.steps) == [5, 7] && history.samples.map(\.length) == [900, 900])
        let times = try read("x.csv", "Date,Start,End,Steps\n2019-10-27,02:45,02:00,7\n2019-10-27,10:00,10:15,8\n")
        #expect(times.samples.map(\.length) == [900, 900])
        #expect(throws: ImportError.self) {
            try read("x.csv", "Start,End,Steps\n2019-10-26 02:45,2019-10-26 02:00,7\n")
        }
    }

    /// InfiniTime sends the count of yesterday until the watch wakes up.
    @Test func `a counter that is reset after midnight does not count yesterday once more`() throws {
        let lines = [
            "2019-04-01 22:00,7900", "2019-04-01 23:00,8000", "2019-04-02 00:00,8010", "2019-04-02 00:00:05,8010",
            "2019-04-02 00:30,8020", "2019-04-02 07:00,12", "2019-04-02 09:00,900",
        ]
        for lines in [lines, lines.reversed()] {
            let text = "time,steps\n" + lines.joined(separator: "\n")
            let history = try read("x.csv", text, options(columns: ["counter": "steps"]))
            #expect(history.totals == ["x": ["2019-04-01": 8010, "2019-04-02": 910]], "\(lines)")
        }
    }

    @Test(arguments: ["Date,Start,End,Steps", "Datum,Von,Bis,Schritte", "Date,From,To,Steps", "Day,Begin,Until,Steps"])
    func `times beside a date are those of the date`(names: String) throws {
        let text = names + "\n2019-04-01,08:00,08:30,600\n2019-04-02,23:45,00:15,500\n"
        let history = try read("x.csv", text)
        #expect(history.totals == ["x": ["2019-04-01": 600, "2019-04-02": 500]])
        #expect(history.samples.map(\.length) == [1800, 1800])
    }

    /// All steps of a week would be those of its Monday.
    @Test(arguments: [
        ["2019-04-01", "2019-04-08", "2019-04-22"],
        ["2019-04-01 00:00", "2019-04-08 00:00", "2019-04-15 00:00"],
        ["2019-04-01T12:00", "2019-04-08T12:00", "2019-04-15T12:00"], ["04/01/2019", "04/08/2019", "04/22/2019"],
        ["2019-06-01", "2019-05-01", "2019-04-01", "2019-03-01"],
    ])
    func `a table of weeks or months is refused, unless its days are named`(days: [String]) throws {
        let text = "Week,Steps\n" + days.map { "\($0),50000" }.joined(separator: "\n")
        let error = #expect(throws: ImportError.self) { try read("x.csv", text) }
        guard case .columns(_, let advice)? = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(advice.contains("--columns day="))
        #expect(try read("x.csv", text, options(columns: ["day": "Week"])).totals["x"]?.count == days.count)
        let twice = "Device,Date,Steps\nA,2019-04-01,5\nB,2019-04-01,6\nC,2019-04-01,7\n"
        #expect(try read("x.csv", twice).totals.count == 3, "lines of one day")
    }

    @Test(arguments: [
        "startDate,endDate,steps\n2019-04-01 23:40,2019-04-02 00:00,3000\n2019-04-02 12:00,2019-04-02 12:20,900\n",
        "Date,Start Time,End Time,Steps\n2019-04-01,23:40,0:00,3000\n2019-04-02,12:00,12:20,900\n",
        "Date,Start Time,End Time,Steps\n2019-04-01,11:40 PM,24:00,3000\n2019-04-02,12:00 PM,12:20 PM,900\n",
        "Start Time,End Time,Steps\n2019-04-01T23:40,2019-04-01T24:00,3000\n2019-04-02T12:00,2019-04-02T12:20,900\n",
        "start,end,steps\n2019-04-01 23:40,24:00,3000\n2019-04-02 12:00,12:20,900\n",
    ])
    func `the end of a line is used, however its columns are named`(text: String) throws {
        let history = try read("x.csv", text)
        let starts = [LocalTime.berlin.at("2019-04-01", 23) + 2400, LocalTime.berlin.at("2019-04-02", 12)]
        #expect(history.samples.map(\.start) == starts && history.samples.map(\.length) == [1200, 1200], "\(text)")
        #expect(history.totals == ["x": ["2019-04-01": 3000, "2019-04-02": 900]])
    }

    @Test func `an end that is named by the user comes before others`() throws {
        let text = "start,enddate,endtime,until,steps\n2019-04-01 10:00,2019-04-01,12:00,2019-04-01 10:20,900\n"
        #expect(try read("x.csv", text).samples.map(\.length) == [7200])
        #expect(try read("x.csv", text, options(columns: ["end": "until"])).samples.map(\.length) == [1200])
    }

    /// It was taken for a slot of an hour.
    @Test func `an end that cannot be read is an error, and one that is missing is not`() throws {
        for end in ["later", "2019-04-01 25:00", "24:30"] {
            let text = "start,end,steps\n2019-04-01 08:00,\(end),12000\n"
            let error = #expect(throws: ImportError.self) { try read("x.csv", text) }
            #expect(error?.category == .data, "\(end)")
            #expect("\(String(describing: error))".contains("the time of an end"))
        }
        let missing = try read(
            "x.csv", "start,end,steps\n2019-04-01 08:00,,1200\n2019-04-01 09:00,2019-04-01 09:30,60\n")
        #expect(missing.samples.map(\.length) == [3600, 1800])
    }

    /// It was an hour of running at noon.
    @Test(arguments: [false, true])
    func `a line each day at the same time is the total of its day, in either order`(isDescending: Bool) throws {
        var lines = ["2019-04-01 12:00,9000", "2019-04-02 12:00,8000", "2019-04-04 12:00,7000"]
        if isDescending { lines.reverse() }
        let history = try read("x.csv", "time,steps\n" + lines.joined(separator: "\n"))
        #expect(history.totals == ["x": ["2019-04-01": 9000, "2019-04-02": 8000, "2019-04-04": 7000]])
        #expect(history.samples.allSatisfy { $0.length == 86_400 })
    }

    /// They were slots of an hour, which counted beside the ring's.
    @Test func `a line each day at nearly the same time is the total of its day`() throws {
        let text = "time,steps\n2019-04-01 23:59:57,8000\n2019-04-02 23:59:58,7000\n2019-04-03 23:58:10,6000\n"
        let history = try read("x.csv", text)
        #expect(history.totals == ["x": ["2019-04-01": 8000, "2019-04-02": 7000, "2019-04-03": 6000]])
        #expect(history.samples.allSatisfy { $0.length == 86_400 })
        // Walks: two, some a week, one a week.
        for walks in [
            "2019-04-01 08:00,3000\n2019-04-02 08:10,2500",
            "2019-04-01 18:00,3000\n2019-04-03 18:20,3000\n2019-04-05 18:10,3000",
            "2019-04-06 10:00,6000\n2019-04-13 10:20,7000\n2019-04-20 09:50,6500",
        ] {
            #expect(try read("x.csv", "time,steps\n\(walks)\n").samples.allSatisfy { $0.length <= 3600 }, "\(walks)")
        }
    }

    /// West of Greenwich they were on the days before.
    @Test func `midnights of UTC in seconds since 1970 are its days, as those with Z`() throws {
        let west = LocalTime.fixed(-5 * 3600)
        let first = Day("2019-04-01")!.daysSince1970 * 86_400
        for (a, b) in [("\(first)", "\(first + 86_400)"), ("2019-04-01T00:00:00Z", "2019-04-02T00:00:00Z")] {
            let history = try read("x.csv", "time,steps\n\(a),5000\n\(b),6000\n", options(west))
            #expect(history.totals == ["x": ["2019-04-01": 5000, "2019-04-02": 6000]], "\(a)")
        }
        // Midnights of the place.
        let local = try read("x.csv", "time,steps\n\(first + 18_000),5000\n\(first + 104_400),6000\n", options(west))
        #expect(local.totals == ["x": ["2019-04-01": 5000, "2019-04-02": 6000]])
    }

    /// The first line counted as the names, and separators in quotes as columns.
    @Test(arguments: [
        "Activities\nDate,Calories,Steps\n\"2019-04-01\",\"2,500\",\"5,000\"\n\"2019-04-02\",\"900\",\"6,000\"\n",
        "sep=;\nDate;Steps\n2019-04-01;5000\n2019-04-02;6000\n",
        "My steps\n\nDate,Steps\n2019-04-01,5000\n2019-04-02,6000\n",
        "Date,Kcal,Steps,Rest\n\"2019-04-01\",\"2,500\",\"5,000\",\"1,200\"\n\"2019-04-02\",\"2,100\",\"6,000\",\"900\"\n",
        "Datum;Schritte\n1. 4. 2019;5 000\n2. 4. 2019;6\u{a0}000\n",
        "date,steps\n2019. 4. 1.,5\u{202f}000\n2019. 4. 2.,6\u{2009}000\n",
    ])
    func `titles, quotes and blanks do not keep a table from being read`(text: String) throws {
        #expect(try read("x.csv", text).totals == ["x": ["2019-04-01": 5000, "2019-04-02": 6000]], "\(text)")
    }

    /// They were added up.
    @Test(arguments: [
        (
            "Start,End,Steps today\n2019-04-01 10:00,2019-04-01 10:15,500\n2019-04-01 10:15,2019-04-01 10:30,800\n",
            ["counter": "Steps today"]
        ),
        (
            "Date,Time,Steps\n2019-04-01,10:00,500\n2019-04-01,22:00,800\n2019-04-01,12:00,600\n",
            ["day": "Date", "counter": "Steps"]
        ),
        ("Date,Steps\n2019-04-01,500\n2019-04-01,800\n2019-04-01,600\n", ["day": "Date", "counter": "Steps"]),
    ])
    func `a counter is one also beside an end, beside a time, and of days`(text: String, columns: [String: String])
        throws
    {
        #expect(try read("x.csv", text, options(columns: columns)).totals == ["x": ["2019-04-01": 800]])
    }

    @Test func `a time that cannot be read is named, not its date`() throws {
        let error = #expect(throws: ImportError.self) {
            try read("x.csv", "Date,Time,Steps\n2019-04-01,10:00,5\n2019-04-01,10 o'clock,5\n")
        }
        #expect("\(String(describing: error))".contains("is not a time of day"))
    }

    /// They were slots of an hour.
    @Test func `the length of slots is found in a table whose newest line is first`() throws {
        let text = "time,steps\n2019-04-01 10:30,70\n2019-04-01 10:15,60\n2019-04-01 10:00,50\n"
        let samples = try read("x.csv", text).samples.sorted { $0.start < $1.start }
        #expect(samples.map(\.length) == [900, 900, 900] && samples.map(\.steps) == [50, 60, 70])
    }

    @Test func `a clock that is set back shows an hour twice, and the day has 25 hours`() throws {
        let history = try read("x.csv", "Date,Steps\n2019-10-27,5000\n2019-03-31,4000\n")
        #expect(Set(history.samples.map(\.length)) == [90_000, 82_800])
    }

    @Test func `a counter of the day becomes differences`() throws {
        let text = "time,steps\n2019-04-01 10:00,500\n2019-04-01 12:00,800\n2019-04-01 14:00,100\n2019-04-02 08:00,40\n"
        let history = try read("x.csv", text, options(columns: ["day": "time", "counter": "steps"]))
        #expect(history.totals == ["x": ["2019-04-01": 900, "2019-04-02": 40]])
    }

    @Test func `each device has a counter of its own`() throws {
        let text = "time,device,counter\n2019-04-01 10:00,A,5000\n2019-04-01 10:05,B,300\n2019-04-01 11:00,A,5100\n"
        let history = try read("x.csv", text, options(columns: ["day": "time", "counter": "counter"]))
        #expect(history.totals == ["A": ["2019-04-01": 5100], "B": ["2019-04-01": 300]])
    }

    /// Its readings were added up.
    @Test func `a counter can be written with the newest line first, and twice`() throws {
        let lines = ["2019-04-01 08:00,40", "2019-04-01 12:00,3000", "2019-04-01 12:00,3000", "2019-04-01 22:00,8000"]
        for lines in [lines, lines.reversed()] {
            let text = "time,counter\n2019-04-03 07:00,5\n" + lines.joined(separator: "\n")
            let history = try read("x.csv", text, options(columns: ["day": "time", "counter": "counter"]))
            #expect(history.totals == ["x": ["2019-04-01": 8000, "2019-04-03": 5]], "\(lines)")
            let times = [0, 8, 12].map { LocalTime.berlin.at("2019-04-01", $0) }
            #expect(history.samples.sorted { $0.start < $1.start }.prefix(3).map(\.start) == times, "\(lines)")
        }
    }

    /// The first reading counted on the day before, whose offset was not that of the reading.
    @Test func `a counter is right on the day on which clocks are set back`() throws {
        let lines = [
            "2019-10-27 02:00,10", "2019-10-27 02:30,20", "2019-10-27 02:00,25", "2019-10-27 02:30,30",
            "2019-10-27 03:00,40", "2019-10-27 21:00,8000",
        ]
        // Two readings at other minutes of both hours counted as a new beginning of the counter.
        let others = ["2019-10-27 02:10,10", "2019-10-27 02:40,20", "2019-10-27 02:05,25", "2019-10-27 02:50,30"]
        for lines in [
            lines, lines.reversed(), [lines[5]], [lines[1], lines[5]], others + [lines[5]],
            [lines[5]] + others.reversed(),
        ] {
            let text = "time,counter\n" + lines.joined(separator: "\n")
            let history = try read("x.csv", text, options(columns: ["day": "time", "counter": "counter"]))
            #expect(history.totals == ["x": ["2019-10-27": 8000]], "\(lines)")
        }
    }

    @Test(arguments: [
        "2019-04-01 12:00,3000\n2019-04-01 12:00,3010\n2019-04-01 12:01,3020\n",
        "2019-04-01 10:00,500\n2019-04-01 14:00,3020\n2019-04-01 12:00,700\n", "2019-04-01,3020\n",
    ])
    func `the order of a counter's lines does not matter`(lines: String) throws {
        let history = try read(
            "x.csv", "time,counter\n" + lines, options(columns: ["day": "time", "counter": "counter"]))
        #expect(history.totals == ["x": ["2019-04-01": 3020]], "\(lines)")
    }

    @Test func `a total at 24:00 is that of the day that ends`() throws {
        for text in [
            "Date,Time,Steps\n2019-04-01,24:00,8000\n2019-04-02,24:00,7000\n",
            "time,steps\n2019-04-01 24:00,8000\n2019-04-02 24:00,7000\n",
        ] {
            #expect(try read("x.csv", text).totals == ["x": ["2019-04-01": 8000, "2019-04-02": 7000]], "\(text)")
        }
    }

    /// In winter clocks there show it; in summer the table has another offset.
    @Test func `where clocks show UTC, +00:00 is the offset of the place`() throws {
        let text = "time,steps\n2019-01-01T10:00:00+00:00,5\n2019-01-01T10:15:00+00:00,6\n"
        #expect(try read("x.csv", text, options(.fixed(0))).zone == .records)
        #expect(try read("x.csv", text).zone == .named("test"))
    }

    @Test func `devices are sources`() throws {
        let history = try read("x.csv", "Device,Date,Steps\nPhone,2019-04-01,50\nWatch,2019-04-01,60\n")
        #expect(history.totals == ["Phone": ["2019-04-01": 50], "Watch": ["2019-04-01": 60]])
    }

    @Test func `the name of the next export has another date and is the same source`() throws {
        let names = try ["steps_20190401.csv", "steps_20190402.csv"].map {
            try read($0, "Date,Steps\n2019-04-01,50\n").tracks[0].source
        }
        #expect(names[0] == names[1])
    }

    @Test(arguments: [
        ("ring1.csv", "ring1"), ("ring-2.csv", "ring 2"), ("R02 ring.csv", "R02 ring"), ("steps (3).csv", "steps"),
        ("steps_20190401T1030Z.csv", "steps T Z"), ("schritte-01.04.2019.csv", "schritte"),
        ("ring2-2019-04-01 12h30.csv", "ring2 h"), ("ring-2-2019-04.csv", "ring 2"), ("steps 2019-W14.csv", "steps W"),
        ("31-12-25.csv", "table"),
        ("steps.part.2019.csv", "steps"), ("шаги 2019.tsv", "шаги"),
    ])
    func `a number that belongs to the name of a file is part of its source`(file: String, name: String) {
        #expect(CSVReader.sourceName(of: file) == name)
    }

    @Test func `a point and a comma before three digits cannot both group them`() throws {
        for (lines, steps) in [("1.500\n2019-04-02;2.500", [1500, 2500]), ("1,500\n2019-04-02;2.5", [1500, 3])] {
            #expect(try read("x.csv", "Date;Steps\n2019-04-01;\(lines)\n").samples.map(\.steps) == steps)
        }
        #expect(throws: ImportError.self) { try read("x.csv", "Date;Steps\n2019-04-01;1.500\n2019-04-02;1,500\n") }
    }

    @Test func `several lines of a day are added, and named`() throws {
        let lines = ["2019-04-01,50", "2019-04-02,60", "2019-04-02,7", "2019-04-03,1"]
        let history = try read("x.csv", "Date,Steps\n" + lines.joined(separator: "\n"))
        #expect(history.totals["x"]?["2019-04-02"] == 67)
        let note = ForeignNote.decision("1 day has several lines, such as 2019-04-02: their steps are added")
        #expect(history.notes.contains(note), "\(history.notes)")
        let devices = try read("x.csv", "Device,Date,Steps\nPhone,2019-04-01,50\nWatch,2019-04-01,60\n")
        #expect(!devices.notes.contains { "\($0)".contains("several lines") })
    }

    @Test(arguments: [
        ("Day,Report of Anna,Kcal", "day=Day,steps=COLUMN"),
        ("Report of Anna,Steps a,Steps b", "'day=Report of Anna,steps=Steps a'"),
        ("\"Day, local\",Steps a,Steps b", "'day=1,steps=Steps a'"), ("Day,Kcal", "day=Day,steps=COLUMN"),
    ])
    func `the columns of the advice can be pasted into a shell`(names: String, option: String) throws {
        let error = #expect(throws: ImportError.self) { try read("x.csv", names + "\n2019-04-01,1,2\n") }
        guard case .columns(_, let advice) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(advice.hasSuffix("--columns \(option)"), "\(advice)")
    }

    @Test func `empty and negative counts are not measured`() throws {
        let history = try read("x.csv", "Date,Steps\n2019-04-01,\n2019-04-02,-1\n2019-04-03,0\n2019-04-04,7\n")
        #expect(history.totals == ["x": ["2019-04-03": 0, "2019-04-04": 7]])
    }

    @Test(arguments: [
        "Date,Steps\n2019-04-01,1000000000\n", "Date,Steps\n1970-01-01,5000\n", "Date,Steps\n2100-01-01,5000\n",
        "Date,Steps\n2019-04-01,5000\nTotal,5000\n", "Date,Steps\n2019-04-01,many\n", "Date,Steps\n2019-04-01,\"5000\n",
        "Date,Steps\n2019-04-01,1e5\n",
    ])
    func `what cannot be right is an error`(text: String) {
        let error = #expect(throws: ImportError.self) { try read("x.csv", text) }
        #expect(error?.category == .data)
    }

    @Test func `changed tables are refused or give what a history can hold`() throws {
        var generator = SeededGenerator(seed: 2)
        let tables = [
            "Date,Steps\n2019-04-01,5000\n2019-04-02,6000\n2019-04-03,\"6,000\"\n",
            "time;schritte\n01.04.2019 10:00;500\n01.04.2019 12:00;800,5\n",
            "start,end,steps\n2019-04-01T10:00:00Z,2019-04-01T10:10:00+02:00,50\n",
            "date,start time,end time,steps\n2019-04-01,10:00,24:00,50\n2019-12-31,11:00 pm,1:00 am,50\n",
        ]
        for number in 0..<4000 { try survives(mutated(Data(tables[number % 4].utf8), &generator), "x.csv") }
    }

    @Test func `other texts are of no format`() {
        for text in ["hello", "", "{\"a\": 1}", "<html></html>"] {
            let error = #expect(throws: ImportError.self) { try read("x.csv", text) }
            #expect(error?.category == .data)
        }
    }
}
