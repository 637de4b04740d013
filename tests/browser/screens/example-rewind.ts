import { type RewindPreview, rewindPreviewSchema } from '@threadbox/protocol/public'

const typed = (now: string | null, before: string | null) => ({ typeNow: now, typeThen: before })
const unmeasured = { bytesNow: null, bytesThen: null }

/** What a rewind of the example thread to before its message would undo, with a line of each kind. */
export function rewindPreviewAt(at: number): RewindPreview {
  return rewindPreviewSchema.parse({
    entryId: 'e1',
    turnId: 'u',
    text: 'Plot the trips per hour, weekdays against weekends.',
    problem: null,
    messages: { sent: 2, answers: 2 },
    disk: {
      to: 'snapshot',
      at,
      count: 268,
      files: [
        { path: '/home/user/forecast_tomorrow.csv', change: 'removed', bytesNow: 920, bytesThen: null, lines: null },
        { path: '/home/user/notes/old_model.md', change: 'restored', bytesNow: null, bytesThen: 2400, lines: null },
        {
          path: '/home/user/training.py',
          change: 'changed',
          bytesNow: 12_600,
          bytesThen: 11_900,
          lines: { added: 6, removed: 41 },
        },
      ],
      caches: [
        { path: '/home/user/.cache', removed: 1, restored: 0, changed: 0 },
        { path: '/home/user/node_modules', removed: 212, restored: 12, changed: 40 },
      ],
    },
    bringsMemory: true,
    running: {
      knowsNow: true,
      knowsThen: true,
      processCount: 3,
      variableCount: 3,
      knowsVariables: true,
      processes: [
        { name: 'ptw tests/', kind: 'process', change: 'restored' },
        { name: 'python3 training.py', kind: 'process', change: 'returns' },
        { name: 'dashboard', kind: 'service', change: 'restarted' },
      ],
      variables: [
        { name: 'peaks', change: 'changed', ...typed('list', 'list'), bytesNow: 1480, bytesThen: 920 },
        { name: 'hour', change: 'changed', ...typed('int', 'int'), bytesNow: 28, bytesThen: 28 },
        { name: 'figure', change: 'removed', ...typed('matplotlib.figure.Figure', null), ...unmeasured },
      ],
      processesByChange: { restored: 1, returns: 1, restarted: 1, removed: 0, unclear: 0, lost: 0 },
      variablesByChange: { restored: 0, changed: 2, removed: 1, lost: 0 },
      sameVariables: 38,
      unclearVariables: 2,
      leftOut: { processesNow: 0, processesThen: 0, variablesNow: 0, variablesThen: 0 },
    },
    calls: [{ tool: 'create_issue', count: 2 }],
    lookups: {
      names: [{ name: 'github.com', count: 3, isAtLeast: false }],
      nameCount: 1,
      since: at,
      isWhole: true,
    },
  })
}
