import { isThreadboxError } from '@threadbox/errors'
import { isSkillPath, type SkillFile, skillLimits } from '@threadbox/protocol/host'
import { checkProperty, foreignText } from '@threadbox/testkit/properties'
import {
  type Arbitrary,
  array,
  asyncProperty,
  boolean,
  constantFrom,
  nat,
  oneof,
  property,
  record,
  tuple,
  uint8Array,
} from 'fast-check'
import { expect, test } from 'vitest'
import { readHeader } from './front-matter.logic.ts'
import { checkSkill } from './skill-files.logic.ts'
import { makeZip, skillText } from './skill-zip.test-utils.ts'
import { readZip } from './zip-reader.ts'

const path = oneof(
  array(constantFrom('a', 'b', '..', '.', '', 'SKILL.md', 'scripts', '__MACOSX'), { minLength: 1, maxLength: 4 }).map(
    (parts) => parts.join('/'),
  ),
  foreignText(20),
)
const content = uint8Array({ maxLength: 60 })
const yaml = array(
  oneof(
    foreignText(30),
    constantFrom(
      'name: a',
      'description: b',
      'x: &a [1]',
      'y: *a',
      '<<: *a',
      '__proto__: {x: 1}',
      '---',
      'metadata: {a: 1}',
    ),
  ),
  { maxLength: 8 },
).map((lines) => `---\n${lines.join('\n')}\n---\n`)

test('any SKILL.md has a valid header or is an error with a code', () =>
  checkProperty(
    'skill-headers',
    property(oneof(yaml, foreignText(200)), (text) => {
      const header = errorOr(() => readHeader(text))
      if (header === undefined) return
      expect(header.name).toMatch(/^[a-z0-9-]{1,64}$/)
      expect(header.description.length).toBeLessThanOrEqual(1024)
      expect('x' in {}).toBe(false)
    }),
  ))

test('the files of a skill have safe paths, each once, whatever was uploaded', () =>
  checkProperty(
    'skill-files',
    property(
      array(record({ path, isExecutable: boolean(), content }), { maxLength: 8 }) as Arbitrary<SkillFile[]>,
      (files) => {
        const main = { path: 'SKILL.md', isExecutable: false, content: Buffer.from(skillText('a')) }
        for (const given of [files, [...files, main]]) {
          const skill = errorOr(() => checkSkill(given))
          if (skill === undefined) continue
          const paths = skill.files.map((file) => file.path)
          expect(paths.filter((one) => !isSkillPath(one))).toEqual([])
          expect(new Set(paths).size).toBe(paths.length)
        }
      },
    ),
  ))

test('a zip is read as it was written, or refused for a path that leads out of its folder', () =>
  checkProperty(
    'skill-zips',
    asyncProperty(array(tuple(path, content, boolean()), { maxLength: 5 }), async (parts) => {
      const zip = makeZip(parts.map(([name, bytes, isDeflated]) => ({ name, content: Buffer.from(bytes), isDeflated })))
      const files = await readZip(zip).catch(undefinedIfCoded)
      if (files === undefined) return
      expect(files.filter((file) => file.path.split('/').includes('..') || file.path.startsWith('/'))).toEqual([])
      const sent = parts.filter(([name]) => !name.toWellFormed().endsWith('/'))
      expect(files.map((file) => Buffer.from(file.content))).toEqual(sent.map(([, bytes]) => Buffer.from(bytes)))
    }),
  ))

test('a damaged zip is files of limited size, or an error with a code', () =>
  checkProperty(
    'skill-damaged-zips',
    asyncProperty(
      content,
      array(tuple(nat({ max: 400 }), nat({ max: 255 })), { maxLength: 6 }),
      nat({ max: 30 }),
      async (bytes, changes, missing) => {
        const zip = makeZip([
          { name: 'a/SKILL.md', content: Buffer.from(bytes), isDeflated: true },
          { name: 'a/b', content: 'x' },
        ])
        for (const [at, value] of changes) zip[at % zip.length] = value
        const files = await readZip(zip.subarray(0, zip.length - missing)).catch(undefinedIfCoded)
        const sizeBytes = (files ?? []).reduce((sum, file) => sum + file.content.byteLength, 0)
        expect(sizeBytes).toBeLessThanOrEqual(skillLimits.bytes)
      },
    ),
  ))

function errorOr<Value>(work: () => Value): Value | undefined {
  try {
    return work()
  } catch (error) {
    return undefinedIfCoded(error)
  }
}

function undefinedIfCoded(error: unknown): undefined {
  if (!isThreadboxError(error)) throw error
}
