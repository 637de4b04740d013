import { defineError } from '@threadbox/errors'

export const previewOtherName = defineError<{ address: string }>({
  code: 'preview.other-name',
  kind: 'unsupported',
  message: () => 'Previews do not work here, because a browser keeps cookies of another site from pages in a frame.',
  remedy: ({ address }) => `Open the app at ${address} instead: previews live under the same name there.`,
})

export const previewNoName = defineError<{ port: string }>({
  code: 'preview.no-name',
  kind: 'unsupported',
  message: () =>
    'Previews need names, and this installation only has names under localhost, which is your own computer.',
  remedy: ({ port }) =>
    `Run \`ssh -L ${port}:127.0.0.1:${port}\` to the server and open the address that \`threadbox status\` prints, or ` +
    'give the installation a name with `threadbox up --domain`.',
})

export const previewNamesLocal = defineError<{ name: string }>({
  code: 'preview.names-local',
  kind: 'unsupported',
  message: ({ name }) => `This browser does not find ${name}, though names under localhost are its own computer.`,
  remedy: () =>
    'Open threadbox in a browser that knows such names, as Chrome, Edge and Firefox do, or give the installation a name ' +
    'with `threadbox up --domain`.',
})

export const previewNamesMissing = defineError<{ wildcard: string }>({
  code: 'preview.names-missing',
  kind: 'unsupported',
  message: ({ wildcard }) => `Previews live under ${wildcard}, and such names lead nowhere.`,
  remedy: ({ wildcard }) => `Make a DNS record for ${wildcard} that leads to the same place as the name of the app.`,
})

export const previewNamesElsewhere = defineError<{ name: string; wildcard: string }>({
  code: 'preview.names-elsewhere',
  kind: 'unsupported',
  message: ({ name }) => `This browser does not get to ${name}, though the app answers it.`,
  remedy: ({ wildcard }) =>
    `Let ${wildcard} lead to the same machine as the name of the app, and let a proxy in front pass these names on with ` +
    'their Host header.',
})

export const previewNamesUntrusted = defineError<{ name: string; wildcard: string }>({
  code: 'preview.names-untrusted',
  kind: 'unsupported',
  message: ({ name }) => `This browser does not get to https://${name}, though the app answers it.`,
  remedy: ({ wildcard }) =>
    `Give the proxy that ends TLS a certificate for ${wildcard}, and let it pass these names on with their Host header.`,
})

export const previewCookiesBlocked = defineError<{ wildcard: string }>({
  code: 'preview.cookies-blocked',
  kind: 'unsupported',
  message: () => 'This browser keeps no cookies of pages in a frame, without which previews stay private.',
  remedy: ({ wildcard }) => `Allow cookies for ${wildcard} in the browser, or open previews in a tab of their own.`,
})

export const previewSocketsBlocked = defineError<{ wildcard: string }>({
  code: 'preview.sockets-blocked',
  kind: 'unsupported',
  message: () => 'Pages of previews cannot open a WebSocket: something between this browser and threadbox drops it.',
  remedy: ({ wildcard }) =>
    `Let the proxy in front pass on WebSockets for ${wildcard} (the headers Upgrade and Connection, by HTTP/1.1).`,
})

export const previewPortReserved = defineError<{ port: number }>({
  code: 'preview.port-reserved',
  kind: 'invalid',
  message: ({ port }) => `Port ${port} belongs to the sandbox itself.`,
  remedy: () => 'Let the service listen on another port.',
})

export const previewPrivate = defineError({
  code: 'preview.private',
  kind: 'unauthenticated',
  message: () => 'This page is private, and this browser has no valid pass for it.',
  remedy: () => 'Open it again from its thread in threadbox.',
})

export const previewForeign = defineError({
  code: 'preview.foreign-request',
  kind: 'forbidden',
  message: () => 'A page of another origin sent this request.',
  remedy: () => 'Send it from a page of the same thread.',
})

export const previewMalformed = defineError({
  code: 'preview.malformed-request',
  kind: 'invalid',
  message: () =>
    'The request is not one that a browser sends: its address, its host or the frame of its body is unclear.',
  remedy: () => 'Send it with one Host header, a path, and one way to tell where the body ends.',
})

export const previewSuspended = defineError<{ retryAfterSeconds: number }>({
  code: 'preview.suspended',
  kind: 'unavailable',
  message: () => 'The sandbox of this page sleeps. Requests that a page sends by itself do not wake it.',
  remedy: () => 'Wake it in threadbox, or open the page anew.',
})

export const previewWaking = defineError<{ retryAfterSeconds: number }>({
  code: 'preview.waking',
  kind: 'unavailable',
  message: () => 'The sandbox of this page is waking up.',
  remedy: () => 'Try again in a moment.',
})

export const previewNothingHere = defineError<{ port: number }>({
  code: 'preview.nothing-here',
  kind: 'unavailable',
  message: ({ port }) => `Nothing answers on port ${port} of the sandbox.`,
  remedy: () => 'Start the service, or look at its log if it should be running.',
})

export const previewBroken = defineError<{ port: number; reason: string }>({
  code: 'preview.broken-off',
  kind: 'interrupted',
  message: ({ port, reason }) => `The service on port ${port} took the request and gave no answer: ${reason}`,
  remedy: () => 'Look at the log of the service, then try again.',
})

export const previewAsleep = defineError({
  code: 'preview.asleep',
  kind: 'unavailable',
  message: () => 'The sandbox of this page sleeps, and the link that led here does not wake it.',
  remedy: () => 'Ask whoever shared it to wake it; the page appears then.',
})

export const shareLinkNotFound = defineError({
  code: 'share-link.not-found',
  kind: 'not-found',
  message: () => 'This thread has no such link.',
  remedy: () => 'List the links of the thread: it may have ended meanwhile.',
})

export const shareLinkLimit = defineError<{ max: number }>({
  code: 'share-link.limit-reached',
  kind: 'conflict',
  message: ({ max }) => `The thread has ${max} links already, which is as many as it may have.`,
  remedy: () => 'End one of them first.',
})
