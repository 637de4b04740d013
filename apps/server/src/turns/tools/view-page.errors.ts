import { defineError } from '@threadbox/errors'

export const pageNotLocal = defineError<{ url: string }>({
  code: 'page.not-local',
  kind: 'invalid',
  message: ({ url }) => `${url} is not a page of this sandbox, and only those are shown.`,
  remedy: () => 'Give the name of a service, or http://localhost:<port>/; fetch other pages with a command or Python.',
})

export const pageLookUnsupported = defineError({
  code: 'page.look-unsupported',
  kind: 'unsupported',
  message: () => 'This sandbox was started by an earlier version, which cannot show pages.',
  remedy: () => 'Restart the sandbox: its files stay.',
})

export const browserMissing = defineError({
  code: 'page.browser-missing',
  kind: 'unsupported',
  message: () => 'There is no browser in this sandbox: it was made before the base image had one, or it was removed.',
  remedy: () => 'Install one: `sudo apt-get update && sudo apt-get install -y chromium-headless-shell`.',
})

export const pageBrowserFailed = defineError<{ detail: string }>({
  code: 'page.browser-failed',
  kind: 'unavailable',
  message: ({ detail }) => `The browser in the sandbox did not work: ${detail}`,
  remedy: () => 'Try again; when it goes on, look whether memory, processes or disk of the sandbox are used up.',
})

export const pageUnreachable = defineError<{ url: string; detail: string }>({
  code: 'page.unreachable',
  kind: 'unavailable',
  message: ({ url, detail }) => `${url} could not be opened: ${detail}`,
  remedy: () => 'See with list_services what runs and on which port, and with service_logs why it does not.',
})

export const pageNoAnswer = defineError<{ url: string; detail: string }>({
  code: 'page.no-answer',
  kind: 'unavailable',
  message: ({ url, detail }) => `${url} took the request and gave no answer. ${detail}`,
  remedy: () => 'Look at the log of the service; give timeout_seconds when it is only slow.',
})

export const pageNotResponding = defineError<{ url: string; detail: string }>({
  code: 'page.not-responding',
  kind: 'unavailable',
  message: ({ url, detail }) => `The scripts of ${url} never paused, so there was nothing to see. ${detail}`,
  remedy: () => 'Look for a loop without an end in its scripts.',
})

export const pageCrashed = defineError<{ url: string; detail: string }>({
  code: 'page.crashed',
  kind: 'unavailable',
  message: ({ url, detail }) => `${url} made the browser fail. ${detail}`,
  remedy: () => 'Make the page need less memory.',
})

export const pageTooMuchMemory = defineError<{ url: string; detail: string }>({
  code: 'page.too-much-memory',
  kind: 'exhausted',
  message: ({ url, detail }) => `${url} used too much memory and was closed. ${detail}`,
  remedy: () => 'Make the page need less memory, or raise the memory limit of the sandbox.',
})

export const pageFlooded = defineError<{ url: string; detail: string }>({
  code: 'page.flooded',
  kind: 'unavailable',
  message: ({ url, detail }) => `${url} said more than can be read. ${detail}`,
  remedy: () => 'Make it write less to its console at once.',
})
