import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useDocumentTitle } from './use-document-title.ts'

/** The page for an unknown address. */
export function NotFoundPage() {
  const { t } = useTranslation('connection')
  useDocumentTitle(t('notFound.title'))
  return (
    <main className="message-page" id="content" tabIndex={-1}>
      <div>
        <h1>{t('notFound.title')}</h1>
        <p className="muted">{t('notFound.text')}</p>
        <Link to="/" className="btn btn--md">
          {t('notFound.home')}
        </Link>
      </div>
    </main>
  )
}
