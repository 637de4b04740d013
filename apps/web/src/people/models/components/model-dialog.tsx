import type { ModelConnection, ModelTest } from '@threadbox/sdk'
import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { focusFirstInvalid } from '../../../page/parts/focus-first-invalid.ts'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { useDiscoveredModels, useModels, useRemoveModel, useSaveAndTestModel } from '../api/models.queries.ts'
import { emptyModelForm, formOfModel, type ModelForm, readModelForm } from '../state/model-form.ts'
import { type ProviderKind, providerOf } from '../state/provider-catalog.ts'
import { suggestedModels } from '../state/suggestions.logic.ts'
import { ModelFields } from './model-fields.tsx'
import { TestResult } from './test-result.tsx'

export type ModelDialogTarget =
  | { kind: 'new'; provider: ProviderKind; model: string }
  | { kind: 'edit'; model: ModelConnection }

/**
 * Connects or edits a model. Saving comes before the test, because the test is one real call with the stored values. If
 * it fails, the model stays and the form stays open, so that you decide.
 */
export function ModelDialog(props: { target: ModelDialogTarget; onClose: () => void }) {
  const { t } = useTranslation(['models', 'common'])
  const formId = useId()
  const work = useModelWork(props.target)
  const { form, saved, test, save } = work
  const title = useTitle(props.target)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!work.submit()) focusFirstInvalid(event.currentTarget)
  }
  const isDone = test?.ok === true
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && props.onClose()}
      title={title}
      description={t('dialog.lead')}
      closeLabel={t('common:close')}
      footer={
        isDone ? (
          <DoneFooter onClose={props.onClose} />
        ) : (
          <WorkFooter formId={formId} work={work} isNew={props.target.kind === 'new'} onClose={props.onClose} />
        )
      }
    >
      {isDone && saved !== null ? (
        <TestResult model={saved} test={test} />
      ) : (
        <form id={formId} className="model-form" onSubmit={submit} noValidate>
          <ModelFields form={form} onChange={work.change} problems={work.shownProblems} known={work.known} />
          {test !== null && saved !== null && <TestResult model={saved} test={test} />}
          {save.error !== null && <FormProblem error={save.error} />}
        </form>
      )}
    </Dialog>
  )
}

type ModelWork = ReturnType<typeof useModelWork>

/** Form, saving and testing of one dialog. Once saved, further saves change the same model. */
function useModelWork(target: ModelDialogTarget) {
  const save = useSaveAndTestModel()
  const discovered = useDiscoveredModels()
  const connected = useModels()
  const [form, setForm] = useState<ModelForm>(() =>
    target.kind === 'edit' ? formOfModel(target.model) : { ...emptyModelForm(target.provider), model: target.model },
  )
  const [saved, setSaved] = useState<ModelConnection | null>(target.kind === 'edit' ? target.model : null)
  const [test, setTest] = useState<ModelTest | null>(null)
  const [wasSent, setWasSent] = useState(false)
  const found = discovered.data?.find((model) => model.provider === form.provider)
  const keySource = saved?.keySource ?? (found?.source === 'environment' ? 'environment' : 'none')
  const isMoved = saved?.keySource === 'stored' && form.baseUrl.trim() !== (saved.baseUrl ?? '')
  const { request, problems } = readModelForm(form, {
    hasKey: keySource !== 'none' && !isMoved,
    hasPrice: saved?.hasEnteredPrice === true,
    hasFallbacks: (saved?.fallbackIds.length ?? 0) > 0,
  })
  const change = (part: Partial<ModelForm>) => {
    setForm({ ...form, ...part })
    setTest(null)
    save.reset()
  }
  const submit = (): boolean => {
    setWasSent(true)
    if (Object.keys(problems).length > 0) return false
    const { provider, ...changes } = request
    const order = saved === null ? { request: { provider, ...changes } } : { id: saved.id, request: changes }
    save.mutate({ ...order, onSaved: setSaved }, { onSuccess: (result) => setTest(result.test) })
    return true
  }
  return {
    form,
    saved,
    test,
    save,
    change,
    submit,
    shownProblems: wasSent ? problems : {},
    known: {
      keySource,
      isMoved,
      others: (connected.data ?? []).filter(({ id }) => id !== saved?.id),
      names: suggestedModels(form.provider, { discovered: discovered.data ?? [], connected: connected.data ?? [] }),
    },
  }
}

function useTitle(target: ModelDialogTarget): string {
  const { t } = useTranslation('models')
  if (target.kind === 'edit') return t('dialog.editTitle', { name: target.model.name })
  const { brand } = providerOf(target.provider)
  return brand === null ? t('dialog.titleOther') : t('dialog.title', { brand })
}

function DoneFooter(props: { onClose: () => void }) {
  const { t } = useTranslation('models')
  return (
    <>
      <span className="grow" />
      <Button variant="primary" size="md" onClick={props.onClose} autoFocus>
        {t('dialog.done')}
      </Button>
    </>
  )
}

function WorkFooter(props: { formId: string; work: ModelWork; isNew: boolean; onClose: () => void }) {
  const { t } = useTranslation(['models', 'common'])
  const { saved, test, save } = props.work
  const remove = useRemoveModel()
  const isKept = props.isNew && saved !== null
  const discard = () => saved !== null && remove.mutate(saved.id, { onSuccess: props.onClose })
  return (
    <>
      <span className="grow">
        {isKept && (
          <Button variant="ghost" size="md" onClick={discard} isLoading={remove.isPending}>
            {t('dialog.discard')}
          </Button>
        )}
      </span>
      <Button size="md" onClick={props.onClose}>
        {isKept ? t('dialog.keep') : t('common:cancel')}
      </Button>
      <Button variant="primary" size="md" type="submit" form={props.formId} isLoading={save.isPending}>
        {save.isPending ? t('dialog.submitting') : test === null ? t('dialog.submit') : t('dialog.again')}
      </Button>
    </>
  )
}
