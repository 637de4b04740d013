import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
/** Nothing of what is looked for was there before; the kernel notes with each write when it was, also for files of an image. */
const begunAt = performance.timeOrigin / 1000
const filesAtOnce = 500
// Bytes are compared, not characters: a disk has gigabytes.
const options = { maxBuffer: 64 * 1024 * 1024, env: { ...process.env, LC_ALL: 'C' } }

/** Where on a disk one of these texts stands: in a file that was written since, its name or its target; by the name of the text. */
export async function foundOn(disk: string, texts: Record<string, string>): Promise<string[]> {
  const all = Object.entries(texts)
  const patterns = all.flatMap(([, text]) => ['-e', text])
  const { stdout: written } = await run('find', [disk, '-type', 'f', '-newerct', `@${begunAt}`, '-print0'], options)
  const files = written.split('\0').filter((file) => file !== '')
  const lines: string[] = []
  for (let at = 0; at < files.length; at += filesAtOnce) {
    lines.push(...(await linesWith(patterns, files.slice(at, at + filesAtOnce))))
  }
  const { stdout: names } = await run('find', [disk, '-printf', '%p:%l\\n'], options)
  lines.push(...names.split('\n'))
  const found = all.flatMap(([name, text]) =>
    lines
      .filter((line) => line.includes(text))
      .map((line) => `${name}: ${line.slice(disk.length, line.lastIndexOf(':'))}`),
  )
  return [...new Set(found)]
}

async function linesWith(patterns: string[], files: string[]): Promise<string[]> {
  return await run('grep', ['-HoFa', ...patterns, '--', ...files], options).then(
    ({ stdout }) => stdout.split('\n'),
    (error: { code: number }) => (error.code === 1 ? [] : Promise.reject(error)),
  )
}
