import { defineError } from '@threadbox/errors'

export const previewOtherName = defineError<{ address: string }>({
  code: 'preview.other-name',
  kind: 'unsupported',
  message: () => 'Previews don’t work at this address: browsers block cookies from another site in frames.',
  remedy: ({ address }) => `Open the app at ${address}. Previews use the same domain there.`,
})

export const previewNoName = defineError<{ port: string }>({
  code: 'preview.no-name',
  kind: 'unsupported',
  message: () =>
    'Previews need a domain. This installation only has names under localhost, which point to your own computer.',
  remedy: ({ port }) =>
    `Run \`ssh -L ${port}:127.0.0.1:${port}\` to the server and open the address shown by \`threadbox status\`, ` +
    'or give the installation a domain with `threadbox up --domain`.',
})

export const previewNamesLocal = defineError<{ name: string }>({
  code: 'preview.names-local',
  kind: 'unsupported',
  message: ({ name }) => `This browser can’t resolve ${name}, although names under localhost are this computer.`,
  remedy: () =>
    'Use a browser that resolves such names (Chrome, Edge, Firefox), or give the installation a domain with ' +
    '`threadbox up --domain`.',
})

export const previewNamesMissing = defineError<{ wildcard: string }>({
  code: 'preview.names-missing',
  kind: 'unsupported',
  message: ({ wildcard }) => `Previews use ${wildcard}, but these names don’t resolve.`,
  remedy: ({ wildcard }) => `Add a DNS record for ${wildcard} that points to the same server as the app’s domain.`,
})

export const previewNamesUnreachable = defineError<{ name: string; wildcard: string }>({
  code: 'preview.names-elsewhere',
  kind: 'unsupported',
  message: ({ name }) => `This browser can’t reach ${name}, although it can reach the app.`,
  remedy: ({ wildcard }) =>
    `Point ${wildcard} at the same server as the app’s domain, and configure any proxy to forward these names ` +
    'with their Host header.',
})

export const previewNamesUntrusted = defineError<{ name: string; wildcard: string }>({
  code: 'preview.names-untrusted',
  kind: 'unsupported',
  message: ({ name }) => `This browser can’t reach https://${name}, although it can reach the app.`,
  remedy: ({ wildcard }) =>
    `Give the proxy that terminates TLS a certificate for ${wildcard}, and configure it to forward these names ` +
    'with their Host header.',
})

export const previewCookiesBlocked = defineError<{ wildcard: string }>({
  code: 'preview.cookies-blocked',
  kind: 'unsupported',
  message: () => 'This browser blocks cookies in frames, which previews need to stay private.',
  remedy: ({ wildcard }) => `Allow cookies for ${wildcard} in the browser, or open previews in their own tab.`,
})

export const previewSocketsBlocked = defineError<{ wildcard: string }>({
  code: 'preview.sockets-blocked',
  kind: 'unsupported',
  message: () => 'WebSockets are blocked between this browser and threadbox.',
  remedy: ({ wildcard }) =>
    `Configure the proxy to forward WebSockets for ${wildcard} (headers Upgrade and Connection, over HTTP/1.1).`,
})

export const previewPortReserved = defineError<{ port: number }>({
  code: 'preview.port-reserved',
  kind: 'invalid',
  message: ({ port }) => `Port ${port} is reserved by the sandbox.`,
  remedy: () => 'Use another port.',
})

export const previewPrivate = defineError({
  code: 'preview.private',
  kind: 'unauthenticated',
  message: () => 'This page is private, and this browser isn’t authorized to open it.',
  remedy: () => 'Open it again from its thread in threadbox.',
})

export const previewForeign = defineError({
  code: 'preview.foreign-request',
  kind: 'forbidden',
  message: () => 'This request came from another origin.',
  remedy: () => 'Send it from a page of the same thread.',
})

export const previewMalformed = defineError({
  code: 'preview.malformed-request',
  kind: 'invalid',
  message: () =>
    'The request is ambiguous. It needs exactly one Host header, a path that starts with /, and at most one of Content-Length and Transfer-Encoding: chunked.',
  remedy: () => 'Correct the program that sends the request.',
})

export const previewSuspended = defineError<{ retryAfterSeconds: number }>({
  code: 'preview.suspended',
  kind: 'unavailable',
  message: () => 'The sandbox behind this page is asleep. Background requests from a page don’t wake it.',
  remedy: () => 'Wake it in threadbox, or reload the page.',
})

export const previewWaking = defineError<{ retryAfterSeconds: number }>({
  code: 'preview.waking',
  kind: 'unavailable',
  message: () => 'The sandbox behind this page is waking up.',
  remedy: () => 'Try again in a moment.',
})

export const previewNothingHere = defineError<{ port: number }>({
  code: 'preview.nothing-here',
  kind: 'unavailable',
  message: ({ port }) => `Port ${port} in the sandbox isn’t responding.`,
  remedy: () => 'Start the service, or check its log if it should be running.',
})

export const previewBroken = defineError<{ port: number; reason: string }>({
  code: 'preview.broken-off',
  kind: 'interrupted',
  message: ({ port, reason }) => `The service on port ${port} accepted the request but sent no response: ${reason}`,
  remedy: () => 'Check the service’s log, then try again.',
})

export const previewAsleep = defineError({
  code: 'preview.asleep',
  kind: 'unavailable',
  message: () => 'The sandbox behind this page is asleep, and this link can’t wake it.',
  remedy: () => 'Ask the person who shared it to wake it. The page then opens automatically.',
})

export const shareLinkNotFound = defineError({
  code: 'share-link.not-found',
  kind: 'not-found',
  message: () => 'Link not found in this thread.',
  remedy: () => 'List the thread’s links; this one may have expired.',
})

export const shareLinkLimit = defineError<{ max: number }>({
  code: 'share-link.limit-reached',
  kind: 'conflict',
  message: ({ max }) => `A thread can have up to ${max} links.`,
  remedy: () => 'Revoke a link first.',
})
