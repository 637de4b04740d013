import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** One bash in which a reader runs the blocks of a page, one after another, in one folder. */
export type PageShell = AsyncDisposable & {
  /** The folder with the reader’s files. */
  folder: string
  run(block: string, options?: { seconds?: number }): Promise<BlockResult>
}

export type BlockResult = {
  exitCode: number
  output: string
  errors: string
  /** The HTTP status of each request, in order. */
  statuses: number[]
}

/** Exit code of curl at the end of its time. */
export const timeUp = 28

/**
 * Starts bash with the real curl. curl’s own settings file makes it print the status of each response and end after some
 * seconds, so that the blocks stay as they are written.
 */
export async function startPageShell(directory: string): Promise<PageShell> {
  const folder = join(directory, 'reader')
  await mkdir(folder)
  const settings = join(directory, '.curlrc')
  const [output, errors] = [join(directory, 'output'), join(directory, 'errors')]
  const env = { PATH: process.env.PATH ?? '', HOME: directory, CURL_HOME: directory, LC_ALL: 'C.UTF-8' }
  const bash = spawn('bash', ['--noprofile', '--norc'], { cwd: folder, env, stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(bash, 'exit')
  const lines = createInterface({ input: bash.stdout })[Symbol.asyncIterator]()
  return {
    folder,
    run: async (block, { seconds = 20 } = {}) => {
      await writeFile(settings, `max-time = ${seconds}\nwrite-out = "%{stderr}status %{http_code}\\n"\n`)
      bash.stdin.write(`{\n${block}\n} </dev/null >'${output}' 2>'${errors}'\necho $?\n`)
      const { value, done } = await lines.next()
      if (done === true) throw new Error(`bash ended at: ${block}`)
      const printed = await readFile(errors, 'utf8')
      return {
        exitCode: Number(value),
        output: await readFile(output, 'utf8'),
        errors: printed,
        statuses: [...printed.matchAll(/^status (\d+)$/gm)].map(([, status]) => Number(status)),
      }
    },
    [Symbol.asyncDispose]: async () => {
      bash.stdin.end()
      await ended
    },
  }
}
