import { globSync } from 'node:fs'
import { join } from 'node:path'
import { figuresOf } from './house/figures.ts'
import { readSources } from './house/read-sources.ts'
import { checkParsers } from './house/rules/parsers.ts'
import { checkPortsOverLimit } from './house/rules/ports.ts'
import { checkPublicFiles } from './house/rules/public-files.ts'
import { violationsIn, violationsInDocs } from './house/violations.ts'
import { apps } from './house.ts'
import { otherInput, parsers } from './parsers.ts'

/**
 * Checks the source against the layout in house.ts. `--figures` prints the figures, `--root` checks another work tree.
 */
const root =
  process.argv.find((argument) => argument.startsWith('--root='))?.slice('--root='.length) ??
  join(import.meta.dirname, '../..')

const files = readSources(root)
const pages = globSync(['docs/**/*.md', 'README.md', 'CONTRIBUTING.md'], { cwd: root }).sort()
const missing = checkPublicFiles(
  apps,
  files.map(({ path }) => path),
)
const violations = [
  ...violationsIn(files),
  ...missing,
  ...checkPortsOverLimit(files),
  ...checkParsers(files, { parsers, otherInput }),
  ...violationsInDocs(root, pages),
]

if (process.argv.includes('--figures')) console.table(transposed(figuresOf(files, violations)))
for (const { message } of violations) console.error(message)
console.log(`${files.length} files, ${violations.length} violations`)
process.exitCode = violations.length === 0 ? 0 : 1

function transposed(columns: Record<string, Record<string, number>>): Record<string, Record<string, number>> {
  const rows: Record<string, Record<string, number>> = {}
  for (const [column, figures] of Object.entries(columns)) {
    for (const [row, figure] of Object.entries(figures)) rows[row] = { ...rows[row], [column]: figure }
  }
  return rows
}
