import { beforeEach, expect, test } from 'vitest'
import { closeLayer, layers, openLayer, toggleLayer } from './layers.ts'

const open = () => layers.getState().open

beforeEach(() => {
  const layer = open()
  if (layer !== null) closeLayer(layer.kind)
})

test('a dialog replaces the open one', () => {
  openLayer({ kind: 'move-thread', threadId: 't' })
  openLayer({ kind: 'create-workspace', threadId: 't' })
  expect(open()).toEqual({ kind: 'create-workspace', threadId: 't' })
})

test('a late close does not close a dialog that was opened after it', () => {
  openLayer({ kind: 'palette' })
  openLayer({ kind: 'share-thread', threadId: 't' })
  closeLayer('palette')
  expect(open()).toEqual({ kind: 'share-thread', threadId: 't' })
  closeLayer('share-thread')
  expect(open()).toBeNull()
})

test('a key opens the palette, closes it, and leaves a dialog open that you may be typing in', () => {
  toggleLayer('palette')
  expect(open()?.kind).toBe('palette')
  toggleLayer('shortcuts')
  expect(open()?.kind).toBe('shortcuts')
  toggleLayer('shortcuts')
  expect(open()).toBeNull()
  openLayer({ kind: 'create-workspace', threadId: null })
  toggleLayer('palette')
  expect(open()?.kind).toBe('create-workspace')
})
