import type { Program, TSInterfaceDeclaration, TSTypeAliasDeclaration } from 'oxc-parser'
import type { SourceFile } from './source.ts'

export type TypeDeclaration = TSInterfaceDeclaration | TSTypeAliasDeclaration
export type FoundType = { path: string; declaration: TypeDeclaration }
/**
 * The type that a name refers to in a file; undefined for those of libraries and of other packages, and for parameters.
 */
export type FindType = (path: string, name: string) => FoundType | undefined

export function typesOf({ program }: SourceFile): TypeDeclaration[] {
  return program.body.flatMap((statement) => {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    return declared?.type === 'TSInterfaceDeclaration' || declared?.type === 'TSTypeAliasDeclaration' ? [declared] : []
  })
}

/** Follows imports and re-exports from file to file. */
export function makeFindType(files: readonly SourceFile[]): FindType {
  const known = new Map(
    files.map((file) => {
      const own = new Map(typesOf(file).map((declaration) => [declaration.id.name, declaration]))
      return [file.path, { own, elsewhere: importedNames(file) }]
    }),
  )
  const find = (path: string, name: string, visited: ReadonlySet<string> = new Set()): FoundType | undefined => {
    const file = known.get(path)
    const declaration = file?.own.get(name)
    if (declaration !== undefined) return { path, declaration }
    const source = file?.elsewhere.get(name)
    if (source === undefined || visited.has(path)) return undefined
    return find(source.path, source.name, new Set([...visited, path]))
  }
  return find
}

function importedNames({ program, imports }: SourceFile): Map<string, { path: string; name: string }> {
  return new Map(
    program.body.flatMap((statement) => {
      const source = sourceOf(statement)
      const path = imports.find(({ specifier }) => specifier === source)?.path
      return path === undefined ? [] : namesIn(statement).map(([local, name]) => [local, { path, name }] as const)
    }),
  )
}

type Statement = Program['body'][number]

function sourceOf(statement: Statement): string | undefined {
  const isFrom = statement.type === 'ImportDeclaration' || statement.type === 'ExportNamedDeclaration'
  return isFrom ? statement.source?.value : undefined
}

/** The local name, and the imported name. */
function namesIn(statement: Statement): (readonly [string, string])[] {
  if (statement.type === 'ImportDeclaration') {
    return statement.specifiers.flatMap((one) =>
      one.type === 'ImportSpecifier' ? [[one.local.name, nameOf(one.imported)] as const] : [],
    )
  }
  if (statement.type !== 'ExportNamedDeclaration') return []
  return statement.specifiers.map(({ exported, local }) => [nameOf(exported), nameOf(local)] as const)
}

function nameOf(name: { type: 'Identifier'; name: string } | { type: 'Literal'; value: unknown }): string {
  return name.type === 'Identifier' ? name.name : String(name.value)
}
