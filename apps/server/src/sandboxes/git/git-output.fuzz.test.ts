import { checkProperty, foreignText } from '@threadbox/testkit/properties'
import { array, boolean, constantFrom, oneof, property, uint8Array } from 'fast-check'
import { expect, test } from 'vitest'
import { diffIn, fieldsOf, repositoriesIn, treeOf } from './git-output.logic.ts'

const fields = array(
  oneof(
    foreignText(30),
    constantFrom(
      '? a.txt',
      '# branch.oid (initial)',
      '# branch.head main',
      '# branch.ab +1 -2',
      '__proto__',
      'constructor',
    ),
    constantFrom(
      ':100644 100644 a b M',
      ':100644 100644 a b R100',
      ':000000 100644 a b A',
      '1\t2\ta.txt',
      '-\t-\t',
      '/a/.git',
    ),
  ),
  { maxLength: 16 },
)
const printed = oneof(
  fields.map((parts) => Buffer.from(parts.map((part) => `${part}\0`).join(''))),
  uint8Array({ maxLength: 200 }),
)

test('any output of git is a tree whose files have readable names, each once', () =>
  checkProperty(
    'git-status',
    property(printed, printed, boolean(), (status, changed, isCut) => {
      const tree = treeOf('/work', { status: { bytes: status, isCut }, changed: { bytes: changed, isCut } })
      const paths = tree.files.map(({ path }) => path)
      expect(paths).toEqual([...paths].sort())
      for (const path of paths) expect(path).not.toContain('\ufffd')
      expect(Number.isFinite(tree.ahead) && Number.isFinite(tree.behind)).toBe(true)
      expect(tree.moreFiles === null).toBe(isCut)
    }),
  ))

test('fields with NUL between them are read as they were written', () =>
  checkProperty(
    'git-fields',
    property(fields, (given) => {
      const whole = given
        .map((field) => field.replaceAll('\0', '').toWellFormed())
        .filter((field) => field !== '\ufeff')
      const bytes = Buffer.from(whole.map((field) => `${field}\0`).join(''))
      if (whole[0]?.startsWith('\ufeff') !== true) expect(fieldsOf({ bytes, isCut: false })).toEqual(whole)
      for (const path of repositoriesIn({ bytes, isCut: false })) expect(path).not.toBe('')
    }),
  ))

test('any diff is shown as valid text of limited length, and counts what it shows', () =>
  checkProperty(
    'git-diff',
    property(
      array(
        oneof(
          foreignText(),
          constantFrom(
            '@@ -1 +1 @@',
            '+a',
            '-b',
            'diff --git a b',
            'Binary files a and b differ',
            'old mode 1',
            `+${'x'.repeat(3000)}`,
          ),
        ),
        { maxLength: 20 },
      ),
      boolean(),
      (lines, isCut) => {
        const found = diffIn({ bytes: Buffer.from(lines.join('\n')), isCut })
        expect(found.diff.isWellFormed()).toBe(true)
        const shown = found.diff.split('\n')
        expect(shown.filter((line) => line.startsWith('+'))).toHaveLength(found.addedLines)
        expect(shown.filter((line) => line.startsWith('-'))).toHaveLength(found.removedLines)
        for (const line of shown) expect(line.length).toBeLessThanOrEqual(2000)
      },
    ),
  ))
