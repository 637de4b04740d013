import { Glyph } from '../../ui/glyph.tsx'
import { ErrorCode } from '../docs/docs-link.tsx'
import { CodeText } from './code-text.tsx'
import { useProblem } from './problem.ts'

/** The error of a form that belongs to no single field. Announced when it appears. */
export function FormProblem(props: { error: unknown; title?: string }) {
  const problem = useProblem()(props.error)
  return (
    <div className="form-problem" role="alert">
      <Glyph state="error" />
      <div className="grow">
        {props.title === undefined ? null : <b>{props.title}</b>}
        <p>
          <CodeText text={`${problem.message} ${problem.remedy}`} />
        </p>
        <ErrorCode code={problem.code} />
      </div>
    </div>
  )
}
