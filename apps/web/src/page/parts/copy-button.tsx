import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../ui/button.tsx'
import { showErrorToast } from '../../ui/toast.tsx'

/** How long the button shows success. */
const doneMs = 2000

export function CopyButton(props: { text: string; size?: 'sm' | 'md'; isPrimary?: boolean }) {
  const { t } = useTranslation(['connection', 'common'])
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), doneMs)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = () =>
    navigator.clipboard.writeText(props.text).then(
      () => setCopied(true),
      () => showErrorToast(t('common:copyFailed')),
    )
  const Icon = isCopied ? Check : Copy
  return (
    <Button
      size={props.size ?? 'sm'}
      variant={props.isPrimary === true ? 'primary' : 'default'}
      icon={<Icon className="i" size={14} />}
      onClick={() => void copy()}
    >
      <span aria-live="polite">{isCopied ? t('common:copied') : t('copy')}</span>
    </Button>
  )
}
