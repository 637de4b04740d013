import { type RefObject, useLayoutEffect } from 'react'

/** Sets the height of a text area to that of its text, up to the maximum in the stylesheet. */
export function useAutosize(area: RefObject<HTMLTextAreaElement | null>, text: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text
  useLayoutEffect(() => {
    const element = area.current
    if (element === null) return
    element.style.height = 'auto'
    element.style.height = `${element.scrollHeight}px`
  }, [area, text])
}
