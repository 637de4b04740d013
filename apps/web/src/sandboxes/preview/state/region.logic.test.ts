import { describe, expect, test } from 'vitest'
import { afterHandle, afterKey, between, inPage, middleOf, overFrame, placeOfAsk, within } from './region.logic.ts'

const area = { x: 0, y: 0, width: 600, height: 400 }
const key = (name: string, more: { altKey?: boolean; shiftKey?: boolean } = {}) => ({
  key: name,
  altKey: false,
  shiftKey: false,
  ...more,
})

describe('O9: a region', () => {
  test('begins in the middle, half as wide and high as the visible area', () => {
    expect(middleOf(area)).toEqual({ x: 150, y: 100, width: 300, height: 200 })
    expect(middleOf({ x: 105, y: 0, width: 390, height: 401 })).toEqual({ x: 203, y: 100, width: 195, height: 201 })
  })

  test('is dragged in any direction and ends at the edge of the page', () => {
    expect(between({ x: 500, y: 300 }, { x: 700, y: -20 }, area)).toEqual({ x: 500, y: 0, width: 100, height: 300 })
    expect(within({ x: -50, y: 10, width: 100, height: 20 }, area)).toEqual({ x: 0, y: 10, width: 50, height: 20 })
    expect(within({ x: -50, y: 10, width: 50, height: 20 }, area)).toBeNull()
  })

  test('moves by 8, with Alt by 1, and not out of the page', () => {
    const region = { x: 4, y: 100, width: 300, height: 200 }
    expect(afterKey(region, key('ArrowRight'), area)).toMatchObject({ x: 12, y: 100 })
    expect(afterKey(region, key('ArrowDown', { altKey: true }), area)).toMatchObject({ x: 4, y: 101 })
    expect(afterKey(region, key('ArrowLeft'), area)).toEqual({ ...region, x: 0 })
    expect(afterKey({ ...region, y: 199 }, key('ArrowDown'), area)).toEqual({ ...region, y: 200 })
    expect(afterKey(region, key('a'), area)).toBeNull()
  })

  test('changes its size with Shift, from the smallest visible size to the end of the page', () => {
    const region = { x: 290, y: 100, width: 300, height: 12 }
    expect(afterKey(region, key('ArrowRight', { shiftKey: true }), area)).toMatchObject({ width: 308 })
    expect(afterKey({ ...region, width: 308 }, key('ArrowRight', { shiftKey: true }), area)).toMatchObject({
      width: 310,
    })
    expect(afterKey(region, key('ArrowUp', { shiftKey: true }), area)).toMatchObject({ height: 8 })
    expect(afterKey(region, key('ArrowUp', { shiftKey: true, altKey: true }), area)).toMatchObject({ height: 11 })
  })

  test('follows its handles; the opposite side stays', () => {
    const region = { x: 100, y: 100, width: 200, height: 100 }
    const to = { x: 50, y: 150 }
    expect(afterHandle(region, { x: 0, y: 0 }, { to, area })).toEqual({ x: 50, y: 150, width: 250, height: 50 })
    expect(afterHandle(region, { x: 0, y: 0.5 }, { to, area })).toEqual({ x: 50, y: 100, width: 250, height: 100 })
    expect(afterHandle(region, { x: 0.5, y: 1 }, { to, area })).toEqual({ x: 100, y: 100, width: 200, height: 50 })
  })

  test('maps to the same part of a page that is moved and scaled, in whole pixels', () => {
    const frame = { x: 105.5, y: 0, scale: 0.5 }
    expect(inPage({ x: 125, y: 30, width: 100, height: 50 }, frame)).toEqual({ x: 39, y: 60, width: 200, height: 100 })
    expect(overFrame({ x: 40, y: 60, width: 200, height: 100 }, frame)).toEqual({
      x: 125.5,
      y: 30,
      width: 100,
      height: 50,
    })
  })
})

test('Ask is below the region at its right edge, and inside if there is no space', () => {
  const options = { box: area, ask: { width: 150, height: 44 } }
  expect(placeOfAsk({ x: 150, y: 100, width: 300, height: 200 }, options)).toEqual({ x: 303, y: 310 })
  expect(placeOfAsk({ x: 150, y: 100, width: 300, height: 290 }, options)).toEqual({ x: 293, y: 336 })
  expect(placeOfAsk({ x: 0, y: 0, width: 30, height: 30 }, options)).toEqual({ x: 8, y: 40 })
})
