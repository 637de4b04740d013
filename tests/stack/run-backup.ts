import { execFile } from 'node:child_process'
import path from 'node:path'
import type { TestHost, TestServer } from '@threadbox/testkit'

const program = path.join(import.meta.dirname, '../../apps/server/src/backup-program/main.ts')

/** Runs a command of the backup program, as the launcher does. */
export function runBackup(
  { host, server }: { host: Pick<TestHost, 'environment'>; server: Pick<TestServer, 'directory'> },
  words: readonly string[],
  input = '',
): Promise<{ code: number; output: string }> {
  const environment = { PATH: process.env.PATH ?? '', ...host.environment, THREADBOX_SERVER_DATA: server.directory }
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [program, ...words], { env: environment }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : 1, output: `${stdout}${stderr}` })
    })
    child.stdin?.end(input)
  })
}

/** Sets a store up and shows that its key is known. Returns the recovery key. */
export async function setUpBackups(at: Parameters<typeof runBackup>[0], store: string): Promise<string> {
  const recoveryKey = (await runBackup(at, ['init', store])).output.trim()
  const { code, output } = await runBackup(at, ['confirm', recoveryKey.slice(-8)])
  if (code !== 0) throw new Error(`The recovery key was refused: ${output}`)
  return recoveryKey
}
