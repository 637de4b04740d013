import type { ReactNode } from 'react'

/** One line of the conversation about the sandbox, with its actions. */
export function NoticeLine(props: { icon: ReactNode; title: string; rest?: string | undefined; children?: ReactNode }) {
  return (
    <div className="r notice">
      <span className="node" aria-hidden="true">
        {props.icon}
      </span>
      <b>{props.title}</b>
      {props.rest !== undefined && <span className="rest">{props.rest}</span>}
      {props.children}
    </div>
  )
}
