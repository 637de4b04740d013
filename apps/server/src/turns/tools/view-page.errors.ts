import { defineError } from '@threadbox/errors'

export const pageNotLocal = defineError<{ url: string }>({
  code: 'page.not-local',
  kind: 'invalid',
  message: ({ url }) => `${url} is not a page of this sandbox.`,
  remedy: () => 'Use a service name or http://localhost:<port>/. Fetch other pages with a command or Python.',
})

export const pageLookUnsupported = defineError({
  code: 'page.look-unsupported',
  kind: 'unsupported',
  message: () => 'This sandbox runs an older version that can’t show pages.',
  remedy: () => 'Restart the sandbox. Its files are kept.',
})

export const browserMissing = defineError({
  code: 'page.browser-missing',
  kind: 'unsupported',
  message: () =>
    'This sandbox has no browser: it was created before the base image included one, or the browser was removed.',
  remedy: () => 'Install one: `sudo apt-get update && sudo apt-get install -y chromium-headless-shell`.',
})

export const pageBrowserFailed = defineError<{ detail: string }>({
  code: 'page.browser-failed',
  kind: 'unavailable',
  message: ({ detail }) => `The browser in the sandbox failed: ${detail}`,
  remedy: () => 'Try again. If it keeps happening, check the sandbox’s memory, processes and disk.',
})

export const pageUnreachable = defineError<{ url: string; detail: string }>({
  code: 'page.unreachable',
  kind: 'unavailable',
  message: ({ url, detail }) => `Couldn’t open ${url}: ${detail}`,
  remedy: () => 'Use list_services to see what’s running on which port, and service_logs to see why it isn’t.',
})

export const pageNoAnswer = defineError<{ url: string; detail: string }>({
  code: 'page.no-answer',
  kind: 'unavailable',
  message: ({ url, detail }) => `${url} accepted the request but sent no response. ${detail}`,
  remedy: () => 'Check the service’s log. If the page is just slow, set timeout_seconds.',
})

export const pageNotResponding = defineError<{ url: string; detail: string }>({
  code: 'page.not-responding',
  kind: 'unavailable',
  message: ({ url, detail }) => `The scripts on ${url} never went idle, so the page couldn’t be captured. ${detail}`,
  remedy: () => 'Look for an infinite loop in its scripts.',
})

export const pageCrashed = defineError<{ url: string; detail: string }>({
  code: 'page.crashed',
  kind: 'unavailable',
  message: ({ url, detail }) => `${url} crashed the browser. ${detail}`,
  remedy: () => 'Reduce the page’s memory use.',
})

export const pageTooMuchMemory = defineError<{ url: string; detail: string }>({
  code: 'page.too-much-memory',
  kind: 'exhausted',
  message: ({ url, detail }) => `${url} used too much memory and was closed. ${detail}`,
  remedy: () => 'Reduce the page’s memory use, or raise the sandbox’s memory limit.',
})

export const pageFlooded = defineError<{ url: string; detail: string }>({
  code: 'page.flooded',
  kind: 'unavailable',
  message: ({ url, detail }) => `${url} produced more console output than can be read. ${detail}`,
  remedy: () => 'Reduce the page’s console output.',
})
