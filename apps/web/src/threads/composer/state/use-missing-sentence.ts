import type { Screenshot } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'

/** Names what a screenshot lacks although the page shows it; null if it is complete. */
export function useMissingSentence(screenshot: Screenshot): string | null {
  const { t } = useTranslation('threads')
  const format = useFormat()
  const { missing = [] } = screenshot
  if (missing.length === 0) return null
  return t('screenshotMissing', { what: format.list(missing.map((kind) => t(`missing.${kind}`))) })
}
