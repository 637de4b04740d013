import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { figuresOf } from './house/figures.ts'
import { readSources } from './house/read-sources.ts'
import { checkPublicFiles } from './house/rules/public-files.ts'
import { judge, violationsIn, violationsInDocs } from './house/violations.ts'
import { apps } from './house.ts'

/**
 * Checks the source against the layout in house.ts. `house-baseline.json` lists what is still to be repaired: a new
 * violation fails, and so does one that is repaired and still listed. `--figures` prints the figures,
 * `--write-baseline` writes down what is left, `--root` judges another work tree.
 */
const root =
  process.argv.find((argument) => argument.startsWith('--root='))?.slice('--root='.length) ??
  join(import.meta.dirname, '../..')
const baselineFile = join(root, 'deploy/build/house-baseline.json')

const files = readSources(root)
const pages = globSync(['docs/**/*.md', 'README.md', 'CONTRIBUTING.md'], { cwd: root }).sort()
const missing = checkPublicFiles(
  apps,
  files.map(({ path }) => path),
)
const violations = [...violationsIn(files), ...missing, ...violationsInDocs(root, pages)]

if (process.argv.includes('--figures')) console.table(transposed(figuresOf(files, violations)))
if (process.argv.includes('--write-baseline')) {
  writeFileSync(baselineFile, `${JSON.stringify([...new Set(violations.map(({ key }) => key))].sort(), null, 2)}\n`)
}
const baseline: string[] = JSON.parse(readFileSync(baselineFile, 'utf8'))
const { added, fixed } = judge(violations, baseline)
for (const { message } of added) console.error(message)
for (const key of fixed) console.error(`Repaired, but still in house-baseline.json: ${key}`)
console.log(`${files.length} files, ${added.length} new violations, ${baseline.length} in the baseline`)
process.exitCode = added.length + fixed.length === 0 ? 0 : 1

function transposed(columns: Record<string, Record<string, number>>): Record<string, Record<string, number>> {
  const rows: Record<string, Record<string, number>> = {}
  for (const [column, figures] of Object.entries(columns)) {
    for (const [row, figure] of Object.entries(figures)) rows[row] = { ...rows[row], [column]: figure }
  }
  return rows
}
