import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type AuthorityFiles, createAuthorityFiles } from '@threadbox/secret-broker'

/**
 * Reads the authority of the installation, and makes it at the first start. Only root can read the directory, so this comes
 * before the process becomes its own user. The key is written last: without it, both are made again.
 */
export async function openAuthorityFiles(directory: string, installation: string): Promise<AuthorityFiles> {
  const [certificateFile, keyFile] = [path.join(directory, 'authority.pem'), path.join(directory, 'authority.key')]
  const key = readIfPresent(keyFile)
  if (key !== undefined) return { certificate: readFileSync(certificateFile, 'utf8'), key }
  const made = await createAuthorityFiles({ subject: `threadbox ${installation}`, clock: Date.now })
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  write(certificateFile, made.certificate)
  write(keyFile, made.key)
  return made
}

function write(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true })
  renameSync(`${file}.new`, file)
}

function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
