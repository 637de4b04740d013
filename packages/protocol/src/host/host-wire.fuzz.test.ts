import { checkProperty, foreignJson, foreignText } from '@threadbox/testkit/properties'
import {
  type Arbitrary,
  array,
  asyncProperty,
  boolean,
  constantFrom,
  dictionary,
  nat,
  oneof,
  property,
  record,
  tuple,
  uint8Array,
} from 'fast-check'
import { expect, test } from 'vitest'
import { ZodError, z } from 'zod'
import { field } from './contract-call.ts'
import { clashingPath, isSkillPath, packSkill, type SkillFile, unpackSkill } from './skills.ts'
import { sleepingAnswer, sleepingEntryHeader, sleepingQuestionSchema } from './sleeping-files.ts'

const path = array(constantFrom('a', 'b', 'c', '..', 'é'), { minLength: 1, maxLength: 3 }).map((parts) =>
  parts.join('/'),
)
const files = array(record({ path, isExecutable: boolean(), content: uint8Array({ maxLength: 40 }) }), {
  maxLength: 5,
}) as Arbitrary<SkillFile[]>

test('a skill package is read as it was written, or not at all if its paths are not safe', () =>
  checkProperty(
    'skill-packages',
    property(files, (given) => {
      const paths = given.map((file) => file.path)
      const isValid = given.length > 0 && paths.every(isSkillPath) && clashingPath(paths) === undefined
      const found = unpackSkill(packSkill(given))
      expect(found !== undefined).toBe(isValid)
      if (found === undefined) return
      const sorted = given.toSorted((one, other) => (one.path < other.path ? -1 : 1))
      expect(found.map((file) => ({ ...file, content: Uint8Array.from(file.content) }))).toEqual(sorted)
    }),
  ))

test('a damaged skill package has safe paths and no more bytes than it arrived with', () =>
  checkProperty(
    'skill-packages-damaged',
    property(
      files,
      array(tuple(nat({ max: 300 }), nat({ max: 255 })), { maxLength: 5 }),
      uint8Array({ maxLength: 40 }),
      (given, changes, other) => {
        const bytes = packSkill(given)
        for (const [at, value] of changes) bytes[at % bytes.length] = value
        for (const each of [bytes, other]) {
          const found = unpackSkill(each) ?? []
          expect(found.filter((file) => !isSkillPath(file.path))).toEqual([])
          expect(found.reduce((sum, { content }) => sum + content.byteLength, 0)).toBeLessThanOrEqual(each.byteLength)
        }
      },
    ),
  ))

test('any response about a sleeping disk is one of its forms or a ZodError', () =>
  checkProperty(
    'sleeping-responses',
    asyncProperty(
      foreignJson(['entries', 'next', 'kind', 'path', 'name', 'sizeBytes', 'total']),
      foreignText(),
      boolean(),
      async (value, text, isHeader) => {
        const json = JSON.stringify(value) ?? ''
        const headers = { [sleepingEntryHeader]: Buffer.from(json).toString('base64url') }
        for (const body of [json, text]) {
          const response = isHeader ? new Response(text, { headers }) : new Response(body)
          await sleepingAnswer.fromResponse(response).catch(ignoreInvalid)
          await field('value', z.string()).fromResponse(new Response(body)).catch(ignoreInvalid)
        }
      },
    ),
  ))

test('any question for a sleeping disk has an absolute path and limited numbers, or is refused', () =>
  checkProperty(
    'sleeping-questions',
    property(
      dictionary(
        constantFrom('kind', 'path', 'after', 'limit', 'start', 'end', 'only', '__proto__'),
        oneof(foreignText(), constantFrom('list', 'content', 'archive', '/a', '5', '-1', '1e99')),
      ),
      (given) => {
        const found = sleepingQuestionSchema.safeParse(given)
        if (!found.success) return
        expect(found.data.path.startsWith('/')).toBe(true)
        if (found.data.kind === 'list') expect(found.data.limit).toBeLessThanOrEqual(10_000)
        if (found.data.kind === 'content') expect(Number.isSafeInteger(found.data.start)).toBe(true)
      },
    ),
  ))

function ignoreInvalid(error: unknown): void {
  if (!(error instanceof ZodError)) throw error
}
