import { expect, test } from 'vitest'
import { tableOfCsv } from './csv.logic.ts'

test('cells can contain separators, quotes and line breaks', () => {
  const table = tableOfCsv('name,note\r\n"a, b","say ""hi""\nagain"\nc,\n', false)
  expect(table.columns).toEqual(['name', 'note'])
  expect(table.rows).toEqual([
    ['a, b', 'say "hi"\nagain'],
    ['c', ''],
  ])
})

test('semicolons and tabs separate if they are more frequent', () => {
  expect(tableOfCsv('a;b;c\n1,5;2;3', false).rows).toEqual([['1,5', '2', '3']])
  expect(tableOfCsv('a\tb\n1\t2', false).rows).toEqual([['1', '2']])
})

test('an unclosed quote takes no more than its line', () => {
  expect(tableOfCsv('a,b\n"broken,1\n2,3\n', false).rows.at(-1)).toEqual(['2', '3'])
  const table = tableOfCsv('a,b,c\n"x, y",1,2\n\n"two\nlines","open,3\n4,5,6\n', false)
  expect(table.rows).toEqual([
    ['x, y', '1', '2'],
    ['two\nlines', '"open,3', ''],
    ['4', '5', '6'],
  ])
  expect(tableOfCsv('a\n1,"end', false).rows).toEqual([['1', '"end']])
})

test('lines can end in any way, also in several ways', () => {
  expect(tableOfCsv('\ufeffa,b\r\n1,2\n3,4\r5,6', false)).toMatchObject({
    columns: ['a', 'b'],
    rows: [
      ['1', '2'],
      ['3', '4'],
      ['5', '6'],
    ],
  })
})

test('an incomplete row at the end of a part is left out, and rows of any length form one table', () => {
  expect(tableOfCsv('a,b\n1,2\n3,', true)).toMatchObject({ rows: [['1', '2']], isCut: true })
  expect(tableOfCsv('a\n1,2,3\n', false)).toMatchObject({ columns: ['a', '', ''], rows: [['1', '2', '3']] })
  expect(tableOfCsv('', false)).toMatchObject({ columns: [], rows: [], total: 0 })
})

test('a long table shows as many rows as a page holds, and counts all', () => {
  const text = `n\n${Array.from({ length: 5000 }, (_, index) => index).join('\n')}`
  expect(tableOfCsv(text, false)).toMatchObject({ total: 5000, isCut: true })
  expect(tableOfCsv(text, false).rows).toHaveLength(1000)
})
