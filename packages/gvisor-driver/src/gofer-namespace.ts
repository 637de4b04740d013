import { execFile } from 'node:child_process'
import { rm, statfs } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)
/** The file system of a namespace that has a name. */
const namespaceMagic = 0x6e736673
const commandTimeoutMs = 10_000

const nameOf = (installation: string) => `tbg-${installation}`

/**
 * The network namespace, without anything in it, of an installation’s gofers: processes of runsc that serve files and
 * need no network. One for all of them, because the kernel takes milliseconds to make one, and removes one under a lock
 * that all changes of networks wait for. runsc makes one too, but the mount that names it would end with the mount
 * namespace in which a sandbox with shifted IDs is started.
 */
export function goferNamespaceOf(installation: string): string {
  return `/run/netns/${nameOf(installation)}`
}

/** Makes the namespace, unless it exists: a restart of the machine removes it. One call at a time. */
export async function ensureGoferNamespace(installation: string): Promise<void> {
  const file = goferNamespaceOf(installation)
  if (await isNamespace(file)) return
  // Without a namespace, it is what a killed `ip` left.
  await rm(file, { force: true })
  await ip('add', installation)
}

/** Removes its name: it exists until the last gofer in it has ended. */
export async function removeGoferNamespace(installation: string): Promise<void> {
  if (await isNamespace(goferNamespaceOf(installation))) await ip('delete', installation)
  await rm(goferNamespaceOf(installation), { force: true })
}

async function ip(action: 'add' | 'delete', installation: string): Promise<void> {
  await run('ip', ['netns', action, nameOf(installation)], { timeout: commandTimeoutMs })
}

async function isNamespace(file: string): Promise<boolean> {
  const found = await statfs(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  return found?.type === namespaceMagic
}
