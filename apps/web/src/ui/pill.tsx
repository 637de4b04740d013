import type { ReactNode } from 'react'
import { Glyph, type GlyphState } from './glyph.tsx'

/** A small state: glyph and word. */
export function Pill(props: { state: GlyphState; children: ReactNode }) {
  return (
    <span className={`pill st-${props.state}`}>
      <Glyph state={props.state} />
      {props.children}
    </span>
  )
}
