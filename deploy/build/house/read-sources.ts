import { globSync } from 'node:fs'
import { readSource, type SourceFile } from './source.ts'

/** Everything that the rules apply to. */
export function readSources(root: string): SourceFile[] {
  return globSync(['apps/*/src/**/*.{ts,tsx}', 'packages/*/src/**/*.ts'], { cwd: root })
    .filter((path) => !/\/generated\/|\.d\.ts$/.test(path))
    .sort()
    .map((path) => readSource(root, path))
}
