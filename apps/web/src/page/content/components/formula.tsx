import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { classNames } from '../../../ui/class-names.ts'

type Draw = typeof import('../state/formula.ts').drawFormula

/** Kept once loaded, so that later formulas render with the text around them. */
let loaded: Draw | null = null

/**
 * A formula. Shows the TeX until KaTeX is loaded, and if the TeX has a mistake. While a response streams, it keeps the
 * last valid version, so that nothing flickers.
 */
export function Formula(props: { tex: string; isDisplay: boolean }) {
  const { tex, isDisplay } = props
  const [draw, setDraw] = useState<Draw | null>(() => loaded)
  const [isDrawn, setIsDrawn] = useState(false)
  const place = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    if (draw !== null) return
    let isCurrent = true
    void import('../state/formula.ts').then(({ drawFormula }) => {
      loaded = drawFormula
      if (isCurrent) setDraw(() => drawFormula)
    })
    return () => {
      isCurrent = false
    }
  }, [draw])
  useLayoutEffect(() => {
    if (draw !== null && place.current !== null && draw(place.current, tex, isDisplay)) setIsDrawn(true)
  }, [draw, tex, isDisplay])
  return (
    <span className={classNames('formula', isDisplay && 'formula--display')}>
      {!isDrawn && <code>{tex}</code>}
      <span ref={place} hidden={!isDrawn} />
    </span>
  )
}
