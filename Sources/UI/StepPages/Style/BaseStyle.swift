extension StyleSheet {
    /// Text, links, focus, and the frame of the page: header, menus, date bar.
    static let base = """
        *, ::before, ::after { box-sizing: border-box; }
        html { scroll-padding: 1rem 0 5rem; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
        body {
          margin: 0; background: var(--page); color: var(--text); font-variant-numeric: tabular-nums;
          font: 400 1rem/1.45 "Inter", "Adwaita Sans", "Cantarell", "Noto Sans", "Segoe UI", "Liberation Sans", system-ui, sans-serif;
        }
        h1, h2, p, dl, dd, ul, ol, figure, table { margin: 0; padding: 0; }
        ul, ol { list-style: none; }
        h1 { font-size: 1.5rem; line-height: 1.2; font-weight: 700; letter-spacing: -0.01em; text-wrap: balance; overflow-wrap: anywhere; }
        h2 { font-size: 1.0625rem; line-height: 1.3; font-weight: 700; overflow-wrap: anywhere; }
        h1 a { color: inherit; text-decoration: none; }
        h1 small { display: block; margin-top: 0.2rem; font-size: 0.9375rem; font-weight: 400; letter-spacing: 0; color: var(--muted); }
        small, .small { font-size: 0.8125rem; }
        code { font-size: 0.875em; overflow-wrap: anywhere; }
        pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; font-size: 0.875rem; }
        .muted { color: var(--muted); }
        a { color: var(--accent); text-underline-offset: 0.18em; text-decoration-thickness: 1px; }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 6px; }
        .vh { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
        .skip { position: absolute; left: -999px; }
        .skip:focus { left: 1rem; top: 0.5rem; z-index: 9; padding: 0.5rem 1rem; background: var(--card); }
        .icon { width: 1.25rem; height: 1.25rem; flex: none; fill: none; stroke: currentColor; stroke-width: 1.8; }
        .icon { stroke-linecap: round; stroke-linejoin: round; }
        .sprite { position: absolute; width: 0; height: 0; }

        """

    static let frame = """
        .site { background: var(--card); border-bottom: 1px solid var(--line); }
        .site > div, main, footer { max-width: 74rem; margin: 0 auto; padding: 0 1.25rem; }
        .site > div { display: flex; align-items: center; gap: 1.5rem; min-height: 3.75rem; }
        .brand { display: flex; align-items: center; gap: 0.5rem; font-size: 1.125rem; font-weight: 700; }
        .brand { color: var(--text); text-decoration: none; }
        .brand .icon { width: 1.5rem; height: 1.5rem; color: var(--walk); stroke-width: 3; }
        .pages { display: flex; gap: 0.125rem; }
        .pages a { display: flex; padding: 0.5rem 0.75rem; border-radius: 8px; font-size: 0.9375rem; font-weight: 600; }
        .pages a { color: var(--muted); text-decoration: none; }
        .pages a:hover { background: var(--sunk); color: var(--text); }
        .pages a[aria-current] { background: var(--soft); color: var(--accent); }
        .pages .icon { display: none; }
        .tools { display: flex; align-items: center; gap: 0.75rem; margin-left: auto; }
        .synced { display: flex; align-items: center; gap: 0.45rem; font-size: 0.875rem; white-space: nowrap; }
        .synced { color: var(--muted); text-decoration: none; }
        .synced::before { content: ""; width: 0.5rem; height: 0.5rem; border-radius: 50%; background: var(--walk); }
        .synced.late::before { content: "!"; width: auto; height: auto; background: none; color: var(--warn); font-weight: 700; }
        .synced:hover { color: var(--text); }
        button, .button {
          display: inline-flex; align-items: center; justify-content: center; gap: 0.4rem; min-height: 2.375rem; padding: 0 0.875rem;
          font: inherit; font-size: 0.9375rem; font-weight: 600; color: var(--text); background: var(--card); text-decoration: none;
          border: 1px solid var(--line); border-radius: 9px; cursor: pointer; white-space: nowrap;
        }
        button:hover, .button:hover { background: var(--sunk); }
        button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
        button.primary:hover { filter: brightness(1.12); }
        button.danger { color: var(--bad); border-color: currentColor; }
        .square { width: 2.375rem; padding: 0; flex: none; }
        [aria-disabled] { opacity: 0.4; pointer-events: none; }
        summary { cursor: pointer; }
        summary.button { list-style: none; }
        summary.button::-webkit-details-marker { display: none; }
        .menu { position: relative; }
        .menu > div {
          position: absolute; right: 0; top: calc(100% + 0.4rem); z-index: 5; min-width: 11rem; padding: 0.4rem; background: var(--card);
          border: 1px solid var(--line); border-radius: 12px; box-shadow: 0 8px 28px rgb(0 0 0 / 0.18);
        }
        .menu > summary.person { max-width: 9rem; overflow: hidden; }
        .menu > summary.person .icon { width: 1rem; height: 1rem; }
        .menu li a { display: block; padding: 0.5rem 0.7rem; border-radius: 8px; color: var(--text); text-decoration: none; }
        .menu li a:hover, .menu li a[aria-current] { background: var(--soft); color: var(--accent); }
        .menu .stack { padding: 0.6rem; text-align: left; font-weight: 400; }
        .pick > div { left: 0; right: auto; width: 21rem; max-width: 92vw; }
        .datebar { display: flex; flex-wrap: wrap; align-items: center; gap: 0.75rem 1rem; margin: 0 0 1.25rem; }
        .turn { display: flex; align-items: center; gap: 0.5rem; margin-right: auto; min-width: 0; }
        .turn h1 { padding: 0 0.25rem; }
        .segments { display: flex; padding: 3px; border: 1px solid var(--line); border-radius: 11px; background: var(--sunk); }
        .segments a { flex: 1; padding: 0.3rem 0.95rem; border-radius: 8px; text-align: center; font-size: 0.9375rem; }
        .segments a { font-weight: 600; text-decoration: none; color: var(--muted); }
        .segments a[aria-current] { background: var(--raised); color: var(--text); box-shadow: 0 1px 3px rgb(0 0 0 / 0.16); }
        form.stack { display: grid; gap: 0.75rem; }
        form.stack + form.stack { margin-top: 0.75rem; padding-top: 0.75rem; border-top: 1px solid var(--line); }
        .pair { display: grid; grid-template-columns: 1fr 1fr; gap: 0.75rem; }
        .pair.go { grid-template-columns: 1fr auto; align-items: end; }
        label { display: block; font-size: 0.8125rem; font-weight: 600; color: var(--muted); }
        input:not([type="hidden"]), select {
          display: block; width: 100%; min-width: 0; min-height: 2.375rem; margin-top: 0.25rem; padding: 0.3rem 0.6rem; font: inherit;
          color: var(--text); background: var(--card); border: 1px solid var(--border); border-radius: 9px;
        }
        .fields { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: 0.75rem; align-items: start; }
        .edit .fields { max-width: 44rem; }
        input[aria-invalid] { border: 2px solid var(--bad); }
        .error { color: var(--bad); font-size: 0.875rem; }
        progress { display: block; width: 100%; height: 0.625rem; margin: 0.75rem 0; accent-color: var(--walk); }

        """
}
