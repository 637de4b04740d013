import type { EntriesPage, Entry, ToolCallEntry, Turn } from '@threadbox/sdk'

const start = Date.now() - 20 * 60_000
let clock = start
const tick = (ms = 1000) => {
  clock += ms
  return clock
}

export function turn(id: string, values: Partial<Turn> = {}): Turn {
  return {
    id,
    mode: 'agent',
    status: 'finished',
    modelId: 'm1',
    modelName: 'Claude Sonnet 4.5',
    startedAt: clock,
    endedAt: clock + 14_200,
    usage: { inputTokens: 11_240, outputTokens: 1_184, cachedInputTokens: 9_000, costUsd: 0.0514 },
    failure: null,
    stillRunning: [],
    ...values,
  }
}
export const user = (id: string, turnId: string, text: string, values: object = {}): Entry =>
  ({ id, turnId, at: tick(), kind: 'user-message', text, attachments: [], status: 'delivered', ...values }) as Entry
export const text = (id: string, turnId: string, body: string, values: object = {}): Entry =>
  ({ id, turnId, at: tick(), kind: 'text', stepId: 's', text: body, status: 'done', ...values }) as Entry
export function call(
  id: string,
  turnId: string,
  values: Partial<ToolCallEntry> & { ms?: number; out?: string },
): ToolCallEntry {
  const { ms = 6400, out = '', ...rest } = values
  const at = tick()
  return {
    id,
    turnId,
    at,
    kind: 'tool-call',
    stepId: 's',
    tool: 'run_command',
    input: {},
    status: 'succeeded',
    startedAt: at,
    endedAt: at + ms,
    output: { tail: out, tailOffset: 0, sizeBytes: new TextEncoder().encode(out).length },
    result: { kind: 'command', exitCode: 0, cwd: '/home/user' },
    error: null,
    ...rest,
  }
}

const table = `<div><style scoped>.dataframe tbody tr th{vertical-align:top}</style><table border="1" class="dataframe"><thead><tr style="text-align: right;"><th></th><th>weekday</th><th>weekend</th></tr></thead><tbody>${Array.from(
  { length: 24 },
  (_, hour) => `<tr><th>${hour}</th><td>${(hour * 37) % 470}</td><td>${(hour * 53) % 300}</td></tr>`,
).join('')}</tbody></table></div>`
const points = (f: (x: number) => number) =>
  Array.from({ length: 24 }, (_, x) => `${28 + x * 20},${f(x).toFixed(0)}`).join(' ')
const chart = `<svg xmlns="http://www.w3.org/2000/svg" width="500" height="150" viewBox="0 0 500 150"><rect width="500" height="150" fill="white"/><polyline fill="none" stroke="#3a55c8" stroke-width="2" points="${points((x) => 90 - 60 * Math.sin(x / 3))}"/><polyline fill="none" stroke="#888" stroke-dasharray="3 3" points="${points((x) => 100 - 30 * Math.cos(x / 4))}"/></svg>`
const ansi =
  '\u001b[32mResolved 12 packages\u001b[0m in 812ms\r\n\u001b[2mDownloading\u001b[0m pandas 10%\rDownloading pandas 100%\nInstalled 12 packages\n + pandas==2.3.1\n + matplotlib==3.10\n'
const flood = Array.from({ length: 400 }, (_, line) => `line ${line + 1} of a long output`).join('\n')

export const pages: Record<string, EntriesPage> = {
  forecast: {
    lastSeq: 100,
    before: null,
    turns: [turn('t1'), turn('t2'), turn('t3')],
    entries: [
      user(
        'e1',
        't1',
        'Here are last year’s trips. What does a normal day look like, and can we forecast demand per hour?',
        {
          attachments: [
            {
              id: 'a1',
              name: 'trips_2025.csv',
              mediaType: 'text/csv',
              sizeBytes: 48_200_000,
              path: '/home/user/uploads/trips_2025.csv',
            },
          ],
        },
      ),
      text('e2', 't1', 'I’ll install what I need and look at the shape of a day first.'),
      call('e3', 't1', { input: { command: 'uv pip install pandas matplotlib' }, out: ansi }),
      call('e4', 't1', {
        tool: 'run_python',
        ms: 2100,
        input: {
          description: 'hourly profile',
          code: 'import pandas as pd\ntrips = pd.read_csv("data/trips_2025.csv", parse_dates=["started_at"])\nhourly = trips.groupby(["day_type", trips.started_at.dt.hour]).size().unstack(0) / days  # mean per hour',
        },
        out: '1,501,378 trips · 412 stations · 365 days\n',
        result: {
          kind: 'python',
          traceback: null,
          displays: [
            {
              id: 'd1',
              items: [
                { mediaType: 'text/html', text: table, sizeBytes: 900 },
                { mediaType: 'text/plain', text: 'weekday', sizeBytes: 9 },
              ],
            },
            { id: 'd2', items: [{ mediaType: 'image/svg+xml', text: chart, sizeBytes: 900 }] },
          ],
        },
      }),
      text(
        'e5',
        't1',
        'Weekdays peak at 08:00 and 17:00, weekends once in the early afternoon. I saved the hourly table at `hourly_demand.csv` and `training.py` is running.',
      ),
      call('e6', 't1', {
        tool: 'share_file',
        result: {
          kind: 'file',
          path: '/home/user/hourly_demand.csv',
          name: 'hourly_demand.csv',
          mediaType: 'text/csv',
          sizeBytes: 1100,
          url: '/api/v1/x',
          caption: '24 rows',
        },
      }),
      call('e7', 't1', {
        tool: 'share_file',
        result: {
          kind: 'file',
          path: '/home/user/report.pdf',
          name: 'report.pdf',
          mediaType: 'application/pdf',
          sizeBytes: 220_000,
          url: '/api/v1/x',
          caption: null,
        },
      }),
      user('e8', 't2', 'Show me everything you can do with text.'),
      {
        id: 'r1',
        turnId: 't2',
        at: tick(),
        kind: 'reasoning',
        stepId: 's',
        text: 'They want a **tour** of Markdown.',
        status: 'done',
      },
      text(
        'e9',
        't2',
        '## A heading\n\nA list:\n\n1. First, with **weight** and *slant*\n2. Second, with `inline code` and [a link](https://example.org/docs)\n   - nested\n\n| hour | weekday | weekend |\n|---|---:|---:|\n| 8 | 418 | 77 |\n| 17 | 467 | 291 |\n\n```python\ndef area(r: float) -> float:\n    """Area of a circle."""\n    return 3.14159 * r ** 2  # close enough\n```\n\n> A quote.\n\nThe file is at /home/user/hourly_demand.csv, also at ~/uploads/trips_2025.csv. ![pixel](https://evil.example/p.png)',
      ),
      call('e10', 't2', {
        tool: 'edit_file',
        ms: 40,
        input: { path: '/home/user/training.py' },
        result: {
          kind: 'diff',
          path: '/home/user/training.py',
          isNew: false,
          addedLines: 2,
          removedLines: 1,
          diff: '--- a/training.py\n+++ b/training.py\n@@ -10,4 +10,5 @@ def train():\n     model = make()\n-    epochs = 10\n+    epochs = 20\n+    checkpoint_every = 2\n     fit(model, epochs)\n',
          isTruncated: false,
        },
      }),
      call('e11', 't2', {
        input: { command: 'seq 400 | sed "s/^/line /"' },
        out: flood,
        result: { kind: 'command', exitCode: 1, cwd: '/home/user/data' },
      }),
      call('e12', 't2', {
        tool: 'run_python',
        input: { code: 'hourly["weekdy"]' },
        result: {
          kind: 'python',
          displays: [],
          traceback:
            'Traceback (most recent call last):\n  File "/tmp/cell.py", line 1, in <module>\n    hourly["weekdy"]\n  File "/usr/lib/python3/pandas/core/frame.py", line 4102, in __getitem__\n    indexer = self.columns.get_loc(key)\nKeyError: \'weekdy\'',
        },
      }),
      call('e13', 't2', {
        tool: 'read_file',
        ms: 12,
        input: { path: '/home/user/notes.md' },
        result: { kind: 'text', text: '# Notes\n\nA few lines.', path: '/home/user/notes.md' },
      }),
      {
        id: 'n1',
        turnId: 't2',
        at: tick(),
        kind: 'notice',
        code: 'compacted',
        params: { tokensBefore: 182_000, tokensAfter: 24_000, contextTokens: 200_000 },
      },
      { id: 'n2', turnId: 't2', at: tick(), kind: 'notice', code: 'sandbox-stopped', params: {} },
      user('e14', 't3', 'Morning. I paused it overnight. Where is the training run?'),
      text(
        'e15',
        't3',
        'Still the same process. Its last line says validation error 39.4 trips per hour, printed at 09:26.',
      ),
    ],
  },
  failed: {
    lastSeq: 5,
    before: null,
    turns: [
      turn('f1', {
        status: 'failed',
        failure: {
          code: 'rate-limited',
          message: '429 Too Many Requests: 40,000 input tokens per minute',
          remedy: 'Wait and try again.',
          retryAt: Date.now() + 42_000,
          actions: ['retry', 'continue', 'switch-model', 'open-settings'],
        },
      }),
    ],
    entries: [
      user('g1', 'f1', '/run du -sh ~/*'),
      text('g2', 'f1', 'The revenue of the third quarter was', { status: 'partial' }),
      call('g3', 'f1', {
        status: 'interrupted',
        endedAt: clock,
        input: { command: 'python rebuild.py' },
        result: null,
      }),
      { id: 'g4', turnId: 'f1', at: tick(), kind: 'notice', code: 'help', params: {} },
      { id: 'g5', turnId: 'f1', at: tick(), kind: 'notice', code: 'connect-model', params: {} },
      { id: 'g6', turnId: 'f1', at: tick(), kind: 'notice', code: 'model-available', params: { model: 'Qwen 3' } },
    ],
  },
  page: {
    lastSeq: 100,
    before: null,
    turns: [turn('t1'), turn('t2', { mode: 'direct', modelId: null, modelName: null })],
    entries: [
      user('g1', 't1', 'Why is this button grey?', {
        attachments: [
          {
            id: 'a1',
            name: 'region.png',
            mediaType: 'image/png',
            sizeBytes: 14_000,
            path: '/home/user/uploads/region.png',
          },
        ],
      }),
      {
        id: 'g2',
        turnId: 't1',
        at: tick(),
        kind: 'notice',
        code: 'images-not-seen',
        params: { model: 'Llama 3.3', count: 1 },
      },
      call('g3', 't1', {
        tool: 'view_page',
        ms: 4100,
        input: { service: 'shop', path: '/cart' },
        result: {
          kind: 'image',
          path: 'http://localhost:8000/cart',
          mediaType: 'image/png',
          sizeBytes: 48_000,
          url: '/api/v1/threads/page/results/g3/image',
          page: {
            title: 'Your cart',
            httpStatus: 200,
            problems: [
              'error: TypeError: cart is undefined (http://localhost:8000/cart.js:12)',
              'http://localhost:8000/api/cart: HTTP 500',
            ],
          },
        },
      }),
      text('g4', 't1', 'The cart never loads: `/api/cart` answers 500, so the button stays disabled.'),
      user('g5', 't2', '/look 8999'),
      call('g6', 't2', {
        tool: 'view_page',
        ms: 2300,
        status: 'failed',
        input: { url: 'http://localhost:8999/' },
        result: null,
        error: {
          code: 'page.unreachable',
          message: 'Couldn’t open http://localhost:8999/: net::ERR_CONNECTION_REFUSED',
          remedy: 'Use list_services to see what’s running on which port, and service_logs to see why it isn’t.',
        },
      }),
    ],
  },
  queue: {
    lastSeq: 5,
    before: null,
    turns: [turn('q1', { status: 'running', endedAt: null, startedAt: Date.now() - 8000, usage: null })],
    entries: [
      user('q2', 'q1', 'Normalise the station names.'),
      call('q3', 'q1', {
        status: 'running',
        endedAt: null,
        startedAt: Date.now() - 8000,
        input: { command: 'python clean.py --all' },
        result: null,
        out: 'reading stations.geojson\nchecked 212 of 412\n',
      }),
      user('q4', '', 'Then write the report.', { status: 'queued' }),
      user('q5', '', 'And zip everything.', { status: 'queued' }),
    ],
  },
}
