import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as guest from '@threadbox/protocol/guest'
import * as host from '@threadbox/protocol/host'
import * as publicApi from '@threadbox/protocol/public'
import { z } from 'zod'
import { type JsonValue, shapeOf } from './shapes.ts'

/** Every schema and constant that the three protocols export, by name: requests, responses, events, stored documents. */
export function protocolSchemas(): JsonValue {
  return { public: exportsOf(publicApi), host: exportsOf(host), guest: exportsOf(guest) }
}

/** The guest protocol for clients in other languages: each .proto file without comments. */
export function protoFiles(root: string): JsonValue {
  const folder = join(root, 'packages/protocol/proto')
  const paths = globSync('**/*.proto', { cwd: folder }).sort()
  return Object.fromEntries(paths.map((path) => [path, linesOf(readFileSync(join(folder, path), 'utf8'))]))
}

/** Without comments, empty lines and indentation. */
export function linesOf(source: string): string[] {
  const bare = source.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '')
  return bare.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]))
}

function exportsOf(module: object): JsonValue {
  const entries = Object.entries(module)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([name, value]) => {
      if (value instanceof z.ZodType) return [[name, shapeOf(value)] as const]
      if (typeof value === 'function' || isGenerated(value)) return []
      return [[name, constant(value)] as const]
    })
  return Object.fromEntries(entries)
}

/** Generated from a .proto file, which is listed itself: a module of descriptors or one of them. */
function isGenerated(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Symbol.toStringTag in value || ('kind' in value && ('typeName' in value || 'proto' in value))
}

/** Functions inside of a constant (paths with ids) are called with their parameters' numbers. */
function constant(value: unknown): JsonValue {
  if (value instanceof RegExp) return String(value)
  if (value instanceof Set) return [...value].map(constant)
  if (Array.isArray(value)) return value.map(constant)
  if (typeof value === 'function') return constant(value(...Array.from({ length: value.length }, (_, at) => `{${at}}`)))
  if (value instanceof z.ZodType) return shapeOf(value)
  if (typeof value !== 'object' || value === null) return value as JsonValue
  // How a message is encoded is code; the recorded wire covers it (`tests/compatibility/host-wire`).
  if ('toResponse' in value) return 'a form of its own'
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, constant(item)]))
}
