extension StyleSheet {
    /// Cards and what stands in them.
    static let components = """
        main { padding-top: 1.25rem; padding-bottom: 2rem; overflow-x: clip; }
        main > h1 { margin: 0 0 1.25rem; }
        main > .muted { margin: -0.75rem 0 1.25rem; }
        footer { padding-bottom: 2.5rem; color: var(--muted); font-size: 0.8125rem; }
        .grid { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem; }
        .card { min-width: 0; padding: 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: 16px; }
        .card > header, figcaption, .hero header {
          display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: 0.25rem 1rem; margin-bottom: 0.75rem;
        }
        header > .icon { align-self: center; color: var(--accent); }
        .card > * + p, .card > * + form, .card > p + .facts { margin-top: 0.75rem; }
        .hero { display: grid; gap: 1.25rem 2rem; }
        .hero > div { min-width: 0; }
        .hero > .wide { padding-top: 1.25rem; border-top: 1px solid var(--line); }
        .lead .ring { margin-top: 1rem; }
        .ring { display: block; width: 13.5rem; height: 13.5rem; margin: 0 auto; }
        .stats { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: 1.1rem 0; }
        .stats > div { padding: 0 1.25rem; border-left: 1px solid var(--line); min-width: 0; }
        .stats > div:first-child { padding-left: 0; border: 0; }
        .stats dt { color: var(--muted); font-size: 0.875rem; }
        .stats .value { font-size: 1.75rem; line-height: 1.25; font-weight: 700; letter-spacing: -0.015em; overflow-wrap: anywhere; }
        .value small, .figure small { font-size: 0.9375rem; font-weight: 600; letter-spacing: 0; color: var(--muted); white-space: nowrap; }
        .stats dd + dd { color: var(--muted); font-size: 0.8125rem; }
        .figure { font-size: 2.25rem; line-height: 1.15; font-weight: 700; letter-spacing: -0.02em; }
        .stats .up, .up { color: var(--accent); font-weight: 600; }
        .stats .down, .down { color: var(--warn); font-weight: 600; }
        .facts > div { display: flex; justify-content: space-between; gap: 1rem; padding: 0.5rem 0; border-top: 1px solid var(--line); }
        .facts > div:first-child { border-top: 0; }
        .facts dt { color: var(--muted); }
        .facts dd { min-width: 0; text-align: right; font-weight: 600; overflow-wrap: anywhere; }
        .facts dd small { display: block; font-weight: 400; color: var(--muted); }
        .scroll { overflow-x: auto; }
        table { width: 100%; border-collapse: collapse; }
        p + table { margin-top: 0.75rem; }
        th, td { padding: 0.5rem 0.75rem; border-top: 1px solid var(--line); text-align: left; vertical-align: baseline; }
        tbody th { font-weight: 600; }
        thead th { border: 0; padding-top: 0; color: var(--muted); font-size: 0.8125rem; font-weight: 600; vertical-align: bottom; }
        tr > :first-child { padding-left: 0; }
        tr > :last-child { padding-right: 0; }
        .num { text-align: right; white-space: nowrap; }
        .numbers { font-size: 0.875rem; }
        .numbers > summary { color: var(--accent); font-weight: 600; }
        .numbers[open] { flex-basis: 100%; min-width: 0; }
        .numbers > div, .numbers > p { margin-top: 0.5rem; }
        .numbers th, .numbers td { padding-block: 0.25rem; }
        .flow { columns: 18rem; column-gap: 2.5rem; }
        .numbers tr { break-inside: avoid; }
        .rows > li { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 1rem; padding: 0.75rem 0; }
        .rows > li { border-top: 1px solid var(--line); }
        .rows > li:first-child { padding-top: 0; border-top: 0; }
        .rows > li:last-child { padding-bottom: 0; }
        .what { flex: 1 1 12rem; min-width: 0; overflow-wrap: anywhere; }
        .what > * { display: block; }
        .what > strong { font-weight: 600; }
        .actions { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem; }
        .card > * + .actions { margin-top: 1rem; }
        .actions .small { min-height: 2.125rem; font-size: 0.875rem; }
        .badge { display: inline-flex; align-items: center; padding: 0.1rem 0.6rem; border-radius: 99px; white-space: nowrap; }
        .badge { background: var(--sunk); color: var(--muted); font-size: 0.8125rem; font-weight: 600; }
        .badge.good { background: var(--soft); color: var(--accent); }
        .badge.warn { background: var(--warn-soft); color: var(--warn); }
        .badge.bad { background: var(--bad-soft); color: var(--bad); }
        .battery { display: inline-flex; align-items: center; gap: 0.4rem; font-weight: 600; white-space: nowrap; }
        .battery svg { width: 1.6rem; height: 0.8rem; }
        .notice { display: flex; gap: 0.75rem; padding: 0.8rem 1rem; border-radius: 12px; background: var(--sunk); overflow-wrap: anywhere; }
        .notice { margin-bottom: 1rem; }
        .notice > div { flex: 1; min-width: 0; }
        .notice.warn { background: var(--warn-soft); }
        .notice.bad { background: var(--bad-soft); }
        .notice.warn > .icon { color: var(--warn); }
        .notice.bad > .icon { color: var(--bad); }
        .steps > li { counter-increment: step; display: flex; gap: 0.75rem; padding: 0.6rem 0; }
        .steps form { margin-top: 0.5rem; }
        .steps > li::before {
          content: counter(step); flex: none; display: grid; place-items: center; width: 1.75rem; height: 1.75rem; border-radius: 50%;
          background: var(--soft); color: var(--accent); font-size: 0.875rem; font-weight: 700;
        }
        .more { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; margin: 1rem 0 0; font-size: 0.875rem; color: var(--muted); }
        .contents { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; margin: 1.25rem 0; padding: 0.75rem 0; }
        .contents { border-block: 1px solid var(--line); }
        .contents a { font-weight: 600; text-decoration: none; }
        .chapter { margin: 2rem 0 1rem; font-size: 1.375rem; letter-spacing: -0.01em; }

        """

    /// Charts. Their colours are those of `Tone`.
    static let charts = """
        .chart { padding-left: 2.6rem; container-type: inline-size; }
        .chart.plain { padding-left: 0; }
        .chart > svg { display: block; width: 100%; overflow: visible; }
        .chart .halo { paint-order: stroke; stroke: var(--card); stroke-width: 4px; }
        .chart .short { display: none; }
        @container (max-width: 22rem) { .chart .count, .chart .tip text { font-size: 11px; font-weight: 400; } }
        /* Seven numbers of five digits have no room. */
        @container (max-width: 17.5rem) {
          .chart .long { display: none; }
          .chart .short { display: inline; }
          .chart text { font-size: 11px; }
          .chart .count { font-size: 10px; }
        }
        .tip { pointer-events: none; }
        .col:hover .hit, .col:focus-visible .hit { fill: var(--text); fill-opacity: 0.06; }
        .col:hover .tip, .col:focus-visible .tip { opacity: 1; }
        .col:focus-visible { outline: none; }
        .col:focus-visible .hit { stroke: var(--accent); stroke-width: 3; }
        .legend { display: flex; flex-wrap: wrap; gap: 0.2rem 1rem; color: var(--muted); font-size: 0.8125rem; }
        .legend li { display: flex; align-items: center; gap: 0.4rem; }
        .legend svg { width: 0.875rem; height: 0.75rem; flex: none; }
        .below-chart { display: flex; flex-wrap: wrap; align-items: start; justify-content: space-between; gap: 0.5rem 1.5rem; }
        .below-chart { margin-top: 0.75rem; }
        .cal { display: flex; }
        .cal svg { display: block; height: auto; min-width: 0; overflow: visible; }
        .cal .names { flex: 46 1 0; }
        .cal .half { flex: 540 1 0; }
        .cal a:hover rect, .cal a:focus-visible rect { stroke: var(--text); stroke-width: 2; }
        .streak { display: block; width: 100%; max-width: 24rem; height: auto; margin: 1rem 0 0.75rem; }

        """
}
