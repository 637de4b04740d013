import { workspaceActions } from '@threadbox/domain'
import {
  type ApiKey,
  apiKeySchema,
  type Entry,
  entrySchema,
  type FilesPage,
  filesPageSchema,
  type ModelConnection,
  modelConnectionSchema,
  type SandboxDetail,
  type Session,
  type Settings,
  type SharedThread,
  type Skill,
  type SkillContent,
  type Status,
  sessionSchema,
  settingsSchema,
  skillContentSchema,
  skillSchema,
  statusSchema,
  type Thread,
  type ThreadLink,
  threadSchema,
  threadSnapshotsSchema,
} from '@threadbox/protocol/public'
import { type Finding, findingWith } from '../../../apps/host/src/orders/doctor/findings.ts'
import { editableSettings, type SettingName } from '../../../apps/server/src/people/settings/editable-settings.ts'
import { lossyReport, sandboxIn } from '../sandbox-stand-in.ts'
import { serviceIn } from '../services-stand-in.ts'

/** The moment that the screens show. */
export const now = Date.UTC(2026, 2, 4, 10, 30)
const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const GiB = 1024 ** 3

export const service = serviceIn('running', { since: now - 20 * minute })
const limits = sandboxIn('active').limits

export const awake = sandboxIn('active', {
  since: now - hour,
  awake: {
    reasons: [{ reason: 'cpu', detail: 'python3 training.py' }],
    pauseAt: null,
    heldUntil: null,
    latestPauseAt: now - hour + day,
  },
})
export const processes: SandboxDetail['processes'] = [
  { pid: 412, commandLine: 'python3 training.py', memoryBytes: GiB, role: 'user' },
  { pid: 431, commandLine: service.command, memoryBytes: GiB / 8, role: 'service' },
]
export const paused = sandboxIn('paused', {
  since: now - 3 * hour,
  asleep: { memory: 'frozen', memoryUntil: now + 5 * hour, removedAt: null },
})

function threadIn(values: Partial<Thread> & Pick<Thread, 'id' | 'title'>): Thread {
  return threadSchema.parse({
    titleSource: 'person',
    createdAt: now - day,
    updatedAt: now - minute,
    isPinned: false,
    deletedAt: null,
    modelId: null,
    creatorId: 'u',
    isPrivate: false,
    isPersonalOff: false,
    allowed: [...workspaceActions],
    isTurnRunning: false,
    hasUnread: false,
    sandbox: awake,
    ...values,
  })
}

export const threads: Thread[] = [
  threadIn({ id: 't', title: 'Bike trips per hour' }),
  threadIn({ id: 't2', title: 'Invoices of the spring', updatedAt: now - 2 * hour, sandbox: paused, hasUnread: true }),
  threadIn({
    id: 't3',
    title: 'A small game in the browser, with a title that is too long for one line',
    updatedAt: now - 2 * day,
    sandbox: sandboxIn('cold', { since: now - day }),
  }),
  threadIn({
    id: 't4',
    title: 'Notes',
    updatedAt: now - 40 * day,
    sandbox: sandboxIn('fresh', { since: now - 40 * day }),
  }),
]

export const report = {
  ...lossyReport('complete'),
  pausedAt: now - 50 * hour,
  wokenAt: now - 30 * minute,
  checkedAt: now - 30 * minute + 2000,
}

const answer = `Weekdays have **two peaks**, at 8 and at 17; weekends a broad one around 14.

| Hour | Weekday | Weekend |
|---|---|---|
| 8 | 1,020 | 130 |
| 14 | 180 | 620 |

The figures are in \`trips.csv\`. A part of the program:

\`\`\`python
def peak(hour: int) -> float:
    # The morning is steeper.
    return math.exp(-((hour - 8) ** 2) / 6)
\`\`\`

1. Read the file.
2. Group it by hour.`

const call = { turnId: 'u', stepId: 's', startedAt: now - 10 * minute, endedAt: now - 10 * minute + 1400, error: null }
const tail = (text: string) => ({ tail: text, tailOffset: 0, sizeBytes: text.length })

const diff = `--- a/trips.py
+++ b/trips.py
@@ -1,3 +1,3 @@
 import csv
-rows = []
+rows = list(csv.reader(open('trips.csv')))
 print(len(rows))
`

const table =
  '<table><thead><tr><th></th><th>weekday</th><th>weekend</th></tr></thead><tbody>' +
  '<tr><th>mean</th><td>310.5</td><td>214.2</td></tr><tr><th>max</th><td>1020.0</td><td>620.0</td></tr></tbody></table>'

/** A conversation with every kind of row and card. */
export const entries: Entry[] = [
  { kind: 'wake', id: 'e0', turnId: '', at: now - 30 * minute, report },
  {
    kind: 'user-message',
    id: 'e1',
    turnId: 'u',
    at: now - 11 * minute,
    status: 'delivered',
    text: 'Plot the trips per hour, weekdays against weekends.',
    attachments: [{ id: 'a1', name: 'trips.csv', mediaType: 'text/csv', sizeBytes: 812, path: '/home/user/trips.csv' }],
  },
  {
    kind: 'text',
    id: 'e2',
    turnId: 'u',
    at: now - 11 * minute,
    stepId: 's',
    status: 'done',
    text: 'I look at the file first.',
  },
  {
    ...call,
    kind: 'tool-call',
    id: 'e3',
    at: now - 10 * minute,
    tool: 'run_command',
    status: 'failed',
    input: { command: 'python trips.py' },
    output: tail("Traceback (most recent call last):\nModuleNotFoundError: No module named 'trips'\n"),
    result: { kind: 'command', exitCode: 1, cwd: '/home/user' },
  },
  {
    ...call,
    kind: 'tool-call',
    id: 'e4',
    at: now - 9 * minute,
    tool: 'edit_file',
    status: 'succeeded',
    input: { path: 'trips.py', old_text: 'rows = []', new_text: 'rows' },
    output: tail(''),
    result: {
      kind: 'diff',
      path: '/home/user/trips.py',
      isNew: false,
      addedLines: 1,
      removedLines: 1,
      diff,
      isTruncated: false,
    },
  },
  {
    ...call,
    kind: 'tool-call',
    id: 'e5',
    at: now - 8 * minute,
    tool: 'run_python',
    status: 'succeeded',
    input: { code: 'trips.describe().loc[["mean", "max"]].round(1)' },
    output: tail(''),
    result: {
      kind: 'python',
      traceback: null,
      displays: [{ id: 'd1', items: [{ mediaType: 'text/html', text: table, sizeBytes: table.length }] }],
    },
  },
  {
    ...call,
    kind: 'tool-call',
    id: 'e6',
    at: now - 7 * minute,
    tool: 'share_file',
    status: 'succeeded',
    input: { path: 'trips.csv' },
    output: tail(''),
    result: {
      kind: 'file',
      path: '/home/user/trips.csv',
      name: 'trips.csv',
      mediaType: 'text/csv',
      sizeBytes: 812,
      url: '/threads/t/outputs/e6',
      caption: 'The figures',
    },
  },
  {
    ...call,
    kind: 'tool-call',
    id: 'e7',
    at: now - 6 * minute,
    tool: 'start_service',
    status: 'succeeded',
    input: { name: service.name, port: service.port, command: service.command },
    output: tail(''),
    result: { kind: 'service', service },
  },
  {
    kind: 'text',
    id: 'e8',
    turnId: 'u',
    at: now - 5 * minute,
    stepId: 's',
    status: 'done',
    text: answer,
  },
].map((entry) => entrySchema.parse(entry))

const file = (name: string, values: Partial<FilesPage['entries'][number]> = {}) => ({
  name,
  path: `/home/user/${name}`,
  type: 'file' as const,
  sizeBytes: 812,
  modifiedAt: now - 2 * hour,
  permissions: '-rw-r--r--',
  version: 'v1',
  linkTarget: null,
  ...values,
})
const listed = [
  file('notebooks', { type: 'directory', sizeBytes: 0 }),
  file('site', { type: 'directory', sizeBytes: 0 }),
  file('a name with spaces.md', { sizeBytes: 3 * 1024 }),
  file('training.py', { sizeBytes: 12 * 1024 }),
  file('trips.csv'),
]
export const files: FilesPage = filesPageSchema.parse({ entries: listed, total: listed.length, next: null })

const model = {
  provider: 'anthropic',
  model: 'claude-sonnet-4-5',
  baseUrl: null,
  keySource: 'stored',
  contextTokens: 200_000,
  supportsImages: true,
  inputUsdPerMillion: 3,
  outputUsdPerMillion: 15,
  createdAt: now - 9 * day,
}
export const models: ModelConnection[] = [
  modelConnectionSchema.parse({ ...model, id: 'm1', name: 'Claude Sonnet', isDefault: true }),
  modelConnectionSchema.parse({
    ...model,
    id: 'm2',
    name: 'On this machine',
    isDefault: false,
    provider: 'ollama',
    model: 'qwen3',
    baseUrl: 'http://127.0.0.1:11434',
    keySource: 'none',
    inputUsdPerMillion: null,
    outputUsdPerMillion: null,
  }),
]

const skillText = `---
name: weekly-report
description: Writes the weekly report from the numbers in the warehouse. Use it on Mondays, or when somebody asks for the week.
compatibility: Requires access to the warehouse
---

1. Run \`scripts/numbers.py\` for the week.
2. Fill \`assets/report.md\` and share it.
`
export const skills: Skill[] = [
  skillSchema.parse({
    id: 'i2',
    workspaceId: null,
    name: 'brand-words',
    license: 'CC-BY-4.0',
    compatibility: null,
    isText: true,
    description:
      'How we write: words that we use and words that we avoid. Use it for every text that others will read.',
    fileCount: 1,
    sizeBytes: 2210,
    version: 'one',
    createdAt: now - 9 * day,
    updatedAt: now - 2 * day,
  }),
  skillSchema.parse({
    id: 'i1',
    workspaceId: null,
    name: 'weekly-report',
    license: null,
    isText: false,
    description:
      'Writes the weekly report from the numbers in the warehouse. Use it on Mondays, or when somebody asks for the week.',
    compatibility: 'Requires access to the warehouse',
    fileCount: 3,
    sizeBytes: 18_400,
    version: 'two',
    createdAt: now - 9 * day,
    updatedAt: now - hour,
  }),
]
export const skillContent: SkillContent = skillContentSchema.parse({
  ...skills[1],
  text: skillText,
  files: [
    { path: 'SKILL.md', sizeBytes: 310, isExecutable: false },
    { path: 'assets/report.md', sizeBytes: 900, isExecutable: false },
    { path: 'scripts/numbers.py', sizeBytes: 17_190, isExecutable: true },
  ],
})

export const sharedThread: SharedThread = {
  title: 'Taxi trips of June',
  turns: 6,
  hasComputer: true,
  copiesLeft: 18,
  expiresAt: now + 6 * day,
}

export const threadLinks: ThreadLink[] = [
  {
    id: 'z1',
    withFiles: true,
    allowsCopies: true,
    copiedCount: 2,
    copiesLeft: 18,
    createdAt: now - day,
    expiresAt: now + 6 * day,
    openedCount: 7,
    lastOpenedAt: now - hour,
  },
  {
    id: 'z2',
    withFiles: false,
    allowsCopies: false,
    copiedCount: 0,
    copiesLeft: 0,
    createdAt: now - 9 * day,
    expiresAt: null,
    openedCount: 0,
    lastOpenedAt: null,
  },
]

export const settings: Settings = settingsSchema.parse({
  limits,
  settings: [
    editable('sandboxMemoryBytes'),
    editable('maxServices'),
    editable('idlePauseMinutes'),
    editable('hotHours'),
    editable('rescueSeconds'),
    editable('rescueMebibytes'),
    editable('rescueVariableMebibytes'),
    ofEnvironment('THREADBOX_PORT', 7717, 'Port the server listens on. 0: any free port.'),
    ofEnvironment('THREADBOX_UNDO_SECONDS', 30, 'Seconds during which a deleted thread can be restored.'),
  ],
})

/** A setting with its default, as the server describes it. */
function editable(name: SettingName) {
  const { doc, default: value } = editableSettings[name]
  return { name, doc, value, default: value, isEditable: true }
}

function ofEnvironment(name: string, value: number, doc: string) {
  return { name, doc, value, default: value, isEditable: false }
}

export const apiKeys: ApiKey[] = [
  apiKeySchema.parse({
    id: 'k',
    name: 'build script',
    prefix: 'tbx_4f2a',
    createdAt: now - 9 * day,
    lastUsedAt: now - hour,
    expiresAt: now + 81 * day,
    scopes: ['read', 'work', 'agents'],
    workspaceIds: null,
    refused: [{ action: 'audit.read', requirement: 'audit', count: 3 }],
  }),
]
const agent = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36'
export const sessions: Session[] = [
  sessionSchema.parse({
    id: 's1',
    createdAt: now - day,
    expiresAt: now + 29 * day,
    userAgent: agent,
    isCurrent: true,
  }),
]

/** As the server passes on what a host found. */
const checkOf = (id: string, title: string, { state, cure, ...finding }: Finding) => {
  return { id, title, status: state, cure: cure || null, ...finding }
}
const blocked = { chain: 'ip filter FORWARD', commands: 'ufw route allow in on tb7k2m9q+' }
const pool = { freeBytes: 159 * GiB, totalBytes: 200 * GiB, reservedBytes: 24 * GiB }
export const status: Status = statusSchema.parse({
  version: '0.1.0',
  hasModel: true,
  host: {
    isReachable: true,
    memoryTotalBytes: 32 * GiB,
    memoryUsedBytes: 5 * GiB,
    poolTotalBytes: 200 * GiB,
    poolUsedBytes: 41 * GiB,
    awakeSandboxes: 1,
  },
  checks: [
    checkOf('kernel', 'Linux kernel', findingWith('ok', 'kernel-fine', { release: '6.12' })),
    checkOf('forwarding', 'other firewalls', findingWith('warning', 'forwarding-blocked-ufw', blocked)),
    checkOf('pool', 'disk pool', findingWith('ok', 'pool-fine', pool)),
  ],
})
/** The status of the installation while these threads are listed. */
export function statusWith(shown: readonly Thread[]): Status {
  const awakeSandboxes = shown.filter(({ sandbox }) => sandbox.state === 'active').length
  return { ...status, host: status.host && { ...status.host, awakeSandboxes } }
}

const MiB = 1024 * 1024
export const snapshots = threadSnapshotsSchema.parse({
  snapshots: [],
  usage: {
    count: 12,
    writtenBytes: 418 * MiB,
    diskUsedBytes: 3100 * MiB,
    diskLimitBytes: 10_240 * MiB,
    installationCount: 87,
    installationWrittenBytes: 2650 * MiB,
    memoryCount: 6,
    memoryBytes: 912 * MiB,
    installationMemoryBytes: 3210 * MiB,
  },
  limits: {
    perThread: 50,
    bytesPerThread: 4096 * MiB,
    bytes: 16_384 * MiB,
    memoryPerThread: 6,
    memoryBytes: 4096 * MiB,
    pinsPerThread: 5,
  },
})
