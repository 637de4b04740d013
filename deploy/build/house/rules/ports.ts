import type { TSSignature, TSType, TSTypeReference } from 'oxc-parser'
import { limits } from '../../house.ts'
import { portsOverLimit } from '../ports-over-limit.ts'
import { lineAt, type SourceFile } from '../source.ts'
import { type FindType, type FoundType, makeFindType, typesOf } from '../types.ts'
import type { Violation } from '../violation.ts'

type Ports = { path: string; name: string; members: number; line: number }

/** Constructor arguments stay readable: types named `…Ports` or `…Dependencies` have few members. */
export function checkPorts(files: readonly SourceFile[]): Violation[] {
  return portsOf(files)
    .filter((ports) => isOverLimit(ports) && portsOverLimit[keyOf(ports)] === undefined)
    .map(({ path, name, members, line }) => ({
      rule: 'ports',
      path,
      message: `${path}:${line} ${name} has ${members} members; ${limits.portMembers} are allowed.`,
    }))
}

/** Each exception in house.ts is still needed. */
export function checkPortsOverLimit(
  files: readonly SourceFile[],
  listed: readonly string[] = Object.keys(portsOverLimit),
): Violation[] {
  const over = new Set(portsOf(files).filter(isOverLimit).map(keyOf))
  return listed
    .filter((key) => !over.has(key))
    .map((key) => ({
      rule: 'ports',
      path: key.slice(0, key.indexOf('#')),
      message: `deploy/build/house.ts lists ${key}, which does not exceed ${limits.portMembers} members: remove the line.`,
    }))
}

export function portsOf(files: readonly SourceFile[]): Ports[] {
  const find = makeFindType(files)
  return files.flatMap((file) =>
    typesOf(file)
      .filter(({ id }) => /(Ports|Dependencies|Parts)$/.test(id.name))
      .map((declaration) => {
        const { path, text } = file
        const members = sizeOf(membersOf({ path, declaration }, find))
        return { path, name: declaration.id.name, members, line: lineAt(text, declaration.start) }
      }),
  )
}

const isOverLimit = ({ members }: Ports) => members > limits.portMembers
const keyOf = ({ path, name }: Ports) => `${path}#${name}`

/** The members by name, each with the count of its nested members. */
type Members = ReadonlyMap<string, number>
type Context = { path: string; find: FindType; visited: ReadonlySet<unknown> }

const sizeOf = (members: Members) => [...members.values()].reduce((sum, nested) => sum + 1 + nested, 0)
const joined = (all: readonly Members[]): Members => new Map(all.flatMap((members) => [...members]))

/** The members of the type itself, including parts declared elsewhere. A member with a named type counts as one. */
function membersOf(found: FoundType, find: FindType, visited: ReadonlySet<unknown> = new Set()): Members {
  const { path, declaration } = found
  if (visited.has(declaration)) return new Map()
  const context = { path, find, visited: new Set([...visited, declaration]) }
  if (declaration.type === 'TSTypeAliasDeclaration') return membersIn(declaration.typeAnnotation, context)
  const inherited = declaration.extends.map(({ expression }) =>
    expression.type === 'Identifier' ? membersNamed(expression.name, context) : new Map<string, number>(),
  )
  return joined([...inherited, literalMembers(declaration.body.body)])
}

function membersIn(type: TSType, context: Context): Members {
  if (type.type === 'TSTypeLiteral') return literalMembers(type.members)
  if (type.type === 'TSIntersectionType') return joined(type.types.map((one) => membersIn(one, context)))
  if (type.type === 'TSParenthesizedType') return membersIn(type.typeAnnotation, context)
  if (type.type === 'TSTypeReference' && type.typeName.type === 'Identifier') {
    return membersReferred(type, type.typeName.name, context)
  }
  return new Map()
}

function membersReferred(type: TSTypeReference, name: string, context: Context): Members {
  const [of, keys] = type.typeArguments?.params ?? []
  if (of === undefined) return membersNamed(name, context)
  if (['Partial', 'Readonly', 'Required'].includes(name)) return membersIn(of, context)
  if (name === 'Pick') return new Map(namesIn(keys).map((key) => [key, 0]))
  if (name !== 'Omit') return membersNamed(name, context)
  const omitted = namesIn(keys)
  return new Map([...membersIn(of, context)].filter(([key]) => !omitted.includes(key)))
}

function membersNamed(name: string, { path, find, visited }: Context): Members {
  const found = find(path, name)
  return found === undefined ? new Map() : membersOf(found, find, visited)
}

function literalMembers(members: readonly TSSignature[]): Members {
  return new Map(
    members.map((member) => {
      const key = 'key' in member && member.key.type === 'Identifier' ? member.key.name : String(member.start)
      const type = member.type === 'TSPropertySignature' ? member.typeAnnotation?.typeAnnotation : undefined
      return [key, nestedIn(type)] as const
    }),
  )
}

function nestedIn(type: TSType | undefined): number {
  if (type?.type === 'TSTypeLiteral') return sizeOf(literalMembers(type.members))
  return type?.type === 'TSIntersectionType' ? type.types.reduce((sum, one) => sum + nestedIn(one), 0) : 0
}

/** The strings of a union of literals. */
function namesIn(keys: TSType | undefined): string[] {
  if (keys?.type === 'TSUnionType') return keys.types.flatMap(namesIn)
  return keys?.type === 'TSLiteralType' && keys.literal.type === 'Literal' ? [String(keys.literal.value)] : []
}
