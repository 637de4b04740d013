import { Navigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { useDocumentTitle } from '../../../page/parts/use-document-title.ts'
import { Glyph } from '../../../ui/glyph.tsx'
import { useFinishedLogin } from '../api/connection-logins.queries.ts'

/** The page that sign-in servers redirect to: finishes the sign-in and opens the connections. */
export function LoginReturnPage() {
  const { t } = useTranslation('connections')
  const login = useFinishedLogin()
  useDocumentTitle(t('login.returnTitle'))
  if (login.isSuccess) return <Navigate to="/settings/$section" params={{ section: 'connections' }} replace />
  return (
    <main className="message-page" id="content" tabIndex={-1}>
      <div>
        <h1>{t('login.returnTitle')}</h1>
        {login.isError ? (
          <FormProblem error={login.error} />
        ) : (
          <p className="muted" role="status">
            <Glyph state="waking" /> {t('login.finishing')}
          </p>
        )}
        <a className="btn btn--md" href="/settings/connections">
          {t('login.back')}
        </a>
      </div>
    </main>
  )
}
