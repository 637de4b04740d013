import { describe, expect, test } from 'vitest'
import { pathOf, pathTyped, readPreviewView, withClosed, withPath, withTarget } from './preview-view.logic.ts'

const fresh = readPreviewView(undefined)

test('typed text becomes a path of the page, whatever its form', () => {
  const cases: [typed: string, path: string][] = [
    ['', '/'],
    ['forecast?day=1#top', '/forecast?day=1#top'],
    [' /a b ', '/a b'],
    ['http://localhost:8501/x?y', '/x?y'],
    ['localhost:8501/x', '/x'],
    ['127.0.0.1:8501', '/'],
    ['https://elsewhere.example', '/'],
    ['//elsewhere.example/x', '/elsewhere.example/x'],
    ['?only=query', '/?only=query'],
  ]
  for (const [typed, path] of cases) expect(pathTyped(typed), typed).toBe(path)
})

describe('O6: the view of a thread', () => {
  test('is restored as it was stored', () => {
    const view = withTarget(withPath({ ...fresh, width: 'phone', areLogsOpen: true }, 'api', '/docs'), 'api')
    expect(readPreviewView(JSON.parse(JSON.stringify(view)))).toEqual(view)
  })

  test('is the initial one if the stored value cannot be used', () => {
    for (const stored of [null, 'x', 3, [], { width: 'toString', paths: { a: 3, b: 'no-slash' }, closed: [1] }]) {
      expect(readPreviewView(stored)).toEqual(fresh)
    }
  })

  test('remembers a path for each service and forgets the root', () => {
    const view = withPath(withPath(fresh, 'a', '/x'), 'b', '/y')
    expect([pathOf(view, 'a'), pathOf(view, 'b'), pathOf(view, 'c')]).toEqual(['/x', '/y', '/'])
    expect(withPath(view, 'a', '/').paths).toEqual({ b: '/y' })
  })

  test('O4: a closed preview is remembered until it is opened again', () => {
    const closed = withClosed(withClosed(fresh, 'a'), 'a')
    expect(closed.closed).toEqual(['a'])
    expect(withClosed(fresh, null)).toBe(fresh)
    expect(withTarget(closed, 'a').closed).toEqual([])
    expect(withTarget(closed, 'b').closed).toEqual(['a'])
  })
})
