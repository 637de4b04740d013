import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Logo } from '../../../ui/logo.tsx'

/** The frame of the pages for signing in and signing up: canvas, sheet, brand. `aside` is beside the form. */
export function AuthSheet(props: { children: ReactNode; aside?: ReactNode; footer?: ReactNode }) {
  const { t } = useTranslation('common')
  const isWide = props.aside !== undefined
  return (
    <main className="auth">
      <div className={isWide ? 'auth-wide' : 'auth-narrow'}>
        <div className={isWide ? 'sheet auth-columns' : 'sheet'}>
          <div className="auth-form">
            <div className="row-flex auth-brand">
              <Logo size={24} />
              <b>{t('productName')}</b>
            </div>
            {props.children}
          </div>
          {props.aside}
        </div>
        {props.footer === undefined ? null : <p className="faint auth-footer">{props.footer}</p>}
      </div>
    </main>
  )
}
