import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkCycles } from './rules/cycles.ts'
import { checkDocsPaths } from './rules/docs-paths.ts'
import { checkFolders } from './rules/folders.ts'
import { checkNames } from './rules/names.ts'
import { checkOrder } from './rules/order.ts'
import { checkPackages } from './rules/packages.ts'
import { checkPorts } from './rules/ports.ts'
import { checkPublicFile } from './rules/public-file.ts'
import { isTestFile, type SourceFile } from './source.ts'
import type { Violation } from './violation.ts'

export function violationsIn(files: readonly SourceFile[]): Violation[] {
  const perFile = files.flatMap((file) => [
    ...checkOrder(file),
    ...checkPublicFile(file),
    ...checkPackages(file),
    ...checkNames(file),
  ])
  const sources = files.filter(({ path }) => !isTestFile(path))
  return [...perFile, ...checkPorts(sources), ...checkFolders(files.map(({ path }) => path)), ...checkCycles(files)]
}

export function violationsInDocs(root: string, pages: readonly string[]): Violation[] {
  const texts = pages.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
  return checkDocsPaths(root, texts)
}
