import { cyclesOf, edgesBetween } from '../graph.ts'
import { isTestFile, type SourceFile } from '../source.ts'
import type { Violation } from '../violation.ts'

/** Files that import each other, types included. Each file of a cycle is a violation, so that a growing cycle is new. */
export function checkCycles(files: readonly SourceFile[]): Violation[] {
  const sources = files.filter(({ path }) => !isTestFile(path))
  const paths = new Set(sources.map(({ path }) => path))
  const edges = edgesBetween(sources, (path) => (paths.has(path) ? path : undefined))
  return cyclesOf(edges).flatMap((members) =>
    members.map((path) => ({
      rule: 'cycle',
      path,
      message: `${path} lies in a cycle of imports: ${members.filter((member) => member !== path).join(', ')}.`,
    })),
  )
}
