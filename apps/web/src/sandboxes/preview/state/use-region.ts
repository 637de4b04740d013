import { type PointerEvent, type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { useStable } from '../../../page/client/use-stable.ts'
import type { Region } from '../../../preview-bridge/messages.ts'
import type { PageBridge } from './page-bridge.ts'
import { afterHandle, between, handles, inPage, middleOf, overFrame, smallestRegion, within } from './region.logic.ts'

/** The position of a frame below its overlay. `area`: the visible part of the page. */
type Place = { x: number; y: number; scale: number; area: Region; box: { width: number; height: number } }
type Point = { x: number; y: number }
type Drag = { from: Point; before: Region; handle: Point | null }

/** The selected region of a page, by pointer and by keyboard. Null until the frame is measured. */
export function useRegion(options: {
  box: RefObject<HTMLElement | null>
  frame: RefObject<HTMLIFrameElement | null>
  bridge: PageBridge
}) {
  const { box, frame, bridge } = options
  const [place, setPlace] = useState<Place | null>(null)
  const [region, setRegion] = useState<Region | null>(null)
  const drag = useRef<Drag | null>(null)
  const measure = useStable(() => {
    const next = placeOf(box.current, frame.current)
    setPlace(next)
    if (next !== null) setRegion((before) => (before && within(before, next.area)) ?? middleOf(next.area))
  })
  useLayoutEffect(() => {
    measure()
    const observer = new ResizeObserver(measure)
    if (box.current !== null) observer.observe(box.current)
    return () => observer.disconnect()
  }, [measure, box])

  const pointOf = (event: PointerEvent): Point => {
    const corner = box.current?.getBoundingClientRect()
    return { x: event.clientX - (corner?.left ?? 0), y: event.clientY - (corner?.top ?? 0) }
  }
  const dragged = (event: PointerEvent): Region | null => {
    if (drag.current === null || place === null) return null
    const { from, before, handle } = drag.current
    const to = pointOf(event)
    return handle === null ? between(from, to, place.area) : afterHandle(before, handle, { to, area: place.area })
  }
  const pick = async (point: Point, before: Region) => {
    setRegion(before)
    if (place === null) return
    const found = await bridge.pick({ x: (point.x - place.x) / place.scale, y: (point.y - place.y) / place.scale })
    const shown = found === null ? null : within(overFrame(found, place), place.area)
    if (shown !== null) setRegion(shown)
  }
  return {
    place,
    region,
    setRegion,
    /** Relative to the page’s viewport. */
    pageRegion: place === null || region === null ? null : inPage(region, place),
    pointer: {
      onPointerDown: (event: PointerEvent<HTMLElement>) => {
        if (event.button !== 0 || region === null) return
        const handle = handles[Number((event.target as HTMLElement).dataset.handle ?? Number.NaN)] ?? null
        drag.current = { from: pointOf(event), before: region, handle }
        event.currentTarget.setPointerCapture(event.pointerId)
        event.preventDefault()
      },
      onPointerMove: (event: PointerEvent) => {
        const next = dragged(event)
        if (next !== null && next.width > 0 && next.height > 0) setRegion(next)
      },
      onPointerUp: (event: PointerEvent) => {
        const next = dragged(event)
        const { current } = drag
        drag.current = null
        if (next === null || current === null) return
        const isClick = current.handle === null && (next.width < smallestRegion || next.height < smallestRegion)
        if (isClick) void pick(current.from, current.before)
        else if (next.width > 0 && next.height > 0) setRegion(next)
      },
    },
  }
}

function placeOf(box: HTMLElement | null, frame: HTMLIFrameElement | null): Place | null {
  if (box === null || frame === null) return null
  const outer = box.getBoundingClientRect()
  const inner = frame.getBoundingClientRect()
  const scale = frame.offsetWidth === 0 ? 1 : inner.width / frame.offsetWidth
  const x = inner.left - outer.left + frame.clientLeft * scale
  const y = inner.top - outer.top + frame.clientTop * scale
  const all = { x: 0, y: 0, width: Math.floor(outer.width), height: Math.floor(outer.height) }
  const whole = {
    x: Math.ceil(x),
    y: Math.ceil(y),
    width: frame.clientWidth * scale,
    height: frame.clientHeight * scale,
  }
  const area = within({ ...whole, width: Math.floor(whole.width), height: Math.floor(whole.height) }, all)
  return area === null ? null : { x, y, scale, area, box: all }
}
