import { isThreadboxError } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { Button } from '../../ui/button.tsx'
import { showErrorToast, showToast } from '../../ui/toast.tsx'
import { useProblem } from './problem.ts'
import { useDocumentTitle } from './use-document-title.ts'

/** Replaces a page that crashed. Everything outside the page keeps working. */
export function ErrorPage(props: { error: unknown }) {
  const { t } = useTranslation(['connection', 'common'])
  const problem = useProblem()(props.error)
  useDocumentTitle(t('error.title'))
  const details = detailsOf(props.error)
  const copy = () =>
    navigator.clipboard.writeText(details).then(
      () => showToast(t('common:copied')),
      () => showErrorToast(t('common:copyFailed')),
    )
  return (
    <main className="message-page" id="content" tabIndex={-1} role="alert">
      <div>
        <h1>{t('error.title')}</h1>
        <p className="muted">
          {isThreadboxError(props.error) ? `${problem.message} ${problem.remedy}` : t('error.text')}
        </p>
        <div className="row-flex">
          <Button variant="primary" size="md" onClick={() => location.reload()}>
            {t('error.reload')}
          </Button>
          <a className="btn btn--md" href="/">
            {t('error.home')}
          </a>
        </div>
        <details>
          <summary>{t('error.details')}</summary>
          <pre className="mono">{details}</pre>
          <Button size="sm" onClick={() => void copy()}>
            {t('error.copy')}
          </Button>
        </details>
      </div>
    </main>
  )
}

function detailsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return isThreadboxError(error) ? `${error.code}\n${error.message}` : (error.stack ?? error.message)
}
