import type { Skill, Workspace } from '@threadbox/sdk'
import { expect, test } from 'vitest'
import { groupSkills, skillDraft } from './skill-groups.logic.ts'

const skill = (name: string, workspaceId: string | null) => ({ id: name, name, workspaceId }) as Skill
const workspace = (id: string) => ({ id, name: id }) as Workspace

test('G6: skills are grouped by scope; those for all threads come first, also while there are none', () => {
  const groups = groupSkills(
    [skill('a', 'w2'), skill('b', 'w1'), skill('c', 'w2')],
    [workspace('w1'), workspace('w2'), workspace('w3')],
  )
  expect(groups.map(({ workspace: of, skills }) => [of?.id ?? null, skills.map(({ name }) => name)])).toEqual([
    [null, []],
    ['w1', ['b']],
    ['w2', ['a', 'c']],
  ])
})

test('G6: a draft has the format that a skill needs', () => {
  expect(skillDraft({ description: 'What it does.', steps: 'Steps' })).toBe(
    '---\nname: my-skill\ndescription: What it does.\n---\n\nSteps\n',
  )
})
