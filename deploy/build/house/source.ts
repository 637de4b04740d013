import { readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { type Program, parseSync, Visitor } from 'oxc-parser'

/** One import or re-export. Types, values and dynamic imports count alike. */
export type Import = {
  /** As written. */
  specifier: string
  /** From the root of the repository if it is one of its files: `apps/server/src/main.ts`. */
  path: string | undefined
  line: number
  isTypeOnly: boolean
  isReExport: boolean
  /** `export * from`. */
  isWildcard: boolean
}

export type SourceFile = { path: string; text: string; program: Program; imports: readonly Import[] }

/** Next to the tested file, and exempt from the direction inside an app. */
export function isTestFile(path: string): boolean {
  return /\.(test|test-utils|test-suite)\.tsx?$|\/testing\.ts$/.test(path)
}

export function readSource(root: string, path: string): SourceFile {
  return parseSource(path, readFileSync(join(root, path), 'utf8'))
}

export function parseSource(path: string, text: string): SourceFile {
  const { program, module, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`)
  const found: (Omit<Import, 'path' | 'line'> & { start: number })[] = []
  for (const { moduleRequest, entries, start } of module.staticImports) {
    const isTypeOnly = entries.length > 0 && entries.every(({ isType }) => isType)
    found.push({ specifier: moduleRequest.value, start, isTypeOnly, ...plain })
  }
  for (const { entries, start } of module.staticExports) {
    for (const { moduleRequest, importName, isType } of entries) {
      if (moduleRequest === null) continue
      const isWildcard = importName.kind !== 'Name'
      found.push({ specifier: moduleRequest.value, start, isTypeOnly: isType, isReExport: true, isWildcard })
    }
  }
  for (const { moduleRequest, start } of module.dynamicImports) {
    const written = /^(['"`])([^'"`$]*)\1$/.exec(text.slice(moduleRequest.start, moduleRequest.end))?.[2]
    if (written !== undefined) found.push({ specifier: written, start, isTypeOnly: false, ...plain })
  }
  new Visitor({
    TSImportType({ source, start }) {
      found.push({ specifier: source.value, start, isTypeOnly: true, ...plain })
    },
  }).visit(program)
  const imports = found.map(({ start, ...rest }) => ({
    ...rest,
    path: resolve(path, rest.specifier),
    line: lineAt(text, start),
  }))
  return { path, text, program, imports }
}

const plain = { isReExport: false, isWildcard: false }

/** Every import has its extension, so resolving is joining. */
function resolve(from: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? posix.join(dirname(from), specifier.replace(/\?.*$/, '')) : undefined
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}
