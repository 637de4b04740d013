import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
/**
 * The searched texts did not exist before this time; the kernel records the time of each write, also for files of an
 * image.
 */
const begunAt = performance.timeOrigin / 1000
const filesPerSearch = 500
// Bytes are compared, not characters: a disk has gigabytes.
const options = { maxBuffer: 64 * 1024 * 1024, env: { ...process.env, LC_ALL: 'C' } }

/**
 * Where on a disk one of these texts occurs: in a file written since then, in its name or its target; lists the names
 * of the texts.
 */
export async function foundOn(disk: string, texts: Record<string, string>): Promise<string[]> {
  const all = Object.entries(texts)
  const patterns = all.flatMap(([, text]) => ['-e', text])
  const { stdout: written } = await run('find', [disk, '-type', 'f', '-newerct', `@${begunAt}`, '-print0'], options)
  const files = written.split('\0').filter((file) => file !== '')
  const lines: string[] = []
  for (let at = 0; at < files.length; at += filesPerSearch) {
    lines.push(...(await linesWith(patterns, files.slice(at, at + filesPerSearch))))
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
