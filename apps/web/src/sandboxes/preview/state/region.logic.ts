import type { Region } from '../../../preview-bridge/messages.ts'

type Size = { width: number; height: number }
type Point = { x: number; y: number }

/** A smaller drag counts as a click, which selects the element under the pointer. */
export const smallestRegion = 24
/** The smallest region that the keyboard can make. */
const smallestByKey = 8

/** The middle of the visible area. */
export function middleOf(area: Region): Region {
  const width = Math.round(area.width / 2)
  const height = Math.round(area.height / 2)
  const x = Math.round(area.x + (area.width - width) / 2)
  return { x, y: Math.round(area.y + (area.height - height) / 2), width, height }
}

/** The region between two corners, cut to the area. */
export function between(from: Point, to: Point, area: Region): Region {
  const clamp = (value: number, start: number, length: number) =>
    Math.round(Math.min(start + length, Math.max(start, value)))
  const [left, right] = [clamp(from.x, area.x, area.width), clamp(to.x, area.x, area.width)].toSorted((a, b) => a - b)
  const [top, bottom] = [clamp(from.y, area.y, area.height), clamp(to.y, area.y, area.height)].toSorted((a, b) => a - b)
  const [x = 0, y = 0] = [left, top]
  return { x, y, width: (right ?? x) - x, height: (bottom ?? y) - y }
}

/** The part of a region inside the area; null if there is none. */
export function within(region: Region, area: Region): Region | null {
  const to = { x: region.x + region.width, y: region.y + region.height }
  const cut = between(region, to, area)
  return cut.width > 0 && cut.height > 0 ? cut : null
}

const directions: Record<string, Point> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
}

/**
 * Arrow keys move by 8 pixels, with Alt by one; with Shift they move the lower right corner. Null for every other key.
 */
export function afterKey(
  region: Region,
  key: { key: string; altKey: boolean; shiftKey: boolean },
  area: Region,
): Region | null {
  const direction = directions[key.key]
  if (direction === undefined) return null
  const step = key.altKey ? 1 : 8
  const [x, y] = [direction.x * step, direction.y * step]
  if (!key.shiftKey) return movedTo({ x: region.x + x, y: region.y + y }, region, area)
  const limit = (length: number, most: number) => Math.max(Math.min(smallestByKey, most), Math.min(most, length))
  return {
    ...region,
    width: limit(region.width + x, area.x + area.width - region.x),
    height: limit(region.height + y, area.y + area.height - region.y),
  }
}

/** Moved to a point, within the area. */
function movedTo(to: Point, size: Size, area: Region): Region {
  const limit = (value: number, start: number, room: number) =>
    Math.round(Math.max(start, Math.min(start + room, value)))
  const x = limit(to.x, area.x, area.width - size.width)
  return { x, y: limit(to.y, area.y, area.height - size.height), width: size.width, height: size.height }
}

/** Corners and midpoints of the sides. Dragging one keeps the opposite one in place. */
export const handles = [
  { x: 0, y: 0 },
  { x: 0.5, y: 0 },
  { x: 1, y: 0 },
  { x: 0, y: 0.5 },
  { x: 1, y: 0.5 },
  { x: 0, y: 1 },
  { x: 0.5, y: 1 },
  { x: 1, y: 1 },
] as const

/**
 * The region after a handle was dragged to a point. The opposite side stays; a handle in the middle of a side keeps
 * both adjacent sides too.
 */
export function afterHandle(region: Region, handle: Point, { to, area }: { to: Point; area: Region }): Region {
  const right = region.x + region.width
  const bottom = region.y + region.height
  const from = { x: handle.x === 0 ? right : region.x, y: handle.y === 0 ? bottom : region.y }
  const end = { x: handle.x === 0.5 ? right : to.x, y: handle.y === 0.5 ? bottom : to.y }
  return between(from, end, area)
}

/** The position of Cancel and Ask: below the region at its right edge, else above it, else inside. */
export function placeOfAsk(region: Region, { box, ask }: { box: Size; ask: Size }): Point {
  const gap = 10
  const right = Math.min(box.width - 8, Math.max(ask.width + 8, region.x + region.width + 3))
  const below = region.y + region.height + gap
  if (below + ask.height <= box.height - 8) return { x: right - ask.width, y: below }
  return { x: Math.max(8, right - ask.width - gap), y: Math.max(8, region.y + region.height - ask.height - gap) }
}

/** Converts a region over the frame to the page’s viewport, in whole pixels. `scale`: the zoom of the frame. */
export function inPage(region: Region, frame: { x: number; y: number; scale: number }): Region {
  const x = Math.round((region.x - frame.x) / frame.scale)
  const y = Math.round((region.y - frame.y) / frame.scale)
  const width = Math.max(1, Math.round(region.width / frame.scale))
  return { x, y, width, height: Math.max(1, Math.round(region.height / frame.scale)) }
}

/** The reverse of `inPage`. */
export function overFrame(region: Region, frame: { x: number; y: number; scale: number }): Region {
  const { x, y, scale } = frame
  return {
    x: x + region.x * scale,
    y: y + region.y * scale,
    width: region.width * scale,
    height: region.height * scale,
  }
}
