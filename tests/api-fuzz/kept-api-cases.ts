import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ApiFuzz } from './schemathesis.ts'

const folder = join(import.meta.dirname, '../fuzz-cases/api')

/** The routes that once failed, each with the sender and the seed. */
export function keptApiCases(): ApiFuzz[] {
  if (!existsSync(folder)) return []
  const files = readdirSync(folder).sort()
  return files.map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as ApiFuzz)
}

/** Writes what failed to the cases, and returns the name of the file. */
export function keepApiCase(fuzz: ApiFuzz): string {
  mkdirSync(folder, { recursive: true })
  const file = `${fuzz.sender}-${fuzz.seed}.json`
  writeFileSync(join(folder, file), `${JSON.stringify(fuzz, null, 2)}\n`)
  return join('tests/fuzz-cases/api', file)
}
