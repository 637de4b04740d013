import { describe, expect, test } from 'vitest'
import { nameOf, pathOfCode, shortPath, splitAtPaths } from './paths.logic.ts'

const known = new Set(['/home/user/sales.csv', '/home/user/src/app.py'])

describe('C8: paths in messages', () => {
  test('a name without a file in the thread is not a link', () => {
    for (const text of [
      'missing.csv',
      'pd.read_csv',
      'pip install x',
      '',
      '/etc/passwd',
      '/',
      'https://example.org/a.csv',
    ]) {
      expect(pathOfCode(text, known)).toBeNull()
    }
  })

  test('a possible shell expression is not a link', () => {
    for (const text of ['/home/user/$(id)', '/home/user/a;b', '/tmp/*', '~/a b', '/home/user/dir/']) {
      expect(pathOfCode(text, known)).toBeNull()
    }
  })

  test('absolute paths in the home folder and home-relative ones are links', () => {
    expect(pathOfCode('/home/user/sales.csv', new Set())).toBe('/home/user/sales.csv')
    expect(pathOfCode('~/sales.csv', new Set())).toBe('/home/user/sales.csv')
  })

  test('a bare or relative name is a link when the thread knows such a file', () => {
    expect(pathOfCode('sales.csv', known)).toBe('/home/user/sales.csv')
    expect(pathOfCode('./src/app.py', known)).toBe('/home/user/src/app.py')
    expect(pathOfCode('app.py', known)).toBe('/home/user/src/app.py')
  })

  test('running text is split at its paths, without the full stop after them', () => {
    expect(splitAtPaths('Saved to /home/user/sales.csv. See ~/notes.md, too')).toEqual([
      'Saved to ',
      { path: '/home/user/sales.csv', text: '/home/user/sales.csv' },
      '. See ',
      { path: '/home/user/notes.md', text: '~/notes.md' },
      ', too',
    ])
  })

  test('a path inside a URL is not split', () => {
    expect(splitAtPaths('https://example.org/home/user/x.csv')).toEqual(['https://example.org/home/user/x.csv'])
  })

  test('paths are shown in short form', () => {
    expect(shortPath('/home/user/a/b.txt')).toBe('~/a/b.txt')
    expect(shortPath('/home/username/b.txt')).toBe('/home/username/b.txt')
    expect(nameOf('/home/user/a/b.txt')).toBe('b.txt')
  })
})
