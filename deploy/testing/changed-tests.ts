import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeSourceGraph } from './source-graph.ts'

/** Files that every test, or the test runner itself, reads. */
const concernsAll =
  /^(package(-lock)?\.json|vitest\.config\.ts|tsconfig.*\.json|deploy\/testing\/.*|deploy\/build\/build\.ts)$/
const isTest = /\.test\.tsx?$/
const isSource = /\.(ts|tsx|mjs|js|sh|css)$|^threadbox$/

/** The test files that can be reached from changes since a commit, including untracked files. */
export async function changedTestFiles(since: string): Promise<{ files: string[] | 'all'; why: string }> {
  const root = join(import.meta.dirname, '../..')
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', root, ...args], { encoding: 'utf8', maxBuffer: 2 ** 26 })
      .split('\n')
      .filter(Boolean)
  const [base = since] = git('merge-base', since, 'HEAD')
  const changed = [...new Set([...git('diff', '--name-only', base), ...git('ls-files', '-o', '--exclude-standard')])]
  const general = changed.find((file) => concernsAll.test(file))
  if (general !== undefined) return { files: 'all', why: `Running everything: ${general} changed.` }
  const files = [...new Set([...git('ls-files', '-co', '--exclude-standard'), ...changed])]
  const textOf = (file: string) => {
    if (!isSource.test(file) || !existsSync(join(root, file))) return undefined
    return readFileSync(join(root, file), 'utf8').replaceAll('"$repository/', '"')
  }
  const graph = makeSourceGraph({ files, textOf, exportsOf: packageExports(root, files) })
  const reached = [...graph.reaching(changed)].filter((file) => isTest.test(file) && existsSync(join(root, file)))
  return {
    files: reached.sort(),
    why: `${changed.length} files changed; running the ${reached.length} test files that depend on them.`,
  }
}

/** `@threadbox/domain`, `@threadbox/protocol/host`, … and the file of each. */
function packageExports(root: string, files: readonly string[]): Map<string, string> {
  const exported = new Map<string, string>()
  for (const file of files.filter((each) => /^(apps|packages)\/[^/]+\/package\.json$/.test(each))) {
    const description = JSON.parse(readFileSync(join(root, file), 'utf8')) as Description
    for (const [name, target] of Object.entries(description.exports ?? {})) {
      const source = typeof target === 'string' ? target : (target.types ?? target.default)
      if (source !== undefined) exported.set(join(description.name, name), join(file, '..', source))
    }
  }
  return exported
}

type Description = { name: string; exports?: Record<string, string | { types?: string; default?: string }> }
