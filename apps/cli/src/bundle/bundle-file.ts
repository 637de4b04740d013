import { constants, existsSync } from 'node:fs'
import { access, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { bundleFileExists, bundleNotWritten } from './bundle.errors.ts'

/** Throws before minutes of checks what `writeBundleFile` would throw after them. */
export async function checkBundleFile(file: string): Promise<void> {
  if (existsSync(file)) throw bundleFileExists({ file })
  await access(dirname(file), constants.W_OK).catch((cause: unknown) => {
    throw bundleNotWritten({ file, reason: reasonOf(cause) }, { cause })
  })
}

/** Writes a new file that only its owner can read. What a failure left of it is removed. */
export async function writeBundleFile(file: string, content: Buffer): Promise<void> {
  try {
    await writeFile(file, content, { flag: 'wx', mode: 0o600, flush: true })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') throw bundleFileExists({ file }, { cause })
    await rm(file, { force: true })
    throw bundleNotWritten({ file, reason: reasonOf(cause) }, { cause })
  }
}

function reasonOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error)
}
