/** A heading of the documentation: the page's path, and the anchor on it, empty for the page itself. */
export type DocsPlace = { page: string; anchor: string }

/** Where the app sends its readers. The build of the documentation fails when a place is missing. */
export const docsPlaces = {
  firstThread: { page: 'start', anchor: 'first-command' },
  habits: { page: 'start', anchor: 'habits' },
  sleep: { page: 'limits', anchor: 'sleep' },
  limits: { page: 'limits', anchor: 'sandbox' },
  report: { page: 'persistence', anchor: 'report' },
  snapshots: { page: 'fork-and-rewind', anchor: 'snapshots' },
  terminals: { page: 'files', anchor: 'terminals' },
  services: { page: 'services', anchor: 'pane' },
  models: { page: 'models', anchor: 'connect' },
  agents: { page: 'agents', anchor: 'save' },
  runs: { page: 'agents', anchor: 'runs' },
  workspaces: { page: 'workspaces', anchor: 'inherit' },
  people: { page: 'people', anchor: 'invite' },
  signIn: { page: 'sign-in', anchor: 'providers' },
  passkeys: { page: 'passkeys', anchor: 'add' },
  usage: { page: 'models', anchor: 'usage' },
  backups: { page: 'operate/backup', anchor: 'daily' },
  setUpBackups: { page: 'operate/backup', anchor: 'set-up' },
  machine: { page: 'operate/machine', anchor: '' },
  skills: { page: 'skills', anchor: 'add' },
  connections: { page: 'connections', anchor: 'connections' },
  gitCredentials: { page: 'connections', anchor: 'git' },
  secrets: { page: 'secrets', anchor: 'grant' },
  network: { page: 'operate/network', anchor: 'policies' },
  api: { page: 'build/api', anchor: '' },
} satisfies Record<string, DocsPlace>

export function errorPlace(code: string): DocsPlace {
  return { page: 'operate/errors', anchor: code }
}

/** `name` is that of the setting, or of its environment variable. */
export function settingPlace(name: string): DocsPlace {
  return { page: 'operate/settings', anchor: name }
}

/** `state` is what a chip says, `waiting` included. */
export function statePlace(state: string): DocsPlace {
  return { page: 'sandbox', anchor: state }
}

/** Why a response ended early; `code` is that of the turn's failure, or of a model test's. */
export function failurePlace(code: string): DocsPlace {
  if (code.startsWith('limit-')) return { page: 'limits', anchor: code }
  return { page: 'troubleshooting', anchor: code === 'sandbox' ? 'failure-sandbox' : code }
}

/** English has no folder of its own; a page without a translation is shown in English under the language's address. */
export function docsAddress({ page, anchor }: DocsPlace, language: string): string {
  const folder = language === 'en' ? '' : `${language}/`
  return `/docs/${folder}${page}/${anchor === '' ? '' : `#${anchor}`}`
}
