/**
 * IDs are globally unique, have no order, and are safe in a hostname, a path and a cgroup: a fixed prefix and 20
 * characters of [a-z0-9] (103 bits). Their length is fixed per kind because runsc matches container IDs by prefix.
 */
export const idPrefixes = {
  user: 'u',
  thread: 't',
  turn: 'n',
  step: 'p',
  call: 'c',
  entry: 'e',
  sandbox: 's',
  boot: 'b',
  model: 'm',
  apiKey: 'k',
  attachment: 'a',
  operation: 'o',
  host: 'h',
  report: 'r',
  logLine: 'l',
  terminal: 'y',
  shareLink: 'x',
  workspace: 'w',
  snapshot: 'd',
  skill: 'i',
  connection: 'q',
  threadLink: 'z',
  agent: 'g',
  environment: 'j',
  run: 'v',
  /** A schedule or a webhook: what starts runs. */
  trigger: 'f',
  gitCredential: '4',
  secret: '5',
  /** A link with which a person joins, or sets a new password. */
  invite: '6',
  /** A request to a model in the ledger. */
  usage: '7',
  quotaRequest: '8',
  quotaPreset: '9',
  passkey: '1',
  /** A provider at which people sign in. */
  signInProvider: '0',
  /** An account of a person at a provider. */
  identity: '2',
} as const
export type IdKind = keyof typeof idPrefixes

const bodyLength = 20
const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** Creates an ID from random bytes that the caller provides (at least 32; bytes of 252 and more are skipped). */
export function makeId(kind: IdKind, randomBytes: (count: number) => Uint8Array): string {
  let body = ''
  while (body.length < bodyLength) {
    for (const byte of randomBytes(32)) {
      // 252 is the largest multiple of 36 below 256: with higher bytes some characters would be more likely than
      // others.
      if (byte < 252 && body.length < bodyLength) body += alphabet[byte % 36]
    }
  }
  return idPrefixes[kind] + body
}

export function isId(kind: IdKind, value: string): boolean {
  return value.length === bodyLength + 1 && value.startsWith(idPrefixes[kind]) && /^[a-z0-9]+$/.test(value)
}
