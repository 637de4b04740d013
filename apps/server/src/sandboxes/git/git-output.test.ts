import { maxGitFiles } from '@threadbox/protocol/public'
import { expect, test } from 'vitest'
import { changedOf, diffIn, fieldsOf, type GitOutput, repositoriesIn, statusOf, treeOf } from './git-output.logic.ts'

const printed = (text: string, isCut = false): GitOutput => ({ bytes: new TextEncoder().encode(text), isCut })
const raw = (letter: string, ...names: string[]) =>
  `:100644 100644 1111111 2222222 ${letter}\0${names.map((name) => `${name}\0`).join('')}`

test('names can contain line breaks, quotes, spaces, escape codes and text that looks like git output', () => {
  const names = [
    'a\nb',
    '"quoted"',
    'with space',
    '\u001b[31mred',
    ':100644 1 1 1 M',
    '1\t2\tx',
    '? y',
    '# branch.head z',
  ]
  const files = changedOf(printed(names.map((name) => raw('M', name)).join('')))
  expect(files.map(({ path }) => path)).toEqual(names)
  const { head, untracked } = statusOf(printed(`# branch.head main\0${names.map((name) => `? ${name}\0`).join('')}`))
  expect(untracked).toEqual(names)
  expect(head.branch).toBe('main')
})

test('a field that was cut is left out', () => {
  expect(fieldsOf(printed('whole\0hal', true))).toEqual(['whole'])
  expect(fieldsOf(printed('no end', true))).toEqual([])
  expect(changedOf(printed(`${raw('M', 'one')}${raw('R100', 'old').slice(0, -1)}`, true))).toMatchObject([
    { path: 'one' },
  ])
  expect(changedOf(printed(raw('R100', 'old'), true))).toEqual([])
})

test('renames, binary files, conflicts and numbers of lines are parsed for each file', () => {
  const text = `${raw('U', 'both')}${raw('M', 'both')}${raw('R090', 'old name', 'new name')}${raw('A', 'pic.png')}${raw('T', 'link')}`
  const numbers = '3\t4\tboth\x005\t6\t\0old name\0new name\0-\t-\tpic.png\x007\t8\tnobody\0'
  expect(changedOf(printed(text + numbers))).toEqual([
    { path: 'both', from: null, change: 'conflicted', isBinary: false, addedLines: 3, removedLines: 4 },
    { path: 'new name', from: 'old name', change: 'renamed', isBinary: false, addedLines: 5, removedLines: 6 },
    { path: 'pic.png', from: null, change: 'added', isBinary: true, addedLines: null, removedLines: null },
    { path: 'link', from: null, change: 'type-changed', isBinary: false, addedLines: null, removedLines: null },
  ])
})

test('the branch, its upstream, a missing commit and a missing branch are parsed', () => {
  const head = '# branch.oid abc\0# branch.head topic\0# branch.upstream origin/topic\0# branch.ab +2 -3\0'
  const known = { branch: 'topic', commit: 'abc', upstream: 'origin/topic', ahead: 2, behind: 3 }
  expect(statusOf(printed(head)).head).toEqual(known)
  const none = { branch: null, commit: null, upstream: null, ahead: 0, behind: 0 }
  expect(statusOf(printed('# branch.oid (initial)\0# branch.head (detached)\0')).head).toEqual(none)
})

test('files beyond the limit of a response are counted; if they cannot be counted, the number is null', () => {
  const many = Array.from({ length: maxGitFiles + 7 }, (_, index) => `? f${String(index).padStart(5, '0')}\0`).join('')
  const tree = treeOf('/r', { status: printed(many), changed: printed('') })
  expect([tree.files.length, tree.moreFiles]).toEqual([maxGitFiles, 7])
  expect(treeOf('/r', { status: printed(many, true), changed: printed('') }).moreFiles).toBeNull()
})

test('a name that is not UTF-8 is counted and not listed', () => {
  const bytes = Buffer.concat([Buffer.from('? good\0? bad '), Buffer.from([0xff]), Buffer.from('\0')])
  const tree = treeOf('/r', { status: { bytes, isCut: false }, changed: printed('') })
  expect(tree).toMatchObject({ files: [{ path: 'good', change: 'untracked' }], moreFiles: 1, unreadableNames: 1 })
})

test('the nearest repositories come first, and one at the root is found', () => {
  expect(repositoriesIn(printed('/a/b/c/.git\0/z/.git\0/a/.git\0/.git\0/a/x.git\0'))).toEqual([
    '/',
    '/a',
    '/z',
    '/a/b/c',
  ])
})

test('a diff is its hunks; the lines around them show whether it is binary and which modes changed', () => {
  const text = [
    ...['diff --git a/x b/x', 'old mode 100644', 'new mode 100755', 'index 1..2', '--- a/x', '+++ b/x'],
    ...['@@ -1,2 +1,2 @@ main()', ' same', '-Binary files a and b differ', '+new', '\\ No newline at end of file', ''],
  ].join('\n')
  const shown = diffIn(printed(text))
  expect(shown).toMatchObject({ isBinary: false, modes: { before: '100644', after: '100755' }, isCut: false })
  expect([shown.addedLines, shown.removedLines]).toEqual([1, 1])
  expect(shown.diff.split('\n')[0]).toBe('@@ -1,2 +1,2 @@ main()')
  expect(diffIn(printed('diff --git a/p b/p\nBinary files a/p and b/p differ\n'))).toMatchObject({
    isBinary: true,
    diff: '',
  })
})

test('a diff that is too long is cut at a whole line and marked as cut, and so is one with a line that is too long', () => {
  const cut = diffIn(printed('@@ -1 +1,3 @@\n+one\n+two\n+hal', true))
  expect(cut).toMatchObject({ diff: '@@ -1 +1,3 @@\n+one\n+two\n', addedLines: 2, isCut: true })
  const many = diffIn(printed(`@@ -0,0 +1,30000 @@\n${'+line\n'.repeat(30_000)}`))
  expect([many.isCut, many.diff.split('\n').length]).toEqual([true, 20_001])
  const wide = diffIn(printed(`@@ -0,0 +1 @@\n+${'x'.repeat(9000)}\n`))
  expect([wide.isCut, wide.diff.length < 2100]).toEqual([true, true])
})
