import { type RefObject, useLayoutEffect, useState } from 'react'

/** The visible part of a scrolled element in pixels, for lists that draw only visible rows. */
export function useScroll(scroll: RefObject<HTMLElement | null>): { scrollTop: number; height: number } {
  const [view, setView] = useState({ scrollTop: 0, height: 600 })
  useLayoutEffect(() => {
    const element = scroll.current
    if (element === null) return
    const measure = () => setView({ scrollTop: element.scrollTop, height: element.clientHeight })
    const sizes = new ResizeObserver(measure)
    sizes.observe(element)
    element.addEventListener('scroll', measure, { passive: true })
    measure()
    return () => {
      sizes.disconnect()
      element.removeEventListener('scroll', measure)
    }
  }, [scroll])
  return view
}
