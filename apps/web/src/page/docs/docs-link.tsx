import { CircleHelp } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { classNames } from '../../ui/class-names.ts'
import { type DocsPlace, docsAddress, errorPlace } from './docs-places.ts'

/** A link to the documentation, in the person's language. It opens in a new tab, so nothing that was typed is lost. */
export function DocsLink(props: { to: DocsPlace; className?: string; label?: string; children: ReactNode }) {
  const { i18n } = useTranslation()
  return (
    <a
      className={classNames('link', props.className)}
      href={docsAddress(props.to, i18n.language)}
      target="_blank"
      rel="noreferrer"
      {...(props.label === undefined ? {} : { 'aria-label': props.label, title: props.label })}
    >
      {props.children}
    </a>
  )
}

/** “Learn more”, after a sentence. */
export function LearnMore(props: { to: DocsPlace }) {
  const { t } = useTranslation('common')
  return <DocsLink to={props.to}>{t('learnMore')}</DocsLink>
}

/** A question mark beside a heading or a name. */
export function HelpLink(props: { to: DocsPlace; about: string }) {
  const { t } = useTranslation('common')
  return (
    <DocsLink to={props.to} className="help-link" label={t('docsAbout', { topic: props.about })}>
      <CircleHelp className="i" size={14} aria-hidden="true" />
    </DocsLink>
  )
}

/** The permanent code of an error, and the way to its page. */
export function ErrorCode(props: { code: string; to?: DocsPlace }) {
  return (
    <DocsLink to={props.to ?? errorPlace(props.code)} className="faint">
      <code className="mono">{props.code}</code>
    </DocsLink>
  )
}
