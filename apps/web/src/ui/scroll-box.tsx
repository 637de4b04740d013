import type { ReactNode } from 'react'

/** Text or a table that may be larger than its box. It can be focused, so that the keyboard scrolls it too. */
export function ScrollBox(props: { className: string; label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: focus is what lets the keyboard scroll it
    <section className={props.className} aria-label={props.label} tabIndex={0}>
      {props.children}
    </section>
  )
}
