import { type TSType, Visitor } from 'oxc-parser'
import { limits } from '../../house.ts'
import { lineAt, type SourceFile } from '../source.ts'
import type { Violation } from '../violation.ts'

/** What a constructor is built from stays readable: types named `…Ports` or `…Dependencies` have few members. */
export function checkPorts(file: SourceFile): Violation[] {
  return portsOf(file)
    .filter(({ members }) => members > limits.portMembers)
    .map(({ name, members, line }) => ({
      rule: 'ports',
      path: file.path,
      message: `${file.path}:${line} ${name} has ${members} members; ${limits.portMembers} are allowed.`,
    }))
}

export function portsOf({ text, program }: SourceFile): { name: string; members: number; line: number }[] {
  const found: { name: string; members: number; line: number }[] = []
  const add = (name: string, members: number, start: number) => {
    if (/(Ports|Dependencies|Parts)$/.test(name)) found.push({ name, members, line: lineAt(text, start) })
  }
  new Visitor({
    TSTypeAliasDeclaration({ id, typeAnnotation, start }) {
      add(id.name, membersOf(typeAnnotation), start)
    },
    TSInterfaceDeclaration({ id, body, start }) {
      add(id.name, body.body.length + nestedIn(body.body), start)
    },
  }).visit(program)
  return found
}

function membersOf(type: TSType): number {
  if (type.type === 'TSTypeLiteral') return type.members.length + nestedIn(type.members)
  if (type.type === 'TSIntersectionType') return type.types.reduce((sum, one) => sum + membersOf(one), 0)
  return 0
}

function nestedIn(members: readonly { type: string }[]): number {
  return members.reduce((sum, member) => {
    const annotation = 'typeAnnotation' in member ? (member.typeAnnotation as { typeAnnotation: TSType } | null) : null
    return sum + (annotation === null || annotation === undefined ? 0 : membersOf(annotation.typeAnnotation))
  }, 0)
}
