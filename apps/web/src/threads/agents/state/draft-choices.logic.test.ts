import type { AgentDraft } from '@threadbox/sdk'
import { expect, test } from 'vitest'
import { acceptanceOf, type DraftItem, offersOf, toggled } from './draft-choices.logic.ts'

const service = {
  command: 'serve',
  port: 8000,
  cwd: '',
  environment: {},
  startsAtOnce: true,
  change: null,
  before: null,
}
const skill = { description: '', files: [], change: null }
const connection = { preset: null, url: null, change: null }
const draft = {
  file: { sha256: 'a', sizeBytes: 1, exportedAt: 1 },
  instructions: { text: 'Count.', change: null, before: null },
  environment: { imageId: 'i', diskBytes: 1, variables: ['a'], hasShell: false, change: null },
  services: [{ ...service, name: 'site' }],
  skills: {
    isAll: false,
    items: [
      { ...skill, name: 'one', here: 'new' },
      { ...skill, name: 'two', here: 'different' },
    ],
  },
  connections: {
    isAll: false,
    items: [
      { ...connection, name: 'A', here: { id: 'q1', name: 'A' } },
      { ...connection, name: 'B', here: null },
    ],
  },
} as unknown as AgentDraft

test('a skill with another’s name and a connection that is missing here can’t be accepted', () => {
  expect(offersOf(draft)).toEqual([
    'instructions',
    'environment',
    'variables',
    'service site',
    'skill one',
    'connection q1',
  ])
  const environment = draft.environment && { ...draft.environment, variables: [] }
  expect(offersOf({ ...draft, environment })).not.toContain('variables')
})

test('services and variables are cleared with the environment', () => {
  const all: ReadonlySet<DraftItem> = new Set(offersOf(draft))
  expect([...toggled(all, 'environment')]).toEqual(['instructions', 'skill one', 'connection q1'])
  expect([...toggled(all, 'skill one')]).toHaveLength(5)
  expect([...toggled(new Set(), 'service site')]).toEqual([])
})

test('only what is selected is accepted, with the digest of the reviewed file', () => {
  expect(acceptanceOf(draft, new Set())).toEqual({
    sha256: 'a',
    instructions: false,
    environment: false,
    variables: false,
    services: [],
    skills: [],
    connections: [],
  })
  expect(acceptanceOf(draft, new Set(offersOf(draft)))).toMatchObject({
    instructions: true,
    variables: true,
    services: ['site'],
    skills: ['one'],
    connections: ['q1'],
  })
})
