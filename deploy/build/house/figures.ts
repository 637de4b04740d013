import { apps, limits } from '../house.ts'
import { cyclesOf, edgesBetween } from './graph.ts'
import { isConstructor, nameOf, placeOf } from './places.ts'
import { portsOf } from './rules/ports.ts'
import { isTestFile, type SourceFile } from './source.ts'
import type { Violation } from './violation.ts'

/** One column of figures per app; tests do not count, types do. */
export function figuresOf(
  files: readonly SourceFile[],
  violations: readonly Violation[],
): Record<string, Record<string, number>> {
  const ports = portsOf(files.filter(({ path }) => !isTestFile(path)))
  const columns = Object.keys(apps).map((app) => {
    const own = files.filter(({ path }) => path.startsWith(`apps/${app}/src/`) && !isTestFile(path))
    const of = (rule: string) =>
      violations.filter((one) => one.rule === rule && one.path.startsWith(`apps/${app}/`)).length
    const folders = edgesBetween(own, (path) => folderOf(path, app))
    const inFolders = membership(cyclesOf(folders))
    const files_ = edgesBetween(own, (path) => (own.some((file) => file.path === path) ? path : undefined))
    const tops = edgesBetween(own, (path) => topOf(path, app))
    return [
      app,
      {
        folders: folders.size,
        'folders in the largest cycle': largest(cyclesOf(folders)),
        'edges between folders': count(folders),
        'of these in a cycle': count(
          folders,
          (from, to) => inFolders.get(from) !== undefined && inFolders.get(from) === inFolders.get(to),
        ),
        'files in the largest cycle': largest(cyclesOf(files_)),
        'files in a cycle': cyclesOf(files_).flat().length,
        'edges between top-level folders and loose files': count(tops),
        'imports that point up': of('area-order') + of('feature-order'),
        'imports of a foreign store': storesOf(own),
        'imports of a foreign table': tablesOf(own),
        'imports that bypass a public interface': of('public') + of('store') + of('constructor'),
        'files with more than 30 imports': own.filter(
          ({ imports }) => new Set(imports.map(({ specifier }) => specifier)).size > 30,
        ).length,
        'ports over 12 members': ports.filter(
          ({ path, members }) => path.startsWith(`apps/${app}/`) && members > limits.portMembers,
        ).length,
        'source files': own.length,
        lines: own.reduce((sum, { text }) => sum + text.trimEnd().split('\n').length, 0),
        'lines of composition': linesOfComposition(own, app),
      },
    ] as const
  })
  return Object.fromEntries(columns)
}

/** The feature of a sorted app, or the file next to the features of an area; the folder of an unsorted app. */
function folderOf(path: string, app: string): string | undefined {
  const place = placeOf(path)
  if (place === undefined || place.app !== app) return undefined
  if (place.feature === undefined && (place.area?.features.length ?? 0) > 0) return place.path
  const [first = '', second = '', third] = place.path.split('/')
  const isDeep = first === 'features' || (third !== undefined && place.feature !== undefined)
  return isDeep ? `${first}/${second}` : second === '' ? undefined : first
}

function topOf(path: string, app: string): string | undefined {
  const place = placeOf(path)
  return place === undefined || place.app !== app ? undefined : place.path.split('/')[0]
}

function foreign(files: readonly SourceFile[], pattern: RegExp): number {
  return files.reduce((sum, { path, imports }) => {
    const from = placeOf(path)
    const found = imports.filter(({ path: target }) => {
      if (from?.feature === undefined || target === undefined || !pattern.test(target)) return false
      const to = placeOf(target)
      return to?.area?.isOpen !== true && to?.feature !== undefined && nameOf(to) !== nameOf(from)
    })
    return sum + found.length
  }, 0)
}

const storesOf = (files: readonly SourceFile[]) => foreign(files, /\.store\.ts$/)
const tablesOf = (files: readonly SourceFile[]) => foreign(files, /\.table\.ts$/)

function linesOfComposition(files: readonly SourceFile[], app: string): number {
  return files
    .filter(({ path }) => {
      const place = placeOf(path)
      if (place === undefined) return false
      return isConstructor(place) || apps[app]?.composition.includes(place.path) === true || /-parts?\.ts$/.test(path)
    })
    .reduce((sum, { text }) => sum + text.trimEnd().split('\n').length, 0)
}

function membership(cycles: readonly string[][]): Map<string, number> {
  return new Map(cycles.flatMap((members, index) => members.map((member) => [member, index] as const)))
}

function largest(cycles: readonly string[][]): number {
  return Math.max(0, ...cycles.map(({ length }) => length))
}

function count(edges: ReadonlyMap<string, ReadonlySet<string>>, counts = (_from: string, _to: string) => true): number {
  return [...edges].reduce((sum, [from, targets]) => sum + [...targets].filter((to) => counts(from, to)).length, 0)
}
