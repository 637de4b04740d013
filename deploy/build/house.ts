/**
 * The layout of the source. The check (`npm run house`) and the tables in docs/architecture.md derive from it.
 * An area imports from the areas before it, a feature from the features of its area that are left of it.
 */
export type Area = {
  name: string
  about: string
  /** From left to right: each imports from those before it. Empty: the files are in the area itself. */
  features: readonly string[]
  /** Every file can be imported, not only its public interface. */
  isOpen?: true
  /** The public interface if it is not `public.ts`: files below the area; a folder stands for all files in it. */
  publicFiles?: readonly string[]
}

export type App = {
  areas: readonly Area[]
  /**
   * The files that build the areas: the only ones that import `<area>/<area>.ts`. Above all areas, like every loose
   * file.
   */
  composition: readonly string[]
  /** Folders above all areas, such as a separate program. */
  folders?: readonly string[]
}

export const apps: Readonly<Record<string, App>> = {
  server: {
    composition: ['application.ts'],
    folders: ['schema', 'backup-program', 'support-program'],
    areas: [
      {
        name: 'platform',
        about: 'no product terms',
        features: ['system', 'texts', 'events', 'outbound', 'database', 'blobs', 'secrets', 'operations', 'http'],
        isOpen: true,
      },
      {
        name: 'people',
        about: 'users, their settings and actions',
        features: ['audit', 'settings', 'users', 'invites', 'passkeys', 'quotas', 'oidc', 'leaving'],
      },
      {
        name: 'threads',
        about: 'conversations and where they belong',
        features: ['access', 'search', 'log', 'setups', 'attachments', 'network', 'secrets', 'threads', 'workspaces'],
      },
      {
        name: 'sandboxes',
        about: 'a thread’s sandbox, and what people see in it',
        features: [
          'host',
          'state',
          'archive',
          'lifecycle',
          'files',
          'services',
          'git',
          'git-credentials',
          'secrets',
          'terminals',
          'previews',
          'network',
        ],
      },
      {
        name: 'turns',
        about: 'what an agent receives, and its loop',
        features: ['spending', 'models', 'connections', 'skills', 'record', 'snapshots', 'tools', 'engine'],
      },
      {
        name: 'workflows',
        about: 'operations on a whole thread',
        features: ['forks', 'rewinds', 'export', 'sharing', 'agents', 'runs'],
      },
      {
        name: 'installation',
        about: 'what the installation reports about itself, and its backups',
        features: ['backups'],
      },
    ],
  },
  host: {
    composition: ['host.ts'],
    folders: ['uninstall'],
    areas: [
      {
        name: 'machine',
        about: 'what boots are made of',
        features: ['errors', 'state', 'programs', 'events', 'network', 'images', 'skills'],
        isOpen: true,
      },
      {
        name: 'boots',
        about: 'running guests, and the gateway to them',
        features: ['launch', 'templates', 'allocations', 'spares', 'boots', 'activity', 'rest', 'gateway'],
        publicFiles: [
          'allocations/allocations.ts',
          'boots/boots.ts',
          'launch/active-boots.ts',
          'launch/boot-files.ts',
          'launch/launch.ts',
          'rest/resting-boots.ts',
          'spares/spares.ts',
          'templates/boot-templates.ts',
        ],
      },
      {
        name: 'memory',
        about: 'asleep with memory',
        features: ['memory', 'snapshots'],
        publicFiles: [
          'memory/memory-steps.ts',
          'memory/memory-room.ts',
          'memory/pause.ts',
          'memory/paused-boots.ts',
          'memory/saved-memory.ts',
          'memory/stopwatch.ts',
          'snapshots/snapshot-memories.ts',
          'snapshots/snapshots.ts',
        ],
      },
      {
        name: 'copies',
        about: 'what is made from a disk at rest',
        features: ['forks', 'rewinds', 'environments', 'archives', 'sleeping'],
        publicFiles: [
          'archives/archives.errors.ts',
          'archives/archives.ts',
          'environments/clean-disk.ts',
          'environments/disk-streams.ts',
          'environments/environments.errors.ts',
          'environments/preserve-memory.ts',
          'forks/forks.errors.ts',
          'forks/forks.ts',
          'rewinds/rewinds.ts',
          'sleeping/sleeping-files.ts',
        ],
      },
      {
        name: 'orders',
        about: 'what the server can order',
        features: ['sandboxes', 'orders', 'reclaim', 'doctor', 'info'],
        publicFiles: [],
      },
    ],
  },
  gateway: { composition: ['main.ts'], areas: [] },
  names: { composition: ['main.ts'], areas: [] },
  egress: { composition: ['main.ts'], areas: [] },
  guest: {
    composition: ['guest.ts'],
    areas: [
      'ground',
      'launch',
      'processes',
      'watchdog',
      'kernels',
      'runs',
      'manifest',
      'files',
      'terminals',
      'services',
      'rescue',
      'git',
      'pages',
      'tunnel',
      'space',
      'init',
    ].map((name) => ({ name, about: '', features: [], isOpen: true })),
  },
  web: {
    composition: ['main.tsx'],
    areas: [
      { name: 'i18n', about: 'texts and translations', features: [], isOpen: true },
      { name: 'preview-bridge', about: 'what runs inside a preview', features: [], isOpen: true },
      { name: 'ui', about: 'components without product knowledge', features: [], isOpen: true },
      {
        name: 'page',
        about: 'what every page needs',
        features: ['client', 'docs', 'parts', 'online', 'keys', 'content', 'thread'],
        isOpen: true,
      },
      {
        name: 'people',
        about: 'accounts and what people own',
        features: [
          'passkeys',
          'auth',
          'workspaces',
          'team',
          'models',
          'connections',
          'git-credentials',
          'secrets',
          'skills',
          'network',
          'usage',
          'machine',
        ],
        publicFiles: [
          'auth/api/session.queries.ts',
          'auth/components/confirmation-dialog.tsx',
          'auth/components/cookies-banner.tsx',
          'auth/components/join-page.tsx',
          'auth/components/login-page.tsx',
          'auth/components/password-measure.tsx',
          'auth/components/setup-page.tsx',
          'auth/state/password-rules.ts',
          'auth/state/server-problems.ts',
          'passkeys/components/passkey-banner.tsx',
          'auth/components/identities-group.tsx',
          'auth/components/sign-in-section.tsx',
          'passkeys/components/passkeys-group.tsx',
          'connections/api/connections.queries.ts',
          'connections/components/connections-section.tsx',
          'connections/components/login-return-page.tsx',
          'git-credentials/components/git-section.tsx',
          'git-credentials/components/thread-git-credentials.tsx',
          'secrets/components/found-secrets-dialog.tsx',
          'secrets/components/secrets-section.tsx',
          'secrets/components/thread-secrets.tsx',
          'secrets/state/found-secret.logic.ts',
          'secrets/state/secrets-to-grant.ts',
          'network/components/network-dialog.tsx',
          'network/components/network-group.tsx',
          'network/components/thread-network.tsx',
          'models/api/models.queries.ts',
          'models/components/connected-models.tsx',
          'models/components/inherited-model-field.tsx',
          'models/components/provider-list.tsx',
          'skills/api/skills.queries.ts',
          'skills/components/save-folder-dialog.tsx',
          'skills/components/skills-section.tsx',
          'skills/components/thread-skills.tsx',
          'team/api/leaving.queries.ts',
          'team/api/people.queries.ts',
          'team/components/open-thread-page.tsx',
          'team/components/own-data.tsx',
          'team/components/people-section.tsx',
          'usage/components/limit-banner.tsx',
          'team/components/personal-names.tsx',
          'usage/components/people-limits.tsx',
          'usage/components/usage-section.tsx',
          'machine/components/backup-banner.tsx',
          'machine/components/machine-section.tsx',
          'workspaces/api/workspaces.queries.ts',
          'workspaces/state/use-move-thread.ts',
          'workspaces/state/workspace-groups.logic.ts',
        ],
      },
      {
        name: 'sandboxes',
        about: 'panes over a sandbox',
        features: ['panes', 'sandbox', 'files', 'git', 'preview', 'terminal'],
        publicFiles: [
          'files/api/files.queries.ts',
          'files/components/files-pane.tsx',
          'files/state/files-store.ts',
          'files/state/transfers-context.tsx',
          'git/components/git-pane.tsx',
          'panes/components/pane-toggles.tsx',
          'panes/state/page-thread.ts',
          'panes/state/pane-store.ts',
          'panes/state/pane-width.ts',
          'panes/state/panes-context.ts',
          'panes/state/use-pane-keys.ts',
          'panes/state/use-shown-pane.ts',
          'preview/api/preview-check.queries.ts',
          'preview/api/services.queries.ts',
          'preview/components/preview-pane.tsx',
          'preview/state/preview-store.ts',
          'preview/state/targets.logic.ts',
          'sandbox/components/sandbox-chip.tsx',
          'sandbox/components/sandbox-notice.tsx',
          'sandbox/components/sandbox-pane.tsx',
          'sandbox/components/wake-announcer.tsx',
          'sandbox/components/wake-row.tsx',
          'sandbox/state/chip.logic.ts',
          'sandbox/state/composer-note.ts',
          'sandbox/state/limits.logic.ts',
          'sandbox/state/policy.logic.ts',
          'sandbox/state/sandbox-words.ts',
          'sandbox/state/use-wake-ahead.ts',
          'terminal/api/terminals.queries.ts',
          'terminal/components/terminal-pane.tsx',
        ],
      },
      {
        name: 'threads',
        about: 'a thread and what is made from it',
        features: ['sharing', 'agents', 'runs', 'cards', 'composer', 'first-minute', 'empty', 'conversation'],
        publicFiles: [
          'agents/api/agents.queries.ts',
          'agents/components/agent-draft-page.tsx',
          'agents/components/agents-page.tsx',
          'agents/components/agents-section.tsx',
          'agents/components/save-agent-dialog.tsx',
          'conversation/components/new-thread-page.tsx',
          'conversation/components/thread-page.tsx',
          'conversation/components/thread-title.tsx',
          'runs/components/runs-page.tsx',
          'sharing/components/copy-page.tsx',
          'sharing/components/share-thread-dialog.tsx',
        ],
      },
      {
        name: 'app',
        about: 'router, shell and everything global',
        features: ['workspaces', 'settings', 'sidebar', 'search', 'panes'],
        publicFiles: [],
      },
    ],
  },
}

export type Package = {
  about: string
  /** `protocol` allows all of it, `protocol/public` that entry and those below it. */
  mayImport: readonly string[]
}

const drivers = ['sandbox-driver', 'disk-store', 'sandbox-network'] as const
const stores = ['object-store', 'backups'] as const
const ground = ['concurrency', 'domain', 'errors', 'telemetry'] as const

/** Packages that tests import in addition to those their file's package may import. */
export const sharedByTests: readonly string[] = ['testkit', 'sandbox-gateway']

/** Which package may import which. */
export const packages: Readonly<Record<string, Package>> = {
  'packages/errors': { about: 'kinds of errors, `defineError`, the shape on the wire', mayImport: [] },
  'packages/concurrency': {
    about: 'locks, joined work, loops, waits and retries; imports only p-limit, runs in browsers',
    mayImport: [],
  },
  'packages/domain': { about: 'pure decisions: lifecycle table, ids, limits', mayImport: ['errors'] },
  'packages/protocol': {
    about:
      'schemas of the wires: public API, host, gateway, egress, guest; the zip in which folders leave a sandbox; how responses pass a hop',
    mayImport: ['errors'],
  },
  'packages/config': { about: 'settings, each written once', mayImport: ['errors'] },
  'packages/telemetry': { about: 'logger with redaction', mayImport: ['errors'] },
  'packages/sqlite': {
    about: 'the embedded database: commits wait for the disk together, and block nothing',
    mayImport: [],
  },
  'packages/daemon': {
    about: 'what processes of the machine share: unix sockets, orders over them, events, dropping root’s rights',
    mayImport: ['errors', 'telemetry'],
  },
  'packages/object-store': { about: 'stores outside of the machine: folders and S3', mayImport: ['errors'] },
  'packages/backups': { about: 'encrypted backups in a store', mayImport: ['object-store', 'errors'] },
  'packages/disk-store': { about: 'interface for disks, its conformance suite, btrfs', mayImport: ground },
  'packages/sandbox-network': { about: 'namespaces, addresses, firewall, DNS', mayImport: ground },
  'packages/sandbox-driver': { about: 'interface of a sandbox technology, its conformance suite', mayImport: ground },
  'packages/gvisor-driver': { about: 'that interface on runsc', mayImport: [...drivers, ...ground] },
  'packages/sandbox-gateway': {
    about: 'the way into sandboxes: forwards requests, and parses what guests send',
    mayImport: ['protocol', 'daemon', 'errors', 'telemetry'],
  },
  'packages/sandbox-egress': {
    about: 'the way out of sandboxes by name: checks policies, and relays connections',
    mayImport: ['protocol', 'daemon', ...ground],
  },
  'packages/secret-broker': {
    about: 'requests of sandboxes to hosts that have secrets: terminates TLS, checks, inserts the values',
    mayImport: ['protocol', 'errors', 'telemetry'],
  },
  'packages/sdk': { about: 'public TypeScript client', mayImport: ['protocol/public', 'concurrency', 'errors'] },
  'packages/testkit': {
    about: 'what tests share',
    mayImport: [...drivers, 'gvisor-driver', ...ground, 'protocol', 'config', 'deploy/build'],
  },
  'apps/server': { about: 'control plane', mayImport: [...ground, ...stores, 'sqlite', 'protocol', 'config'] },
  'apps/host': {
    about: 'host daemon',
    mayImport: [...drivers, 'gvisor-driver', 'daemon', ...ground, 'sqlite', 'protocol', 'config'],
  },
  'apps/gateway': {
    about: 'the only process that reads what sandboxes send to the host or the server',
    mayImport: ['sandbox-gateway', 'daemon', 'config', 'errors', 'telemetry'],
  },
  'apps/egress': {
    about: 'the process that connects sandboxes to names and inserts secrets into their requests',
    mayImport: ['sandbox-egress', 'secret-broker', 'daemon', 'config', 'errors', 'telemetry'],
  },
  'apps/names': {
    about: 'the only process that reads what sandboxes ask for names',
    mayImport: ['sandbox-network/dns', 'daemon', 'config', 'telemetry'],
  },
  'apps/guest': {
    about: 'guest daemon, inside a sandbox',
    mayImport: ['protocol/guest', 'protocol/archive', 'config', 'concurrency', 'telemetry', 'errors'],
  },
  'apps/cli': {
    about: 'command line',
    mayImport: ['sdk', 'protocol/host', 'protocol/support', 'config', 'telemetry', 'errors'],
  },
  'apps/web': { about: 'React app', mayImport: ['sdk', 'concurrency'] },
}

export const limits = { publicFileLines: 60, portMembers: 12 } as const
