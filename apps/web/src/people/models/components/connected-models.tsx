import type { ModelConnection } from '@threadbox/sdk'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'
import { Button } from '../../../ui/button.tsx'
import { useMakeDefaultModel, useTestModel } from '../api/models.queries.ts'
import { providerOf } from '../state/provider-catalog.ts'
import { ModelDialog } from './model-dialog.tsx'
import { RemoveModelDialog } from './remove-model-dialog.tsx'
import { TestResult } from './test-result.tsx'

/** The connected models: details of each, a test, and the choice of the default. */
export function ConnectedModels(props: { models: readonly ModelConnection[] }) {
  const [open, setOpen] = useState<{ kind: 'edit' | 'remove'; model: ModelConnection } | null>(null)
  const close = () => setOpen(null)
  return (
    <>
      <ul className="rows">
        {props.models.map((model) => (
          <ModelRow
            key={model.id}
            model={model}
            onEdit={() => setOpen({ kind: 'edit', model })}
            onRemove={() => setOpen({ kind: 'remove', model })}
          />
        ))}
      </ul>
      {open?.kind === 'edit' && <ModelDialog target={{ kind: 'edit', model: open.model }} onClose={close} />}
      {open?.kind === 'remove' && <RemoveModelDialog model={open.model} onClose={close} />}
    </>
  )
}

function ModelRow(props: { model: ModelConnection; onEdit: () => void; onRemove: () => void }) {
  const { t } = useTranslation('models')
  const { model } = props
  const test = useTestModel()
  const makeDefault = useMakeDefaultModel()
  const showError = useErrorToast()
  return (
    <li className="row">
      <div className="row-line">
        <div className="grow">
          <b>{model.name}</b> {model.isDefault && <span className="badge badge--acc">{t('isDefault')}</span>}
          <ModelFacts model={model} />
        </div>
        {model.isDefault ? null : (
          <Button
            variant="ghost"
            isLoading={makeDefault.isPending}
            onClick={() => makeDefault.mutate(model.id, { onError: showError })}
          >
            {t('makeDefault')}
          </Button>
        )}
        <Button isLoading={test.isPending} onClick={() => test.mutate(model.id, { onError: showError })}>
          {test.isPending ? t('testing') : t('test')}
        </Button>
        <Button onClick={props.onEdit}>{t('edit')}</Button>
        <Button onClick={props.onRemove}>{t('remove')}</Button>
      </div>
      {test.data !== undefined && !test.isPending && <TestResult model={model} test={test.data} />}
    </li>
  )
}

function ModelFacts(props: { model: ModelConnection }) {
  const { t } = useTranslation('models')
  const format = useFormat()
  const { model } = props
  const facts = [
    providerOf(model.provider).brand ?? t('other'),
    model.name === model.model ? null : model.model,
    model.baseUrl,
    t(`key.${model.keySource}`),
    model.contextTokens === null ? t('contextUnknown') : t('context', { tokens: format.count(model.contextTokens) }),
    model.supportsImages ? t('seesImages') : t('noImages'),
    model.inputUsdPerMillion === null || model.outputUsdPerMillion === null
      ? t('priceUnknown')
      : t('price', {
          input: format.number(model.inputUsdPerMillion),
          output: format.number(model.outputUsdPerMillion),
        }),
  ]
  return <p className="facts">{facts.filter((fact) => fact !== null).join(' · ')}</p>
}
