/**
 * The lifecycle of a sandbox: the only definition of which state follows which. API schemas, UI texts and the diagram
 * in the docs derive from these tables.
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

/** The events of a sandbox. An event that the table does not list for a state is rejected. */
export const sandboxEvents = [
  'start-requested',
  'boot-ready',
  'boot-failed',
  'boot-ended',
  // The host's memory was full and the request was canceled: back to the previous state.
  'start-refused',
  'start-withdrawn',
  'pause-requested',
  'pause-finished',
  'pause-failed',
  'wake-requested',
  'wake-finished',
  // The memory still exists but could not be used now: the host was unreachable or had no memory free.
  'wake-refused',
  // The memory cannot be used and was discarded.
  'wake-failed',
  'memory-dropped',
  // It started as a copy of another sandbox: of everything running there, or only of its files.
  'forked-awake',
  'forked-cold',
  // Its disk was rewound; what was running at that time runs again, or nothing runs.
  'rewound-awake',
  'rewound-cold',
  // Its disk is kept outside of the host from now on, or is back on it.
  'archived',
  'restored',
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
    // Only a sandbox that never ran returns to fresh: its disk has no content.
    'start-withdrawn': 'fresh',
    'start-refused': 'cold',
    'delete-requested': 'deleting',
  },
  active: {
    'pause-requested': 'pausing',
    // A boot that ended unexpectedly (backstop, kill -9 1, host restart) leaves the disk: that is cold, not lost.
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
  archived: { restored: 'cold', 'delete-requested': 'deleting' },
  error: { 'start-requested': 'starting', ...rewound, 'delete-requested': 'deleting' },
  deleting: {},
} as const satisfies Record<SandboxState, Partial<Record<SandboxEvent, SandboxState>>>

/** Returns the state after `event`, or undefined if the table rejects it. */
export function nextSandboxState(state: SandboxState, event: SandboxEvent): SandboxState | undefined {
  const row: Partial<Record<SandboxEvent, SandboxState>> = sandboxTransitions[state]
  return row[event]
}

/** Whether a boot exists in this state, so that processes may be running and memory is in use. */
export function hasBoot(state: SandboxState): boolean {
  return state === 'starting' || state === 'active' || state === 'pausing' || state === 'waking'
}
