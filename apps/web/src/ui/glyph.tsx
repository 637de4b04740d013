import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

export type GlyphState =
  | 'active'
  | 'pausing'
  | 'paused'
  | 'waking'
  | 'cold'
  | 'fresh'
  | 'archived'
  | 'error'
  | 'running'
  | 'suspended'
  | 'stopped'

const bars = (
  <>
    <rect x="2.75" y="2" width="2.25" height="8" rx="1" fill="currentColor" />
    <rect x="7" y="2" width="2.25" height="8" rx="1" fill="currentColor" />
  </>
)

/** Every state has its own shape, so that color is never the only sign. */
const shapes: Record<GlyphState, ReactNode> = {
  active: <circle cx="6" cy="6" r="4" fill="currentColor" />,
  pausing: (
    <>
      <circle cx="6" cy="6" r="4.1" fill="none" stroke="currentColor" strokeWidth="1.5" />
      <path d="M6 2a4 4 0 0 0 0 8z" fill="currentColor" />
    </>
  ),
  paused: bars,
  waking: (
    <>
      <circle cx="6" cy="6" r="4.25" fill="none" stroke="currentColor" strokeOpacity=".25" strokeWidth="1.5" />
      <path
        d="M6 1.75A4.25 4.25 0 0 1 10.25 6"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.75"
        strokeLinecap="round"
      />
    </>
  ),
  cold: (
    <g stroke="currentColor" strokeWidth="1.4" strokeLinecap="round">
      <path d="M6 1.2v9.6M1.85 3.6l8.3 4.8M10.15 3.6l-8.3 4.8" />
    </g>
  ),
  fresh: (
    <circle
      cx="6"
      cy="6"
      r="4.1"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeDasharray="2.1 2.2"
      strokeLinecap="round"
    />
  ),
  archived: (
    <>
      <rect x="1.5" y="2" width="9" height="2.6" rx=".8" fill="currentColor" />
      <path d="M2.5 6v3.2c0 .5.3.8.8.8h5.4c.5 0 .8-.3.8-.8V6" fill="none" stroke="currentColor" strokeWidth="1.4" />
    </>
  ),
  error: (
    <>
      <path
        d="M6 1.3c.35 0 .66.18.84.48l4.1 7.1c.37.65-.1 1.46-.84 1.46H1.9c-.74 0-1.21-.8-.84-1.46l4.1-7.1A.97.97 0 0 1 6 1.3z"
        fill="currentColor"
      />
      <path d="M6 4.4v2.5M6 8.6v.05" stroke="var(--bg)" strokeWidth="1.2" strokeLinecap="round" />
    </>
  ),
  running: <circle cx="6" cy="6" r="3.25" fill="currentColor" />,
  suspended: bars,
  stopped: <rect x="2.5" y="2.5" width="7" height="7" rx="1.5" fill="none" stroke="currentColor" strokeWidth="1.5" />,
}

/** The sign of a state. Decorative: the state is also in words beside it or in text for screen readers. */
export function Glyph(props: { state: GlyphState; className?: string }) {
  return (
    <svg className={classNames('g', `st-${props.state}`, props.className)} viewBox="0 0 12 12" aria-hidden="true">
      {shapes[props.state]}
    </svg>
  )
}
