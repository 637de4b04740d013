import type { ModelConnection, ModelTest } from '@threadbox/sdk'
import { Check } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { ErrorCode } from '../../../page/docs/docs-link.tsx'
import { failurePlace } from '../../../page/docs/docs-places.ts'
import { Glyph } from '../../../ui/glyph.tsx'

/** The result of one real call to the model: time and response, or why it failed and what to do. */
export function TestResult(props: { model: ModelConnection; test: ModelTest }) {
  const { t } = useTranslation('models')
  const format = useFormat()
  const { model, test } = props
  if (!test.ok) {
    return (
      <div className="form-problem" role="alert">
        <Glyph state="error" />
        <div className="grow">
          <b>{t('result.failedSaved')}</b>
          <p>{test.failure === null ? '' : `${test.failure.message} ${test.failure.remedy}`}</p>
          {test.failure !== null && <ErrorCode code={test.failure.code} to={failurePlace(test.failure.code)} />}
        </div>
      </div>
    )
  }
  const reply = (test.reply ?? '').trim()
  return (
    <div className="test-result" role="status">
      <p className="row-flex">
        <Check className="i okc" size={16} aria-hidden="true" />
        <b>{t('result.ok', { latency: format.duration(test.latencyMs) })}</b>
      </p>
      <p className="muted">{reply === '' ? t('result.noReply') : t('result.reply', { reply })}</p>
      <h3>{t('result.can')}</h3>
      <ul>
        <li>{model.supportsImages ? t('result.images') : t('result.imagesNo')}</li>
        <li>
          {model.contextTokens === null
            ? t('result.contextAssumed')
            : t('result.contextKnown', { tokens: format.count(model.contextTokens) })}
        </li>
        <li>{model.inputUsdPerMillion === null ? t('result.costUnknown') : t('result.cost')}</li>
      </ul>
    </div>
  )
}
