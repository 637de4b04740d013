import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { defineError } from '@threadbox/errors'
import { readInstallation } from '../installation/data-directory.ts'

const sources = ['server', 'host', 'supervisor'] as const

export const logUnknown = defineError<{ name: string }>({
  code: 'logs.unknown',
  kind: 'invalid',
  message: ({ name }) => `There is no log named ${name}.`,
  remedy: () => `Use one of: ${sources.join(', ')}.`,
})

/** `logs`: prints the last lines of one log or of all, and with `follow` new lines until interrupted. */
export function logsCommand(options: {
  dataDir: string
  program: string | undefined
  lines: string
  follow: boolean
}): Promise<number> {
  const installation = readInstallation(options.dataDir)
  const chosen = options.program === undefined ? sources : sources.filter((name) => name === options.program)
  if (chosen.length === 0) throw logUnknown({ name: options.program ?? '' })
  const files = chosen.map((name) => installation.log(name)).filter((file) => existsSync(file))
  if (files.length === 0) {
    process.stdout.write('No logs yet.\n')
    return Promise.resolve(0)
  }
  const args = ['-n', options.lines, ...(options.follow ? ['-F'] : []), ...files]
  const tail = spawn('tail', args, { stdio: ['ignore', 'inherit', 'inherit'] })
  return new Promise((resolve, reject) => {
    tail.once('error', reject)
    tail.once('exit', (code) => resolve(code ?? 0))
  })
}
