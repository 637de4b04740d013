import type { Workspace } from '@threadbox/sdk'
import { expect, test } from 'vitest'
import { changeOf, formOf, problemOf } from './workspace-form.ts'

const workspace = {
  name: 'Data',
  instructions: '',
  modelId: null,
  policy: { idlePauseMinutes: 15, retentionDays: null },
  limits: { cpus: 1 },
} as Workspace
const withValues = (values: Record<string, string>) => {
  const form = formOf(workspace)
  return { ...form, values: { ...form.values, ...values } }
}

test('C12: an empty field restores the inherited value, and only changes are sent', () => {
  expect(changeOf(workspace, formOf(workspace))).toBeNull()
  expect(formOf(workspace).values).toMatchObject({
    idlePauseMinutes: '15',
    retentionDays: '0',
    hotHours: '',
    cpus: '1',
  })
  expect(changeOf(workspace, withValues({ idlePauseMinutes: '', hotHours: '2,5', cpus: ' ' }))).toEqual({
    policy: { idlePauseMinutes: null, hotHours: 2.5 },
    limits: { cpus: null },
  })
  expect(changeOf(workspace, withValues({ retentionDays: '' }))).toEqual({ policy: { retentionDays: null } })
  expect(changeOf({ ...workspace, policy: {} }, withValues({ idlePauseMinutes: '', retentionDays: '0' }))).toEqual({
    policy: { retentionDays: 0 },
  })
  expect(changeOf(workspace, { ...formOf(workspace), hotKeep: 'strict' })).toEqual({ policy: { hotKeep: 'strict' } })
})

test('C12: an invalid field is reported, and nothing is sent', () => {
  expect(problemOf('maxServices', '1.5')).toMatchObject({ kind: 'unreadable' })
  expect(problemOf('maxServices', '1000')).toMatchObject({ kind: 'range', maximum: 100 })
  expect(problemOf('cpus', 'many')).toMatchObject({ kind: 'unreadable' })
  expect(changeOf(workspace, withValues({ idlePauseMinutes: '20', cpus: 'many' }))).toBeNull()
  expect(changeOf(workspace, { ...formOf(workspace), name: '  ' })).toBeNull()
})
