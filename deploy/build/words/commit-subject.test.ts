import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { lastSubject, subjectProblems } from './commit-subject.ts'

it.each([
  'Drain rejected uploads so that clients get the error',
  'Process queued messages in order',
  'Add a limit for threads kept per agent',
])('a short imperative sentence is accepted: %s', (subject) => {
  expect(subjectProblems(subject)).toEqual([])
})

it.each([
  ['Fix the bug.', 'ends with a period'],
  ['Fixed the bug', 'starts with “Fixed”: use the imperative, capitalized'],
  ['Fixes the bug', 'starts with “Fixes”: use the imperative, capitalized'],
  ['Fixing the bug', 'starts with “Fixing”: use the imperative, capitalized'],
  ['fix the bug', 'starts with “fix”: use the imperative, capitalized'],
  ['Let a wake wait', 'starts with “Let”: use a verb that names the change'],
  ['Fix the bug, and add a test', 'has two topics: make two commits'],
  [`Fix ${'x'.repeat(62)}`, 'has 66 characters; 65 are the limit'],
])('%s: %s', (subject, problem) => {
  expect(subjectProblems(subject)).toEqual([problem])
})

it('a folder without a repository has no last subject', () => {
  expect(lastSubject(mkdtempSync(join(tmpdir(), 'words-')))).toBeUndefined()
})
