import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { CodeText } from '../../../page/parts/code-text.tsx'
import { AuthSheet } from './auth-sheet.tsx'

/** Shown at /setup if you can’t sign up. */
export function SetupBlocked(props: { kind: 'noToken' | 'done' }) {
  const { t } = useTranslation('auth')
  return (
    <AuthSheet>
      <h1>{t(`setup.${props.kind}.title`)}</h1>
      <p className="muted auth-lead">
        <CodeText text={t(`setup.${props.kind}.text`)} />
      </p>
      {props.kind === 'done' && (
        <Link to="/login" className="btn btn--primary btn--lg btn--block">
          {t('setup.done.action')}
        </Link>
      )}
    </AuthSheet>
  )
}
