/**
 * The life of a sandbox: the only place that knows which state follows which. API schemas, UI words and the diagram in
 * the docs derive from these tables.
 */
export const sandboxStates = [
  'fresh',
  'starting',
  'active',
  'pausing',
  'paused',
  'waking',
  'cold',
  'archived',
  'error',
  'deleting',
] as const
export type SandboxState = (typeof sandboxStates)[number]

/** What can happen to a sandbox. An event that the table does not list for a state is refused there. */
export const sandboxEvents = [
  'start-requested',
  'boot-ready',
  'boot-failed',
  'boot-ended',
  // There was no room for it, and whoever wanted it has given up: as it was before.
  'start-refused',
  'start-withdrawn',
  'pause-requested',
  'pause-finished',
  'pause-failed',
  'wake-requested',
  'wake-finished',
  // The memory is still there, but could not be used now: the host was away, or had no room.
  'wake-refused',
  // The memory cannot be used and was dropped.
  'wake-failed',
  'memory-dropped',
  // It began as a copy of another one: of all that ran there, or of its files.
  'forked-awake',
  'forked-cold',
  // Its disk became that of another moment; what ran then runs again, or nothing runs.
  'rewound-awake',
  'rewound-cold',
  'archived',
  'restore-requested',
  'delete-requested',
] as const
export type SandboxEvent = (typeof sandboxEvents)[number]

const rewound = { 'rewound-awake': 'active', 'rewound-cold': 'cold' } as const

export const sandboxTransitions = {
  fresh: {
    'start-requested': 'starting',
    'forked-awake': 'active',
    'forked-cold': 'cold',
    'delete-requested': 'deleting',
  },
  starting: {
    'boot-ready': 'active',
    'boot-failed': 'error',
    // Only a sandbox that never ran goes back to fresh: it has nothing on its disk.
    'start-withdrawn': 'fresh',
    'start-refused': 'cold',
    'delete-requested': 'deleting',
  },
  active: {
    'pause-requested': 'pausing',
    // A boot that ended by itself (backstop, kill -9 1, machine restart) leaves the disk: that is cold, not lost.
    'boot-ended': 'cold',
    ...rewound,
    'delete-requested': 'deleting',
  },
  pausing: {
    'pause-finished': 'paused',
    'pause-failed': 'active',
    'boot-ended': 'cold',
    ...rewound,
    'delete-requested': 'deleting',
  },
  paused: {
    'wake-requested': 'waking',
    'memory-dropped': 'cold',
    ...rewound,
    'delete-requested': 'deleting',
  },
  waking: {
    'wake-finished': 'active',
    'wake-refused': 'paused',
    'wake-failed': 'cold',
    'delete-requested': 'deleting',
  },
  cold: { 'start-requested': 'starting', ...rewound, archived: 'archived', 'delete-requested': 'deleting' },
  archived: { 'restore-requested': 'starting', 'delete-requested': 'deleting' },
  error: { 'start-requested': 'starting', ...rewound, 'delete-requested': 'deleting' },
  deleting: {},
} as const satisfies Record<SandboxState, Partial<Record<SandboxEvent, SandboxState>>>

/** The state after `event`, or undefined when the table refuses it. */
export function nextSandboxState(state: SandboxState, event: SandboxEvent): SandboxState | undefined {
  const row: Partial<Record<SandboxEvent, SandboxState>> = sandboxTransitions[state]
  return row[event]
}

/** States in which a boot exists, so processes may be running and memory is in use. */
export function hasBoot(state: SandboxState): boolean {
  return state === 'starting' || state === 'active' || state === 'pausing' || state === 'waking'
}
