/** The values of the design: every token by theme, and those that are the same in both. */
export const designTokens = {
  light: tokensIn(`
  --canvas: #f4f4f1; --bg: #fdfdfc; --surface: #ffffff; --sunken: #f7f7f5; --overlay: #ffffff;
  --hover: rgba(28,28,22,.05); --press: rgba(28,28,22,.085); --selected: rgba(28,28,22,.07);
  --scrim: rgba(24,24,20,.36); --line: #e8e8e3; --line-2: #d9d9d3; --line-input: #8b8b84; --spine: #d9d9d3;
  --chart-1: #3a55c8; --chart-2: #6a6a64; --text: #1b1b19; --text-2: #55554f; --text-3: #63635d;
  --text-disabled: #a3a39d; --accent: #3a55c8; --accent-hover: #3149b0; --accent-fg: #ffffff;
  --accent-text: #324abb; --accent-soft: #eef1fc; --accent-line: #c9d2f5; --focus: #3a55c8; --st-active: #18764a;
  --st-active-soft: #eaf5ef; --st-pausing: #8a5a00; --st-pausing-soft: #fbf3e0; --st-paused: #515c74;
  --st-paused-soft: #eef0f4; --st-waking: #324abb; --st-waking-soft: #eef1fc; --st-cold: #0c6a84;
  --st-cold-soft: #e8f3f6; --st-fresh: #55554f; --st-fresh-soft: #f2f2ee; --st-archived: #63635d;
  --st-archived-soft: #f2f2ee; --st-error: #b42d26; --st-error-soft: #fcefed; --c-key: #324abb; --c-str: #18764a;
  --c-num: #8a5a00; --c-com: #6a6a64; --c-fn: #1b1b19; --e1: 0 1px 2px rgba(28,28,22,.05);
  --e2: 0 4px 16px -4px rgba(28,28,22,.12),0 1px 3px rgba(28,28,22,.06);
  --e3: 0 24px 64px -12px rgba(28,28,22,.28),0 4px 12px rgba(28,28,22,.08);`),
  dark: tokensIn(`
  --canvas: #0d0d0e; --bg: #141416; --surface: #1a1a1d; --sunken: #111113; --overlay: #1d1d20;
  --hover: rgba(255,255,250,.055); --press: rgba(255,255,250,.09); --selected: rgba(255,255,250,.08);
  --scrim: rgba(0,0,0,.6); --line: #27272a; --line-2: #36363a; --line-input: #6f6f76; --spine: #3c3c41;
  --chart-1: #93a6ff; --chart-2: #92928d; --text: #ececea; --text-2: #aeaeaa; --text-3: #92928d;
  --text-disabled: #5c5c5a; --accent: #4a63d9; --accent-hover: #5468de; --accent-fg: #ffffff;
  --accent-text: #a3b4ff; --accent-soft: #1e2439; --accent-line: #35406c; --focus: #8298ff; --st-active: #62c593;
  --st-active-soft: #16271e; --st-pausing: #ddae5b; --st-pausing-soft: #2a2313; --st-paused: #a9b3c9;
  --st-paused-soft: #21242b; --st-waking: #a3b4ff; --st-waking-soft: #1e2439; --st-cold: #72c2d8;
  --st-cold-soft: #14262b; --st-fresh: #aeaeaa; --st-fresh-soft: #222224; --st-archived: #92928d;
  --st-archived-soft: #222224; --st-error: #f0897f; --st-error-soft: #2f1b19; --c-key: #a3b4ff; --c-str: #7fcfa6;
  --c-num: #ddae5b; --c-com: #92928d; --c-fn: #ececea; --e1: 0 0 0 transparent;
  --e2: 0 8px 24px -6px rgba(0,0,0,.6),0 0 0 1px rgba(255,255,255,.02);
  --e3: 0 32px 80px -12px rgba(0,0,0,.8),0 0 0 1px rgba(255,255,255,.03);`),
  both: tokensIn(`
  --t-micro: 11px/16px; --t-small: 12px/16px; --t-ui: 13px/20px; --t-body: 15px/24px; --t-title: 17px/24px;
  --t-page: 22px/28px; --s1: 4px; --s2: 8px; --s3: 12px; --s4: 16px; --s5: 20px; --s6: 24px; --s8: 32px;
  --s10: 40px; --s12: 48px; --r1: 4px; --r2: 6px; --r3: 8px; --r4: 12px; --r-full: 999px; --m1: 100ms;
  --m2: 160ms; --m3: 240ms; --ease: cubic-bezier(.2,.8,.2,1); --sidebar-w: 264px; --topbar-h: 52px;
  --pane-w: 664px;`),
}

function tokensIn(text: string): Record<string, string> {
  const pairs = text.split(';').map((line) => line.trim().split(': '))
  return Object.fromEntries(pairs.filter(([name]) => name !== '')) as Record<string, string>
}
