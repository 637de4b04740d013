import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { pLimit } from '@threadbox/concurrency'

/**
 * All checks of the source that don’t run it: format, lint (with file sizes), areas and imports, words, types, dead
 * code, generated files. All of them run even if one fails, so that one run shows every problem.
 */
const checks: Record<string, string[]> = {
  // The longest first.
  'dead code': ['knip'],
  types: ['tsc', '-p', 'tsconfig.json'],
  'types of the web app': ['tsc', '-p', 'apps/web/tsconfig.json'],
  'types of the documentation site': ['tsc', '-p', 'docs-site/tsconfig.json'],
  'format and lint': ['biome', 'ci', '.'],
  'areas and imports': ['node', 'deploy/build/check-house.ts'],
  words: ['node', 'deploy/build/check-words.ts'],
}

/** As many at the same time as the smallest machine has processors. */
const inTurn = pLimit(2)
const failed: string[] = []
const run = async (title: string, [command = '', ...args]: string[]) => {
  const program = command === 'node' ? process.execPath : `node_modules/.bin/${command}`
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const [output, errors, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  console.log(`· ${title}\n${output}${errors}`.trimEnd())
  if (exitCode !== 0) failed.push(title)
}
await Promise.all(Object.entries(checks).map(([title, command]) => inTurn(run, title, command)))
if (failed.length > 0) console.error(`Failed: ${failed.join(', ')}`)
process.exitCode = failed.length === 0 ? 0 : 1
