import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import {
  distanceFromEnd,
  followDistance,
  followsAfterScroll,
  type ScrollPosition,
  topAfterPrepend,
} from './scroll.logic.ts'

/**
 * Keeps a growing list at its end while the reader follows, stops when they scroll up, and keeps their position when
 * older rows are added above. `newest` counts what can be missed; `oldestKey` changes when rows were added above.
 */
export function useStick(options: { newest: number; oldestKey: string | undefined }): {
  scroller: RefObject<HTMLDivElement | null>
  content: RefObject<HTMLDivElement | null>
  isFollowing: boolean
  /** The number of rows that came since the reader stopped following. */
  missed: number
  toEnd: () => void
} {
  const { newest, oldestKey } = options
  const scroller = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const position = useRef<ScrollPosition>({ top: 0, height: 0, viewport: 0 })
  const following = useRef(true)
  const [isFollowing, setIsFollowing] = useState(true)
  const [seen, setSeen] = useState(newest)
  const lastOldest = useRef(oldestKey)

  const read = useCallback((): ScrollPosition => {
    const element = scroller.current
    if (element === null) return { top: 0, height: 0, viewport: 0 }
    return { top: element.scrollTop, height: element.scrollHeight, viewport: element.clientHeight }
  }, [])
  const settle = useCallback(() => {
    const element = scroller.current
    if (element === null) return
    if (following.current) element.scrollTop = element.scrollHeight
    position.current = read()
  }, [read])
  const toEnd = useCallback(() => {
    following.current = true
    setIsFollowing(true)
    settle()
  }, [settle])

  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null || lastOldest.current === oldestKey) return
    const before = position.current
    lastOldest.current = oldestKey
    if (!following.current) element.scrollTop = topAfterPrepend(before, element.scrollHeight)
    position.current = read()
  }, [oldestKey, read])

  useEffect(() => {
    const element = scroller.current
    if (element === null || content.current === null) return
    const onScroll = () => {
      const after = read()
      const next = followsAfterScroll(following.current, { before: position.current, after })
      position.current = after
      if (next !== following.current) {
        following.current = next
        setIsFollowing(next)
      }
    }
    const observer = new ResizeObserver(settle)
    observer.observe(content.current)
    observer.observe(element)
    element.addEventListener('scroll', onScroll, { passive: true })
    settle()
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', onScroll)
    }
  }, [read, settle])

  useEffect(() => {
    if (isFollowing) setSeen(newest)
  }, [isFollowing, newest])

  const isAway = !isFollowing && distanceFromEnd(position.current) > followDistance
  return { scroller, content, isFollowing: !isAway, missed: isFollowing ? 0 : Math.max(0, newest - seen), toEnd }
}
