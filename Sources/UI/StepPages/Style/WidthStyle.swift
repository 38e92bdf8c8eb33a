extension StyleSheet {
    /// Wide, narrow and low screens. Paper is none of the narrow ones, though A4 has fewer points than a tablet.
    static let widths = """
        @media (min-width: 60rem) {
          .grid { grid-template-columns: repeat(12, minmax(0, 1fr)); }
          .grid > * { grid-column: span 12; }
          .grid > .s8 { grid-column: span 8; } .grid > .s6 { grid-column: span 6; } .grid > .s4 { grid-column: span 4; }
          .grid > .o-hero { grid-area: 1 / 1 / 3 / 9; } .grid > .o-week { grid-area: 1 / 9 / 2 / 13; }
          .grid > .o-streak { grid-area: 2 / 9 / 4 / 13; } .grid > .o-cal { grid-area: 3 / 1 / 4 / 9; }
          .o-cal .cal text { font-size: 17px; }
          .hero { grid-template-columns: 14.5rem minmax(0, 1fr); }
          .hero > .wide { grid-column: 1 / -1; }
          .single { align-items: center; }
          .facts.two { columns: 2; column-gap: 3rem; }
          .facts.two > div { break-inside: avoid; }
        }
        @media (min-width: 100rem) {
          .site > div, main, footer { max-width: 100rem; }
          .cal text { font-size: 9.5px; }
          .o-cal .cal text { font-size: 13px; }
          .grid > .x8 { grid-column: span 8; } .grid > .x4 { grid-column: span 4; }
          .single.x4 { grid-template-columns: minmax(0, 1fr); justify-items: center; align-content: center; }
          .single.x4 > div { width: 100%; }
          .single.x4 .stats { grid-template-columns: 1fr 1fr; }
          .single.x4 .stats > div:nth-child(odd) { padding-left: 0; border: 0; }
        }
        @media screen and (max-width: 59.99rem) {
          .site > div { gap: 0.75rem; }
          .pages a { padding-inline: 0.55rem; }
          .tools .long { display: none; }
          .cal text { font-size: 16px; }
        }
        @media screen and (max-width: 48rem) {
          .minor { display: none; }
          .site > div, main, footer { padding-left: 1rem; padding-right: 1rem; }
          .site > div { min-height: 3.25rem; }
          .tools { gap: 0.5rem; }
          main { padding-top: 1rem; }
          h1 { font-size: 1.25rem; }
          .card { padding: 1rem; border-radius: 14px; }
          .datebar { position: relative; gap: 0.5rem 1rem; margin-bottom: 1rem; }
          .segments { order: -1; flex: 1 1 100%; }
          .segments a { padding-inline: 0; }
          .turn { flex: 1; margin: 0; }
          .turn h1 { flex: 1; text-align: center; font-size: 1.0625rem; }
          .turn .pick { position: static; }
          .pick > div { right: 0; width: auto; max-width: none; }
          .rows > li, .cards tr { position: relative; }
          .rows .menu, .cards .menu { position: static; }
          .rows .menu > div, .cards .menu > div { left: 0; right: 0; }
          .ring { width: 12rem; height: 12rem; }
          .stats { grid-template-columns: 1fr 1fr; }
          .stats > div:nth-child(odd) { padding-left: 0; border: 0; }
          .stats > div:nth-child(even) { padding-right: 0; }
          .stats .value { font-size: 1.5rem; }
          .cal { flex-wrap: wrap; row-gap: 0.75rem; }
          .cal .names { display: none; }
          .cal .half { flex: 1 1 100%; }
          .cal .newest { order: -1; }
          .cal .spare { display: none; }
          .cal text { font-size: 20px; }
          .cards thead { position: absolute; clip-path: inset(50%); }
          .cards, .cards tbody, .cards tr, .cards th, .cards td { display: block; border: 0; padding: 0; }
          .cards tr { display: grid; grid-template-columns: 1fr 1fr; gap: 0.4rem 1rem; padding: 0.8rem 0; border-top: 1px solid var(--line); }
          .cards tr:first-child { border: 0; padding-top: 0; }
          .cards th { grid-column: 1 / -1; }
          .cards td { text-align: left; white-space: normal; font-weight: 600; overflow-wrap: anywhere; }
          .cards td:empty { display: none; }
          .cards td::before { content: attr(data-label); display: block; font-size: 0.8125rem; font-weight: 400; color: var(--muted); }
        }
        /* The pages at the bottom edge; not on a low screen, such as one of 400 % zoom. */
        @media screen and (max-width: 48rem) and (min-height: 28rem) {
          .pages { position: fixed; inset: auto 0 0; z-index: 4; justify-content: space-around; }
          .pages { padding: 0.25rem 0 max(0.25rem, env(safe-area-inset-bottom)); background: var(--card); border-top: 1px solid var(--line); }
          .pages a { flex: 1; flex-direction: column; align-items: center; gap: 0.1rem; padding: 0.3rem 0; font-size: 0.6875rem; }
          .pages a[aria-current] { background: none; }
          .pages .icon { display: block; }
          body.local { padding-bottom: 3.75rem; }
        }
        @media screen and (max-width: 48rem) and (max-height: 28rem) {
          .site > div { flex-wrap: wrap; }
          .pages { flex-wrap: wrap; order: 1; }
          .synced { display: none; }
        }
        @media screen and (max-width: 22.5rem) {
          .site > div { gap: 0.4rem; }
          .tools { gap: 0.35rem; }
          .site button, .site .button { padding: 0 0.6rem; }
          .menu > summary.person { max-width: 5.5rem; }
          .pages a { font-size: 0.625rem; }
        }
        @media (prefers-reduced-motion: no-preference) { .tip, .hit { transition: opacity 0.1s, fill-opacity 0.1s; } }
        @media (forced-colors: active) { .chart svg, .cal svg, .ring { forced-color-adjust: none; background: var(--card); } }

        """

    /// On paper: light, without controls, all that is folded up open, nothing cut in two.
    static let paper = """
        @page { size: A4; margin: 14mm 12mm; }
        @media print {
          * { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
          body { font-size: 10pt; }
          .site, .segments, .turn .button, .menu, form, button, .actions, .skip, .more, .contents, .edit { display: none !important; }
          main, footer { max-width: none; padding-left: 0; padding-right: 0; }
          figure, .stats, .facts > div, .rows > li, tr, h2 { break-inside: avoid; }
          section.card:not(.tables) { break-inside: avoid; }
          h2, thead, figcaption { break-after: avoid; }
          .card { border-radius: 6px; }
          a { color: inherit; text-decoration: none; }
          details::details-content { content-visibility: visible; block-size: auto; }
          .numbers { flex-basis: 100%; }
          .scroll { overflow: visible; }
          .cal text { font-size: 17px; }
          .tip { display: none; }
        }

        """
}
