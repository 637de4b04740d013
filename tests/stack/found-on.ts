import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Where on a disk one of these texts stands: in a file, its name or its target; by the name of the text. */
export async function foundOn(disk: string, texts: Record<string, string>): Promise<string[]> {
  const all = Object.entries(texts)
  const patterns = all.flatMap(([, text]) => ['-e', text])
  // Bytes are compared, not characters: a disk has gigabytes.
  const buffer = { maxBuffer: 64 * 1024 * 1024, env: { ...process.env, LC_ALL: 'C' } }
  const inFiles = await run('grep', ['-rHoFa', '--devices=skip', ...patterns, disk], buffer).then(
    ({ stdout }) => stdout,
    (error: { code: number }) => (error.code === 1 ? '' : Promise.reject(error)),
  )
  const { stdout: names } = await run('find', [disk, '-printf', '%p:%l\\n'], buffer)
  const lines = `${inFiles}${names}`.split('\n')
  const found = all.flatMap(([name, text]) =>
    lines
      .filter((line) => line.includes(text))
      .map((line) => `${name}: ${line.slice(disk.length, line.lastIndexOf(':'))}`),
  )
  return [...new Set(found)]
}
