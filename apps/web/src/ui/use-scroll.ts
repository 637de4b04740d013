import { type RefObject, useLayoutEffect, useState } from 'react'

/** Which part of what scrolls is in view, in pixels: for lists that draw only what is seen. */
export function useScroll(scroll: RefObject<HTMLElement | null>): { scrollTop: number; height: number } {
  const [view, setView] = useState({ scrollTop: 0, height: 600 })
  useLayoutEffect(() => {
    const element = scroll.current
    if (element === null) return
    const look = () => setView({ scrollTop: element.scrollTop, height: element.clientHeight })
    const sizes = new ResizeObserver(look)
    sizes.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    look()
    return () => {
      sizes.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [scroll])
  return view
}
