import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'

/** Names the page in the tab and for screen readers. */
export function useDocumentTitle(title: string): void {
  const { t } = useTranslation('common')
  const product = t('productName')
  useEffect(() => {
    document.title = `${title} · ${product}`
  }, [title, product])
}
