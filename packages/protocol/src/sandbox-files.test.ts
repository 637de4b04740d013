import { expect, test } from 'vitest'
import { cacheDirectoryOf, fileRankOf } from './sandbox-files.ts'

test.each([
  ['/home/user/app/__pycache__/a.pyc', '/home/user/app/__pycache__'],
  ['home/user/.cache/pip/http/a', 'home/user/.cache'],
  ['/srv/node_modules/a/node_modules/b/index.js', '/srv/node_modules'],
  ['/usr/local/lib/python3.13/site-packages/numpy/__pycache__/a.pyc', '/usr/local/lib/python3.13/site-packages'],
  ['/usr/lib/python3/dist-packages/a.py', '/usr/lib/python3/dist-packages'],
  ['/home/user/.venv/lib/python3.13/site-packages/a.py', '/home/user/.venv/lib'],
  ['node_modules/a', 'node_modules'],
  ['/home/user/node_modules', '/home/user/node_modules'],
])('%s is in the cache %s', (path, directory) => expect(cacheDirectoryOf(path)).toBe(directory))

test.each([
  '/home/user/node_modules.md',
  '/home/user/my__pycache__/a',
  '/home/user/.venv/bin/python',
  '/home/user/cache/a',
])('%s is in no cache', (path) => expect(cacheDirectoryOf(path)).toBeUndefined())

test('users’ files come first, hidden ones in home directories next, system files last', () => {
  const paths = ['/usr/bin/new', '/home/user/.profile', '/home/user/a.py', 'home/user/app/.env', 'home/user/b/c']
  expect(paths.map(fileRankOf)).toEqual([2, 1, 0, 1, 0])
})
