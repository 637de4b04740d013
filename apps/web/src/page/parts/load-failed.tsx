import { useTranslation } from 'react-i18next'
import { Button } from '../../ui/button.tsx'
import { Glyph } from '../../ui/glyph.tsx'
import { ErrorCode } from '../docs/docs-link.tsx'
import { CodeText } from './code-text.tsx'
import { useProblem } from './problem.ts'

/** Replaces content that couldn’t be loaded: what happened, what to do, and a button to retry. */
export function LoadFailed(props: { error: unknown; onRetry: () => void; isRetrying?: boolean; title?: string }) {
  const { t } = useTranslation('connection')
  const problem = useProblem()(props.error)
  return (
    <div className="load-failed" role="alert">
      <Glyph state="error" />
      <div className="grow">
        <b>{props.title ?? problem.message}</b>
        <p>
          {props.title === undefined ? null : `${problem.message} `}
          <CodeText text={problem.remedy} /> <ErrorCode code={problem.code} />
        </p>
      </div>
      <Button onClick={props.onRetry} isLoading={props.isRetrying ?? false}>
        {t('retryLoad')}
      </Button>
    </div>
  )
}
