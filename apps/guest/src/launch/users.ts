import { readFileSync } from 'node:fs'
import { defineError } from '@threadbox/errors'

export const userUnknown = defineError<{ name: string }>({
  code: 'user.unknown',
  kind: 'unauthenticated',
  message: ({ name }) => `The sandbox has no user “${name}”.`,
  remedy: () => 'Use “user” or “root”, or create the user in the sandbox first.',
})

export type SandboxUser = { name: string; uid: number; gid: number; home: string; shell: string }

/** Finds a user in the sandbox's current `/etc/passwd`. Throws `user.unknown`. */
export function findUser(name: string): SandboxUser {
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [entry, , uid, gid, , home, shell] = line.split(':')
    if (entry !== name || uid === undefined || gid === undefined) continue
    return { name, uid: Number(uid), gid: Number(gid), home: home || '/', shell: shell || '/bin/sh' }
  }
  throw userUnknown({ name })
}

/** Returns the user named by a Basic authorization header without a password; undefined if none is. */
export function userNameOf(authorization: string | null | undefined): string | undefined {
  const encoded = /^Basic\s+(\S+)$/i.exec(authorization ?? '')?.[1]
  if (encoded === undefined) return undefined
  return Buffer.from(encoded, 'base64').toString('utf8').split(':')[0] || undefined
}
