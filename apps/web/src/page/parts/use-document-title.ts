import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'

/** Sets the page title for the tab and for screen readers. */
export function useDocumentTitle(title: string): void {
  const { t } = useTranslation('common')
  const product = t('productName')
  useEffect(() => {
    document.title = `${title} · ${product}`
  }, [title, product])
}
