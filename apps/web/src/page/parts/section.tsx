import type { ReactNode } from 'react'
import { CodeText } from './code-text.tsx'

/** Heading and introduction of a settings section. */
export function SectionHead(props: { title: string; lead: string }) {
  return (
    <header className="settings-head">
      <h1 tabIndex={-1}>{props.title}</h1>
      <p className="lead">
        <CodeText text={props.lead} />
      </p>
    </header>
  )
}

/** A titled group of a section. */
export function Group(props: { title: string; children: ReactNode; action?: ReactNode }) {
  return (
    <section className="group" aria-label={props.title}>
      <div className="group-head">
        <h2>{props.title}</h2>
        {props.action}
      </div>
      {props.children}
    </section>
  )
}
