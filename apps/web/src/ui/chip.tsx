import { ChevronDown } from 'lucide-react'
import type { ComponentProps } from 'react'
import { classNames } from './class-names.ts'
import { Glyph, type GlyphState } from './glyph.tsx'

/** A state as color, shape and word. Changes of the detail after it aren’t announced. */
export function Chip(
  props: ComponentProps<'button'> & { state: GlyphState; word: string; detail?: string | undefined },
) {
  const { state, word, detail, className, ...rest } = props
  return (
    <button type="button" {...rest} className={classNames('chip', `st-${state}`, className)}>
      <Glyph state={state} />
      <span role="status">{word}</span>
      {detail !== undefined && (
        <span className="d">
          {'· '}
          {detail}
        </span>
      )}
      <ChevronDown className="i" size={12} aria-hidden="true" />
    </button>
  )
}
