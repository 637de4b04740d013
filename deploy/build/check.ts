import { spawnSync } from 'node:child_process'

/**
 * Everything about the source that can be judged without running it: format, lint (with file sizes), areas and imports,
 * words, types, dead code, generated files. All of them run even when one fails, so that one run shows every problem.
 */
const checks: Record<string, string[]> = {
  'format and lint': ['biome', 'ci', '.'],
  'areas and imports': ['node', 'deploy/build/check-house.ts'],
  words: ['node', 'deploy/build/check-words.ts'],
  types: ['tsc', '-p', 'tsconfig.json'],
  'types of the web app': ['tsc', '-p', 'apps/web/tsconfig.json'],
  'dead code': ['knip'],
}

const failed = Object.entries(checks).filter(([title, [command, ...args]]) => {
  console.log(`· ${title}`)
  const program = command === 'node' ? process.execPath : `node_modules/.bin/${command}`
  return spawnSync(program, args, { stdio: 'inherit' }).status !== 0
})
if (failed.length > 0) console.error(`Failed: ${failed.map(([title]) => title).join(', ')}`)
process.exitCode = failed.length === 0 ? 0 : 1
