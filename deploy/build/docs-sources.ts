import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Setting } from '@threadbox/config'
import { type ErrorKind, isThreadboxError } from '@threadbox/errors'

export type FoundSetting = { group: string; name: string; setting: Setting<unknown> }
/** `path` is the file that declares it. */
export type FoundError = { path: string; code: string; kind: ErrorKind; message: string; remedy: string }

/** Every setting that a source file declares with `setting({…})`, in the order of files and of declaration. */
export async function findSettings(root: string): Promise<FoundSetting[]> {
  const found: FoundSetting[] = []
  for (const { path, exports } of await loadFilesWith(root, /\bsetting(<[^(]*>)?\(\{/)) {
    for (const group of Object.values(exports)) {
      for (const [name, setting] of Object.entries(Object(group))) {
        const isKnown = found.some((other) => other.setting === setting)
        if (isSetting(setting) && !isKnown) found.push({ group: groupOf(path), name, setting })
      }
    }
  }
  return found
}

/** Every error that a source file declares and exports with `defineError`, sorted by code. */
export async function findErrors(root: string): Promise<FoundError[]> {
  const found = new Map<string, FoundError>()
  for (const { path, exports } of await loadFilesWith(root, /\bdefineError(<[\s\S]*?>)?\(\{/)) {
    for (const value of Object.values(exports)) {
      const described = describeError(value)
      if (described === undefined) continue
      const error = { path, ...described }
      const other = found.get(error.code)
      if (other !== undefined && other.message !== error.message) throw new Error(`${path}: ${error.code} exists twice`)
      found.set(error.code, error)
    }
  }
  return [...found.values()].sort((left, right) => (left.code < right.code ? -1 : 1))
}

async function loadFilesWith(root: string, pattern: RegExp) {
  const files = globSync('{apps,packages}/*/src/**/*.ts', { cwd: root })
    .filter((path) => !/(\.test|\.test-utils|\.test-suite|\/main|\/generated\/.*)\.ts$|^apps\/web\//.test(path))
    .filter((path) => pattern.test(readFileSync(join(root, path), 'utf8')))
    .sort((left, right) => orderOf(left).localeCompare(orderOf(right)))
  return Promise.all(
    files.map(async (path) => ({
      path,
      exports: (await import(pathToFileURL(join(root, path)).href)) as Record<string, unknown>,
    })),
  )
}

/** Packages first, so that a setting that an app re-exports is listed where it is declared. */
function orderOf(path: string): string {
  return (path.startsWith('packages/') ? '0' : '1') + path
}

function groupOf(path: string): string {
  return path.split('/').slice(0, 2).join('/')
}

function isSetting(value: unknown): value is Setting<unknown> {
  return typeof value === 'object' && value !== null && 'doc' in value && 'environment' in value && 'schema' in value
}

function describeError(value: unknown): Omit<FoundError, 'path'> | undefined {
  if (typeof value !== 'function' || !('code' in value) || !('kind' in value)) return undefined
  const error: unknown = Reflect.apply(value, undefined, [placeholder('details')])
  if (!isThreadboxError(error)) return undefined
  return { code: error.code, kind: error.kind, message: readable(error.message), remedy: readable(error.remedy) }
}

/** A number computed from a placeholder has no name left. */
function readable(sentence: string): string {
  return sentence.replaceAll('NaN', '…')
}

/**
 * Stands in for the details of an error to get its text without an occurrence: every property, and everything derived
 * from one, prints as its name in braces.
 */
function placeholder(name: string): unknown {
  return new Proxy(() => undefined, {
    get: (_target, key) => {
      if (key === Symbol.toPrimitive || key === 'toString' || key === 'toJSON') return () => `{${name}}`
      if (typeof key === 'symbol') return undefined
      return placeholder(name === 'details' ? key : name)
    },
    apply: () => placeholder(name),
  })
}
